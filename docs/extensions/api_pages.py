"""One page for every public name, made from its docstring into docs/api (not kept by git)."""

import importlib
import inspect
import pkgutil
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

import detectable
from detectable.core.result import Result

FOLDER = Path(__file__).parent.parent / "api"
LAYERS = {
    "study": "Questions to data",
    "planning": "Before the data",
    "sequential": "Looks",
    "mixed": "Raters and items",
    "inference": "Tests",
    "metrics": "Metrics",
    "data": "Reading and writing",
    "report": "Tasks on paper",
    "cli": "Results on disk",  # what types a command again
    "core": "Errors and warnings",
}


def public() -> dict[str, str]:
    """Return where every public name is documented: name → full name."""
    return {n: f"detectable.{n}" for n in detectable.WHERE if n not in detectable.MODULES}


def scenarios() -> dict[str, str]:
    """Return the scenarios of power and what one is made of."""
    return {n: f"detectable.scenarios.{n}" for n in dir(detectable.scenarios)}


def results() -> dict[str, str]:
    """Return the classes of results: what people get back and never build."""
    for module in pkgutil.walk_packages(detectable.__path__, "detectable."):
        if module.name != "detectable.__main__":
            importlib.import_module(module.name)
    found, waiting = {}, [Result]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__name__ not in public() and not kind.__name__.startswith("_"):
            # A scenario may have the name of a result, and each has its own page.
            name = f"{kind.__name__}-result" * (kind.__name__ in scenarios()) or kind.__name__
            found[name] = f"{kind.__module__}.{kind.__name__}"
    return dict(sorted(found.items()))


def groups() -> dict[str, dict[str, str]]:
    """Return all documented names by kind."""
    by_layer: dict[str, dict[str, str]] = {title: {} for title in LAYERS.values()}
    for name, full in public().items():
        layer = detectable.WHERE[name].split(".")[1]
        by_layer[LAYERS[layer]][name] = full
    ordered = {**by_layer, "Scenarios of power": scenarios(), "Results": results()}
    return {title: names for title, names in ordered.items() if names}


def _page(name: str, full: str) -> str:
    holder, _, last = full.rpartition(".")
    thing = getattr(_module(holder), last)
    kind = "autofunction" if inspect.isroutine(thing) else "autoclass"
    members = ["   :members:"] if kind == "autoclass" else []
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        kind, members = "autoexception", []
    return "\n".join([name, "=" * len(name), "", f".. {kind}:: {full}", *members, ""])


def _module(holder: str) -> object:
    return (
        detectable.scenarios
        if holder == "detectable.scenarios"
        else importlib.import_module(holder)
    )


def _write(_app: Sphinx, _config: Config) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for names in groups().values():
        for name, full in names.items():
            (FOLDER / f"{name}.rst").write_text(_page(name, full), encoding="utf-8")


def _list(_app: Sphinx, name: str, source: list[str]) -> None:
    """Give docs/api.md its tables of names and its pages."""
    if name != "docs/api":
        return
    for title, names in groups().items():
        table = "\n".join(f"   ~{full}" for full in names.values())
        pages = "\n".join(f"/docs/api/{each}" for each in names)
        source[0] += (
            f"\n## {title}\n\n```{{eval-rst}}\n.. autosummary::\n   :nosignatures:\n\n{table}\n```\n"
            f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect both steps."""
    app.connect("config-inited", _write)
    app.connect("source-read", _list)
    app.connect("env-get-outdated", lambda *_: ["docs/api"])  # names come and go without it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
