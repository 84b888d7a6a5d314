"""Lengths on the ellipsoid against published ones; weighted statistics against the lists written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from odk.cells import distance_m
from odk.geo import geodesic_m, wasserstein, weighted_mean_std, weighted_median


def dms(degrees, minutes, seconds):
    return degrees + minutes / 60 + seconds / 3600


def test_published_lengths():
    # Flinders Peak to Buninyong, the worked example of the Australian geodetic manual (GDA94): 54 972.271 m
    flinders = -dms(37, 57, 3.72030), dms(144, 25, 29.52440)
    buninyong = -dms(37, 39, 10.15610), dms(143, 55, 35.38390)
    assert geodesic_m(*flinders, *buninyong) == pytest.approx(54_972.271, rel=1e-5)
    # a degree of the equator, and a quarter of a meridian (10 001 965.73 m)
    assert geodesic_m(0, 0, 0, 1) == pytest.approx(6_378_137 * np.pi / 180, rel=1e-9)
    assert geodesic_m(0, 7, 90, 7) == pytest.approx(10_001_965.73, rel=1e-5)
    # a degree of latitude at 45 degrees: 111 131.745 m from 44.5 to 45.5
    assert geodesic_m(44.5, 3, 45.5, 3) == pytest.approx(111_131.745, rel=1e-5)


places = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@given(places, places)
def test_it_is_a_length_near_the_great_circle(a, b):
    found = float(geodesic_m(*a, *b))
    assert found == pytest.approx(float(geodesic_m(*b, *a)), rel=1e-9, abs=1e-6)
    assert found == pytest.approx(float(distance_m(*a, *b)), rel=0.0065, abs=1e-6)
    assert float(geodesic_m(*a, *a)) == 0


def test_across_the_antimeridian_and_without_a_place():
    assert geodesic_m(-17, 179.99, -17, -179.99) == pytest.approx(float(geodesic_m(-17, 0, -17, 0.02)), rel=1e-9)
    assert np.isnan(geodesic_m([np.nan, 0], [0, 0], [0, 0], [0, 0])).tolist() == [True, False]
    assert geodesic_m(0, 0, 0, 180) == pytest.approx(np.pi * 6_378_137)


samples = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), min_size=1, max_size=12)


@given(samples)
def test_weighted_statistics_are_those_of_the_written_out_list(sample):
    values, weights = (np.array(x) for x in zip(*sample, strict=True))
    full = np.repeat(values.astype(float), weights)
    mean, std = weighted_mean_std(values.astype(float), weights)
    assert mean == pytest.approx(full.mean())
    assert std == pytest.approx(full.std(), abs=1e-9)
    assert weighted_median(values.astype(float), weights, np.argsort(values, kind="stable")) == np.median(full)


@given(samples, samples)
def test_wasserstein_equals_scipy(one, other):
    (u, wu), (v, wv) = ([np.array(x) for x in zip(*sample, strict=True)] for sample in (one, other))
    order = np.argsort(np.concatenate([u, v]), kind="stable")
    found = wasserstein(u.astype(float), wu, v.astype(float), wv, order)
    assert found == pytest.approx(wasserstein_distance(u, v, wu, wv), abs=1e-9)
