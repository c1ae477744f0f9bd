"""Pages from templates: everything is escaped, and every word comes from the strings."""

from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from detectable.core.version import VERSION
from detectable.web.strings import for_scripts, text

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    return HTMLResponse(_templates().get_template(name).render(**values), status)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("detectable.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"t": text, "version": VERSION, "script_strings": for_scripts()}
    return made
