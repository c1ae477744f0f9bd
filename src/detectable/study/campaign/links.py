"""The personal links of raters, as a table to hand out."""

import csv
import io
from collections.abc import Sequence

from detectable.core.harmless import for_spreadsheet
from detectable.data.store.records import Link


def links_csv(links: Sequence[Link], url: str) -> str:
    """Return rater and link, one row each.

    The secret stands behind ``#``: a browser keeps that part to itself, so it is in no log of a
    server and in no Referer.

    Examples
    --------
    >>> print(links_csv([Link(code="r-01", token="abc")], "http://127.0.0.1:8300/"), end="")
    rater,link
    r-01,http://127.0.0.1:8300/a#abc
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("rater", "link"))
    for link in links:
        address = f"{url.rstrip('/')}/a#{link.token}"
        writer.writerow((for_spreadsheet(link.code), for_spreadsheet(address)))
    return text.getvalue()
