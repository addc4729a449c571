"""A folder of files that answers requests as a site would, so that flavours read a checkout like the network."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec

from stook.engine.errors import FailureCode, Refused, StookError, UserError
from stook.engine.words import Reply, Request

__all__ = ["Checkout", "answer_all", "listed_files"]

T = TypeVar("T")
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SCHEME = "file://"


class Checkout:
    """Answers GET of `file:` URLs below one folder.

    A folder, named with a slash at the end, is a JSON list of the paths of all regular files below it, percent-encoded,
    sorted by component. Hidden folders such as `.git` are left out, links are not followed. A file is its bytes.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UserError(f"the source {folder} is not a folder")
        self._root = os.fsencode(folder.resolve())

    @property
    def url(self) -> str:
        """The folder as a source."""
        return f"{_SCHEME}{quote(self._root).rstrip('/')}/"

    def answer(self, request: Request) -> Reply:
        """The reply; 404 for what is not there, Refused for what lies elsewhere or is too large."""
        if not request.url.startswith(self.url):
            raise Refused("the address is outside of the checkout")
        parts = unquote_to_bytes(request.url.removeprefix(self.url)).split(b"/")
        if b".." in parts or b"." in parts:
            raise Refused("the address is outside of the checkout")
        path = b"/".join([self._root, *filter(None, parts)])
        if os.path.realpath(path) != path:  # a link in the path
            return Reply(request.url, 404)
        if request.url.endswith("/"):
            return self._listing(request.url, path)
        return _file(request, path)

    def _listing(self, url: str, folder: bytes) -> Reply:
        if not os.path.isdir(folder):
            return Reply(url, 404)
        paths = sorted(_walk(folder), key=lambda path: path.split(b"/"))
        return Reply(url, 200, msgspec.json.encode([quote(path) for path in paths]))


def _walk(folder: bytes) -> Iterator[bytes]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(b".")]
        for name in files:
            path = os.path.join(place, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield os.path.relpath(path, folder)


def _file(request: Request, path: bytes) -> Reply:
    try:
        handle = os.open(path, _READ)
    except FileNotFoundError:
        return Reply(request.url, 404)
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}", FailureCode.BROKEN_BODY) from None
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return Reply(request.url, 404)
        body = file.read(request.max_bytes + 1)
    if len(body) > request.max_bytes:
        raise Refused(f"larger than {request.max_bytes} bytes", FailureCode.TOO_LARGE)
    return Reply(request.url, 200, body)


def listed_files(reply: Reply) -> list[str]:
    """The paths in a checkout's listing, percent-encoded, so that they can be put behind its address."""
    return msgspec.json.decode(reply.body, type=list[str])


def answer_all(steps: Generator[Request, Reply, T], checkout: Checkout) -> T:
    """Run a generator to its end, its requests answered by a checkout."""
    try:
        request = next(steps)
        while True:
            try:
                reply = checkout.answer(request)
            except StookError as error:
                request = steps.throw(error)
            except KeyboardInterrupt as error:
                request = steps.throw(error)
            else:
                request = steps.send(reply)
    except StopIteration as end:
        value: T = end.value
        return value
