"""The campaigns of a server as organisers see them: a store and a thread of their own.

Raters have another thread and another connection, so what an organiser asks never keeps a rater
waiting for longer than the database takes to write.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from starlette.applications import Starlette
from starlette.requests import Request

from detectable.core.errors import DataError, DetectableError, InputError, RefusedError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.web.guard import Refused
from detectable.web.settings import Settings
from detectable.web.strings import text

T = TypeVar("T")
_FOLDERS = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[/\\](?:[^\s/\\:'”]+[/\\])+")
_NAMED = re.compile(r"`(\w+)`")  # what a message is about stands first in it
_ADDRESS = re.compile(r"postgres(?:ql)?://\S+")


class Organising:
    """Calls with the store, one after the other."""

    def __init__(self, settings: Settings) -> None:
        self._address = settings.campaigns
        self._store: AnyStore | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="organise")

    async def do(self, call: Callable[[AnyStore], T], *, new: bool = False) -> T:
        """Do a call with the store; `new` makes one where there is none."""
        loop = asyncio.get_running_loop()
        with refusals():
            return await loop.run_in_executor(self._thread, partial(self._done, call, new))

    def _done(self, call: Callable[[AnyStore], T], new: bool) -> T:  # noqa: FBT001 (of one call)
        if self._store is None:
            self._store = open_store(self._address, new=new)
        return call(self._store)

    def close(self) -> None:
        """Finish what runs, and let the store go."""
        self._thread.shutdown(wait=True)
        if self._store is not None:
            self._store.close()
            self._store = None


def organising(request: Request) -> Organising:
    """Return the campaigns of the server that was asked."""
    return organising_of(request.app)


def organising_of(app: Starlette) -> Organising:
    """Return the campaigns of a server, opened when somebody asks for them."""
    if app.state.organising is None:
        app.state.organising = Organising(app.state.settings)
    found: Organising = app.state.organising
    return found


async def about(request: Request, call: Callable[[AnyStore, str], T]) -> T:
    """Do a call about the campaign of the address; 404 where there is none of that name."""
    name = request.path_params["name"]

    def known(store: AnyStore) -> T:
        if name not in store.names():
            raise Refused(404, "no_campaign", text("refused.no_campaign"))
        return call(store, name)

    try:
        return await organising(request).do(known)
    except Refused as error:
        if error.code == "no_store":
            raise Refused(404, "no_campaign", text("refused.no_campaign")) from None
        raise


@contextmanager
def refusals() -> Iterator[None]:
    """Say in our form what the library refuses."""
    try:
        yield
    except RefusedError as error:
        raise Refused(409, error.code, without_places(str(error))) from None
    except InputError as error:
        said = without_places(str(error))
        named = _NAMED.match(said)
        raise Refused(422, "impossible", said, field=named[1] if named else "") from None
    except DataError as error:
        code = "no_store" if "no store of campaigns here" in str(error) else "not_now"
        raise Refused(409, code, without_places(str(error))) from None
    except DetectableError as error:
        raise Refused(409, "not_now", without_places(str(error))) from None


def without_places(said: str) -> str:
    """Return a sentence that does not tell where on the machine anything is.

    Examples
    --------
    >>> without_places("/var/lib/x/ship.json: the plan was changed; 1/2 of it, and/or more.")
    'ship.json: the plan was changed; 1/2 of it, and/or more.'
    >>> without_places("postgresql://me@db/x: no.")
    'the database no.'
    """
    return _FOLDERS.sub("", _ADDRESS.sub("the database", said))


# --- Where the links of raters lead ---


def link_base(request: Request) -> str:
    """Return the address of the page of raters, to which their secrets are put behind ``#``."""
    return f"{request.url.scheme}://{request.headers['host']}/a#"


# --- Where conclusions are kept for their reports ---


def result_path(folder: Path, name: str) -> Path:
    """Return where the conclusion of a campaign is kept whole."""
    return folder / f"{name}.result.json"
