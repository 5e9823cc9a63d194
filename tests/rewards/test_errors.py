from rewards.errors import Invalid, RewardsError, TooNew, shown


def test_a_refusal_names_the_field_and_then_the_problem() -> None:
    assert str(Invalid("order.lines[2].amount", "is missing")) == "order.lines[2].amount: is missing"


def test_a_refusal_of_the_whole_message_names_no_field() -> None:
    assert str(Invalid("", "is not JSON")) == "is not JSON"


def test_a_message_of_a_later_version_is_not_invalid_but_too_new() -> None:
    assert str(TooNew(3, 1)) == "message version 3, but only versions up to 1 are known here"
    assert not isinstance(TooNew(3, 1), Invalid)
    assert issubclass(TooNew, RewardsError)


def test_a_value_is_quoted_in_at_most_eighty_characters() -> None:
    assert shown("1e3") == "'1e3'"
    assert len(shown("9" * 10_000)) == 80
