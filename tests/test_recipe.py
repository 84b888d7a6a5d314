"""Recipes: every setting in a file that people can read, and that makes the same bundle byte for byte."""

import tomllib
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import odk
from odk.export import make_bundle
from odk.hierarchy import Hierarchy
from odk.recipe import Data, _toml, fingerprint
from tests.audit.towns import FAR, NORTH, SOUTH, people, survey

TEXT = """\
# odk recipe. To make this release again: python -m odk run --recipe THIS_FILE --input YOUR_TRIPS
recipe = 1

[data]
source = "trips.csv"

[data.columns]
person = "bike id"

[selection]
resolution = 7
hierarchy = "h3"
area = ["851fb467fffffff"]

[selection.segment]
sex = ["F"]

[protection]
trips = 10
population_k = 10

[release]
algorithm = "odkanon"
budget = 0.05
budget_in = "pairs"

[release.options]
levels = 2
drift = 0.03

[rounding]
trips = 5

[audit]
l_leaves = 2
l_values = 2
sensitive = ["age"]
t = 0.8
dominance = 0.5
homogeneity = 0.9
"""


def recipe():
    return odk.Recipe(
        algorithm="odkanon",
        trips=10,
        population_k=10,
        budget=0.05,
        options={"levels": 2},
        resolution=7,
        area=("851fb467fffffff",),
        segment={"sex": "F"},
        rounding=odk.Rounding(trips=5),
        audit=odk.AuditOptions(sensitive=("age",), t=0.8),
        data=Data(source="/home of/someone/trips.csv", columns={"person": "bike id"}),
    )


def test_a_recipe_is_readable_and_read_again(tmp_path):
    assert recipe().to_toml() == TEXT
    assert odk.Recipe.from_toml(TEXT) == recipe()
    recipe().save(tmp_path / "recipe.toml")
    assert odk.Recipe.load(tmp_path / "recipe.toml") == recipe()


def test_no_path_is_kept():
    for path in ("/a/b/trips.csv", "C:\\people\\trips.csv", "../trips.csv"):
        assert Data(source=path).source == "trips.csv"


@pytest.mark.parametrize("algorithm", odk.algorithms.names())
def test_every_algorithm_has_a_recipe(algorithm):
    made = odk.Recipe(algorithm=algorithm, trips=10)
    assert odk.Recipe.from_toml(made.to_toml()) == made
    assert odk.Recipe.from_dict(made.to_dict()) == made


