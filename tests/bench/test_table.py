from bench.table import Measured, table


def test_rows_of_one_part_stand_together_and_a_missed_bar_is_said() -> None:
    found = [
        Measured("Dispatch", "rows per second", "400,000", "≥ 300,000", holds=True),
        Measured("Prices", "per million", "$9"),
        Measured("Dispatch", "peak memory", "+ 9 MB", "≤ 4 MB", holds=False),
    ]

    assert (
        table(found)
        == """\
### Dispatch

| what            | figure  | bar       | holds  |
|-----------------|---------|-----------|--------|
| rows per second | 400,000 | ≥ 300,000 | yes    |
| peak memory     | + 9 MB  | ≤ 4 MB    | **no** |

### Prices

| what        | figure | bar | holds |
|-------------|--------|-----|-------|
| per million | $9     |     |       |"""
    )
