"""What AWS asks for a million of each: list prices on demand, us-east-1, without free tiers, as of November 2026.

From the price pages of each service; DynamoDB's since its cut of November 2024.
"""

from collections.abc import Mapping

PER_MILLION: Mapping[str, float] = {
    "DynamoDB write units": 0.625,
    "DynamoDB read units": 0.125,
    "SQS requests": 0.40,
    "S3 writes": 5.00,
    "S3 reads": 0.40,
    "EventBridge events": 1.00,
    "Scheduler invocations": 1.00,
    "Step Functions transitions": 25.00,
    "Lambda requests": 0.20,
    "Lambda GB-seconds": 13.3334,
}


def dollars(bill: Mapping[str, float]) -> dict[str, float]:
    """What each line of a bill costs. Raises KeyError for what has no price here."""
    return {name: amount * PER_MILLION[name] / 1_000_000 for name, amount in bill.items()}
