"""Languages of texts: one short code for each, and in which a line was first written."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.place import is_missing
from detectable.data.files.table import Table, TableSource, is_path, read_table
from detectable.data.texts.corpus import UNKNOWN, Corpus

UNDETERMINED = "un"  # what WMT writes where nobody knows, or where there are several

# What says that there is no one language, or that it is not known.
_NO_LANGUAGE = frozenset(("un", "und", "mul", "mis", "zxx", "any"))
_SUBTAGS = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")

# ISO 639-1, each with its codes in ISO 639-2 and 639-3: the terminological one first.
_CODES = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara,arb as:asm av:ava ay:aym az:aze,azj
ba:bak be:bel bg:bul bh:bih bi:bis bm:bam bn:ben bo:bod,tib br:bre bs:bos ca:cat ce:che ch:cha
co:cos cr:cre cs:ces,cze cu:chu cv:chv cy:cym,wel da:dan de:deu,ger dv:div dz:dzo ee:ewe
el:ell,gre en:eng eo:epo es:spa et:est,ekk eu:eus,baq fa:fas,per,pes ff:ful fi:fin fj:fij fo:fao
fr:fra,fre fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv
ht:hat hu:hun hy:hye,arm hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl,ice
it:ita iu:iku ja:jpn jv:jav ka:kat,geo kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor
kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit
lu:lub lv:lav,lvs mg:mlg mh:mah mi:mri,mao mk:mkd,mac ml:mal mn:mon mr:mar ms:msa,may mt:mlt
my:mya,bur na:nau nb:nob nd:nde ne:nep,npi ng:ndo nl:nld,dut nn:nno no:nor nr:nbl nv:nav ny:nya
oc:oci oj:oji om:orm or:ori,ory os:oss pa:pan pi:pli pl:pol ps:pus,pbt pt:por qu:que rm:roh
rn:run ro:ron,rum ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin sk:slk,slo
sl:slv sm:smo sn:sna so:som sq:sqi,alb sr:srp ss:ssw st:sot su:sun sv:swe sw:swa,swh ta:tam
te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl,fil tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah
ug:uig uk:ukr ur:urd uz:uzb,uzn ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha
zh:zho,chi,cmn zu:zul
"""
_SHORT: Mapping[str, str] = {
    code: short
    for entry in _CODES.split()
    for short, _, long in [entry.partition(":")]
    for code in (short, *long.split(","))
}


