"""Text → text, before it is split into tokens: HTML taken out, accents folded."""

from __future__ import annotations

import html
import re
import unicodedata

# What HTML itself says of what is left open: a comment, a script and a style sheet go on to the end of the text.
_UNSEEN = re.compile(r"(?is)<!--(?:.*?-->|.*)|<(script|style)\b[^<>]*>(?:.*?</\1\b[^<>]*>|.*)")
_INLINE = re.compile(
    r"(?i)</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong"
    r"|sub|sup|tt|u|var|wbr)(?=[\s/>])[^<>]*>"
)
_TAG = re.compile(r"<(?:/?[A-Za-z]|[!?])[^<>]*>")


def without_html(text: str) -> str:
    """The text that HTML shows: tags and comments taken out, entities turned into their characters.

    A tag that stands within words (``<b>``, ``<sub>``, ``<span>`` …) leaves nothing behind, any other (``<p>``,
    ``<br>``, ``<td>`` …) a blank. Comments, scripts and style sheets go with what they hold. A ``<`` that starts no
    tag stays, and so does a tag written with entities: ``&lt;b&gt;`` is the text ``<b>``.
    """
    if "<" in text:
        text = _TAG.sub(" ", _INLINE.sub("", _UNSEEN.sub(" ", text)))
    return html.unescape(text)


def folded(text: str) -> str:
    """A text without accents: taken apart as NFKD does it, and the combining characters left out.

    What scikit-learn's ``strip_accents="unicode"`` does. NFKD also makes ``ﬁ`` into ``fi``, ``²`` into ``2`` and
    a wide ``ａ`` into ``a``; letters that are no letter with a mark stay (ø, ł, ß, æ).

    Unicode Standard Annex 15, Unicode Normalization Forms.
    """
    if text.isascii():
        return text
    return "".join(
        character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)
    )
