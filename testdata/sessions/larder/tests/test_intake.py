from datetime import date

import psycopg
import pytest

from larder.intake import BadLine, Delivery, accept, read_scanner_file


def test_a_scanner_line_becomes_a_delivery():
    assert read_scanner_file("rice 500 g;12.5;2026-09-01;Nordkauf\n") == [
        Delivery("rice 500 g", 12500, date(2026, 9, 1), "Nordkauf")
    ]


@pytest.mark.parametrize(
    ("kilograms", "grams"), [("1.005", 1005), ("1,005", 1005), ("12", 12000), ("0.29", 290)]
)
def test_kilograms_become_whole_grams(kilograms, grams):
    [delivery] = read_scanner_file(f"saffron;{kilograms};2026-09-01;Nordkauf\n")
    assert delivery.grams == grams


@pytest.mark.parametrize("kilograms", ["", "1.0005", "-1", "many", "NaN"])
def test_no_number_of_grams_is_a_bad_line(kilograms):
    with pytest.raises(BadLine, match="line 1"):
        read_scanner_file(f"saffron;{kilograms};2026-09-01;Nordkauf\n")


def test_a_short_line_is_named_by_its_number():
    with pytest.raises(BadLine, match="line 2"):
        read_scanner_file("rice 500 g;12.5;2026-09-01;Nordkauf\nmilk;3\n")


@pytest.mark.integration
def test_a_bad_delivery_leaves_nothing(database):
    good = Delivery("milk 1 l", 1000, date(2026, 3, 9), "Hof Brandt")
    bad = Delivery("milk 1 l", -1, date(2026, 3, 9), "Hof Brandt")
    with pytest.raises(psycopg.errors.CheckViolation):
        accept(database, [good, bad])
    assert database.execute("select count(*) from lot").fetchone() == (0,)


@pytest.mark.integration
def test_a_delivery_is_stored(database):
    [lot] = accept(database, [Delivery("milk 1 l", 1000, date(2026, 3, 9), "Hof Brandt")])
    stored = database.execute("select article, grams from lot where id = %s", (lot,)).fetchone()
    assert stored == ("milk 1 l", 1000)
