"""crates.io: the sparse index decides what exists, the JSON API enriches, locks tell what a project uses."""
