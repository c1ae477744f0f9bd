"""What a server is started with."""

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from detectable.core.errors import DataError, InputError
from detectable.web.password import Password

PORT = 8300
HOST = "127.0.0.1"
_LOOPBACK_NAMES = ("localhost",)
_EVERYWHERE = ("0.0.0.0", "::")  # addresses that are nobody's name


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a server listens, who may come, and the folder that it may write to.

    Attributes
    ----------
    folder : Path
        Where plans, ledgers and conclusions go.
    host : str
        An address of this machine alone, unless there is a password.
    port : int
        0 takes any that is free.
    store : str
        Where the campaigns are, if not in the folder: a file, or ``postgresql://…``.
    password : Password, optional
        Without one whoever sits at this machine is the organiser.
    public_names : tuple of str
        Names under which others reach the server.
    forwarded_from : str
        Addresses of proxies whose word on client and scheme is taken; none by default.
    """

    folder: Path
    host: str = HOST
    port: int = PORT
    store: str = ""
    password: Password | None = None
    public_names: tuple[str, ...] = ()
    forwarded_from: str = ""

    def __post_init__(self) -> None:
        if self.password is None:
            self._require_alone()
        if not 0 <= self.port <= 65_535:
            raise InputError(f"`port` must lie between 0 and 65535; got {self.port!r}.")
        if not self.folder.is_dir():
            raise DataError(f"{self.folder} is no folder. Make it, or name another.")

    def _require_alone(self) -> None:
        """Refuse all that lets others in where nobody is asked for a password."""
        if not is_loopback(self.host):
            raise InputError(
                f"`host` must be an address of this machine alone, like {HOST}; got {self.host!r}. "
                "For others to come it needs a password: --password-file FILE, made with "
                "--set-password."
            )
        for name, given in (
            ("public_names", self.public_names),
            ("forwarded_from", self.forwarded_from),
        ):
            if given:
                raise InputError(
                    f"`{name}` lets others in, and needs a password: --password-file FILE, made "
                    "with --set-password."
                )

    @property
    def campaigns(self) -> str | Path:
        """The address of the store of campaigns."""
        return self.store or self.folder

    @property
    def names(self) -> frozenset[str]:
        """The names, besides those of this machine alone, that requests may be sent to."""
        own = () if self.host in _EVERYWHERE else (self.host,)
        return frozenset(name.lower() for name in (*own, *self.public_names))


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "here.org")]
    [True, True, True, False, False]
    """
    if host in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
