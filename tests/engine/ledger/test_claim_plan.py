"""The plans of hot queries: one range of one index, in its order; no sort, no scan of the table."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from stook.engine.ledger.operate import queue_status
from stook.engine.words import Announcement

ROWS = 6000
QUEUES = ("cargo", "pages", "frontier")
STEADY = [(0, 0), (1, None), (1, None), (1, None), (30, 3600), (20, 60), (33, 86400), (0, 600)]
BACKLOG = [(0, 0), (0, 0), (0, 0), (1, None)]


@pytest.fixture(params=[STEADY, BACKLOG], ids=["steady", "backlog"])
def full_bench(bench, request):
    """Thousands of events in every state, or most of them due, and statistics that know them."""
    some = [Announcement("cargo", f"crate-{number // 3}", f"1.{number}.0") for number in range(ROWS)]
    bench.ledger.announce([*some, *(Announcement("pages", f"page-{number}") for number in range(ROWS))])
    laned = (Announcement("frontier", f"url-{number}", lane=f"host-{number % 300}") for number in range(ROWS))
    bench.ledger.announce(list(laned))
    for queue in QUEUES:
        table = bench.ledger.queues[queue].table
        with bench.ledger.transaction() as transaction:
            ids = transaction.execute(sa.select(table.c["ID"]).order_by(table.c["ID"])).scalars().all()
            rows = []
            for number, identity in enumerate(ids):
                code, wait = request.param[number % len(request.param)]
                due = None if wait is None else bench.now + timedelta(seconds=wait, microseconds=number)
                rows.append({"b_id": identity, "b_code": code, "b_due": due})
            changes = {"PROCESSED": sa.bindparam("b_code"), "DUE_AT": sa.bindparam("b_due")}
            transaction.update(table, changes, table.c["ID"] == sa.bindparam("b_id"), rows)
    bench.clock.advance(1)
    analyze(bench)
    return bench


def analyze(bench: Any) -> None:
    with bench.ledger.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for name in ("TB_CRAWLER_LANE", *(bench.ledger.queues[queue].table.name for queue in QUEUES)):
            word = "ANALYZE TABLE" if bench.ledger.dialect.name == "mysql" else "ANALYZE"
            connection.exec_driver_sql(f"{word} {name}")


def statements_of(bench: Any, action: Any) -> list[tuple[str, Any]]:
    """The statements that an action sends, with their parameters."""
    seen: list[tuple[str, Any]] = []

    def note(connection, cursor, statement, parameters, context, many):
        if statement.startswith(("SELECT", "(SELECT", "UPDATE")):
            seen.append((statement, parameters[0] if many else parameters))

    event.listen(bench.ledger.engine, "before_cursor_execute", note)
    action()
    event.remove(bench.ledger.engine, "before_cursor_execute", note)
    return seen


def plan(bench: Any, statement: str, parameters: Any, *, is_large: bool = False) -> tuple[set[str], list[str]]:
    """The indexes that a statement uses, and what it must not do; `is_large`: were the table too large to be sorted."""
    read = {"sqlite": sqlite_plan, "postgresql": postgresql_plan, "mysql": mariadb_plan}[bench.ledger.dialect.name]
    with bench.ledger.engine.connect() as connection:
        if is_large and bench.ledger.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        return read(connection, statement, parameters)


def sqlite_plan(connection, statement, parameters):
    rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
    details = [row[3] for row in rows]
    names = ("IX_", "PRIMARY", "sqlite_autoindex")
    indexes = {word for detail in details for word in detail.split() if word.startswith(names)}
    return indexes, [one for one in details if one.startswith("SCAN TB_") or "TEMP B-TREE" in one]


def postgresql_plan(connection, statement, parameters):
    (found,) = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).one()
    nodes, left = [], [json.loads(found)[0]["Plan"]]
    while left:
        node = left.pop()
        nodes.append(node)
        left.extend(node.get("Plans", []))
    faults = [node["Node Type"] for node in nodes if node["Node Type"] in ("Seq Scan", "Sort", "Incremental Sort")]
    return {node["Index Name"].upper() for node in nodes if "Index Name" in node}, faults


def mariadb_plan(connection, statement, parameters):
    """Of the due index a range: taken by its first column alone (`ref`) it begins with all that is finished."""
    rows = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).mappings().all()
    faults = [str(row["Extra"]) for row in rows if "filesort" in str(row["Extra"]) or "temporary" in str(row["Extra"])]
    whole = [row for row in rows if row["type"] in ("ALL", "index", "ref") and row["table"].startswith("TB_")]
    # Of lanes nothing is finished, and all of them may be due.
    whole = [row for row in whole if (row["type"], row["table"]) != ("ref", "TB_CRAWLER_LANE")]
    return {str(row["key"]) for row in rows}, faults + [f"{row['type']} of {row['table']}" for row in whole]


@pytest.mark.parametrize("queue", ["cargo", "pages"])
def test_a_claim_walks_the_due_index(full_bench, queue):
    """A claim reads one range of the due index in its order, and completes packages by ranges of the key."""
    seen = statements_of(full_bench, lambda: full_bench.claim(100, queue=queue))
    seen = [one for one in seen if one[0].startswith("SELECT") and "TB_CRAWLER_LANE" not in one[0]]
    first, *others = [plan(full_bench, *one) for one in seen]
    assert first == ({f"IX_{full_bench.ledger.queues[queue].table.name}_DUE"}, [])
    assert bool(others) == (queue == "cargo")
    for indexes, faults in others:
        assert (len(indexes), faults) == (1, [])
        assert not any(name.startswith("IX_") for name in indexes)


def test_a_claim_by_lane_reads_short_ranges(full_bench):
    """Lanes come from the index of those that are due, and each lane's events from one range of the due index."""
    seen = statements_of(full_bench, lambda: full_bench.claim(100, queue="frontier", each=2, room={"host-1": 0}))
    selects = [one for one in seen if one[0].lstrip("( ").startswith("SELECT")]
    lines = [plan(full_bench, *one, is_large=True) for one in selects if "FROM TB_CRAWLER_LANE" in plain_names(one[0])]
    ranges = [plan(full_bench, *one, is_large=True) for one in selects if "TB_TEST_FRONTIER" in one[0]]
    assert [(indexes, faults) for indexes, faults in lines] == [({"IX_TB_CRAWLER_LANE_NEXT"}, [])] * len(lines)
    assert lines
    for indexes, faults in ranges:
        assert (indexes - {"None"}, faults) == ({"IX_TB_TEST_FRONTIER_DUE"}, [])
    assert len(ranges) >= 2


