"""Computations in other processes, with limits of time and memory."""

from stook.engine.compute.pool import ComputePool

__all__ = ["ComputePool"]
