"""Names of columns, keys and sheets as the field and other tools write them, in plain form (`plain_label`)."""

# As Python, because loading a parser of TOML takes a sixth of the time of loading numpy, in each search.

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _words(names: str) -> tuple[str, ...]:
    return tuple(names.split())


def _names(**parts: str) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({part: _words(names) for part, names in parts.items()})


PARTS = _names(
    id="_id id doc_id docid docno document_id query_id queryid qid topic_id number pid pmid",
    title=(
        "article_title articletitle title headline heading name subject product_title product_name item_name "
        "titel titre titulo título titolo titular bezeichnung"
    ),
    text=(
        "text body content contents page_content abstract passage document description query question raw reviewtext "
        "review_text selftext summary abstracttext product_description overview body_html short_description context "
        "beschreibung inhalt "
        "descripción descripcion contenido contenu texte texto descrizione desc definition"
    ),
)
"""Part of a document or a query → the names of its column, in order of precedence."""

NAMES = _names(
    query_id=(
        "query_id qid q_id queryid query_no query_no. query_nr query_nr. question_no topic_id topic query qry_id "
        "qry query_number query_text user_query search_query query_num search_term srch_id keyword keywords "
        "question_id question user_input input"
    ),
    doc_id=(
        "doc_id docno docid doc_no did corpus_id document_id pid document doc doc_number product_id productid "
        "product_uid product item_id itemid item sku url uri link article_id passage_id prop_id "
        "result_id result"
    ),
    score=(
        "_score score sim similarity scores prob probability logit y_score bm25 cosine_similarity prediction pred est"
    ),
    distance="distance dist _distance",
    relevance=(
        "relevance rel grade label judgment judgement qrel relevance_label relevance_grade relevance_score rating "
        "ratings stars star gain gains esci_label has_answer relevanz pertinence relevancia relevância rilevanza "
        "relevantie"
    ),
    subtopic="subtopic subtopic_id sub_topic nugget nugget_id intent aspect iteration",
    weight="importance weight nugget_weight",
    vote="vote votes clicked liked",
    rank="rank position rank_of_doc",
    tag=(
        "tag run_id run system run_name run_tag system_id system_name system_number ranker retriever method "
        "algorithm approach pipeline experiment config name model engine variant"
    ),
    judge=(
        "judge judge_id judged_by reviewer rater assessor annotator evaluator bewerter gutachter juror juge évaluateur "
        "annotateur evaluador anotador avaliador"
    ),
    reason="reason reasons explanation comment rationale justification prediction",
    session="session session_id visit visit_id",
    clicked="clicked click clicks is_click is_clicked",
    user="user_id user uid voter rater assessor annotator",
)
"""Part of a judgment, of a result or of a click → the names of its column, in order of precedence."""

TABLES = _names(
    documents="documents document docs corpus collection passages articles items "
    "dokumente documentos documenti documenten 文档 文書",
    queries="queries query topics questions searches "
    "anfragen suchanfragen consultas requêtes pesquisas zoekvragen 查询 検索",
    qrels="qrels judgments judgements ratings grades relevance "
    "urteile bewertungen juicios jugements évaluations giudizi avaliações beoordelingen 相关性 評価",
    run="run runs results ranking rankings hits "
    "ergebnisse suchergebnisse resultados résultats risultati resultaten 结果 結果",
    clicks="clicks log",
)
"""Role → words in the names of its tables inside a file."""

_RELEVANT = _words(
    "true yes y t up on relevant correct positive pos pass hit accept ja oui si sí sì sim да 是 はい "
    "wahr vrai vero verdadero verdadeiro pertinent pertinente relevante rilevante 相关 関係あり"
)
_NOT_RELEVANT = _words(
    "false no n f down off irrelevant notrelevant nonrelevant incorrect negative neg fail miss reject nein non não nee "
    "нет 否 いいえ falsch faux falso nichtrelevant irrelevante norelevante nonpertinent nonrilevante 不相关 無関係"
)

GRADES = MappingProxyType({**dict.fromkeys(_RELEVANT, 1), **dict.fromkeys(_NOT_RELEVANT, 0)})
"""Word of a vote or a grade, without blanks and hyphens → its number."""

QUERY_IDS = _words("query_id queryid qid topic_id")
"""Names of an id that tell queries."""

QUERY_TEXTS = _words("query query_text user_query search_query search_term search question user_input input")
"""Names of the text of a query, beside its id or as its name."""

DESCRIPTIONS = _words("description desc beschreibung descripción descripcion narrative")
"""Names of what is said of a query, beside its text."""

DESCRIBED = _words("keywords keyword topic anfrage suchanfrage suchbegriff thema requête requete consulta")
"""Names of the text of a query beside its id and one of `DESCRIPTIONS`."""

PERHAPS_IDS = _words(
    "sku itemid productid asin no no. nr nr. # key tconst identifier doi ut put id_str parent_asin corpusid"
)
"""Names of an id, if no two of the first rows have the same."""

DOCUMENT_IDS = _words(
    "doc_id docno _id id docid document_id passage_id product_id article_id sku asin artikelnummer código "
    "chunk_id item_id itemid productid corpusid tconst identifier doi ut id_str number pid pmid parent_asin nr nr. "
    "no no. nummer # key query_id queryid qid topic_id"
)
"""Names of the id of a document, in order of precedence."""

