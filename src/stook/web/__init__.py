"""The safe web: pages become a corpus that agents may read."""
