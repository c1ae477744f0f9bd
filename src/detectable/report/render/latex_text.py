r"""Text for LaTeX: every character is printed as it is, or spelled out where no font has it.

pdflatex with its usual fonts prints Latin letters, and not Japanese or emoji. Such characters
become ``\unprintable{characters}{code points}``: XeLaTeX and LuaLaTeX print the characters,
pdflatex the small code points, and whoever has the fonts defines the command before the table.
"""

import re
import unicodedata

from detectable.core.harmless import in_one_line

UNPRINTABLE = r"\providecommand{\unprintable}[2]{\ifdefined\Umathchar#1\else{\tiny#2}\fi}"
# Beyond ASCII, what pdflatex prints in any encoding of its fonts (OT1 has no ogonek, for one).
_PRINTED = frozenset(
    "¡¢£¥§©ª®°¶º¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝ"
    "ĞğĠġĢģĤĥĨĩĪīĬĭİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽžȘșȚț"
    "—‘’“”•"
)
_LIGATURES = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "[": "{[}",  # after the end of a row a bracket would be taken for its height
    "*": "{*}",  # and a star for a row that no page break may follow
    "|": r"\textbar{}",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': r"\textquotedblright{}",
    "`": r"\textquoteleft{}",
    "«": r"$\ll$",  # guillemets are not in every encoding
    "»": r"$\gg$",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "○": r"$\circ$",
    "◆": r"$\blacklozenge$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "⁺": "$^{+}$",
    "⁻": "$^{-}$",
    "⁼": "$^{=}$",
    "⋆": r"$^{\star}$",
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "Δ": r"$\Delta$",
    "σ": r"$\sigma$",
}


def escape(text: str) -> str:
    r"""Return text that LaTeX prints as it is, in one line.

    Examples
    --------
    >>> print(escape("50% of a_b"), escape("日本"))
    50\% of a\_b \unprintable{日本}{65E5\,672C}
    """
    parts = _LIGATURES.split(normalised(text))  # two hyphens would become a dash
    return "{}".join(map(_characters, parts))


def normalised(text: str) -> str:
    """Return text in one line, a letter and its accent as one character."""
    return unicodedata.normalize("NFC", in_one_line(text))


def comment(text: str) -> str:
    """Return text as a comment, in one line."""
    return f"% {in_one_line(text)}"


def is_printable(character: str) -> bool:
    """Say whether pdflatex prints a character in its usual fonts."""
    return character.isascii() or character in _ESCAPES or character in _PRINTED


def _characters(text: str) -> str:
    made = []
    for found in re.finditer(_RUNS, text):
        if found[1] is None:
            made.append("".join(_ESCAPES.get(c, c) for c in found[0]))
        else:
            codes = r"\,".join(f"{ord(c):04X}" for c in found[0])
            made.append(rf"\unprintable{{{found[0]}}}{{{codes}}}")
    return "".join(made)


_KNOWN = re.escape("".join([*_ESCAPES, *sorted(_PRINTED)]))
_RUNS = re.compile(rf"[\x00-\x7f{_KNOWN}]+|([^\x00-\x7f{_KNOWN}]+)")
