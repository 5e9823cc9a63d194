"""The domain: what a reward is, when it falls due, and how it moves. Pure: no AWS, no environment, no clock."""

__version__ = "0.1.0"
