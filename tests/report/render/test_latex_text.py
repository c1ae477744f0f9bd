"""Text for LaTeX: printed as it is, or spelled out where no font has it."""

from pathlib import Path

import pytest

from detectable.report.render.latex_paper import (
    _PRINTED,
    UNPRINTABLE,
    comment,
    escape,
    is_printable,
)
from tests.report.many_systems import HOSTILE
from tests.report.render.pdflatex import compiled, complaints


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50% & more", r"50\% \& more"),
        ("a_b#c$d", r"a\_b\#c\$d"),
        ("{x}", r"\{x\}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("[1, 2]", "{[}1, 2]"),
        ("*a", "{*}a"),
        ("|z| ≥ 2", r"\textbar{}z\textbar{} $\geq$ 2"),
        ("−1 ± 2 × 3", r"$-$1 $\pm$ 2 $\times$ 3"),
        ("<.0001 > ≤ ∞", r"$<$.0001 $>$ $\leq$ $\infty$"),
        ("▲▼○◆·", r"$\blacktriangle$$\blacktriangledown$$\circ$$\blacklozenge$$\cdot$"),
        ("↑↓", r"$\uparrow$$\downarrow$"),
        ("⁺⁻⁼", "$^{+}$$^{-}$$^{=}$"),
        ("⋆†‡", r"$^{\star}$$^{\dagger}$$^{\ddagger}$"),
        ("1–2…", r"1--2\dots{}"),
        ("αλγρΔσ", r"$\alpha$$\lambda$$\gamma$$\rho$$\Delta$$\sigma$"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("''x,,", "'{}'x,{},"),
        ('"q`', r"\textquotedblright{}q\textquoteleft{}"),
        ("«x»", r"$\ll$x$\gg$"),
        ("two\n\nlines\t.", "two lines ."),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("Größe Łódź", "Größe Łódź"),
        ("e\u0301", "é"),
        ("a日本b", r"a\unprintable{日本}{65E5\,672C}b"),
        ("😀", r"\unprintable{😀}{1F600}"),
        ("ą", r"\unprintable{ą}{0105}"),
    ],
)
def test_characters_are_printed_as_they_are_or_spelled_out(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_what_is_printable() -> None:
    assert all(map(is_printable, "aZ09 %_ß±▲"))
    assert not any(map(is_printable, "日ąΩ😀"))


def test_a_comment_is_one_line() -> None:
    assert comment("a\n\\input{x}") == "% a \\input{x}"


def test_what_is_said_to_be_printed_is(tmp_path: Path) -> None:
    body = "\n\n".join(f"x{character}x" for character in sorted(_PRINTED))
    assert complaints(compiled(body, tmp_path)) == []


def test_hostile_names_are_printed(tmp_path: Path) -> None:
    body = "\n\n".join([UNPRINTABLE, *map(escape, HOSTILE)])
    assert complaints(compiled(body, tmp_path)) == []


def test_whoever_has_the_fonts_says_how_characters_are_printed(tmp_path: Path) -> None:
    body = "\n\n".join([UNPRINTABLE, escape("日本")])
    own = "\\newcommand{\\unprintable}[2]{\\typeout{GIVEN #2}}"
    assert "GIVEN 65E5\\," in compiled(body, tmp_path, before=own)
