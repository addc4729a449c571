"""Computations in child processes, of real functions: of the standard library, and of the engine."""

from __future__ import annotations

import asyncio
import json
import os
import select
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import Any

import pytest

from stook.engine.clock import naive_utc
from stook.engine.compute import ComputePool
from stook.engine.door.guard import Guard
from stook.engine.errors import FailureCode, Malformed, UserError
from stook.engine.words import Compute


def run(test: Callable[[ComputePool], Awaitable[Any]], **settings: Any) -> Any:
    """Run a coroutine with a pool that is closed afterwards."""

    async def main() -> Any:
        pool = ComputePool(**settings)
        try:
            return await asyncio.wait_for(test(pool), 60)
        finally:
            pool.close()

    return asyncio.run(main())


def compute(*asks: Compute, **settings: Any) -> list[Any]:
    """Run these one after another; an error stands in its place."""

    async def test(pool: ComputePool) -> list[Any]:
        answers: list[Any] = []
        for ask in asks:
            try:
                answers.append(await pool.compute(ask))
            except (Malformed, RuntimeError, UserError) as error:
                answers.append(error)
        return answers

    answers: list[Any] = run(test, size=1, **settings)
    return answers


def test_a_function_runs_in_another_process() -> None:
    """The answer comes from a child, and one child serves many computations."""
    first, second, answer = compute(Compute(os.getpid), Compute(os.getpid), Compute(json.loads, ('{"a": [1]}',)))
    assert first == second != os.getpid()
    assert answer == {"a": [1]}


def test_errors_of_ours_are_raised_in_the_visit() -> None:
    """An error that the function raises on purpose arrives with its reason and code; others are named."""
    refused, unforeseen = compute(Compute(Guard, (["no network"],)), Compute(json.loads, ("{",)))
    assert isinstance(refused, UserError)
    assert "no network" in refused.reason
    assert type(unforeseen) is RuntimeError
    assert str(unforeseen).startswith("JSONDecodeError: ")


def test_time_is_limited() -> None:
    """A computation that uses more CPU time than it may fails, and the next one works."""
    slow, good = compute(Compute(sum, (count(),), seconds=0.2), Compute(sum, ([1, 2],)))
    assert isinstance(slow, Malformed)
    assert slow.code is FailureCode.COMPUTE_LIMIT
    assert good == 3


def test_a_call_that_hears_no_signal_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """One long call in C is ended from outside, by the clock."""
    hung, good = compute(Compute(pow, (3, 10**9), seconds=0.1), Compute(sum, ([1, 2],)), shortest=0.5)
    assert isinstance(hung, Malformed)
    assert hung.code is FailureCode.COMPUTE_LIMIT
    assert good == 3


def test_memory_is_limited() -> None:
    """A computation that wants too much memory fails alone."""
    greedy, good = compute(Compute(bytes, (2**31,)), Compute(len, (b"abc",)))
    assert isinstance(greedy, Malformed)
    assert greedy.code is FailureCode.COMPUTE_LIMIT
    assert good == 3


@pytest.mark.parametrize("ask", [Compute(os._exit, (3,)), Compute(os.kill, (0, 0)), Compute(os.abort)])
def test_a_dead_child_is_replaced(ask: Compute) -> None:
    """Whatever a computation does to its process, the next one works."""
    dead, good = compute(ask, Compute(sum, ([1, 2],)))
    assert dead is None or isinstance(dead, Malformed)
    assert good == 3


def test_what_a_function_prints_is_not_taken_for_an_answer() -> None:
    """Output of a library goes to stderr."""
    assert compute(Compute(os.system, ("echo noise",)), Compute(print, ("noise",))) == [0, None]


def test_computations_run_side_by_side() -> None:
    """Two children compute at once, and the loop goes on meanwhile."""

    async def test(pool: ComputePool) -> set[int]:
        rest = partial(Compute, select.select, ([], [], [], 0.2))
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0.01)
                beats += 1

        beating = asyncio.create_task(beat())
        await asyncio.gather(pool.compute(rest()), pool.compute(rest()))
        beating.cancel()
        assert beats >= 5
        return {child.pid for child in pool.children}

    assert len(run(test, size=2)) == 2


def test_a_closed_pool_leaves_no_child() -> None:
    """All children are gone once the pool is closed."""

    async def test(pool: ComputePool) -> list[int]:
        await pool.compute(Compute(naive_utc, (__import__("datetime").datetime(2026, 1, 1),)))
        return [child.pid for child in pool.children]

    for pid in run(test, size=1):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_cannot_be_sent_is_a_fault_of_the_caller() -> None:
    """A function that has no importable name is refused here, not in the child."""

    async def test(pool: ComputePool) -> None:
        with pytest.raises((AttributeError, TypeError, ValueError, RuntimeError), match=r"pickle|lambda|local"):
            await pool.compute(Compute(lambda: 1))

    run(test)
