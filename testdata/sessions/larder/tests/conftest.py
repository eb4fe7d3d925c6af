from datetime import date

import psycopg
import pytest

from larder.expiry import Lot


@pytest.fixture
def database():
    with psycopg.connect("postgresql://postgres@localhost:5544/postgres") as connection:
        yield connection
        connection.rollback()


@pytest.fixture
def rice(database):
    row = database.execute(
        "insert into lot (article, grams, best_before, supplier) values"
        " ('rice 500 g', 4000, %s, 'Nordkauf') returning id, article, grams, best_before",
        (date(2026, 9, 1),),
    ).fetchone()
    return Lot(*row)