def test_none_is_kept_where_it_is_not_the_default():
    made = odk.Recipe(algorithm="ipf-dp", trips=10, options={"epsilon": None})
    assert 'epsilon = "none"' in made.to_toml()
    assert odk.Recipe.from_toml(made.to_toml()).options["epsilon"] is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("recipe = 1", "recipe = 2"), "version 1"),
        (("recipe = 1", ""), "version 1"),
        (("[rounding]", "[roundings]"), "roundings"),
        (("l_leaves = 2", "leaves = 2"), "audit.leaves"),
        (("trips = 10", "trips = 'ten'"), "trips"),
        (("trips = 10", "trips = 1"), "at least 2"),
        (('"odkanon"', '"magic"'), "algorithm"),
        (("levels = 2", "level = 2"), "option"),
        (("levels = 2", "levels = -1"), "levels"),
        (("budget = 0.05", "budget = 1.5"), "budget"),
        (("budget = 0.05", "budget = 'x'"), "budget"),
        (("resolution = 7", "resolution = 77"), "resolution"),
        (('"h3"', '"h4"'), "hierarchy"),
        (('["851fb467fffffff"]', '["851"]'), "H3"),
        (('["851fb467fffffff"]', '"851fb467fffffff"'), "list of H3"),
        (("population_k = 10", "population_k = 10\npopulation = 5.0"), "both"),
        (('source = "trips.csv"', "source = "), "TOML"),
        (('[data]\nsource = "trips.csv"\n\n[data.columns]\nperson = "bike id"', "data = 3"), "table"),
        (("[rounding]\ntrips = 5", "[rounding]\npersons = 5"), "guarded"),
    ],
)
def test_a_wrong_recipe_is_refused_in_words(change, words):
    assert change[0] in TEXT
    with pytest.raises(odk.InputError, match=words):
        odk.Recipe.from_toml(TEXT.replace(*change))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(odk.InputError, match="can be read"):
        odk.Recipe.load(tmp_path / "nothing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(odk.InputError, match="UTF-8"):
        odk.Recipe.load(tmp_path / "binary.toml")
    with pytest.raises(odk.InputError, match="writable"):
        recipe().save(tmp_path / "nowhere" / "recipe.toml")


@given(
    st.dictionaries(
        st.text(min_size=1),
        st.one_of(st.text(), st.integers(-(2**62), 2**62), st.booleans(), st.lists(st.text(), max_size=3)),
        max_size=5,
    )
)
def test_whatever_is_written_is_read_again(table):
    document = {"a table": table, "number": 0.1}
    assert tomllib.loads(_toml.dumps(document)) == document


# --- running -----------------------------------------------------------------------------------------------------------
def trips():
    """12 + 10 + 11 trips, 60 weighted: k = 10 of the whole is 10 x 60 / 33 = 18.18..."""
    return survey(
        (NORTH, SOUTH, people(12, 2.0)),
        (SOUTH, NORTH, people(10, 2.5)),
        (FAR, NORTH, people(11)),
        sex=["F", "M"] * 16 + ["F"],
    )


def test_the_threshold_of_a_segment_comes_from_the_whole():
    made = odk.Recipe(algorithm="suppression", population_k=5, resolution=7, segment={"sex": "F"}).make(trips())
    assert made.release.protection.population == pytest.approx(5 * 60 / 33)
    assert len(made.trips) == 17  # every second of 33
    assert made.whole.total_trips == 33
    assert made.same_input is None


def test_a_fingerprint_tells_whether_the_data_is_the_same():
    own = odk.Recipe(algorithm="suppression", trips=10, resolution=7)
    known = replace(own, data=Data(fingerprint=fingerprint(own.run(trips()).matrix)))
    assert known.make(trips()).same_input is True
    less = replace(trips(), table=trips().table.iloc[1:])
    assert known.make(less).same_input is False


def test_counted_pairs_and_hierarchies():
    table = pd.DataFrame({"start_h3": [NORTH, SOUTH], "end_h3": [SOUTH, NORTH], "count": [12, 15]})
    own = odk.Recipe(algorithm="suppression", trips=10, resolution=7)
    assert own.run(table).n_cells == 2
    with pytest.raises(odk.InputError, match="segment"):
        replace(own, segment={"sex": "F"}).run(table)
    named = pd.DataFrame({"origin": ["a", "b"], "destination": ["b", "a"], "trips": [12, 15]})
    tree = Hierarchy.from_table(["a", "b"], ["c", "c"])
    with pytest.raises(odk.InputError, match="hierarchy"):
        own.run(named, hierarchy=tree)
    with pytest.raises(odk.InputError, match="hierarchy"):
        replace(own, hierarchy="table").run(named)
    assert replace(own, hierarchy="table").run(named, hierarchy=tree).n_cells == 2


def test_the_recipe_of_a_release_says_k_where_the_threshold_follows_from_the_data():
    matrix = odk.ODMatrix.from_trips(trips(), resolution=7)
    release = odk.anonymise(matrix, odk.Protection.both(matrix, 5), algorithm="suppression")
    own = odk.Recipe.of(release)
    assert (own.trips, own.population_k, own.population) == (5, 5, None)
    assert own.budget_in == "volume"
    given_number = odk.anonymise(matrix, odk.Protection(population=19), algorithm="suppression")
    assert odk.Recipe.of(given_number).population == 19


def test_a_recipe_of_another_release_is_refused():
    release = odk.Recipe(algorithm="suppression", trips=10, resolution=7).run(trips())
    for change, words in (
        ({"algorithm": "twincut"}, "algorithm"),
        ({"trips": 9}, "protection"),
        ({"budget": 0.2}, "budget"),
        ({"resolution": 8}, "resolution"),
        ({"population_k": 10}, "protection"),
    ):
        other = replace(odk.Recipe(algorithm="suppression", trips=10, resolution=7), **change, options={})
        with pytest.raises(odk.InputError, match=words):
            make_bundle(release, recipe=other)
