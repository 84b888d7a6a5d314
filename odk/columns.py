"""Which column of a file is what: usual names guessed, the user's own mapping checked against the file.

A mapping goes from target to file column: ``{"person": "bike_id", "origin_lat": "start_lat"}``. ``None`` as file column
means "do not use one, even if a name looks right". A target that is none of ``TARGETS`` names a segment column.
"""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from odk.errors import InputError

POINTS = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
CELLS = ("origin", "destination")
TARGETS = ("person", *POINTS, "weight", "start_time", *CELLS)

# English first, then French, German, Spanish and Italian, with the little words that go with a side.
_ORIGIN = (
    "pickup|pick up|origin|orig|ori|start|begin|from|departure|depart|dep|source|src|pu|o"
    "|origine|de depart|du depart|d origine|debut|herkunft|quelle|abfahrt|von|origen|salida|inicio|partenza|inizio"
)
_DESTINATION = (
    "dropoff|drop off|destination|dest|dst|des|end|stop|finish|to|arrivee|arrival|arr|target|do|d"
    "|d arrivee|de l arrivee|de destination|fin|ziel|ankunft|ende|nach|destino|llegada|destinazione|arrivo|fine"
)
_FILLER = "station|centroid|centre|center|location|loc|point|pt|gps|trip|journey|coordinate|coord|wgs84|place|address"
_COORDINATE = {
    "lat": "latitude|latitud|latitudine|breitengrad|breite|lat|y",
    "lon": "longitude|longitud|longitudine|laengengrad|langengrad|laenge|lange|long|lng|lon|x",
}
_CELL = "h3 cell|h3 index|h3 hex|hex id|cell id|h3|hex|hexagon|cell"

# Exact names after normalising, the likeliest first.
_PERSON = """person, person id, id person, personid, participant, participant id, id participant, respondent,
    respondent id, individual, individual id, id individual, id indiv, user, user id, userid, id user, uid,
    traveller id, traveler id, member id, rider id, customer id, client id, subscriber id, card id, device id, device,
    maid, imei, caid, agent id, agent, bike id, bikeid, bike number, bike no, taxi id, taxi, medallion, driver id,
    vehicle id, vehicle, car id, plate, scooter id, personne, id personne, personne id, identifiant personne,
    individu, id individu, identifiant individu, usager, id usager, utilisateur, id utilisateur, teilnehmer,
    teilnehmer id, personen id, persona, id persona, usuario, id usuario, utente, id utente"""
_VEHICLE = """bike id, bikeid, bike number, bike no, taxi id, taxi, medallion, vehicle id, vehicle, car id, plate,
    scooter id"""
_WEIGHT = """weight, weights, trip weight, weight trip, person weight, weight indiv, individual weight, survey weight,
    weight person, poids, poids indiv, coef, coefficient, coef redressement, ponderation, expansion factor, expansion,
    expf, factor, peso, wt, w, coefficient redressement, gewicht, hochrechnungsfaktor, factor expansion, ponderacion"""
_START_TIME = """start time, started at, start datetime, start date time, starttime, start timestamp,
    trip start timestamp, start at, departure time, departure, departure datetime, departed at, depart time,
    pickup datetime, tpep pickup datetime, lpep pickup datetime, pickup time, begin time, time start, origin time,
    time o, o time, heure depart, date depart, heure de depart, date de depart, startzeit,
    abfahrtszeit, hora salida, hora inicio, ora partenza, start date, date start, timestamp, datetime, date time, date,
    time"""


def _split(names: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in names.split(","))


def normalise(name: str) -> str:
    """Lower case words without accents: ``Start Station_Latitude`` and ``startStationLatitude`` become the same."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)
    return " ".join(re.findall(r"[a-z0-9]+", plain.lower()))


def _squeeze(words: str) -> str:
    return words.replace(" ", "")


def _end_patterns() -> dict[str, re.Pattern[str]]:
    """One pattern per end of a trip, over the name without spaces: side then coordinate, or coordinate then side."""
    filler = f"(?:{_squeeze(_FILLER)})*"
    patterns = {}
    for end, side in (("origin", _ORIGIN), ("destination", _DESTINATION)):
        side = _squeeze(side)
        for short, coordinate in _COORDINATE.items():
            both = rf"(?:{side}){filler}(?:{coordinate}){filler}|{filler}(?:{coordinate}){filler}(?:{side}){filler}"
            patterns[f"{end}_{short}"] = re.compile(both)
        cell = _squeeze(_CELL)
        patterns[end] = re.compile(rf"(?:{side}){filler}(?:{cell})\d*|(?:{cell})\d*{filler}(?:{side})")
    return patterns


_ENDS = _end_patterns()
_PLAIN_CELLS = {
    "origin": _split("origin, origin id, start, from, o"),
    "destination": _split("destination, destination id, end, to, d"),
}
_EXACT = {"person": _split(_PERSON), "weight": _split(_WEIGHT), "start_time": _split(_START_TIME)}
_VEHICLES = frozenset(_split(_VEHICLE))


def names_vehicle(name: str) -> bool:
    """Whether a column's name says that it tells vehicles apart, which is not to tell apart who travelled in them."""
    return normalise(name) in _VEHICLES


