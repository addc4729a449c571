"""Making the tables say what the index says: what changed is decided first, then written."""

from stook.registries.cargo.keep.snapshots import keep_marks, keep_snapshots

__all__ = ["keep_marks", "keep_snapshots"]
