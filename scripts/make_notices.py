"""Write THIRD-PARTY.md and the bill of materials: python scripts/make_notices.py [--sbom FILE].

Both say what is installed beside this file: run it where the package stands with all extras. The
bill is CycloneDX 1.6 as JSON. It has the time of SOURCE_DATE_EPOCH, and is the same for the same packages.
"""

import argparse
import datetime
import json
import os
import tomllib
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "THIRD-PARTY.md"
NAME = "detectable"
LICENCE = "Apache-2.0 AND CC-BY-SA-4.0"

# What stands in the package and was not made by the project. A test names every other data file.
BUNDLED = {
    "study/archive/meaning.tsv": (
        "rows of ShipData: derived from ShipData (Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, "
        "Matsushita and Menezes, 2021, *To ship or not to ship*, WMT), licensed "
        "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/); changes: pairs of systems "
        "were reduced to curves; the table is under the same licence. Rows of WMT21: curves fitted to "
        "the human scores of the WMT21 news task"
    ),
}
OWN = (
    "data/example/campaign",
    "data/texts/example",
    "report/explore",
    "web/strings",
)  # texts and data

_HEAD = """\
# Third-party notices

Made by `python scripts/make_notices.py` from what is installed. `make dist` writes the same as a
CycloneDX bill of materials.

The code is licensed under [Apache-2.0](LICENSE).

## In the package

| file | from, and its licence |
|---|---|
{bundled}

The other data files of the package ({own}) were made by the project. It bundles no
fonts and no scripts of others: pages use the fonts of the reader's system, pictures those that
vl-convert carries. A page made with `--interactive` holds Vega, Vega-Lite and Vega-Embed (BSD-3-Clause)
as vl-convert carries them.

## Installed beside it

Nothing below is copied into the package: pip installs it, with its own licence files. The version is the one
whose metadata were read. Optional packages come with an extra: `detectable[xliff]` and `detectable[postgres]` bring
packages under the GPL and the LGPL. Not installed where this page was made: {missing}.

| package | version | licence, as its metadata say | needed |
|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is installed because ours asks for it."""

    name: str
    version: str
    licence: str
    extras: tuple[str, ...]  # of ours that bring it; empty where it is always needed
    needs: tuple[str, ...]

    @property
    def row(self) -> str:
        """Its row of the page."""
        needed = ", ".join(f"`{extra}`" for extra in self.extras) or "always"
        return f"| {self.name} | {self.version} | {self.licence or 'not said'} | {needed} |"


def asked() -> dict[str, list[Requirement]]:
    """Return what pyproject.toml asks for: by extra, and under "" always."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(text) for text in lines] for extra, lines in groups.items()}


def packages() -> list[Package]:
    """Return all packages that are installed for ours, by name."""
    found: dict[str, Distribution] = {}
    brought: dict[str, set[str]] = {}
    for extra, requirements in asked().items():
        for name, held in _below(requirements):
            if held is None:
                continue
            found[name] = held
            brought.setdefault(name, set()).add(extra)
    return [
        Package(
            name,
            held.version,
            licence(held),
            () if "" in brought[name] else tuple(sorted(brought[name])),
            tuple(sorted({canonicalize_name(one.name) for one in _needs(held, ())} & {*found})),
        )
        for name, held in sorted(found.items())
    ]


def missing() -> list[str]:
    """Return what is asked for and not installed."""
    everything = [one for group in asked().values() for one in group]
    return sorted({name for name, held in _below(everything) if held is None})


def _below(requirements: list[Requirement]) -> Iterator[tuple[str, Distribution | None]]:
    """Go through what some requirements ask for, each once; None where it is not installed."""
    todo = [
        (str(canonicalize_name(one.name)), tuple(sorted(one.extras))) for one in requirements
    ]
    seen = set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            held = distribution(name)
        except PackageNotFoundError:
            yield name, None
            continue
        yield name, held
        todo += [
            (str(canonicalize_name(one.name)), tuple(sorted(one.extras)))
            for one in _needs(held, extras)
        ]


def _needs(held: Distribution, extras: tuple[str, ...]) -> Iterator[Requirement]:
    for text in held.requires or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate({"extra": e}) for e in ("", *extras)):
            yield one


def licence(held: Distribution) -> str:
    """Return the licence that the metadata of a package name, in the shortest form that they have."""
    told: Any = held.metadata
    if told["License-Expression"]:
        return str(told["License-Expression"])
    named = [
        text.rpartition(" :: ")[2]
        for text in told.get_all("Classifier", [])
        if text.startswith("License ::") and not text.endswith("OSI Approved")
    ]
    short = (told["License"] or "").strip()
    if short and "\n" not in short and len(short) < 60 and short != "UNKNOWN":
        return short
    return ", ".join(named)


def page(held: list[Package]) -> str:
    """Return the page of notices."""
    bundled = "\n".join(f"| `{file}` | {told} |" for file, told in BUNDLED.items())
    own = ", ".join(f"`{folder}`" for folder in OWN)
    lacking = ", ".join(missing()) or "nothing"
    return _HEAD.format(bundled=bundled, own=own, missing=lacking) + "".join(
        f"{one.row}\n" for one in held
    )


# --- The bill of materials ---


def bill(held: list[Package], version: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the bill of materials of a version: CycloneDX 1.6."""
    parts = [_component(one.name, one.version, one.licence) for one in held]
    for part, one in zip(parts, held, strict=True):
        part["scope"] = "optional" if one.extras else "required"
    refs = {one.name: part["bom-ref"] for one, part in zip(held, parts, strict=True)}
    whole = {**_component(NAME, version, LICENCE), "type": "application"}
    direct = {str(canonicalize_name(one.name)) for group in asked().values() for one in group}
    needs: list[tuple[str, list[str]]] = [(whole["bom-ref"], sorted(direct & {*refs}))]
    needs += [(refs[one.name], list(one.needs)) for one in held]
    made: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": whole},
        "components": parts,
        "dependencies": [
            {"ref": ref, "dependsOn": [refs[name] for name in names]} for ref, names in needs
        ],
    }
    same = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(made, sort_keys=True))
    made["serialNumber"] = f"urn:uuid:{same}"
    seconds = environment.get("SOURCE_DATE_EPOCH")
    if seconds:
        when = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
        made["metadata"]["timestamp"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    return made


def _component(name: str, version: str, told: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{name}@{version}"
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
    }
    if told:
        made["licenses"] = [_licence(told)]
    return made


def _licence(told: str) -> dict[str, Any]:
    """Return a licence as an SPDX expression where it is one, and else by the name that was told."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        return {"expression": str(canonicalize_license_expression(told))}
    except InvalidLicenseExpression:
        return {"license": {"name": told}}


def main() -> None:
    """Write the page, or a bill of materials."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sbom", type=Path, metavar="FILE", help="Write this instead of the page."
    )
    chosen = parser.parse_args()
    if chosen.sbom is None:
        PAGE.write_text(page(packages()), encoding="utf-8")
        return
    made = bill(packages(), distribution(NAME).version, os.environ)
    chosen.sbom.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
