"""What a server is started with, and the password of its organisers."""

import base64
import binascii
import hashlib
import hmac
import ipaddress
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError, InputError
from detectable.core.options import option

SHORTEST = 12  # characters
LONGEST = 1024
_N, _R, _P = 2**15, 8, 1  # 32 MiB and about a tenth of a second for every guess
_MEMORY = 64 * 1024 * 1024
_SALT, _KEY = 16, 32  # bytes
_KIND = "scrypt"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Password:
    """What is kept of a password.

    References
    ----------
    Percival and Josefsson (2016), "The scrypt password-based key derivation function", RFC 7914.
    """

    n: int
    r: int
    p: int
    salt: bytes
    key: bytes

    def fits(self, given: str) -> bool:
        """Say whether this is the password, in a time that does not tell how much of it is."""
        return hmac.compare_digest(self.key, _derived(given, self.salt, self.n, self.r, self.p))

    def line(self) -> str:
        """Return it as the line of a file."""
        salt, key = (base64.b64encode(part).decode() for part in (self.salt, self.key))
        return f"{_KIND}${self.n}${self.r}${self.p}${salt}${key}\n"


def make_password(given: str) -> Password:
    """Return what is kept of a new password.

    Examples
    --------
    >>> made = make_password("correct horse battery")
    >>> made.fits("correct horse battery"), made.fits("correct horse")
    (True, False)
    """
    if not SHORTEST <= len(given) <= LONGEST:
        raise InputError(
            f"the password must have {SHORTEST} to {LONGEST} characters; got {len(given)}."
        )
    salt = secrets.token_bytes(_SALT)
    return Password(_N, _R, _P, salt, _derived(given, salt, _N, _R, _P))


def write_password(path: Path, given: str) -> None:
    """Write a new file that its owner alone can read; none is overwritten."""
    made = make_password(given)
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise DataError(f"{path} cannot be made ({error.strerror}).") from None
    with os.fdopen(number, "w", encoding="ascii") as file:
        file.write(made.line())


def read_password(path: Path) -> Password:
    """Read the file, refusing one that others can read."""
    try:
        with path.open(encoding="ascii") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(LONGEST)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}).") from None
    if os.name == "posix" and mode & _OTHERS:
        raise DataError(
            f"{path} can be read by others (mode {stat.S_IMODE(mode):03o}). Make it yours alone: "
            f"chmod 600 {path}"
        )
    try:
        kind, n, r, p, salt, key = text.strip().split("$")
        found = Password(int(n), int(r), int(p), _decoded(salt), _decoded(key))
        if kind != _KIND or len(found.key) != _KEY:
            raise ValueError(kind)
        _derived("", found.salt, found.n, found.r, found.p)
    except (ValueError, binascii.Error, OverflowError):
        raise DataError(
            f"{path} holds no hash of a password. Make it: detectable serve --password-file "
            f"{path} --set-password"
        ) from None
    return found


def _decoded(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _derived(given: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(given.encode(), salt=salt, n=n, r=r, p=p, maxmem=_MEMORY, dklen=_KEY)


# --- What a server is started with ---

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
    told : Told, optional
        Who is told what happens to campaigns, by webhook and mail.
    public_names : tuple of str
        Names under which others reach the server.
    forwarded_from : str
        Addresses of proxies whose word on client and scheme is taken; none by default.
    """

    folder: Path
    host: str = option(
        HOST, "Address to listen on; one that others can reach needs --password-file."
    )
    port: int = option(PORT, "Port to listen on; 0: any.")
    store: str = option(
        "", "Campaigns, if not in FOLDER: postgresql://… or a file.", shown=False
    )
    password: Password | None = None
    told: Any = None  # of web.notify, which needs a server
    public_names: tuple[str, ...] = option(
        (),
        "Name under which others reach the server: eval.example.org (repeatable).",
        flag="--public-name",
    )
    forwarded_from: str = option(
        "",
        "Proxies that may say who asks and over TLS or not, with commas between.",
        flag="--forwarded-allow-ips",
        metavar="ADDRESSES",
        shown=False,
    )

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
