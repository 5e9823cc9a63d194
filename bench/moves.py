"""How many other jobs move when one comes, for `assign` and for what else it might have been (docs/decisions/0010).

python -m bench.moves
"""

from collections.abc import Callable, Collection

from rewards.sharding import digest
from rewards.stagger import assign

SLOTS = 60
TRIALS = 200
SIZES = {"up to 48": range(1, 49), "48": [48], "54": [54], "60": [60], "61": [61], "90": [90], "300": [300]}
"""The numbers of jobs, the newcomer included. What goes moves as many as what comes."""

Assign = Callable[[Collection[str], int], dict[str, int]]


def next_free(names: Collection[str], slots: int) -> dict[str, int]:
    """Linear probing: in the order of their digests, each to the first free slot from its own on."""
    return _in_order(names, slots, lambda name, slot: (slot - digest(name, "home")) % slots)


def best_free(names: Collection[str], slots: int) -> dict[str, int]:
    """In the order of their digests, each to the free slot that it likes best."""
    return _in_order(names, slots, lambda name, slot: digest(name, str(slot)))


def deferred_acceptance(names: Collection[str], slots: int) -> dict[str, int]:
    """Stable marriage, where a slot's liking has nothing to do with the job's; no more jobs than slots."""
    likes = {name: sorted(range(slots), key=lambda slot: digest(name, str(slot)), reverse=True) for name in names}
    holder: dict[int, str] = {}
    asking = list(names)
    while asking:
        name = asking.pop()
        slot = likes[name].pop()
        rivals = [name, holder[slot]] if slot in holder else [name]
        holder[slot] = min(rivals, key=lambda rival: digest(str(slot), rival))
        asking += [rival for rival in rivals if rival != holder[slot]]
    return {name: slot for slot, name in holder.items()}


def moved(by: Assign, jobs: int, trial: int) -> int:
    """How many of the others have another slot once the last of `jobs` has come."""
    names = [f"job {number} of {trial}" for number in range(jobs)]
    before, after = by(names[:-1], SLOTS), by(names, SLOTS)
    return sum(after[name] != slot for name, slot in before.items())


def mean_moved(by: Assign, sizes: Collection[int], trials: int) -> float:
    return sum(moved(by, jobs, trial) for jobs in sizes for trial in range(trials)) / len(sizes) / trials


def _in_order(names: Collection[str], slots: int, rank: Callable[[str, int], int]) -> dict[str, int]:
    found: dict[str, int] = {}
    free: set[int] = set()
    for name in sorted(names, key=digest):
        free = free or set(range(slots))
        found[name] = min(free, key=lambda slot: rank(name, slot))
        free.remove(found[name])
    return found


def main() -> None:
    print(f"Others moved in the mean when one job comes, {SLOTS} slots, by the number of jobs:\n")
    print(f"{'':22}" + "".join(f"{size:>10}" for size in SIZES))
    for by in (next_free, best_free, deferred_acceptance, assign):
        cells = [
            mean_moved(by, sizes, -(-TRIALS // len(sizes)))
            for sizes in SIZES.values()
            if by is not deferred_acceptance or max(sizes) <= SLOTS
        ]
        print(f"{by.__name__:22}" + "".join(f"{cell:10.2f}" for cell in cells))


if __name__ == "__main__":
    main()
