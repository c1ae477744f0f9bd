"""What a server is started with."""

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from detectable.core.errors import DataError, InputError

PORT = 8300
HOST = "127.0.0.1"
_LOOPBACK_NAMES = ("localhost",)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a server listens, and the folder that it may write to.

    Attributes
    ----------
    folder : Path
        Where frozen plans go; nothing else is written.
    host : str
        An address of this machine alone: this version knows no passwords.
    port : int
        0 takes any that is free.
    """

    folder: Path
    host: str = HOST
    port: int = PORT

    def __post_init__(self) -> None:
        if not is_loopback(self.host):
            raise InputError(
                f"`host` must be an address of this machine alone, like {HOST}; got {self.host!r}. "
                "This version knows no passwords, so others must not reach it: leave it out, and "
                "come from another machine through an SSH tunnel."
            )
        if not 0 <= self.port <= 65_535:
            raise InputError(f"`port` must lie between 0 and 65535; got {self.port!r}.")
        if not self.folder.is_dir():
            raise DataError(f"{self.folder} is no folder. Make it, or name another.")


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
