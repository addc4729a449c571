"""The suite's own guards: a test cannot reach the network, and gets an empty database."""

from __future__ import annotations

import os
import socket

import pytest
import sqlalchemy
from sqlalchemy import text

DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}


def test_leaving_loopback_fails(outside_attempts: list[str]) -> None:
    """A connection to a public address is refused before a packet leaves, and is remembered."""
    with socket.socket() as connection, pytest.raises(RuntimeError, match=r"192\.0\.2\.1"):
        connection.connect(("192.0.2.1", 9))
    with pytest.raises(RuntimeError, match="example"):
        socket.getaddrinfo("example.org", 443)
    assert len(outside_attempts) == 2
    outside_attempts.clear()


def test_loopback_is_free() -> None:
    """A server on loopback can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_environment_is_clean() -> None:
    """No setting of whoever runs the suite reaches a test."""
    assert not [name for name in os.environ if name.startswith("STOOK_") and not name.startswith("STOOK_TEST_")]


def test_every_engine_gives_an_empty_database(database_url: str) -> None:
    """The URL of each engine opens, and what a test creates there is its own."""
    url = sqlalchemy.make_url(database_url)
    engine = sqlalchemy.create_engine(url.set(drivername=DRIVERS.get(url.drivername, url.drivername)))
    try:
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE promise (number INT)"))
            connection.execute(text("INSERT INTO promise VALUES (42)"))
            assert connection.execute(text("SELECT number FROM promise")).scalar() == 42
    finally:
        engine.dispose()
