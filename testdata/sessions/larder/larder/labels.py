"""Labels for crates, as text for the printer in the storeroom."""

import sys
import unicodedata

import psycopg

from larder import store
from larder.expiry import Lot

WIDTH = 32
# Letters that are no base letter with a mark, so that Unicode does not take them apart.
WITHOUT_MARK = {"ı": "i", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "œ": "oe", "Œ": "OE"}


def label(lot: Lot) -> str:
    """Three lines: article, best-before date, weight."""
    kilograms = f"{lot.grams / 1000:.3f}".rstrip("0").rstrip(".").replace(".", ",")
    lines = [printable(lot.article), f"bis {lot.best_before:%d.%m.%Y}", f"{kilograms} kg"]
    return "\n".join(line[:WIDTH] for line in lines) + "\n"


def main() -> None:
    """Writes the labels of the lots that are named on the command line."""
    with psycopg.connect(sys.argv[1]) as connection:
        wanted = {int(number) for number in sys.argv[2:]}
        for lot in store.all_lots(connection):
            if lot.id in wanted:
                sys.stdout.buffer.write(label(lot).encode("latin-1"))


def printable(text: str) -> str:
    """The text with what Latin-1 lacks replaced by its base letters."""
    return "".join(_fit(letter) for letter in text)


def _fit(letter: str) -> str:
    if letter.encode("latin-1", "ignore"):
        return letter
    base = unicodedata.normalize("NFKD", letter).encode("latin-1", "ignore").decode("latin-1")
    return base or WITHOUT_MARK.get(letter, "?")


if __name__ == "__main__":
    main()
