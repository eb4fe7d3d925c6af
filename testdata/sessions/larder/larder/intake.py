"""Deliveries: from a scanner file to lots in the database."""

import csv
import io
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

import psycopg


class BadLine(ValueError):
    """A line of a scanner file that cannot be read; carries its number."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"line {number}: {why}")
        self.number = number


@dataclass(frozen=True)
class Delivery:
    """One line of a scanner file."""

    article: str
    grams: int
    best_before: date
    supplier: str


def read_scanner_file(text: str) -> list[Delivery]:
    """Reads what the hand scanner exports: article, kilograms, date, supplier."""
    deliveries = []
    rows = csv.reader(io.StringIO(text), delimiter=";")
    for number, row in enumerate(rows, start=1):
        if not row:
            continue
        if len(row) != 4:
            raise BadLine(number, f"{len(row)} fields, 4 expected")
        article, kilograms, day, supplier = row
        deliveries.append(
            Delivery(
                article=article.strip(),
                grams=_grams(number, kilograms),
                best_before=date.fromisoformat(day.strip()),
                supplier=supplier.strip(),
            )
        )
    return deliveries


def _grams(number: int, kilograms: str) -> int:
    """Whole grams out of kilograms with a decimal point or comma."""
    try:
        grams = Decimal(kilograms.strip().replace(",", ".")) * 1000
    except InvalidOperation as error:
        raise BadLine(number, "no number of kilograms") from error
    if not grams.is_finite() or grams != grams.to_integral_value() or grams < 0:
        raise BadLine(number, "no whole number of grams")
    return int(grams)


def accept(connection: psycopg.Connection, deliveries: list[Delivery]) -> list[int]:
    """Stores a delivery as lots, all or none, and returns their ids."""
    ids = []
    with connection.transaction():
        for delivery in deliveries:
            row = connection.execute(
                "insert into lot (article, grams, best_before, supplier, source)"
                " values (%s, %s, %s, %s, %s) returning id",
                (
                    delivery.article,
                    delivery.grams,
                    delivery.best_before,
                    delivery.supplier,
                    delivery.supplier,
                ),
            ).fetchone()
            ids.append(row[0])
    return ids