def plain_names(statement):
    return statement.replace("`", "")


def test_a_claim_marks_rows_where_they_lie(full_bench):
    """What was found and locked is not looked for again in the index of ids."""
    seen = statements_of(full_bench, lambda: full_bench.claim(100))
    (update,) = [one for one in seen if one[0].startswith("UPDATE")]
    indexes, faults = plan(full_bench, *update, is_large=True)
    assert (indexes <= {"PRIMARY"}, faults) == (True, [])


def test_an_idle_claim_walks_the_due_index(full_bench):
    """With nothing due a claim is still one look into the due index, and one for lanes."""
    while full_bench.claim(1000):
        pass
    analyze(full_bench)
    seen = statements_of(full_bench, lambda: full_bench.claim(100))
    plans = [plan(full_bench, *one, is_large=True) for one in seen]
    assert sorted((sorted(indexes), faults) for indexes, faults in plans) == [
        (["IX_TB_CRAWLER_LANE_NEXT"], []),
        (["IX_TB_CRAWLER_POLL_DUE"], []),
    ]


def test_settling_and_holding_go_by_key(full_bench):
    """Ending, renewing and giving back events touch their rows by primary key."""
    events = full_bench.claim(20)
    seen = statements_of(full_bench, lambda: full_bench.ledger.renew(events))
    seen += statements_of(full_bench, lambda: full_bench.end(events))
    for statement, parameters in seen:
        indexes, faults = plan(full_bench, statement, parameters)
        assert faults == [], statement
        assert not any(name.startswith("IX_") for name in indexes), statement


def test_freeing_the_dead_looks_at_held_events_only(full_bench):
    """Looking for the dead reads the due index up to the end of the longest lease, not all that waits."""
    for statement, parameters in statements_of(full_bench, full_bench.ledger.release_abandoned):
        indexes, faults = plan(full_bench, statement, parameters)
        assert {name.rpartition("_")[2] for name in indexes} <= {"DUE", "TIME"}
        assert not [fault for fault in faults if fault.startswith(("SCAN", "Seq Scan", "TB_"))]


def test_looks_at_a_queue_walk_the_due_index(full_bench):
    """How a queue stands, and when its next event is due, is read from the due index, without what is finished."""
    seen = statements_of(full_bench, lambda: queue_status(full_bench.ledger, "pages"))
    seen += statements_of(full_bench, lambda: full_bench.ledger.next_due(["pages"]))
    assert len(seen) == (10 if full_bench.ledger.dialect.has_partial_indexes else 5)
    for statement, parameters in seen:
        indexes, faults = plan(full_bench, statement, parameters, is_large=True)
        assert {name.rpartition("_")[2] for name in indexes - {"None"}} in ({"DUE"}, {"TIME"}), statement
        assert faults == [], statement
