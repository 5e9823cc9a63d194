"""What the command tells an operator instead of a traceback."""


class Trouble(Exception):
    """Something is not as it should be; the message says what, and what to do. Status 1; of `audit` 2."""
