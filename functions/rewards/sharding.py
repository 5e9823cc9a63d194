"""Stable sharding: the same identity falls into the same shard in every process, release and language."""

from hashlib import blake2b

from rewards.identifiers import join


def shard_of(*identity: str, count: int) -> int:
    """The shard of `identity` among `count`, from 0. Python's own `hash` differs from process to process."""
    digest = blake2b(join(*identity).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count
