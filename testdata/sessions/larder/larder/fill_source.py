"""Fills lot.source in batches, so that hand-outs are never blocked for long."""

import sys

import psycopg

BATCH = 10_000


def fill(connection: psycopg.Connection) -> int:
    """Fills one batch and returns how many rows it changed."""
    with connection.transaction():
        done = connection.execute(
            "update lot set source = supplier where id in"
            " (select id from lot where source is null order by id limit %s)",
            (BATCH,),
        )
    return done.rowcount


if __name__ == "__main__":
    with psycopg.connect(sys.argv[1], autocommit=True) as connection:
        while changed := fill(connection):
            print(f"{changed} rows")
