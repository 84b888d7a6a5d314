"""The data panel: what a file is taken for, what of it is refused, and what the user can say otherwise."""

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

ENDS = ["start_lat", "start_lon", "end_lat", "end_lon"]


def rides(n: int = 400) -> pd.DataFrame:
    """Trips between four corners of Chicago's centre, every pair of them often enough to be published."""
    at = np.arange(n)
    corner = np.array([(41.88, -87.63), (41.90, -87.65), (41.86, -87.62), (41.92, -87.66)])
    ends = np.hstack([corner[at % 4], corner[at // 4 % 4]])
    times = pd.Timestamp("2013-06-27 05:00") + pd.to_timedelta(at * 11, unit="min")
    return pd.DataFrame(ends, columns=ENDS).assign(bike_id=at % 50, start_time=times.astype(str), city=at % 2)


@pytest.fixture
def upload(app: AppTest):
    def put(table: pd.DataFrame, name: str = "rides.csv", page: str | None = None) -> AppTest:
        app.query_params["data"] = "upload"
        app.query_params["algorithm"] = "odkanon-late"
        app.run()
        if page:
            app.switch_page(page)
        app.file_uploader(key="file").set_value((name, table.to_csv(index=False).encode(), "text/csv")).run()
        assert not app.exception
        return app

    return put


def side(app: AppTest) -> str:
    return " ".join(
        element.value for kind in ("caption", "warning", "error", "info") for element in app.sidebar.get(kind)
    )


def column(app: AppTest, target: str):
    return next(box for box in app.sidebar.selectbox if (box.key or "").startswith(f"column-{target}-"))


def test_a_bike_is_said_to_be_no_person(upload):
    app = upload(rides())
    assert "400 trips, 0 rows refused" in side(app)
    assert "told apart by bike_id: vehicles, not people" in side(app)
    app = upload(rides().rename(columns={"bike_id": "person"}))
    assert "vehicles" not in side(app)
    assert "No person column" in side(upload(rides().drop(columns="bike_id")))


def test_many_refused_rows_are_told_by_reason(upload):
    table = rides()
    table.loc[:19, "start_lat"] = np.nan
    table.loc[20:29, "end_lon"] = 999
    app = upload(table)
    assert "30 rows refused (7.5%). coordinate missing: 20; coordinate out of range: 10." in side(app)


def test_the_profile_and_the_refused_rows_are_a_click_away_from_every_page(upload):
    table = rides()
    table.loc[:19, "start_lat"] = np.nan
    app = upload(table, page="pages/methods.py")
    about = next(button for button in app.sidebar.button if button.label == "About the data")
    about.click().run()
    assert not app.exception
    assert any("20 rows: coordinate missing" in fold.label for fold in app.expander)
    facts = dict(pd.concat([frame.value for frame in app.dataframe if "value" in frame.value]).to_numpy())
    assert facts["Persons (told apart by bike_id)"] == "50"
    assert facts["Start times"] == "2013-06-27 to 2013-06-30"
    assert facts["Finest zones (leaves)"].startswith("H3 level 10, 0.015")


def test_an_end_that_is_not_found_is_named_and_the_others_are_chosen(upload):
    app = upload(rides().rename(columns={"end_lat": "place_b"}))
    assert "Choose below which column is the destination latitude." in side(app)
    assert "demo survey until a file is read" in side(app)
    assert column(app, "origin_lat").value == "start_lat"
    column(app, "destination_lat").select("place_b").run()
    assert "400 trips, 0 rows refused" in side(app)


def test_latitude_and_longitude_that_were_exchanged_are_put_right(upload):
    mixed = rides().rename(columns=dict(zip(ENDS, ["start_lon", "start_lat", "end_lon", "end_lat"], strict=True)))
    app = upload(mixed)
    assert "exchanged they lie near" in side(app)
    next(button for button in app.sidebar.button if button.label == "Exchange them").click().run()
    assert not app.exception
    assert "exchanged" not in side(app)
    assert column(app, "origin_lat").value == "start_lon"
    assert app.session_state["_uploaded"].table["origin_lat"].between(41, 42).all()


def test_segments_are_chosen_among_the_columns_that_are_left(upload):
    app = upload(rides().assign(note=[f"n{i}" for i in range(400)]), page="pages/segments.py")
    picker = next(box for box in app.sidebar.multiselect if box.label == "Segments")
    assert picker.value == ["city"]
    assert picker.options == ["city", "note"]
    assert app.selectbox(key="segments").options == ["city", "part of day", "part of week"]
    picker.unselect("city").run()
    assert not app.exception
    assert app.selectbox(key="segments").options == ["part of day", "part of week"]


def test_trips_that_nothing_parts_say_what_to_choose(upload):
    app = upload(rides()[ENDS], page="pages/segments.py")
    assert "Choose some in the sidebar: Columns of the file, Segments." in app.main.info[0].value


def test_a_known_format_needs_no_mapping(upload):
    way = "[[-8.61, 41.14], [-8.62, 41.15]]"
    names = ["TRIP_ID", "CALL_TYPE", "ORIGIN_CALL", "ORIGIN_STAND", "TAXI_ID", "TIMESTAMP", "DAY_TYPE", "MISSING_DATA"]
    rows = [[i, "ABC"[i % 3], "", "", i % 7, 1372636858 + i, "A", "False"] for i in range(40)]
    app = upload(pd.DataFrame(rows, columns=names).assign(POLYLINE=way), "train.csv")
    assert "40 trips, 0 rows refused" in side(app)
    assert "Porto taxi trips" in side(app)


def second(app: AppTest, name: str, table: pd.DataFrame) -> AppTest:
    widget = next(box for box in app.sidebar.file_uploader if box.label.startswith("Second table"))
    widget.set_value((name, table.to_csv(index=False).encode(), "text/csv")).run()
    assert not app.exception
    return app


def taxis(n: int = 900) -> pd.DataFrame:
    at = np.arange(n)
    times = (pd.Timestamp("2024-01-01") + pd.to_timedelta(at, unit="h")).astype(str)
    return pd.DataFrame({"tpep_pickup_datetime": times, "PULocationID": at % 6 + 1, "DOLocationID": at // 6 % 6 + 1})


def zones() -> pd.DataFrame:
    at = np.arange(6)
    return pd.DataFrame({"LocationID": at + 1, "lat": 40.7 + at / 50, "lon": -74 + at % 2 / 50})


def test_trips_between_zones_take_the_table_of_the_zones(upload):
    app = upload(taxis(), "taxis.csv")
    assert "Trips between other zones need the table of the zones too" in side(app)
    second(app, "zones.csv", zones())
    assert "900 trips, 0 rows refused" in side(app)
    assert app.session_state["_trees"][app.session_state["_uploaded"].fingerprint].kind == "ward"
    for page in ("replay", "algorithms", "segments", "tradeoffs", "audit", "release", "review", "reproduce"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, page
        assert not app.main.error, page


def test_zones_with_parents_are_a_hierarchy_and_others_are_refused(upload):
    app = upload(taxis().rename(columns={"PULocationID": "from", "DOLocationID": "to"}), "taxis.csv")
    districts = pd.DataFrame({"zone": range(1, 6), "parent": ["north", "north", "south", "south", "south"]})
    second(app, "zones.csv", districts)
    assert "zones.csv must give every zone its lat and lon" in side(app)
    second(app, "zones.csv", districts.assign(lat=40.7 + districts["zone"] / 50, lon=-74.0))
    trips = app.session_state["_uploaded"]
    assert dict(trips.rejected) == {"zone not in the zone table": 150 + 150 - 25}  # from 6, to 6, less from 6 to 6
    assert app.session_state["_trees"][trips.fingerprint].kind == "table"
    second(app, "other.csv", pd.DataFrame({"a": [1]}))
    assert "The second table (a) must be one of these." in side(app)
    assert app.session_state["_uploaded"] is trips


def test_individuals_of_netmob25_weigh_the_trips(upload):
    ends = dict(zip(ENDS, (48.85, 2.35, 48.88, 2.30), strict=True))
    app = upload(pd.DataFrame({"ID": ["10_1", "10_2"] * 20, **ends}), "cut.csv")
    assert "No person column" in side(app)
    people = {"ID": ["10_1", "10_2"], "SEX": ["Woman", "Man"], "AGE": [19, 70], "PRO_CAT": [1, 8]}
    second(app, "individuals.csv", pd.DataFrame({**people, "WEIGHT_INDIV": [2000.0, 10.0], "GPS_RECORD": True}))
    assert "NetMob25**: 40 trips, 0 rows refused" in side(app)
    trips = app.session_state["_uploaded"]
    assert trips.segments == ["sex", "age", "profession"]
    assert trips.table["weight"].sum() == 20 * 2010
