"""The engine under every product: words, the work loop, the ledger and the one door out."""
