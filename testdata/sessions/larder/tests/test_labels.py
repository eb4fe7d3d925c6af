from datetime import date

import pytest

from larder.expiry import Lot
from larder.labels import label, printable


def test_a_label_has_three_lines():
    lot = Lot(3, "Grünkohl 1 kg", 12500, date(2026, 9, 1))
    assert label(lot) == "Grünkohl 1 kg\nbis 01.09.2026\n12,5 kg\n"


@pytest.mark.parametrize(
    ("name", "printed"),
    [("Köfte", "Köfte"), ("peynir şeker", "peynir seker"), ("żurek", "zurek"), ("ığdır", "igdir")],
)
def test_letters_outside_latin_1_lose_their_marks(name, printed):
    assert printable(name) == printed
