"""Flows with names: all of them, and those of a zone whose two axes are zoned differently."""

import h3
import numpy as np
import pandas as pd
import pytest

import odk
from odk.viz.flows import flow_table, flows_of

A, B = "871fb4662ffffff", "872a1072bffffff"
A1, A2 = sorted(h3.cell_to_children(A, 8))[:2]


def test_the_table_has_every_flow_once(small_release):
    table = flow_table(small_release)
    wanted = small_release.flows.set_index(["origin", "destination"])["trips"].sort_index()
    found = table.set_index(["origin", "destination"])["trips"].sort_index()
    assert wanted.equals(found)
    assert table["volume"].is_monotonic_decreasing
    for word, end in (("from", "origin"), ("to", "destination")):
        assert (table.groupby(end)[word].nunique() == 1).all()
        lat, lon = h3.cell_to_latlng(table[end].iloc[0])
        # A zone is drawn at the middle of its leaves or of itself: within it, at any rate.
        assert h3.latlng_to_cell(table[f"{word}_lat"].iloc[0], table[f"{word}_lon"].iloc[0], 2) == h3.latlng_to_cell(
            lat, lon, 2
        )


def test_the_lead_measure_is_the_volume(small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection.population_of(small_matrix, 5), budget=0.2)
    table = flow_table(release)
    assert (table["volume"] == table["population"]).all()


def test_noise_has_only_what_it_published(small_matrix):
    release = odk.anonymise(small_matrix, odk.Protection(trips=5), algorithm="laplace")
    table = flow_table(release)
    assert "population" not in table
    assert (table["volume"] == table["trips"]).all()


@pytest.fixture
def flows() -> pd.DataFrame:
    rows = [(A, B, 9), (A, A1, 5), (B, A1, 7), (B, A2, 3), (B, B, 2)]
    return pd.DataFrame(rows, columns=["origin", "destination", "volume"])


def test_out_of_an_origin_and_into_the_destinations_within_it(flows):
    # A is one origin zone, but two destination zones: what arrives in either arrives in A.
    found = flows_of(flows, A, "origins")
    assert found["volume"].tolist() == [9, 5, 7, 3]
    assert found["incoming"].tolist() == [False, False, True, True]
    assert not found["within"].any()


def test_into_a_destination_and_out_of_the_origin_around_it(flows):
    found = flows_of(flows, A1, "destinations")
    assert found["volume"].tolist() == [9, 5, 7]
    assert found["incoming"].tolist() == [False, False, True]


def test_a_flow_within_a_zone_goes_out_once(flows):
    found = flows_of(flows, B, "origins")
    assert found["volume"].tolist() == [9, 7, 3, 2]
    assert found.loc[found["within"], "incoming"].tolist() == [False]
    assert np.array_equal(found["incoming"], [True, False, False, False])
