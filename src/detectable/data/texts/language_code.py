"""Codes of languages: one short form for all that test sets and campaigns write."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from detectable.core.errors import InputError

UNKNOWN = "unknown"  # stands for the original language where a test set does not say it
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
