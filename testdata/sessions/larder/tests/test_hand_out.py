import uuid

import pytest

from larder import store

pytestmark = pytest.mark.integration


def test_the_same_request_counts_once(database, rice):
    request = uuid.uuid4()
    first = store.take(database, request, rice.id, 500)
    again = store.take(database, request, rice.id, 500)
    assert first == again
    assert again.grams == rice.grams - 500


def test_too_much_leaves_no_trace(database, rice):
    assert store.take(database, uuid.uuid4(), rice.id, rice.grams + 1) is None
    assert database.execute("select count(*) from hand_out").fetchone() == (0,)
