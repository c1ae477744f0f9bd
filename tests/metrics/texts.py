"""Texts for the tests of text metrics: real ones from the reference data, and invented ones."""

from hypothesis import strategies as st

from detectable.data.texts.corpus import Corpus
from tests.helpers import reference_data

WMT = ("wmt21_isen", "wmt21_jaen", "wmt21_ruen", "wmt22_jaen")

_SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
_DIGITS = "0590٣५²½Ⅷ〇"
_LETTERS = "aZßİıΣσςée\u0301ﬁ中한あ\U0001f600\U00020000"
_MARKS = ".,-.,-'\"!?:;&<>()[]{}$%/@~`|_+*=#^\\。、«»–…\u200b\ufeff\x00"
_FRAGMENTS = (
    *(_SPACES + _DIGITS + _LETTERS + _MARKS),
    *(
        "<skipped>",
        "<skip",
        "ped>",
        "&quot;",
        "&amp;",
        "&lt;",
        "&gt;",
        "&amp;lt;",
        "-\n",
        "--\n",
    ),
    *(
        "..",
        "...",
        ",.",
        "1.2",
        "5-",
        "5--6",
        ".5",
        "3,",
        "A.",
        "U.S.",
        "ΑΣ",
        "Σ ",
        " a ",
        "don't",
    ),
)

# Text made to hurt tokenisers: every kind of white space, digit and mark, next to each other.
nasty_text = st.lists(
    st.sampled_from(_FRAGMENTS) | st.characters(exclude_categories=["Cs"]), max_size=24
).map("".join)

# Text of few words, so that n-grams repeat and match.
dull_text = st.lists(st.sampled_from(["a", "b", "c", "a.", "(b", "B"]), max_size=12).map(
    " ".join
)


@st.composite
def corpora(draw: st.DrawFn, lines: st.SearchStrategy[str]) -> Corpus:
    """Two systems, up to three references of which segments may lack some but never all."""
    n = draw(st.integers(1, 4))
    stream = st.lists(lines, min_size=n, max_size=n)
    gaps = st.lists(st.none() | lines, min_size=n, max_size=n)
    complete: list[str | None] = list(draw(stream))
    references = draw(st.permutations([complete, *draw(st.lists(gaps, max_size=2))]))
    systems = {"A": draw(stream), "B": draw(stream)}
    return Corpus.build(systems, references)


def wmt(name: str, *, systems: int | None = None) -> Corpus:
    """Return a WMT test set with the outputs of its first `systems` systems, or of all."""
    import polars as pl

    table = pl.read_parquet(reference_data("data", "wmt", f"{name}_texts.parquet"))
    columns: dict[str, list[str]] = {name: table[name].to_list() for name in table.columns}
    outputs = [name for name in columns if name.startswith("hyp:")][:systems]
    references = [columns[name] for name in sorted(columns) if name.startswith("ref:")]
    return Corpus.build({name[4:]: columns[name] for name in outputs}, references)


def multeval() -> Corpus:
    """Return MultEval's example: two systems with three runs each, tokenised."""

    def lines(name: str) -> list[str]:
        text = reference_data("data", "multeval", name).read_text(encoding="utf-8")
        return text.split("\n")[:-1]

    return Corpus.build(
        {
            system: [lines(f"hyps.lc.tok.en.{system}.opt{run}") for run in range(3)]
            for system in ("baseline", "sys1")
        },
        lines("refs.test2010.lc.tok.en.0"),
    )
