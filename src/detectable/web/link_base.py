"""Where the links of raters lead."""

from starlette.requests import Request


def link_base(request: Request) -> str:
    """Return the address of the page of raters, to which their secrets are put behind ``#``."""
    return f"{request.url.scheme}://{request.headers['host']}/a#"
