from datetime import date, datetime, timezone

import pytest

from larder.expiry import Lot, days_left, expiring, sort_by_expiry

RICE = Lot(1, "rice 500 g", 4000, date(2026, 3, 9))
MILK = Lot(2, "milk 1 l", 12000, date(2026, 3, 4))


def test_days_left_counts_calendar_days():
    assert days_left(MILK, datetime(2026, 3, 2, 23, 59)) == 2


UTC = timezone.utc


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (datetime(2026, 3, 2, 22, 59, tzinfo=UTC), 2),
        (datetime(2026, 3, 2, 23, 1, tzinfo=UTC), 1),
        (datetime(2026, 7, 2, 22, 1, tzinfo=UTC), -121),
    ],
)
def test_a_day_begins_at_midnight_in_the_house(now, left):
    assert days_left(MILK, now) == left


def test_soonest_goes_first():
    assert sort_by_expiry([RICE, MILK]) == [MILK, RICE]


def test_expired_lots_are_not_expiring():
    assert expiring([MILK], datetime(2026, 3, 5, 8, 0)) == []
