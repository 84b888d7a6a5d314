"""Where the demo survey happens: a hand-made sketch of the Île-de-France, and how points are drawn in it.

Not a data source: centres are approximate, weights are round numbers, some of them bent so that the counts come out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# department: (share of the region's residents aged 16 to 80, share of the survey's participants), both in %.
DEPARTMENTS: dict[str, tuple[float, float]] = {
    "75": (17.6, 19.0),
    "77": (11.6, 11.1),
    "78": (11.8, 11.6),
    "91": (10.7, 11.1),
    "92": (13.2, 15.0),
    "93": (13.4, 10.1),
    "94": (11.5, 11.6),
    "95": (10.2, 10.5),
}

# Towns and work centres: name, department, latitude, longitude, residents and jobs (thousands), spread (km).
TOWNS: tuple[tuple[str, str, float, float, int, int, float], ...] = (
    ("Paris 1", "75", 48.8625, 2.3365, 16, 59, 0.5),
    ("Paris 2", "75", 48.8680, 2.3430, 21, 56, 0.4),
    ("Paris 3", "75", 48.8630, 2.3600, 34, 27, 0.4),
    ("Paris 4", "75", 48.8545, 2.3575, 29, 35, 0.5),
    ("Paris 5", "75", 48.8445, 2.3505, 58, 44, 0.6),
    ("Paris 6", "75", 48.8490, 2.3325, 41, 38, 0.6),
    ("Paris 7", "75", 48.8560, 2.3120, 50, 64, 0.7),
    ("Paris 8", "75", 48.8725, 2.3125, 36, 113, 0.7),
    ("Paris 9", "75", 48.8770, 2.3375, 65, 76, 0.5),
    ("Paris 10", "75", 48.8760, 2.3610, 87, 68, 0.6),
    ("Paris 11", "75", 48.8590, 2.3790, 145, 64, 0.7),
    ("Paris 12", "75", 48.8400, 2.3950, 140, 91, 0.9),
    ("Paris 13", "75", 48.8290, 2.3625, 180, 96, 0.9),
    ("Paris 14", "75", 48.8300, 2.3265, 135, 64, 0.8),
    ("Paris 15", "75", 48.8405, 2.2950, 230, 127, 1.0),
    ("Paris 16", "75", 48.8600, 2.2700, 165, 77, 1.0),
    ("Paris 17", "75", 48.8870, 2.3080, 165, 86, 0.9),
    ("Paris 18", "75", 48.8925, 2.3470, 192, 55, 0.8),
    ("Paris 19", "75", 48.8850, 2.3840, 184, 59, 0.9),
    ("Paris 20", "75", 48.8640, 2.4010, 192, 44, 0.8),
    ("La Défense", "92", 48.8910, 2.2400, 20, 180, 0.5),
    ("Neuilly-sur-Seine", "92", 48.8850, 2.2690, 60, 65, 0.8),
    ("Levallois-Perret", "92", 48.8930, 2.2880, 65, 60, 0.6),
    ("Boulogne-Billancourt", "92", 48.8370, 2.2400, 120, 90, 0.9),
    ("Issy-les-Moulineaux", "92", 48.8240, 2.2700, 68, 60, 0.7),
    ("Montrouge", "92", 48.8170, 2.3190, 50, 30, 0.6),
    ("Clichy", "92", 48.9040, 2.3060, 62, 40, 0.6),
    ("Asnières-sur-Seine", "92", 48.9140, 2.2850, 86, 28, 0.9),
    ("Colombes", "92", 48.9230, 2.2530, 86, 30, 1.0),
    ("Courbevoie", "92", 48.8980, 2.2560, 82, 45, 0.8),
    ("Nanterre", "92", 48.8920, 2.2030, 95, 80, 1.1),
    ("Rueil-Malmaison", "92", 48.8770, 2.1810, 80, 50, 1.3),
    ("Clamart", "92", 48.8000, 2.2620, 54, 18, 1.1),
    ("Antony", "92", 48.7540, 2.2990, 62, 20, 1.2),
    ("Saint-Denis", "93", 48.9360, 2.3570, 112, 70, 1.0),
    ("Plaine Saint-Denis", "93", 48.9170, 2.3600, 15, 50, 0.6),
    ("Aubervilliers", "93", 48.9140, 2.3820, 88, 30, 0.7),
    ("Montreuil", "93", 48.8620, 2.4430, 140, 52, 1.1),
    ("Pantin", "93", 48.8940, 2.4090, 58, 32, 0.7),
    ("Bobigny", "93", 48.9080, 2.4400, 54, 30, 0.9),
    ("Bondy", "93", 48.9020, 2.4830, 54, 14, 0.9),
    ("Noisy-le-Grand", "93", 48.8480, 2.5520, 68, 36, 1.2),
    ("Aulnay-sous-Bois", "93", 48.9380, 2.4950, 86, 28, 1.4),
    ("Sevran", "93", 48.9400, 2.5310, 51, 8, 1.1),
    ("Villepinte", "93", 48.9620, 2.5420, 37, 20, 1.1),
    ("Épinay-sur-Seine", "93", 48.9540, 2.3150, 55, 12, 0.9),
    ("Rosny-sous-Bois", "93", 48.8720, 2.4860, 46, 17, 0.9),
    ("Vincennes", "94", 48.8470, 2.4390, 70, 25, 0.6),
    ("Créteil", "94", 48.7900, 2.4550, 92, 52, 1.3),
    ("Vitry-sur-Seine", "94", 48.7880, 2.3930, 95, 30, 1.1),
    ("Ivry-sur-Seine", "94", 48.8130, 2.3870, 63, 35, 0.7),
    ("Villejuif", "94", 48.7920, 2.3640, 57, 22, 0.8),
    ("Champigny-sur-Marne", "94", 48.8170, 2.5160, 77, 16, 1.2),
    ("Saint-Maur-des-Fossés", "94", 48.8020, 2.4850, 75, 20, 1.2),
    ("Maisons-Alfort", "94", 48.8060, 2.4390, 57, 22, 0.9),
    ("Rungis", "94", 48.7480, 2.3520, 6, 35, 1.0),
    ("Orly", "94", 48.7330, 2.3700, 24, 28, 1.2),
    ("Choisy-le-Roi", "94", 48.7640, 2.4090, 46, 12, 0.9),
    ("Villeneuve-Saint-Georges", "94", 48.7320, 2.4490, 34, 10, 1.1),
    ("Versailles", "78", 48.8020, 2.1300, 84, 48, 1.5),
    ("Vélizy-Villacoublay", "78", 48.7830, 2.1900, 22, 45, 1.0),
    ("Saint-Quentin-en-Yvelines", "78", 48.7850, 2.0450, 145, 95, 2.4),
    ("Saint-Germain-en-Laye", "78", 48.8980, 2.0930, 46, 24, 1.5),
    ("Sartrouville", "78", 48.9370, 2.1640, 53, 9, 1.2),
    ("Poissy", "78", 48.9290, 2.0450, 38, 26, 1.4),
    ("Mantes-la-Jolie", "78", 48.9900, 1.7170, 46, 18, 1.6),
    ("Les Mureaux", "78", 48.9910, 1.9090, 33, 12, 1.5),
    ("Plaisir", "78", 48.8180, 1.9500, 32, 14, 1.7),
    ("Rambouillet", "78", 48.6440, 1.8300, 27, 13, 2.2),
    ("Houdan", "78", 48.7910, 1.6010, 16, 5, 4.0),
    ("Évry-Courcouronnes", "91", 48.6290, 2.4290, 68, 48, 1.6),
    ("Corbeil-Essonnes", "91", 48.6100, 2.4750, 52, 20, 1.4),
    ("Massy", "91", 48.7260, 2.2750, 50, 38, 1.1),
    ("Saclay", "91", 48.7120, 2.1950, 12, 40, 1.6),
    ("Les Ulis", "91", 48.6800, 2.1690, 44, 32, 1.6),
    ("Palaiseau", "91", 48.7140, 2.2460, 35, 14, 1.2),
    ("Savigny-sur-Orge", "91", 48.6790, 2.3490, 60, 11, 1.4),
    ("Sainte-Geneviève-des-Bois", "91", 48.6400, 2.3320, 56, 18, 1.7),
    ("Brunoy", "91", 48.6970, 2.5000, 45, 8, 1.6),
    ("Arpajon", "91", 48.5890, 2.2470, 32, 13, 2.2),
    ("Étampes", "91", 48.4340, 2.1620, 30, 11, 3.2),
    ("Milly-la-Forêt", "91", 48.4040, 2.4690, 13, 4, 3.5),
    ("Dourdan", "91", 48.5290, 2.0110, 17, 5, 2.8),
    ("Marne-la-Vallée", "77", 48.8400, 2.6500, 115, 48, 2.4),
    ("Val d'Europe", "77", 48.8550, 2.7800, 48, 46, 1.6),
    ("Chelles", "77", 48.8830, 2.5930, 54, 11, 1.4),
    ("Meaux", "77", 48.9580, 2.8830, 56, 23, 1.8),
    ("Melun", "77", 48.5400, 2.6600, 72, 36, 2.0),
    ("Sénart", "77", 48.6080, 2.5700, 66, 22, 2.2),
    ("Pontault-Combault", "77", 48.7900, 2.6070, 46, 12, 1.6),
    ("Roissy-en-Brie", "77", 48.7900, 2.6560, 38, 9, 1.8),
    ("Fontainebleau", "77", 48.4060, 2.7020, 34, 15, 2.2),
    ("Montereau-Fault-Yonne", "77", 48.3850, 2.9510, 25, 9, 2.4),
    ("Coulommiers", "77", 48.8150, 3.0850, 23, 9, 3.0),
    ("Provins", "77", 48.5590, 3.2990, 19, 8, 3.4),
    ("Nemours", "77", 48.2670, 2.6950, 21, 8, 3.0),
    ("Mitry-Mory", "77", 48.9830, 2.6160, 24, 14, 1.6),
    ("Brie (country)", "77", 48.6800, 2.9200, 52, 12, 7.0),
    ("La Ferté-sous-Jouarre", "77", 48.9490, 3.1290, 20, 5, 3.4),
    ("Cergy-Pontoise", "95", 49.0370, 2.0600, 135, 75, 2.3),
    ("Argenteuil", "95", 48.9470, 2.2470, 110, 30, 1.3),
    ("Sarcelles", "95", 48.9930, 2.3790, 60, 14, 1.2),
    ("Garges-lès-Gonesse", "95", 48.9700, 2.4000, 43, 7, 0.9),
    ("Gonesse", "95", 48.9870, 2.4490, 26, 18, 1.2),
    ("Roissy CDG", "95", 49.0080, 2.5500, 4, 82, 1.3),
    ("Franconville", "95", 48.9880, 2.2280, 62, 13, 1.4),
    ("Ermont", "95", 48.9880, 2.2590, 48, 11, 1.1),
    ("Taverny", "95", 49.0250, 2.2210, 46, 10, 1.6),
    ("Herblay", "95", 48.9930, 2.1640, 40, 10, 1.4),
    ("Goussainville", "95", 49.0280, 2.4670, 31, 8, 1.2),
    ("L'Isle-Adam", "95", 49.1110, 2.2270, 28, 8, 2.6),
    ("Magny-en-Vexin", "95", 49.1540, 1.7890, 15, 4, 3.6),
)

# Stations in Paris, where traces break off (latitude, longitude); outside Paris each town has one at its centre. The
# first TERMINI are where people from outside change: on all sides, so that no single zone gets them all.
STATIONS: tuple[tuple[float, float], ...] = (
    (48.8809, 2.3553),  # Gare du Nord
    (48.8768, 2.3590),  # Gare de l'Est
    (48.8756, 2.3255),  # Saint-Lazare
    (48.8443, 2.3739),  # Gare de Lyon
    (48.8412, 2.3205),  # Montparnasse
    (48.8738, 2.2950),  # Étoile
    (48.8483, 2.3959),  # Nation
    (48.8312, 2.3555),  # Place d'Italie
    (48.8617, 2.3470),  # Châtelet-Les Halles
    (48.8534, 2.3445),  # Saint-Michel
    (48.8721, 2.3311),  # Opéra
    (48.8675, 2.3637),  # République
    (48.8532, 2.3692),  # Bastille
    (48.8837, 2.3272),  # Place de Clichy
    (48.8837, 2.3496),  # Barbès
    (48.8842, 2.3700),  # Stalingrad
    (48.8722, 2.3768),  # Belleville
    (48.8653, 2.3986),  # Gambetta
    (48.8338, 2.3324),  # Denfert-Rochereau
    (48.8280, 2.3270),  # Alésia
    (48.8322, 2.2878),  # Porte de Versailles
    (48.8471, 2.2953),  # La Motte-Picquet
    (48.8577, 2.2742),  # La Muette
    (48.8477, 2.2640),  # Auteuil
    (48.8780, 2.2825),  # Porte Maillot
    (48.8945, 2.3135),  # Porte de Clichy
    (48.8975, 2.3445),  # Porte de Clignancourt
    (48.8988, 2.3592),  # Porte de la Chapelle
    (48.8885, 2.3925),  # Porte de Pantin
    (48.8770, 2.4065),  # Porte des Lilas
    (48.8535, 2.4105),  # Porte de Montreuil
    (48.8398, 2.3960),  # Daumesnil
    (48.8301, 2.3765),  # Bibliothèque
    (48.8193, 2.3595),  # Porte d'Italie
    (48.8222, 2.3255),  # Porte d'Orléans
    (48.8510, 2.3265),  # Sèvres-Babylone
    (48.8610, 2.3145),  # Invalides
    (48.8690, 2.3100),  # Champs-Élysées
)

TERMINI = 8

# Outline of the region, roughly: latitude, longitude, clockwise from the north-west.
OUTLINE: tuple[tuple[float, float], ...] = (
    (49.07, 1.46),
    (49.23, 1.68),
    (49.19, 2.00),
    (49.17, 2.35),
    (49.11, 2.58),
    (49.10, 3.05),
    (48.92, 3.19),
    (48.85, 3.40),
    (48.64, 3.54),
    (48.48, 3.40),
    (48.36, 3.38),
    (48.37, 3.15),
    (48.17, 3.02),
    (48.13, 2.78),
    (48.15, 2.52),
    (48.28, 2.38),
    (48.30, 1.98),
    (48.45, 1.92),
    (48.58, 1.77),
    (48.66, 1.59),
    (48.79, 1.57),
    (48.92, 1.51),
)

# A flat map is good enough at this scale: kilometres east and north of this point near the centre of Paris.
_LAT0, _LON0 = 48.86, 2.35
_KM_LAT = 111.2
_KM_LON = 111.2 * float(np.cos(np.radians(_LAT0)))


def to_km(lat_lon: Floats) -> Floats:
    """Points [n, 2] in degrees (latitude, longitude) as kilometres (east, north)."""
    return np.column_stack([(lat_lon[:, 1] - _LON0) * _KM_LON, (lat_lon[:, 0] - _LAT0) * _KM_LAT])


def to_degrees(point: Floats) -> tuple[Floats, Floats]:
    """Latitudes and longitudes of points in kilometres, to the sixth decimal (0.1 m)."""
    return np.round(_LAT0 + point[:, 1] / _KM_LAT, 6), np.round(_LON0 + point[:, 0] / _KM_LON, 6)


TOWN_AT = to_km(np.array([town[2:4] for town in TOWNS]))
TOWN_SPREAD = np.array([town[6] for town in TOWNS])
RESIDENTS = np.array([float(town[4]) for town in TOWNS])
JOBS = np.array([float(town[5]) for town in TOWNS])
TOWN_DEPARTMENT = np.array([list(DEPARTMENTS).index(town[1]) for town in TOWNS])
STATION_AT = np.concatenate([to_km(np.array(STATIONS)), TOWN_AT[TOWN_DEPARTMENT > 0]])
_CORNERS = to_km(np.array(OUTLINE))


def inside(point: Floats, anchor: Floats) -> Floats:
    """The points (km); those outside the region are put back at their anchor, which lies inside."""
    odd = np.zeros(len(point), dtype=np.bool_)  # crossings of the outline to the east of the point: odd means inside
    for (x0, y0), (x1, y1) in zip(_CORNERS, np.roll(_CORNERS, -1, axis=0), strict=True):
        crosses = (y0 > point[:, 1]) != (y1 > point[:, 1])
        odd ^= crosses & (point[:, 0] < x0 + (x1 - x0) * (point[:, 1] - y0) / (y1 - y0))
    return np.where(odd[:, None], point, anchor)


def in_town(rng: np.random.Generator, town: Ints) -> Floats:
    """A point (km) in each town given by number; three in ten lie in its surroundings, as suburbs sprawl."""
    spread = TOWN_SPREAD[town] * np.where(rng.random(len(town)) < 0.3, 2.4, 1.0)
    return inside(TOWN_AT[town] + spread[:, None] * rng.normal(size=(len(town), 2)), TOWN_AT[town])


def around(rng: np.random.Generator, point: Floats, mean: Floats | float) -> Floats:
    """A point in any direction from each of the points, `mean` km away on average (exponential)."""
    angle, radius = rng.uniform(-np.pi, np.pi, len(point)), rng.exponential(1.0, len(point)) * mean
    return inside(point + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), point)


def pick(rng: np.random.Generator, odds: Floats) -> Ints:
    """One column number for each row, with chances in proportion to the row's odds."""
    total = np.cumsum(odds, axis=1)
    return np.asarray((total <= (rng.random(len(odds)) * total[:, -1])[:, None]).sum(axis=1), dtype=np.int64)


def fill(rng: np.random.Generator, shares: Floats, n: int) -> Ints:
    """Categories of n people in random order, each as often as its share asks: a survey fills its strata."""
    steps = (np.arange(n) + rng.random()) / n
    return rng.permutation(np.searchsorted(np.cumsum(shares / shares.sum()), steps).clip(0, len(shares) - 1))
