"""What the package says of itself, of what it holds and of what it needs."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from packaging.utils import canonicalize_name

import detectable
from detectable.core.version import VERSION
from scripts.make_notices import BUNDLED, LICENCE, NAME, OWN, PAGE, asked, bill, packages

ROOT = Path(__file__).parent.parent
SRC = Path(detectable.__file__).parent
BIBLIOGRAPHY = SRC / "report" / "templates" / "references.bib"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PAPERS = (
    "card-etal-2020",
    "clark-etal-2011",
    "estrella-etal-2007",
    "graham-etal-2020",
    "wei-etal-2022",
)
CODE = {
    ".py",
    ".pyi",
    ".typed",
    ".c",
    ".h",
    ".js",
    ".css",
    ".j2",
    ".sql",
    ".bib",
    ".md",
    ".pyc",
}


def rows() -> dict[str, list[str]]:
    """Return the rows of the page of notices, by package."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    return {row[0]: row[1:] for row in cells if len(row) == 4}


def test_every_package_that_is_asked_for_is_in_the_notices() -> None:
    wanted = {canonicalize_name(one.name) for group in asked().values() for one in group}
    assert wanted <= rows().keys()
    assert {one.name for one in packages() if not one.extras} <= rows().keys()


def test_the_notices_say_what_the_packages_say() -> None:
    written, compared = rows(), 0
    for one in packages():
        if one.name in written and written[one.name][0] == one.version:
            assert written[one.name][1] == (one.licence or "not said"), one.name
            compared += 1
    # A newer package has a newer row; `python scripts/make_notices.py` writes all.
    assert compared or {one.version for one in packages()}.isdisjoint(
        row[0] for row in written.values()
    )


def test_every_file_of_data_is_ours_or_named() -> None:
    strange = {
        str(path.relative_to(SRC))
        for path in SRC.rglob("*")
        if path.is_file() and path.suffix not in CODE and "libdetectable" not in path.name
    }
    assert {name for name in strange if not name.startswith(OWN)} == BUNDLED.keys()
    assert not any(name.endswith((".ttf", ".otf", ".woff", ".woff2")) for name in strange)
    for name in BUNDLED:
        assert f"`{name}`" in PAGE.read_text("utf-8")
        assert "CC BY-SA 4.0" in (SRC / name).read_text("utf-8")


def test_the_bill_of_materials_has_what_cyclonedx_asks_for() -> None:
    held = packages()
    made = bill(held, VERSION, {"SOURCE_DATE_EPOCH": "0"})
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made["serialNumber"]
    )
    assert made["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"
    refs = [one["bom-ref"] for one in (made["metadata"]["component"], *made["components"])]
    assert len(refs) == len(set(refs)) == len(held) + 1
    assert {one["ref"] for one in made["dependencies"]} == set(refs)
    assert all({*one["dependsOn"]} <= set(refs) for one in made["dependencies"])
    for one in made["components"]:
        assert {"type", "name", "version", "scope"} <= one.keys()
        assert all({*told} in ({"expression"}, {"license"}) for told in one.get("licenses", ()))
    always = {one["name"] for one in made["components"] if one["scope"] == "required"}
    assert {"numpy", "polars", "click"} <= always
    assert "starlette" not in always
    assert json.dumps(made) == json.dumps(bill(held, VERSION, {"SOURCE_DATE_EPOCH": "0"}))
    assert "timestamp" not in bill(held, VERSION, {})["metadata"]


def test_the_project_says_its_licences_and_no_address_that_is_not_there() -> None:
    assert PROJECT["license"] == LICENCE
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
    assert "urls" not in PROJECT
    assert PROJECT["name"] == NAME


# --- How to cite it ---


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return told


def test_the_citation_is_of_this_version(citation: dict[str, Any]) -> None:
    assert citation["version"] == VERSION
    assert citation["date-released"].isoformat()
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()
    assert [one["name"] for one in PROJECT["authors"]] == [
        one["name"] for one in citation["authors"]
    ]


@pytest.mark.parametrize("key", PAPERS)
def test_the_citation_names_the_papers_as_the_bibliography_does(
    citation: dict[str, Any], key: str
) -> None:
    found = re.search(rf"@\w+{{{key},(.*?)\n}}", BIBLIOGRAPHY.read_text(), re.DOTALL)
    assert found
    fields = dict(re.findall(r"(\w+) = {(.*)}", found[1]))
    title = re.sub("[{}]", "", fields["title"])
    (paper,) = [one for one in citation["references"] if one["title"] == title]
    names = [f"{one['family-names']}, {one['given-names']}" for one in paper["authors"]]
    assert " and ".join(names) == fields["author"]
    assert paper["year"] == int(fields["year"])
    assert paper["collection-title"] == fields["booktitle"]
    if "pages" in fields:
        assert f"{paper['start']}--{paper['end']}" == fields["pages"]


# --- Documents for people from outside ---

OUTSIDE = (
    "SECURITY.md",
    "SUPPORT.md",
    "CODE_OF_CONDUCT.md",
    "THIRD-PARTY.md",
    "CONTRIBUTING.md",
)
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize("name", OUTSIDE)
def test_their_links_lead_somewhere_and_no_address_is_invented(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert target.startswith("https://creativecommons.org") or (ROOT / target).exists(), (
            target
        )
    assert not re.search(r"[\w.]+@[\w-]+\.\w+", text)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_of_issues_ask_for_the_system(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    fields = {one["id"]: one for one in form["body"]}
    assert len(fields) == len(form["body"])
    assert "detectable doctor --system" in fields["system"]["attributes"]["label"]
    assert all(one["type"] == "textarea" and one["attributes"]["label"] for one in form["body"])


def test_an_error_cannot_be_reported_without_the_system() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/error.yml").read_text("utf-8"))
    assert [
        one["id"] for one in form["body"] if one.get("validations", {}).get("required")
    ] == [
        "system",
        "typed",
        "happened",
    ]
