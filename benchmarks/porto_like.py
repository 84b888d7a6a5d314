"""A made-up year of taxi trips in Porto, with the size and shape of the thesis's data; for measuring, not for analysis.

Published (thesis, table 5.1): 1,674,160 trips of 442 taxis from July 2013 to June 2014; at H3 resolution 10, 8,444
origin and 18,359 destination leaves, 501,472 pairs, 28,963 of them with ten trips or more. All rows here are synthetic.

A pool of addresses is scattered over 24 quarters, dense in the middle, each with its own popularity. Four rides in five
start at one of 63 taxi stands, the others at an address; all end at an address, in a quarter drawn by popularity and
distance. Some ends lie off: round the corner at the start, anywhere at the end. Other sizes draw on the same pool, so
pairs grow more slowly than trips.

`python -m benchmarks.porto_like --trips 1674160 --out FILE.parquet` writes it.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
import pandas as pd

TRIPS = 1_674_160
TAXIS = 442
FIRST_DAY = np.datetime64("2013-07-01T00:00:00", "s")
COAST = -8.692  # degrees of longitude; nothing lies to the west

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Quarters and towns: latitude, longitude, weight, spread in km.
QUARTERS = np.array(
    [
        (41.1496, -8.6109, 20.0, 0.7),  # Baixa
        (41.1418, -8.6140, 9.0, 0.4),  # Ribeira
        (41.1579, -8.6291, 16.0, 0.8),  # Boavista
        (41.1490, -8.5850, 9.0, 0.6),  # Campanhã
        (41.1780, -8.5980, 9.0, 0.9),  # Asprela
        (41.1520, -8.6720, 8.0, 0.9),  # Foz
        (41.1600, -8.6450, 8.0, 0.8),  # Lordelo
        (41.1680, -8.6200, 8.0, 0.8),  # Carvalhido
        (41.1640, -8.5830, 7.0, 0.8),  # Antas
        (41.1700, -8.6450, 6.0, 0.8),  # Aldoar
        (41.1560, -8.6000, 8.0, 0.6),  # Bonfim
        (41.1820, -8.6890, 7.0, 0.9),  # Matosinhos
        (41.1860, -8.6450, 4.0, 1.1),  # Senhora da Hora
        (41.2370, -8.6700, 5.0, 0.5),  # airport
        (41.2050, -8.6100, 3.0, 1.6),  # Maia
        (41.1250, -8.6120, 8.0, 1.2),  # Gaia
        (41.1080, -8.6300, 3.0, 1.4),  # Canidelo
        (41.1330, -8.5800, 3.0, 1.2),  # Oliveira do Douro
        (41.1780, -8.5600, 3.0, 1.3),  # Rio Tinto
        (41.1450, -8.5400, 2.0, 1.6),  # Gondomar
        (41.1900, -8.5000, 1.0, 2.2),  # Valongo
        (41.0800, -8.6100, 1.0, 2.5),  # Gulpilhares
        (41.2400, -8.6300, 1.0, 2.5),  # Moreira
        (41.1700, -8.6000, 3.0, 6.0),  # all around
    ]
)
STANDS = 63
ADDRESSES = 12_000
# Fitted by hand to the published counts: share of rides from a stand; skew and cap of the popularity of addresses, skew
# of the stands'; km over which quarters lose their pull; noise of the ends: GPS (km), share of odd ones, how far (km).
AT_STAND = 0.82
SKEW, CAP, STAND_SKEW = 0.8, 100.0, 2.0
REACH = 2.0
START_NOISE = (0.012, 0.035, 0.4)
END_NOISE = (0.012, 0.032, 4.2)
KM_LAT, KM_LON = 111.1, 111.1 * float(np.cos(np.radians(41.16)))


def porto_like(trips: int = TRIPS, seed: int = 0) -> pd.DataFrame:
    """So many synthetic taxi trips, columns as in ``Trips.table``: person is the taxi's number; no weight, so 1 each.

    The same seed gives the same city (addresses, stands) whatever the size, and the same bytes for the same size.
    """
    rng = np.random.default_rng(seed)
    quarter, lat, lon, popularity = _addresses(rng)
    chance = _shares(QUARTERS[quarter, 2] / np.bincount(quarter)[quarter])
    stand = rng.choice(ADDRESSES, STANDS, replace=False, p=chance)
    busy = rng.pareto(STAND_SKEW, STANDS) + 0.6

    start = _draw(rng, popularity, trips)
    from_stand = np.flatnonzero(rng.random(trips) < AT_STAND)
    start[from_stand] = stand[_draw(rng, busy, len(from_stand))]
    end = _destinations(rng, quarter, popularity, quarter[start])

    origin_lat, origin_lon = _near(rng, lat[start], lon[start], *START_NOISE)
    destination_lat, destination_lon = _near(rng, lat[end], lon[end], *END_NOISE)
    return pd.DataFrame(
        {
            "person": rng.integers(1, TAXIS + 1, trips).astype(np.int32),
            "origin_lat": origin_lat,
            "origin_lon": origin_lon,
            "destination_lat": destination_lat,
            "destination_lon": destination_lon,
            "start_time": FIRST_DAY + _when(rng, trips),
        }
    )


def _addresses(rng: np.random.Generator) -> tuple[Ints, Floats, Floats, Floats]:
    """Quarter (in order), latitude, longitude and share of the rides of every address of the pool."""
    quarter = np.sort(rng.choice(len(QUARTERS), ADDRESSES, p=_shares(QUARTERS[:, 2])))
    spread = QUARTERS[quarter, 3]
    lat = QUARTERS[quarter, 0] + spread * rng.normal(size=ADDRESSES) / KM_LAT
    lon = QUARTERS[quarter, 1] + spread * rng.normal(size=ADDRESSES) / KM_LON
    popularity = rng.pareto(SKEW, ADDRESSES).clip(0.02, CAP)
    return quarter, lat, np.where(lon < COAST, 2 * COAST - lon, lon), _shares(popularity)


def _destinations(rng: np.random.Generator, quarter: Ints, popularity: Floats, here: Ints) -> Ints:
    """An address for each ride that starts in quarter `here`: first its quarter, then one in it by popularity."""
    apart = (QUARTERS[:, None, :2] - QUARTERS[None, :, :2]) * [KM_LAT, KM_LON]
    pull = QUARTERS[None, :, 2] * np.exp(-np.hypot(apart[..., 0], apart[..., 1]) / REACH)
    n = len(QUARTERS)
    # One search for all rides: row r of the cumulated table is lifted to [r, r + 1].
    lifted = np.cumsum(pull / pull.sum(axis=1, keepdims=True), axis=1) + np.arange(n)[:, None]
    there = (np.searchsorted(lifted.ravel(), here + rng.random(len(here))) - here * n).clip(0, n - 1)
    upto = np.r_[0.0, np.cumsum(popularity)]
    first = np.searchsorted(quarter, np.arange(n + 1))
    low, high = upto[first[there]], upto[first[there + 1]]
    end = np.searchsorted(upto, low + (high - low) * rng.random(len(here)), side="right") - 1
    return end.clip(0, len(popularity) - 1)


def _shares(weight: Floats) -> Floats:
    return weight / weight.sum()


def _draw(rng: np.random.Generator, weight: Floats, n: int) -> Ints:
    """Numbers of n entries, drawn by weight."""
    upto = np.cumsum(weight)
    return np.searchsorted(upto, rng.random(n) * upto[-1], side="right").clip(0, len(upto) - 1)


def _near(
    rng: np.random.Generator, lat: Floats, lon: Floats, noise: float, share: float, far: float
) -> tuple[Floats, Floats]:
    """The points with GPS noise (km), and a share of them farther off, in degrees to the sixth decimal."""
    spread = np.where(rng.random(len(lat)) < share, far, noise)
    return (
        np.round(lat + spread * rng.normal(size=len(lat)) / KM_LAT, 6),
        np.round(np.maximum(lon + spread * rng.normal(size=len(lat)) / KM_LON, COAST), 6),
    )


def _when(rng: np.random.Generator, n: int) -> npt.NDArray[np.timedelta64]:
    """Seconds into the year: any day, busy mornings, afternoons and late evenings."""
    hour = np.array([3, 3, 3, 2, 2, 2, 2, 4, 6, 7, 6, 5, 5, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4], dtype=np.float64)
    seconds = rng.integers(0, 365, n) * 86_400 + _draw(rng, hour, n) * 3_600 + rng.integers(0, 3_600, n)
    return seconds.astype("timedelta64[s]")


def main() -> None:
    """Write the year to a Parquet file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.porto_like", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--trips", type=int, default=TRIPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", required=True, metavar="FILE.parquet")
    wanted = parser.parse_args()
    porto_like(wanted.trips, wanted.seed).to_parquet(wanted.out, index=False)


if __name__ == "__main__":
    main()
