"""Which stock has to leave the house first."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

HOUSE = ZoneInfo("Europe/Berlin")


@dataclass(frozen=True)
class Lot:
    """A number of equal packages that came in together."""

    id: int
    article: str
    grams: int
    best_before: date


def days_left(lot: Lot, now: datetime) -> int:
    """Days until the lot may no longer be handed out; negative when that day is over."""
    return (lot.best_before - now.astimezone(HOUSE).date()).days


def sort_by_expiry(lots: list[Lot]) -> list[Lot]:
    """The lots in the order in which they should be handed out."""
    return sorted(lots, key=lambda lot: (lot.best_before, lot.id))


def expiring(lots: list[Lot], now: datetime, within_days: int = 7) -> list[Lot]:
    """The lots that expire within so many days, soonest first."""
    return [lot for lot in sort_by_expiry(lots) if 0 <= days_left(lot, now) <= within_days]
