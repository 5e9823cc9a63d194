from bench.__main__ import PAGE, with_report


def test_a_report_takes_the_place_of_the_one_before_and_leaves_the_text_around_it() -> None:
    page = with_report(PAGE.read_text(), "7 rows")
    again = with_report(page, "9 rows")

    assert "7 rows" in page
    assert "7 rows" not in again
    assert again.replace("9 rows", "7 rows") == page
