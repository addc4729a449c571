"""`python -m stook` is `stook`."""

from stook.cli import main

main()
