"""Ports for the embedded clouds of a test process."""

import os


def own_ports() -> range:
    """Ports that no other test process asks for: a cloud that was stopped finds its port free when it comes back.

    They lie below the ports that Linux gives out by itself, and above those that `rewards up` takes.
    """
    first = 10_000 + os.getpid() % 2_000 * 10
    return range(first, first + 10)
