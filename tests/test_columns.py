"""Column names: what is guessed, what the user's mapping may and may not say."""

import pytest

from odk.columns import CELLS, POINTS, guess_columns, names_vehicle, resolve_columns
from odk.errors import InputError


@pytest.mark.parametrize(
    "names",
    [
        ("start_lat", "start_lon", "end_lat", "end_lon"),
        ("start_lat", "start_lng", "end_lat", "end_lng"),
        ("pickup_latitude", "pickup_longitude", "dropoff_latitude", "dropoff_longitude"),
        ("lat_o", "lon_o", "lat_d", "lon_d"),
        ("olat", "olon", "dlat", "dlon"),
        ("StartLatitude", "StartLongitude", "EndLatitude", "EndLongitude"),
        ("Start Station Latitude", "Start Station Longitude", "End Station Latitude", "End Station Longitude"),
        (
            "Pickup Centroid Latitude",
            "Pickup Centroid Longitude",
            "Dropoff Centroid Latitude",
            "Dropoff Centroid Longitude",
        ),
        ("latitude_départ", "longitude_départ", "latitude_arrivée", "longitude_arrivée"),
        ("from_y", "from_x", "to_y", "to_x"),
        ("lat_start", "lng_start", "lat_end", "lng_end"),
        ("origin_lat", "origin_lon", "destination_lat", "destination_lon"),
        ("LAT_ORIGIN", "LON_ORIGIN", "LAT_DEST", "LON_DEST"),
        ("o_lat", "o_long", "d_lat", "d_long"),
        ("latitude_origine", "longitude_origine", "latitude_destination", "longitude_destination"),
        ("Latitude de départ", "Longitude de départ", "Latitude d'arrivée", "Longitude d'arrivée"),
        ("Breitengrad Start", "Längengrad Start", "Breitengrad Ziel", "Längengrad Ziel"),
        ("latitud_origen", "longitud_origen", "latitud_destino", "longitud_destino"),
        ("lat_partenza", "lon_partenza", "lat_arrivo", "lon_arrivo"),
        ("lat_pu", "lon_pu", "lat_do", "lon_do"),
    ],
)
def test_usual_names_of_points(names):
    assert tuple(guess_columns(["when", *names])[target] for target in POINTS) == names


@pytest.mark.parametrize(
    "names",
    [("start_h3", "end_h3"), ("h3_origin", "h3_destination"), ("origin_cell", "dest_cell"), ("origin", "destination")],
)
def test_usual_names_of_cells(names):
    assert tuple(guess_columns(names)[target] for target in CELLS) == names


@pytest.mark.parametrize(
    "name",
    [
        "bike_id",
        "user_id",
        "ID_person",
        "taxi_id",
        "personId",
        "Bike number",
        "plate",
        "UID",
        "id_personne",
        "Individu",
    ],
)
def test_usual_names_of_persons(name):
    assert guess_columns(["start_lat", name]) == {"person": name}


@pytest.mark.parametrize("name", ["id", "trip_id", "ride_id", "station_id", "row"])
def test_what_numbers_the_rows_is_no_person(name):
    assert guess_columns([name]) == {}


@pytest.mark.parametrize("name", ["started_at", "tpep_pickup_datetime", "Start date", "departure_time", "StartTime"])
def test_usual_names_of_start_times(name):
    assert guess_columns([name]) == {"start_time": name}


@pytest.mark.parametrize("name", ["weight", "poids", "WEIGHT_INDIV", "Expansion Factor"])
def test_usual_names_of_weights(name):
    assert guess_columns([name]) == {"weight": name}


def test_points_win_over_cells_and_ends_are_guessed_together():
    assert "origin" not in guess_columns(["start_lat", "start_lon", "end_lat", "end_lon", "start_h3", "end_h3"])
    assert guess_columns(["start_lat", "start_lon", "end_lat"]) == {}


def test_ends_found_alone_are_offered_and_what_lacks_is_named():
    names = ["bike_id", "start_lat", "start_lon", "stop"]
    assert guess_columns(names) == {"person": "bike_id"}
    assert guess_columns(names, partial=True) == {
        "person": "bike_id",
        "origin_lat": "start_lat",
        "origin_lon": "start_lon",
    }
    with pytest.raises(InputError, match=r"the ends \(destination_lat, destination_lon\) of the trips were not found"):
        resolve_columns(names)


def test_a_vehicle_is_told_from_a_person():
    assert names_vehicle("Bike_ID")
    assert names_vehicle("plate")
    assert not names_vehicle("person_id")
    assert not names_vehicle("driver_id")


FILE = ["bike_id", "start_lat", "start_lon", "end_lat", "end_lon", "home", "gender"]


def test_a_given_mapping_goes_before_a_guess_and_none_forbids_it():
    assert resolve_columns(FILE, {"person": "home"})["person"] == "home"
    assert "person" not in resolve_columns(FILE, {"person": None})
    assert resolve_columns(FILE, {"sex": "gender"})["sex"] == "gender"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"person": "bikeid"},
            r"columns: person \(bikeid\) must be a column of the file \(close: bike_id\); it has bike_id,",
        ),
        ({"origin_lat": "home", "origin_lon": "home"}, r"origin_lat and origin_lon \(home\) must be different"),
        ({"orgin_lat": "start_lat"}, r"target \(orgin_lat\) must be spelt as origin_lat"),
        ({"origin": "home", "origin_lat": "start_lat"}, r"must give the ends as points or as cells, not both"),
        ({"origin": "home"}, r"destination must be mapped too, as origin is"),
        ({"origin_lat": None}, r"origin_lat must be mapped too"),
        ({"person": 3}, r"columns: 'person' \(3\) must be given as texts"),
    ],
)
def test_a_wrong_mapping_is_named(given, words):
    with pytest.raises(InputError, match=words):
        resolve_columns(FILE, given)


def test_no_ends_say_what_there_is_and_how_to_map():
    with pytest.raises(InputError, match=r"the file has a, b; map points with columns=\{'origin_lat'.*or H3 cells"):
        resolve_columns(["a", "b"])


def test_a_doubled_name_matters_only_where_it_is_used():
    assert "person" in resolve_columns([*FILE, "note", "note"])
    with pytest.raises(InputError, match=r"person \(bike_id\) must be one column; the file has 2 of that name"):
        resolve_columns([*FILE, "bike_id"])
