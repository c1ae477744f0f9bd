"""Pages from templates: everything is escaped, and every word comes from the strings."""

from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from detectable.core.version import VERSION
from detectable.data.texts.languages import writing_direction
from detectable.web.strings import (
    for_scripts,
    page_language,
    page_languages,
    rating_strings,
    text,
)

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    return HTMLResponse(_templates().get_template(name).render(**values), status)


def render_rating_page(name: str, asked: str) -> HTMLResponse:
    """Return a page for raters, in the language that is asked for if it is spoken."""
    language = page_language(asked)
    said = rating_strings(language)
    return render_page(
        name,
        t=said.__getitem__,
        language=language,
        direction=writing_direction(language),
        languages=page_languages(),
        script_strings={key: one for key, one in said.items() if key.startswith("script.")},
    )


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