def guess_columns(names: Iterable[str], *, partial: bool = False) -> dict[str, str]:
    """Targets whose file column is plain from its name alone; no file column is used twice.

    Points win over cells (they are finer), and the ends are guessed together or not at all, unless `partial`: then
    those that were found are given where the others are not, for the user to complete. A bare ``id`` is never taken for
    a person: where it numbers the rows, guarding it would guard nothing.
    """
    names = list(names)
    words = {name: normalise(name) for name in reversed(names)}
    found: dict[str, str] = {}
    for targets in (POINTS, CELLS):
        ends = {target: _first(names, words, _ENDS[target]) for target in targets}
        if targets is CELLS and None in ends.values():
            ends = {target: _exact(words, _PLAIN_CELLS[target]) for target in targets}
        taken = [name for name in ends.values() if name is not None]
        if len(taken) == len(set(taken)) == len(targets):
            found.update({target: name for target, name in ends.items() if name is not None})
            break
    if partial and not found:
        found = _some_ends(names, words)
    for target, usual in _EXACT.items():
        free = {name: word for name, word in words.items() if name not in found.values()}
        name = _exact(free, usual)
        if name is not None:
            found[target] = name
    return {target: found[target] for target in TARGETS if target in found}


def _some_ends(names: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    """Ends found by name although others of their kind are not: points, else cells."""
    for targets in (POINTS, CELLS):
        ends = {target: _first(names, words, _ENDS[target]) for target in targets}
        some = {target: name for target, name in ends.items() if name is not None}
        if some and len(set(some.values())) == len(some):
            return some
    return {}


def _first(names: Sequence[str], words: Mapping[str, str], pattern: re.Pattern[str]) -> str | None:
    return next((name for name in names if pattern.fullmatch(_squeeze(words[name]))), None)


def _exact(words: Mapping[str, str], usual: Sequence[str]) -> str | None:
    """The column whose name comes first in a list of usual names."""
    by_word = {word: name for name, word in words.items()}
    return next((by_word[word] for word in usual if word in by_word), None)


def resolve_columns(names: Sequence[str], given: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The mapping to use: what the user gave, checked, and guesses for the rest.

    Raises InputError for a file column that does not exist, one used twice, a misspelt target, half a pair of ends,
    points and cells together, and where no ends can be found.
    """
    given = dict(given or {})
    _check_given(names, given)
    used = {target: name for target, name in given.items() if name is not None}
    wants_cells, wants_points = (any(t in used for t in group) for group in (CELLS, POINTS))
    if wants_cells and wants_points:
        raise InputError("columns (origin, origin_lat) must give the ends as points or as cells, not both")
    free = [name for name in names if name not in used.values()]
    for target, name in guess_columns(free).items():
        blocked = (target in POINTS and wants_cells) or (target in CELLS and wants_points)
        if target not in given and not blocked:
            used[target] = name
    _check_half(names, used)
    _check_doubles(names, used)
    return used


def _check_given(names: Sequence[str], given: Mapping[str, str | None]) -> None:
    for target, name in given.items():
        if not isinstance(target, str) or not (name is None or isinstance(name, str)):
            raise InputError(f"columns: {target!r} ({name!r}) must be given as texts: target and column of the file")
        near = difflib.get_close_matches(target, TARGETS, n=1, cutoff=0.8)
        if target not in TARGETS and near:
            raise InputError(f"columns: target ({target}) must be spelt as {near[0]}; targets are {', '.join(TARGETS)}")
        if name is not None and name not in names:
            raise InputError(
                f"columns: {target} ({name}) must be a column of the file{_did_you_mean(name, names)}; "
                f"it has {listing(names)}"
            )
    doubled = [name for name, n in Counter(name for name in given.values() if name is not None).items() if n > 1]
    if doubled:
        targets = [target for target, name in given.items() if name == doubled[0]]
        raise InputError(f"columns: {' and '.join(targets)} ({doubled[0]}) must be different columns of the file")


def _check_half(names: Sequence[str], used: Mapping[str, str]) -> None:
    for group in (POINTS, CELLS):
        present = [target for target in group if target in used]
        if present and len(present) < len(group):
            lacking = [target for target in group if target not in used]
            raise InputError(
                f"columns: {', '.join(lacking)} must be mapped too, as {', '.join(present)} is; "
                f"the file has {listing(names)}"
            )
    if not any(target in used for target in (*POINTS, *CELLS)):
        some = _some_ends(names, {name: normalise(name) for name in names})
        group = POINTS if any(target in some for target in POINTS) else CELLS
        rest = ", ".join(target for target in group if target not in some)
        what = f"the ends ({rest})" if some else "the ends"
        raise InputError(
            f"columns: {what} of the trips were not found by name; the file has {listing(names)}; map points with "
            "columns={'origin_lat': ..., 'origin_lon': ..., 'destination_lat': ..., 'destination_lon': ...} "
            "or H3 cells with columns={'origin': ..., 'destination': ...}"
        )


def _check_doubles(names: Sequence[str], used: Mapping[str, str]) -> None:
    counts = Counter(names)
    for target, name in used.items():
        if counts[name] > 1:
            raise InputError(f"columns: {target} ({name}) must be one column; the file has {counts[name]} of that name")


def listing(names: Iterable[object], most: int = 30) -> str:
    """Names for a message, shortened when there are too many to read."""
    shown = [str(name) for name in names]
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return (", ".join(shown[:most]) or "none") + rest


def _did_you_mean(name: str, names: Sequence[str]) -> str:
    by_fold = {other.casefold(): other for other in names}
    near = difflib.get_close_matches(name.casefold(), list(by_fold), n=3, cutoff=0.6)
    return f" (close: {', '.join(by_fold[fold] for fold in near)})" if near else ""
