"""JSON over HTTP to one server: connections kept open, failures that pass tried again, the key sent to nobody else.

Redirections are not followed and no proxy is asked, for either would be given the key and the transcript.
"""

from __future__ import annotations

import http.client
import json
import random
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from memcli.errors import ModelError

_ATTEMPTS: Final = 5
_FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; each further wait is twice as long, by up to a quarter more or less."""
_LONGEST_WAIT: Final = 30.0

_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_LASTING: Final = ("validation error", "not supported")
"""What llama_cpp.server says to what it cannot do, with a status that means it might do it later."""

_LARGEST_ANSWER: Final = 64 << 20
_CONNECT_TIMEOUT: Final = 10.0
"""Seconds; a server that is there accepts at once."""


class RefusedError(Exception):
    """The server answered with a status that trying again does not change."""

    def __init__(self, status: int, message: str) -> None:
        """Keep the status, and what the server says about it."""
        super().__init__(f"the server answered {status}" + (f": {message}" if message else ""))
        self.status = status
        self.about_length = any(word in message.lower() for word in ("context", "too long", "too many tokens", "maximum"))
        """Whether it seems to be about the prompt's length, and not about what the server can do."""


class Wire:
    """A way to one server. May be used from several threads at once, over as many connections."""

    def __init__(
        self, *, scheme: str, host: str, port: int | None, key: str | None, timeout: float, notify: Callable[[str], None] | None = None
    ) -> None:
        """Prepare; nothing is connected yet.

        Raises:
            ModelError: the key cannot be sent.
        """
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ModelError("the key in MEM_LLM_API_KEY or OPENAI_API_KEY has characters that no key has; set it again")
        self._scheme, self._host, self._port = scheme, host, port
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._key = key
        self._timeout = timeout
        self._notify = notify
        self._idle: list[http.client.HTTPConnection] = []
        """Connections that are open and not in use."""
        self._lock = threading.Lock()

    def get(self, path: str) -> Mapping[str, Any]:
        """The JSON object at a path.

        Raises:
            RefusedError: the server has none.
            ModelError: it cannot be reached, or answers something else.
        """
        return self._exchange("GET", path, None)

    def post(self, path: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """The JSON object that the server answers one with; raises as `get`."""
        return self._exchange("POST", path, json.dumps(value).encode("ascii"))

    def close(self) -> None:
        """Close all connections that are not in use; the next request opens one anew."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _exchange(self, method: str, path: str, body: bytes | None) -> Mapping[str, Any]:
        wait = _FIRST_WAIT
        for attempt in range(1, _ATTEMPTS + 1):
            asked: float | None = None
            try:
                status, headers, data = self._once(method, path, body)
            except TimeoutError as error:
                raise ModelError(
                    f"{self._place}: no answer within {self._timeout:g} seconds; MEM_LLM_TIMEOUT sets another limit"
                ) from error
            except ssl.SSLError as error:
                raise ModelError(f"{self._place}: no secure connection: {error.reason or error}") from error
            except (OSError, http.client.HTTPException) as error:
                failure = f"cannot be reached ({self._reason(error)})"
            else:
                if status == 200:
                    return self._object(data)
                message = self._message(status, headers, data)
                if status == 500 and any(word in message.lower() for word in _LASTING):
                    status = 422
                if status not in _PASSING:
                    raise RefusedError(status, message)
                failure = f"answers {status} ({message or http.client.responses.get(status, 'no reason')})"
                asked = _seconds(headers.get("retry-after"))
            if attempt < _ATTEMPTS:
                pause = min(_LONGEST_WAIT, max(wait, asked or 0.0)) * random.uniform(0.75, 1.25)
                if self._notify is not None:
                    self._notify(f"{self._place} {failure}; trying again in {pause:.1f} s")
                time.sleep(pause)
                wait *= 2
        raise ModelError(f"{self._place}: {failure}, {_ATTEMPTS} times in a row; check that the server runs and the address is right")

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        kept = connection is not None
        if connection is None:
            form = http.client.HTTPSConnection if self._scheme == "https" else http.client.HTTPConnection
            connection = form(self._host, self._port, timeout=min(_CONNECT_TIMEOUT, self._timeout))
        try:
            if not kept:
                try:
                    connection.connect()
                except TimeoutError as error:
                    raise ConnectionError("no answer") from error
                connection.sock.settimeout(self._timeout)
            connection.request(method, path, body, self._headers)
            response = connection.getresponse()
            data = response.read(_LARGEST_ANSWER + 1)
            if len(data) > _LARGEST_ANSWER:
                raise ModelError(f"{self._place}: an answer of more than {_LARGEST_ANSWER >> 20} MB is none")
        except BaseException as error:
            connection.close()
            # A server may have closed a connection that was kept open, just when it was used again.
            if kept and isinstance(error, ConnectionError):
                return self._once(method, path, body)
            raise
        if connection.sock is not None:  # the server keeps it open too
            with self._lock:
                self._idle.append(connection)
        return response.status, {name.lower(): value for name, value in response.getheaders()}, data

    @property
    def _place(self) -> str:
        return f"{self._scheme}://{self._host}" + (f":{self._port}" if self._port else "")

    def _object(self, data: bytes) -> Mapping[str, Any]:
        try:
            found = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self._place}: the answer is not JSON; is it an OpenAI-compatible server?") from error
        if not isinstance(found, dict):
            raise ModelError(f"{self._place}: the answer is not a JSON object; is it an OpenAI-compatible server?")
        return found

    def _message(self, status: int, headers: Mapping[str, str], data: bytes) -> str:
        """What a server says about a failure, in a line, without the key should it repeat it."""
        if status in (401, 403):
            return "it wants a key, or another one; set MEM_LLM_API_KEY"
        if 300 <= status < 400:
            return f"it points to {_bare(headers.get('location', ''))}; give that address if you trust it"
        try:
            found: Any = json.loads(data)
            for key in ("error", "message", "detail"):
                if isinstance(found, dict) and found.get(key):
                    found = found[key]
            text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        except (ValueError, RecursionError):
            text = data[:200].decode("utf-8", "replace")
        text = " ".join(text.split())[:300]
        return text.replace(self._key, "***") if self._key else text

    @staticmethod
    def _reason(error: Exception) -> str:
        if isinstance(error, ConnectionRefusedError):
            return "nothing listens there"
        if isinstance(error, OSError) and error.strerror:
            return error.strerror.lower()
        return str(error) or type(error).__name__


def _seconds(said: str | None) -> float | None:
    """A Retry-After header in seconds; a date is not waited for."""
    try:
        return max(0.0, float(said)) if said else None
    except ValueError:
        return None


def _bare(address: str) -> str:
    """An address without its query, where secrets are."""
    return address.partition("?")[0][:200]
