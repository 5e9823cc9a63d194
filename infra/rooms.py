"""The rooms that many capabilities share, handed on as one."""

from dataclasses import dataclass

from infra.config import Config
from infra.control import Control
from infra.jobs import Jobs
from infra.ledger import Ledger
from infra.letters import Letters
from infra.promotions import Promotions
from infra.provider import Provider
from infra.tasks import Tasks


@dataclass(frozen=True)
class Rooms:
    """Each lets a step in by a method of its own, with the rights that it takes there."""

    config: Config
    ledger: Ledger
    promotions: Promotions
    provider: Provider
    control: Control
    jobs: Jobs
    tasks: Tasks
    letters: Letters
