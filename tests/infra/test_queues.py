"""Every queue: what it promises, and where its messages go when nobody can work on them."""

import pytest

import delivery
from infra.work_queue import RECEIVES_LEFT
from rewards.events import EVENT_KINDS
from tests.infra.template import Properties, Template

RETRIES = {
    "Orders/OccupyQueue": delivery.ORDER_EVENTS,
    "Orders/BookQueue": delivery.ORDER_EVENTS,
    "Orders/RebookQueue": delivery.ORDER_EVENTS,
    "Orders/WithdrawQueue": delivery.ORDER_EVENTS,
    "Expiring/Timers": delivery.DUE_WORK,
    "Planning/DispatchQueue": delivery.WINDOWS,
    "Granting/PointsHigh": delivery.DUE_WORK,
    "Granting/PointsLow": delivery.DUE_WORK,
    "Granting/CouponHigh": delivery.DUE_WORK,
    "Granting/CouponLow": delivery.DUE_WORK,
    "Recycling/Points": delivery.DUE_WORK,
    "Recycling/Coupon": delivery.DUE_WORK,
}
TWO_WEEKS = 14 * 24 * 3600


def work_queues(template: Template) -> dict[str, Properties]:
    return {name: queue for name, queue in template.all("AWS::SQS::Queue").items() if "RedrivePolicy" in queue}


def sources(template: Template) -> dict[str, Properties]:
    mappings = template.all("AWS::Lambda::EventSourceMapping").values()
    return {template.target(mapping["EventSourceArn"]): mapping for mapping in mappings}


def step_of(template: Template, mapping: Properties) -> str:
    return template.target(mapping["FunctionName"]).split("/")[-2]


def test_the_table_above_has_every_work_queue(dev: Template) -> None:
    assert work_queues(dev).keys() == RETRIES.keys()


@pytest.mark.parametrize("name", RETRIES)
def test_a_work_queue_has_dead_letters_of_its_own_a_few_receives_after_the_last_try(dev: Template, name: str) -> None:
    policy = work_queues(dev)[name]["RedrivePolicy"]
    assert dev.target(policy["deadLetterTargetArn"]) == f"{name}DeadLetters"
    assert policy["maxReceiveCount"] == RETRIES[name].tries + RECEIVES_LEFT


@pytest.mark.parametrize("name", RETRIES)
def test_a_message_stays_hidden_for_six_timeouts_of_its_function(dev: Template, name: str) -> None:
    function = dev.functions()[step_of(dev, sources(dev)[name])]
    assert work_queues(dev)[name]["VisibilityTimeout"] == 6 * function["Timeout"]


def test_whatever_is_no_work_queue_keeps_its_messages_as_long_as_it_can(dev: Template) -> None:
    others = dev.all("AWS::SQS::Queue").keys() - RETRIES.keys()
    assert {dev.all("AWS::SQS::Queue")[name]["MessageRetentionPeriod"] for name in others} == {TWO_WEEKS}


def test_park_drains_every_queue_that_is_no_work_queue(dev: Template) -> None:
    drained = {name for name, mapping in sources(dev).items() if step_of(dev, mapping) == "park"}
    assert drained == dev.all("AWS::SQS::Queue").keys() - RETRIES.keys()


def test_every_queue_is_encrypted_by_sqs_and_speaks_tls_only(dev: Template) -> None:
    queues = dev.all("AWS::SQS::Queue")
    assert all(queue["SqsManagedSseEnabled"] and "KmsMasterKeyId" not in queue for queue in queues.values())
    refusing_plain_http = {
        dev.target(queue)
        for policy in dev.all("AWS::SQS::QueuePolicy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny" and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        for queue in policy["Queues"]
    }
    assert refusing_plain_http == queues.keys()


def test_every_message_of_a_batch_stands_for_itself(dev: Template) -> None:
    assert all(mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"] for mapping in sources(dev).values())


def test_only_grants_recycles_and_dispatch_are_held_back(dev: Template) -> None:
    limits = {
        name: mapping["ScalingConfig"]["MaximumConcurrency"]
        for name, mapping in sources(dev).items()
        if "ScalingConfig" in mapping
    }
    assert limits == {
        "Planning/DispatchQueue": 16,
        "Granting/PointsHigh": 20,
        "Granting/PointsLow": 50,
        "Granting/CouponHigh": 10,
        "Granting/CouponLow": 20,
        "Recycling/Points": 20,
        "Recycling/Coupon": 10,
    }


def test_a_dispatcher_has_one_window_at_a_time(dev: Template) -> None:
    assert sources(dev)["Planning/DispatchQueue"]["BatchSize"] == 1


def test_every_kind_of_order_event_has_a_queue_and_the_unknown_ones_too(dev: Template) -> None:
    routes = {
        dev.target(rule["Targets"][0]["Arn"]): rule["EventPattern"]["detail-type"]
        for rule in dev.all("AWS::Events::Rule").values()
    }
    unknown = routes.pop("Orders/UnknownEvents")
    assert routes == {
        "Orders/OccupyQueue": ["OrderPlaced"],
        "Orders/BookQueue": ["PaymentCompleted"],
        "Orders/RebookQueue": ["OrderShipped"],
        "Orders/WithdrawQueue": ["PaymentFailed", "OrderCancelled", "OrderReturned"],
    }
    known = [kind for kinds in routes.values() for kind in kinds]
    assert unknown == [{"anything-but": known}]
    assert set(known) == set(EVENT_KINDS)


def test_what_a_rule_cannot_deliver_is_kept(dev: Template) -> None:
    for rule in dev.all("AWS::Events::Rule").values():
        assert [dev.target(target["DeadLetterConfig"]["Arn"]) for target in rule["Targets"]] == ["Orders/Undelivered"]
