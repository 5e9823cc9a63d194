"""What AWS asks for a million of each: list prices on demand, us-east-1, first tier, without free tiers.

Above each stands a page that states the number, and when that page is from. AWS's own price pages say how it bills, but
most fill their tables in while they are shown; of these lines only Step Functions' was read on AWS's page itself. No
price was asked of AWS's live price list: look there before you decide by them.
"""

from collections.abc import Mapping

PER_MILLION: Mapping[str, float] = {
    # https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025: since the cut of November 2024)
    "DynamoDB write units": 0.625,
    # https://airbyte.com/data-engineering-resources/dynamodb-pricing (July 2025: since the cut of November 2024)
    "DynamoDB read units": 0.125,
    # https://cloudburn.io/blog/amazon-sqs-pricing (March 2026)
    "SQS requests": 0.40,
    # https://c3x.dev/blog/s3-request-fees-explained (no date, no region: PUT, COPY, POST and LIST in S3 Standard)
    "S3 writes": 5.00,
    # https://c3x.dev/blog/s3-request-fees-explained (no date, no region: GET, HEAD and SELECT in S3 Standard)
    "S3 reads": 0.40,
    # https://cloudburn.io/blog/amazon-eventbridge-pricing (March 2026: custom events)
    "EventBridge events": 1.00,
    # https://cloudburn.io/blog/amazon-eventbridge-pricing (March 2026: after 14 million a month)
    "Scheduler invocations": 1.00,
    # https://aws.amazon.com/step-functions/pricing/ (no date: Standard workflows, N. Virginia)
    "Step Functions transitions": 25.00,
    # https://wring.co/blog/aws-lambda-pricing-guide (March 2026)
    "Lambda requests": 0.20,
    # https://cloudchipr.com/blog/aws-lambda-pricing (2024: Arm, N. Virginia; the page above has the same in March 2026)
    "Lambda GB-seconds": 13.3334,
}


def dollars(bill: Mapping[str, float]) -> dict[str, float]:
    """What each line of a bill costs. Raises KeyError for what has no price here."""
    return {name: amount * PER_MILLION[name] / 1_000_000 for name, amount in bill.items()}
