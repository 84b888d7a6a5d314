"""noise on the command line: three comparisons, for people and for machines."""

import json

import pytest

from odk.cli import main
from odk.comparison.atg import QUICK
from tests.algorithms.test_ipf_dp import town


@pytest.fixture
def ask(capsys, tmp_path):
    path = tmp_path / "town.csv"
    town(400).table[["person", "origin", "destination", "weight", "sex", "band"]].to_csv(path, index=False)

    def run(*argv):
        code = main(["noise", "--input", str(path), "--resolution", "9", *argv])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_k_against_epsilon(ask):
    code, out, err = ask()
    assert (code, err) == (0, "")
    assert [out.count(name) for name in ("twincut", "laplace", "ipf-dp")] == [5, 6, 6]
    assert "Of 100 published trips" in out
    code, out, _ = ask("--json")
    (rows,) = json.loads(out)["tables"].values()
    assert code == 0
    assert len(rows) == 22
    assert all(0 <= row["misplaced"] <= 1 for row in rows)


def test_solvers_beside_the_published_ones(ask):
    code, out, _ = ask("--compare", "solvers", "--quick", "--json")
    tables = json.loads(out)["tables"]
    assert code == 0
    assert [row["solver"] for row in tables["Table 3. Means over small matrices"]] == list(QUICK)
    assert tables["Table 4. All trips together"][0]["G, published"] == 19.85


def test_persons(ask):
    code, out, _ = ask("--compare", "persons")
    assert code == 0
    assert "Table 11." in out
    assert "Table 23." in out
    strict = out.split("Table 11.")[1].split("Table 12.")[0].splitlines()
    assert strict[2].split()[0] == "2"
    assert strict[2].split()[2] == "yes"
    assert "Compare orders, not values" in out
