"""Where the trips of a data set can lie: a box, and a coast where there is one. What lies elsewhere is a sensor's error."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odk.errors import InputError

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Region:
    """A box in degrees, without the sea to its west where a coast is given."""

    name: str
    west: float
    south: float
    east: float
    north: float
    west_coast: tuple[tuple[float, float], ...] = ()
    """Points (latitude, longitude) of the coast from south to north; what lies west of the line through them is sea.
    Drawn some kilometres off the shore, so that bridges, harbours and inexact fixes stay on land."""

    def __post_init__(self) -> None:
        if not (-180 <= self.west < self.east <= 180 and -90 <= self.south < self.north <= 90):
            box = (self.west, self.south, self.east, self.north)
            raise InputError(f"region {self.name} {box} must be west, south, east, north in degrees, in that order")
        lats = [lat for lat, _ in self.west_coast]
        if lats != sorted(set(lats)):
            raise InputError(f"region {self.name}: west_coast (latitudes {lats}) must go from south to north")

    def outside(self, lat: Floats, lon: Floats) -> Mask:
        """Which points lie outside the box."""
        return (lon < self.west) | (lon > self.east) | (lat < self.south) | (lat > self.north)

    def at_sea(self, lat: Floats, lon: Floats) -> Mask:
        """Which points lie west of the coast."""
        if not self.west_coast:
            return np.zeros(len(lat), dtype=bool)
        lats, lons = np.array(self.west_coast, dtype=np.float64).T
        return np.asarray(lon < np.interp(lat, lats, lons), dtype=bool)
