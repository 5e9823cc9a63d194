"""Stable sharding: the same identity falls into the same shard in every process, release and language."""

from hashlib import blake2b

from rewards.identifiers import join


def shard_of(*identity: str, count: int) -> int:
    """The shard of `identity` among `count`, from 0."""
    return digest(*identity) % count


def digest(*identity: str) -> int:
    """A number below 2**64 that is always the same; Python's own `hash` differs from process to process."""
    return int.from_bytes(blake2b(join(*identity).encode(), digest_size=8).digest(), "big")
