"""Package registries: every version of every package, into SQL tables."""
