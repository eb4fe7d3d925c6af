"""The HTTP interface that the volunteers' app talks to."""

from datetime import datetime, timezone
from uuid import UUID

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from larder import expiry, store


async def list_lots(request: Request) -> JSONResponse:
    """All lots, soonest expiry first."""
    lots = expiry.sort_by_expiry(store.all_lots(request.app.state.pool))
    now = _now()
    return JSONResponse([_as_json(lot, now) for lot in lots])


async def list_alerts(request: Request) -> JSONResponse:
    """Lots that expire within a week, soonest first."""
    now = _now()
    lots = expiry.expiring(store.all_lots(request.app.state.pool), now)
    return JSONResponse({"count": len(lots), "lots": [_as_json(lot, now) for lot in lots]})


async def list_expired(request: Request) -> JSONResponse:
    """Lots that are over their date, longest first."""
    now = _now()
    lots = expiry.sort_by_expiry(store.all_lots(request.app.state.pool))
    return JSONResponse([_as_json(lot, now) for lot in lots if expiry.days_left(lot, now) < 0])


async def hand_out(request: Request) -> JSONResponse:
    """Takes grams out of a lot."""
    body = await request.json()
    lot = store.take(
        request.app.state.pool,
        UUID(body["request_id"]),
        int(request.path_params["id"]),
        int(body["grams"]),
    )
    if lot is None:
        return JSONResponse({"error": "not enough left"}, status_code=409)
    return JSONResponse(_as_json(lot, _now()))


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _as_json(lot: expiry.Lot, now: datetime) -> dict:
    return {
        "id": lot.id,
        "article": lot.article,
        "grams": lot.grams,
        "best_before": lot.best_before.isoformat(),
        "days_left": expiry.days_left(lot, now),
    }


routes = [
    Route("/lots", list_lots),
    Route("/alerts", list_alerts),
    Route("/expired", list_expired),
    Route("/lots/{id:int}/hand-out", hand_out, methods=["POST"]),
]

app = Starlette(routes=routes)
