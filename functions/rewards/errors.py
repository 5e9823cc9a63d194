"""What reading a message, a file or an operator's input may raise.

RewardsError
├── Invalid   it can never be right: parked at once, failure kind `invalid`
└── TooNew    a newer version of this code wrote it: tried again, never parked
"""


class RewardsError(Exception):
    """Whatever this domain refuses."""


class Invalid(RewardsError):
    """A value that will not do: `field` is the path to it, `problem` what is wrong, in words for the sender."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(field, problem)
        self.field = field
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}" if self.field else self.problem


class TooNew(RewardsError):
    """A message version, `v`, above the `known` one."""

    def __init__(self, v: int, known: int) -> None:
        super().__init__(v, known)
        self.v = v
        self.known = known

    def __str__(self) -> str:
        return f"message version {self.v}, but only versions up to {self.known} are known here"


def shown(value: object) -> str:
    """A value as an error message quotes it: never more than some 80 characters, whatever was sent."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
