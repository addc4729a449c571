"""Lighthouses: a toy product in a package of its own, which uses nothing of Stook but `stook.api`."""
