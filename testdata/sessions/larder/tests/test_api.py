import asyncio
import json
from datetime import date
from types import SimpleNamespace

import pytest

from larder import api

pytestmark = pytest.mark.integration


def add(database, article, day):
    database.execute(
        "insert into lot (article, grams, best_before, supplier) values (%s, 1000, %s, 'x')",
        (article, day),
    )


def test_alerts_come_with_their_count(database):
    add(database, "yoghurt", date.today())
    state = SimpleNamespace(pool=database)
    request = SimpleNamespace(app=SimpleNamespace(state=state))
    answer = json.loads(asyncio.run(api.list_alerts(request)).body)
    assert answer["count"] == 1
    assert [lot["article"] for lot in answer["lots"]] == ["yoghurt"]


def test_expired_lots_have_a_list_of_their_own(database):
    add(database, "old milk", date(2020, 1, 1))
    add(database, "rice", date(2099, 1, 1))
    state = SimpleNamespace(pool=database)
    request = SimpleNamespace(app=SimpleNamespace(state=state))
    answer = asyncio.run(api.list_expired(request))
    assert [lot["article"] for lot in json.loads(answer.body)] == ["old milk"]