class LanguagePair(NamedTuple):
    """The language translated from, and the one translated into, in their short forms."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


def language_code(text: str) -> str:
    """Return the short form of a language code, without region and script.

    Two letters (ISO 639-1) where a language has them, else the three of ISO 639-3. Codes of ISO
    639-2 count, both kinds. Where a code says that the language is not known, or that there are
    several, the answer is ``un``.

    References
    ----------
    ISO 639:2023, Code for individual languages and language groups; RFC 5646 for what follows
    the first hyphen.

    Examples
    --------
    >>> [language_code(text) for text in ("zh", "zho", "chi", "zh-Hans", "en_US", "cze", "liv")]
    ['zh', 'zh', 'zh', 'zh', 'en', 'cs', 'liv']
    >>> language_code("und")
    'un'
    """
    written = text.strip()
    if written.lower() in _NO_LANGUAGE:
        return UNDETERMINED
    if _SUBTAGS.fullmatch(written):
        primary = re.split(r"[-_]", written, maxsplit=1)[0].lower()
        if primary in _NO_LANGUAGE:
            return UNDETERMINED
        if primary in _SHORT:
            return _SHORT[primary]
        if len(primary) == 3:  # some 7,000 of them, which need no list here
            return primary
    raise InputError(
        f"a language code must have two or three letters, such as en, zho or pt-BR; got {text!r}, "
        "which is none that is known. Write the code of ISO 639, or un where nobody knows."
    )


def language_pair(text: str) -> LanguagePair:
    """Return the two languages of ``zh-en``, ``zho-eng`` or ``en_US-zh_CN``.

    Examples
    --------
    >>> language_pair("zho-eng"), str(language_pair("cze-en"))
    (LanguagePair(source='zh', target='en'), 'cs-en')
    """
    parts = re.split(r"\s*(?:-|→|>|:)\s*", text.strip())
    if len(parts) != 2:
        raise InputError(
            f"`language_pair` must name the source and the target language, as zh-en does; got "
            f"{text!r}. Write regions with an underscore: en_US-zh_CN."
        )
    source, target = (language_code(part) for part in parts)
    if UNDETERMINED in (source, target) or source == target:
        raise InputError(
            f"`language_pair` must name two different languages; got {text!r}, which is "
            f"{source} and {target}."
        )
    return LanguagePair(source, target)


# Languages that are written from right to left, by their short codes, and scripts in subtags.
_RIGHT_TO_LEFT = frozenset(
    (
        "ar",
        "arc",
        "ckb",
        "dv",
        "fa",
        "he",
        "khw",
        "ks",
        "mzn",
        "pnb",
        "ps",
        "sd",
        "ug",
        "ur",
        "yi",
    )
)
_RIGHT_TO_LEFT_SCRIPTS = frozenset(("arab", "hebr", "syrc", "thaa", "nkoo", "adlm", "rohg"))


def writing_direction(tag: str) -> str:
    """Return ``rtl`` or ``ltr`` for a language tag; a script in it decides.

    Never by the first letter of a text: a Hebrew text that begins with a Latin word is Hebrew.

    Examples
    --------
    >>> [writing_direction(tag) for tag in ("he", "ara", "az-Arab", "ku-Latn", "ur-Latn", "en")]
    ['rtl', 'rtl', 'rtl', 'ltr', 'ltr', 'ltr']
    """
    language, *subtags = tag.lower().replace("_", "-").split("-")
    scripts = [part for part in subtags if len(part) == 4]
    if any(part in _RIGHT_TO_LEFT_SCRIPTS for part in scripts):
        return "rtl"
    if scripts:
        return "ltr"
    return "rtl" if _SHORT.get(language, language) in _RIGHT_TO_LEFT else "ltr"


# --- In which language each line or document of a test set was first written: a sidecar file ---

_NAMES: Mapping[str, tuple[str, ...]] = {
    "line": ("line", "line_id", "item", "segment", "seg_id", "sid"),
    "document": ("document", "doc", "docid", "doc_id", "document_id"),
    "language": ("origlang", "orig_lang", "original_language"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalLanguages:
    """The language of each line; make it by `read_original_languages` or `languages_of`.

    Attributes
    ----------
    languages : tuple of str
        As written; ``unknown`` where nothing is written.
    lines, documents : tuple of str or None
        Which line, or document, each of them is about. Without either they are about the lines
        1, 2, … of a test set.
    path : str
        The file, for messages.
    """

    languages: tuple[str, ...]
    lines: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    path: str = ""

    @property
    def subject(self) -> str:
        """What a message is about."""
        return self.path or "the original languages"

    def by_line(self) -> dict[str, int]:
        """Return the entry of each line by its name; without names lines are counted from 1."""
        if self.lines is None and self.documents is not None and not self._is_ordered:
            return {}
        names = self.lines or tuple(str(i) for i in range(1, len(self.languages) + 1))
        return {name: i for i, name in enumerate(names)}

    @property
    def _is_ordered(self) -> bool:
        """Whether there is an entry per line: documents come several times then."""
        return self.documents is None or len(set(self.documents)) < len(self.documents)

    def by_document(self) -> dict[str, str]:
        """Return the language of each document; a document with two of them is refused."""
        found: dict[str, str] = {}
        for document, language in zip(self.documents or (), self.languages, strict=False):
            if found.setdefault(document, language) != language:
                raise DataError(
                    split_document(self.subject, document, found[document], language)
                )
        return found


def split_document(where: str, document: str, first: str, second: str) -> str:
    """Say that a document seems to have been written in two languages."""
    return (
        f"{where}: document {document!r} has segments first written in {first} and in {second}; a "
        "document was written in one language. Correct it, or name its parts differently."
    )


def read_original_languages(source: TableSource) -> OriginalLanguages:
    """Read in which language each line was first written.

    A table with a header (TSV, CSV, JSON lines, Parquet, or in memory) has the column
    ``origlang`` and, where they are known, ``line`` (from 1) and ``doc``. A file without a
    header has one code per line, as ``sacrebleu -t wmt17 -l zh-en --echo origlang`` writes it. An
    SGM file of sources or references, as WMT had them until 2020, says it of each document; its segments are
    the lines 1, 2, … in their order.

    Examples
    --------
    >>> table = {"line": [1, 2, 3], "doc": ["a", "a", "b"], "origlang": ["zh", "zh", "en"]}
    >>> read_original_languages(table).by_document()
    {'a': 'zh', 'b': 'en'}
    """
    if isinstance(source, OriginalLanguages):
        return source
    if is_path(source):
        content = FileContent.of(source)
        if not content.is_parquet and content.first_line.lstrip().startswith("<"):
            return _from_sgm(str(content))
        if not content.is_parquet and _is_code(content.first_line):
            return OriginalLanguages(
                languages=tuple(_written(line) for line in content.lines), path=str(content)
            )
        source = content
    return _from_table(read_table(source))


def _from_sgm(path: str) -> OriginalLanguages:
    from detectable.data.texts.wmt_test_sets import read_set  # few test sets are SGM

    languages: list[str] = []
    documents: list[str] = []
    read = read_set(path, None, {})
    first = next(iter(read))[0]  # of several references the first
    for (system, (document, _)), (attributes, segments) in read.items():
        if system == first:
            languages += [_written(attributes.get("origlang"))] * len(segments)
            documents += [document] * len(segments)
    if all(language == UNKNOWN for language in languages):
        raise DataError(
            f"{path}: no document has the attribute 'origlang', which says in which language it was "
            "first written."
        )
    return OriginalLanguages(
        languages=tuple(languages),
        lines=tuple(str(line) for line in range(1, len(languages) + 1)),
        documents=tuple(documents),
        path=path,
    )


def _is_code(line: str) -> bool:
    """Return whether a first line is a language code, and not a header."""
    try:
        language_code(line)
    except InputError:
        return line.strip().casefold() == UNKNOWN
    return line.strip().casefold() not in {name for names in _NAMES.values() for name in names}


def _written(cell: Any) -> str:
    return UNKNOWN if is_missing(cell) else str(cell).strip()


def _from_table(table: Table) -> OriginalLanguages:
    columns = {role: table.find(names)[:1] for role, names in _NAMES.items()}
    if not columns["language"]:
        raise table.missing("the original language (origlang)")

    def names(role: str) -> tuple[str, ...] | None:
        if not columns[role]:
            return None
        cells = table.cells(columns[role][0])
        for row, cell in enumerate(cells):
            if is_missing(cell):
                where = table.place(row, columns[role][0])
                raise DataError(f"{where}: the {role} is missing. Fill it in, or drop the row.")
        return tuple(str(cell).strip() for cell in cells)

    lines = names("line")
    if lines is not None and len(set(lines)) < len(lines):
        again = next(name for i, name in enumerate(lines) if name in lines[:i])
        raise DataError(
            f"{table.subject}: line {again} occurs twice. Give one row for each line."
        )
    return OriginalLanguages(
        languages=tuple(_written(cell) for cell in table.cells(columns["language"][0])),
        lines=lines,
        documents=names("document"),
        path=table.path,
    )


def languages_of(corpus: Corpus) -> OriginalLanguages | None:
    """Return what a corpus knows about its lines; None where it knows no language."""
    if corpus.original_languages is None:
        return None
    return OriginalLanguages(
        languages=corpus.original_languages, documents=corpus.documents, path="the corpus"
    )


def with_original_languages(corpus: Corpus, origins: OriginalLanguages) -> Corpus:
    """Return the corpus with the original language of each line, and documents if it had none.

    A sidecar with a row per document goes by the names of the documents, else by line.
    """
    documents = None if origins.documents is None else origins.by_document()
    own = corpus.documents
    if documents and own is not None and set(own) <= documents.keys():
        return replace(corpus, original_languages=tuple(documents[name] for name in own))
    place = origins.by_line()
    wanted = [str(i) for i in range(1, corpus.n_segments + 1)]
    if len(place) != corpus.n_segments or not place.keys() >= set(wanted):
        raise DataError(_no_partner(origins, wanted, place, own, documents))
    rows = [place[name] for name in wanted]
    found = replace(corpus, original_languages=tuple(origins.languages[row] for row in rows))
    if own is None and origins.documents is not None:
        return replace(found, documents=tuple(origins.documents[row] for row in rows))
    return found


def _no_partner(
    origins: OriginalLanguages,
    wanted: Sequence[str],
    place: Mapping[str, int],
    own: Sequence[str] | None,
    documents: Mapping[str, str] | None,
) -> str:
    if own is not None and documents:
        lacking = sorted(set(own) - documents.keys())
        return (
            f"{origins.subject}: {count(len(lacking), 'document')} of the corpus not found: "
            f"{listing(lacking)}. Add them."
        )
    lacking = [name for name in wanted if name not in place]
    more = f"; line {lacking[0]} is not among them" if lacking else ""
    return (
        f"{origins.subject}: there must be a language for each of {count(len(wanted), 'line')} of the "
        f"corpus; got {count(len(place), 'line')}{more}. Give one row for each line, counted from 1."
    )
