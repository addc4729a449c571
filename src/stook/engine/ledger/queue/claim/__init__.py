"""Claims: due events of a queue, held for a visit."""

from stook.engine.ledger.queue.claim.claim import Claim, ClaimTerms, claim

__all__ = ["Claim", "ClaimTerms", "claim"]
