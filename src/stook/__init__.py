"""Stook gathers what public sources publish, politely and completely, into stores that can be trusted."""

__all__ = ["__version__"]

__version__ = "0.1.0"
