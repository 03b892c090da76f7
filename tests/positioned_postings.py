"""Made postings with positions, for the loops that pack them and that search in them."""

import numpy as np
from hypothesis import strategies as st


def postings(draw):
    """The documents, frequencies, offsets and positions of a few terms, and the lengths and holes of documents."""
    n_documents = draw(st.sampled_from([1, 5, 300]))
    of_terms = [
        sorted(draw(st.sets(st.integers(0, n_documents - 1), min_size=1, max_size=n_documents)))
        for _ in range(draw(st.integers(1, 4)))
    ]
    if n_documents == 300:
        of_terms.append([*range(0, 300, 1 + draw(st.integers(0, 1)))])
    docs = np.concatenate(of_terms).astype(np.int32)
    most = draw(st.sampled_from([1, 3, 600]))
    random = np.random.default_rng(draw(st.integers(0, 9)))
    tf = np.minimum(random.geometric(0.3, docs.size), most)
    tf[random.random(docs.size) < 0.02] = most
    dl = np.bincount(docs, tf, n_documents).astype(np.int32)
    holes = random.integers(0, 3, n_documents).astype(np.int32)
    places = [np.sort(random.choice(dl[doc] + holes[doc], n, replace=False)) for doc, n in zip(docs, tf, strict=True)]
    offsets = np.cumsum([0, *map(len, of_terms)])
    return docs, tf, offsets, np.concatenate(places).astype(draw(st.sampled_from([np.int32, np.uint16]))), dl, holes
