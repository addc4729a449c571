"""SPDX licence expressions as trees: built from tokens, written in one canonical form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

__all__ = ["MAX_DEPTH", "BadExpression", "Junction", "Node", "Operator", "Term", "Token", "terms_of", "tree_of"]

MAX_DEPTH = 64
"""Parentheses inside of each other that an expression may have."""

Operator: TypeAlias = Literal["AND", "OR"]


class Term(msgspec.Struct, frozen=True, gc=False):
    """A licence id or reference, with "+" if it has one, and the exception that WITH adds to it."""

    licence: str
    exception: str | None = None

    def __str__(self) -> str:
        return self.licence if self.exception is None else f"{self.licence} WITH {self.exception}"

    @property
    def id(self) -> str:
        """The licence without "+"."""
        return self.licence.removesuffix("+")


class Junction(msgspec.Struct, frozen=True):
    """Two or more different operands that AND or OR joins; none is a junction of the same operator."""

    operator: Operator
    operands: tuple[Node, ...]

    def __str__(self) -> str:
        joined = (
            f"({operand})" if self.operator == "AND" and isinstance(operand, Junction) else str(operand)
            for operand in self.operands
        )
        return f" {self.operator} ".join(joined)


Node: TypeAlias = "Term | Junction"
Token: TypeAlias = "Term | Junction | Literal['AND', 'OR', '(', ')']"


class BadExpression(ValueError):
    """Tokens in an order that no expression has."""


def tree_of(tokens: Sequence[Token]) -> Node:
    """The tree of an expression; AND binds tighter than OR.

    Works in time linear in the tokens. Raises BadExpression.
    """
    stack: list[_Group] = [_Group()]
    for token in tokens:
        match token:
            case "(":
                stack[-1].expect_operand()
                if len(stack) > MAX_DEPTH:
                    raise BadExpression(f"parentheses nest deeper than {MAX_DEPTH}")
                stack.append(_Group())
            case ")":
                if len(stack) == 1:
                    raise BadExpression("a parenthesis is closed that was not opened")
                node = stack.pop().close()
                stack[-1].add(node)
            case "AND" | "OR":
                stack[-1].join(token)
            case _:
                stack[-1].expect_operand()
                stack[-1].add(token)
    if len(stack) > 1:
        raise BadExpression("a parenthesis is not closed")
    return stack[0].close()


def terms_of(node: Node) -> Iterator[Term]:
    """All terms of a tree, from left to right."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Junction):
            waiting.extend(reversed(node.operands))
        else:
            yield node


class _Group:
    """What stands in one pair of parentheses: alternatives, each of which is a list of conditions."""

    __slots__ = ("alternatives", "wants_operand")

    def __init__(self) -> None:
        self.alternatives: list[list[Node]] = [[]]
        self.wants_operand = True

    def expect_operand(self) -> None:
        if not self.wants_operand:
            raise BadExpression("an operator is missing between two licences")

    def add(self, node: Node) -> None:
        self.alternatives[-1].append(node)
        self.wants_operand = False

    def join(self, operator: Operator) -> None:
        if self.wants_operand:
            raise BadExpression(f"a licence is missing before {operator}")
        if operator == "OR":
            self.alternatives.append([])
        self.wants_operand = True

    def close(self) -> Node:
        if self.wants_operand:
            raise BadExpression("a licence is missing at the end, or between parentheses")
        return _junction("OR", [_junction("AND", conditions) for conditions in self.alternatives])


def _junction(operator: Operator, nodes: Sequence[Node]) -> Node:
    """Nodes joined: those of the same operator taken apart, repeated ones left out."""
    if len(nodes) == 1:
        return nodes[0]
    flat: dict[Node, None] = {}
    for node in nodes:
        parts = node.operands if isinstance(node, Junction) and node.operator == operator else (node,)
        flat.update(dict.fromkeys(parts))
    operands = tuple(flat)
    return operands[0] if len(operands) == 1 else Junction(operator, operands)