DOCUMENT_PARTS = MappingProxyType({**PARTS, "id": DOCUMENT_IDS})
"""Part of a document → the names of its column, in order of precedence."""

QUERY_PARTS = MappingProxyType(
    {
        "id": _words("query_id queryid qid topic_id _id id number nr nr. no no. pid código"),
        "title": PARTS["title"],
        "text": (
            *QUERY_TEXTS,
            *_words("text prompt claim utterance frage pregunta pergunta body content contents raw"),
            *DESCRIBED,
            *_words("texte texto contenido contenu summary"),
        ),
    }
)
"""Part of a query → the names of its column, in order of precedence; what describes it is none of them."""

NO_TEXTS = frozenset(
    _words(
        "id ids uuid guid url urls uri link links href path file filename image images img thumbnail date datetime "
        "time timestamp created updated modified price amount lat lon lng latitude longitude language lang hash "
        "checksum embedding embeddings vector vectors version label class target gold grade relevance score "
        "rank split fold ty"
    )
)
"""Names of columns that are not searched."""

NO_TEXT_ENDS = ("_id", "_ids", "_url", "_uri", "_at")
"""Ends of such names."""

NO_TEXTS_INSIDE = frozenset({"metadata", "meta", "qas"})
"""Names of objects in which nothing is searched: what describes a text, and what is asked about it."""

PEOPLE = frozenset(
    _words(
        "absender afzender apellido apellidos auteur author authors autor by byline customer email expéditeur "
        "first from gebruiker klant kunde kundin last mail mittente nachname nutzer redacteur redakteur "
        "remetente remitente reporter reviewer rédacteur sender surname user username usuario usuário utente "
        "utilisateur verfasser vorname writer 作者 姓名 客户 昵称 用户 用户名 用户昵称 著者 氏名 担当者 ユーザー名"
    )
)
"""Words in the name of a column that holds people."""

NO_TITLES = PEOPLE | {
    *_words(
        "age anno année año color colour date day format gender jaar jahr keyword keywords labels lang language "
        "month preis price prix query search sentiment size split start state status tag tags time timestamp "
        "url year"
    )
}
"""Words in the name of a column of letters that holds people or values, and no titles."""

KINDS = frozenset(
    _words(
        "actor address adresse artist artists assignee band brand categoria categories category categoría "
        "catégorie character city class company country director domain employer endereço file firma genre "
        "genres group journal kategorie kind level location owner path place poet publisher region rubrik "
        "rubrique school season section singer source speaker standort type vendor venue 分类 类别 类型"
    )
)
"""Words in the name of a column of letters that holds kinds, and titles only if all rows have others."""

VALUES = frozenset(
    _words("fax handy mobile phone plz postcode quarter release tel telefon telephone teléfono version versión zip")
)
"""Words in the name of a column of codes that are no ids."""

REPLIES = _words(
    "answer answers antwoord antwort réponse reponse risposta respuesta resposta response responses 回答 答案"
)
"""Names of the text beside a question."""

LONG_TEXTS = _words("text body content contents abstract passage")
"""Names of a text that neither judgments nor runs have."""

PERHAPS_OF_DOCUMENTS = _words("name model engine variant")
"""Names of a column that may name the system, or the document."""

PERHAPS_SCORES = _words("prediction pred est bm25")
"""Names of scores, if the column holds numbers."""

PIECES = _words("paragraphs passages sections chunks pages segments contexts body_text")
"""Keys of the list in a document that has its text, in pieces."""

HITS = _words("hits topk top_k candidates results documents docs ranking retrieved response")
"""Keys of the hits of a query, in order of precedence."""

ANSWERS = MappingProxyType({"hits.hits": "_id", "response.docs": "id"})
"""Hits in the answer to one query (Elasticsearch, Solr) → the key of their documents."""

RANKED = frozenset(HITS) | frozenset(
    _words("details predicted prediction predictions ranked reranked recommendation recommendations run runs top")
)
"""Words in the name of a list of ids that is a ranking."""

JUDGED = frozenset(_words("judgements judgments qrels ratings rels"))
"""Words in the name of a list of ids that is judged."""

RELEVANT = JUDGED | frozenset(
    _words(
        "correct expected gold golden pertinent pertinente pos positive positives provenance reference references "
        "relevant relevante rilevante truth 是否相关 是否相關 関連の有無"
    )
)
"""Words in the name of a list of ids that are relevant."""

NEGATIVE = frozenset(
    _words("distractor distractors excluded irrelevant neg negative negatives nonrelevant notrelevant rejected trap")
)
"""Words in the name of what is never relevant, whatever else it says."""

IDS = JUDGED | {
    *_words(
        "chunk chunks doc docs document documents file files id ids pages passage passages pids sources urls uuid uuids"
    )
}
"""Words in the name of a list that holds ids."""

CONTEXTS = frozenset({"context", "contexts"})
"""Names of a list with the texts of relevant documents, beside those with a word of `RELEVANT`."""

LISTS = _words("item article_id product_id doc_id docid result")
"""Names of the second of two columns whose cells are lists of ids, beside those of `RANKED` and `RELEVANT`."""

OF_USES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "grades": tuple(f"time judge query_id {name}" for name in ("grade", "note", "skip", "undo")),
        "votes": ("time voter query_id doc_id",),
        "vectors": ("vector", "embedding", "doc_vec", "query_vec"),
    }
)
"""Role of a file that neither is searched nor evaluates → sets of names, one of which it has."""
