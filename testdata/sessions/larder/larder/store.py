"""Lots in PostgreSQL."""

from uuid import UUID

import psycopg

from larder.expiry import Lot

COLUMNS = "id, article, grams, best_before"


def all_lots(connection: psycopg.Connection) -> list[Lot]:
    """Every lot that still holds something."""
    rows = connection.execute(f"select {COLUMNS} from lot where grams > 0 order by id")
    return [Lot(*row) for row in rows]


def take(
    connection: psycopg.Connection, request_id: UUID, lot_id: int, grams: int
) -> Lot | None:
    """Takes grams out of a lot, once per request; nothing when there is not enough."""
    with connection.transaction():
        new = connection.execute(
            "insert into hand_out (request_id, lot_id, grams) values (%s, %s, %s)"
            " on conflict do nothing returning lot_id",
            (request_id, lot_id, grams),
        ).fetchone()
        if new is None:
            return _one(connection, lot_id)
        row = connection.execute(
            f"update lot set grams = grams - %s where id = %s and grams >= %s returning {COLUMNS}",
            (grams, lot_id, grams),
        ).fetchone()
        if row is None:
            raise psycopg.Rollback
        return Lot(*row)


def _one(connection: psycopg.Connection, lot_id: int) -> Lot | None:
    row = connection.execute(f"select {COLUMNS} from lot where id = %s", (lot_id,)).fetchone()
    return Lot(*row) if row else None
