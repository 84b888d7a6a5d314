"""The rules of the house that a machine can check: who may import whom, docstrings, lengths, no machine's own paths."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = sorted((ROOT / "odk").rglob("*.py"))
OURS = sorted(
    path
    for path in [
        *ROOT.glob("*.py"),
        *(p for d in ("odk", "pages", "tests", "benchmarks", "scripts") for p in (ROOT / d).rglob("*.py")),
    ]
    if "__pycache__" not in path.parts
)
MAX_LINES = 450

# The order data flows; a module knows only those on its left. Modules that are not named here may stand anywhere, as
# long as no circle arises.
ORDER = [
    "errors", "cells", "hierarchy", "trips", "matrix", "protection", "release", "walk", "algorithms",
    "metrics", "limits", "auditing", "experiment", "viz", "recipe", "export", "__main__",
]  # fmt: skip


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def unit(path: Path) -> str:
    """The module of odk that a file belongs to: odk/audit/cross.py is part of `audit`, odk/cells.py is `cells`."""
    return path.relative_to(ROOT / "odk").parts[0].removesuffix(".py")


def imports(tree: ast.AST, package: list[str]) -> set[str]:
    """Every dotted name that the tree imports, `from a import b` as `a.b`; `package` resolves leading dots."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


def known_units(tree: ast.AST, package: list[str], units: set[str]) -> set[str]:
    """The modules of odk that a file imports; `door` for a name of odk/__init__ itself (but its version is free)."""
    inside = [dotted.split(".") for dotted in imports(tree, package) - {"odk.__version__"}]
    return {p[1] if len(p) > 1 and p[1] in units else "door" for p in inside if p[0] == "odk"}


def graph() -> dict[str, set[str]]:
    units = {unit(path) for path in ENGINE} - {"__init__"}
    edges: dict[str, set[str]] = {u: set() for u in units}
    for path in ENGINE:
        if unit(path) != "__init__":
            package = list(path.relative_to(ROOT).parts[:-1])
            edges[unit(path)] |= known_units(ast.parse(path.read_text()), package, units) - {unit(path)}
    return edges


def circle(edges: dict[str, set[str]]) -> list[str]:
    """A circle of imports, or nothing: take away modules that import none of the rest until none is left."""
    rest = {u: set(known) for u, known in edges.items()}
    while free := [u for u in rest if not rest[u] & rest.keys()]:
        for u in free:
            del rest[u]
    return sorted(rest)


def test_the_import_reader_sees_every_form():
    tree = ast.parse(
        "import odk.cells as c\nfrom odk import trips, anonymise\nfrom odk.audit.cross import x\nfrom . import matrix\n"
        "from .walk import Walk\nfrom .. import limits\ndef f():\n    import streamlit\n"
    )
    units = {"cells", "trips", "audit", "matrix", "walk", "limits"}
    assert "streamlit" in imports(tree, ["odk"])
    # `from .. import limits` is written from odk/audit/, the one-dot forms from odk/.
    assert known_units(ast.parse("from .. import limits"), ["odk", "audit"], units) == {"limits"}
    without_two_dots = ast.parse(ast.unparse(tree).replace("from .. import limits", ""))
    assert known_units(without_two_dots, ["odk"], units) == {"cells", "trips", "door", "audit", "matrix", "walk"}


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}) == ["a", "b", "c"]
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_the_engine_never_imports_streamlit():
    guilty = [
        name(path)
        for path in ENGINE
        if any(i.split(".")[0] in {"streamlit", "pages", "app"} for i in imports(ast.parse(path.read_text()), ["odk"]))
    ]
    assert guilty == []


def test_importing_odk_loads_no_streamlit():
    code = "import sys, odk; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_module_imports_only_what_is_on_its_left():
    edges = graph()
    backwards = [
        f"{u} imports {v}"
        for u in sorted(edges)
        for v in sorted(edges[u])
        if u in ORDER and v in ORDER and ORDER.index(v) > ORDER.index(u)
    ]
    assert backwards == []
    assert circle({u: known - {"door"} for u, known in edges.items()}) == []


def test_the_engine_does_not_use_its_own_door():
    # odk/__init__ imports every module; a module that imports a name from it stands on both sides.
    assert sorted(u for u, known in graph().items() if "door" in known and u != "__main__") == []


@pytest.mark.parametrize("path", OURS, ids=name)
def test_every_file_says_what_it_is_and_ends_in_a_sitting(path: Path):
    text = path.read_text()
    # The app and its pages are scripts that Streamlit runs: a docstring is wanted there too.
    assert ast.get_docstring(ast.parse(text)) or not text.strip(), f"{name(path)} has no docstring"
    assert len(text.splitlines()) < MAX_LINES


def test_pages_stay_short():
    assert [name(p) for p in ROOT.glob("pages/[!_]*.py") if len(p.read_text().splitlines()) > 100] == []
    if (ROOT / "app.py").exists():
        assert len((ROOT / "app.py").read_text().splitlines()) <= 100


def committed() -> list[Path]:
    """The files that git knows; everything but the environment where this is no git checkout."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [ROOT / line for line in listing.stdout.splitlines()] if listing.returncode == 0 else OURS


def test_no_path_of_one_machine_and_no_registry():
    # Written in two parts, so that this file does not find itself.
    words = [
        "/wo" + "rk/",
        "/ro" + "ot/",
        "/ho" + "me/",
        "/tm" + "p/",
        "/opt/" + "pypi",
        "extra-" + "index-url",
        "--index" + "-url",
    ]
    wrong = re.compile("|".join(map(re.escape, words)))
    guilty = []
    for path in committed():
        if path.suffix in {".py", ".md", ".toml", ".txt", ".cfg", ".json", ".yml", ".sh", ""} and path.is_file():
            lines = path.read_text(errors="ignore").splitlines()
            guilty += [f"{name(path)}:{n}" for n, line in enumerate(lines, 1) if wrong.search(line)]
    assert guilty == []


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_has_a_reason_and_bounds(file: str):
    lines = (ROOT / file).read_text().splitlines()
    wanted = [
        (before, line) for before, line in zip(["", *lines], lines, strict=False) if line and not line.startswith("#")
    ]
    assert wanted
    for before, line in wanted:
        assert re.fullmatch(r"# .{10,}", before), f"{line}: the line above must say why"
        assert re.fullmatch(r"[A-Za-z0-9-]+>=[\d.]+,<[\d.]+", line), f"{line} must have a lower and an upper bound"


def test_only_required_packages_are_imported_by_the_engine():
    required = {re.split(r"[><=]", line)[0].lower() for line in (ROOT / "requirements.txt").read_text().splitlines()}
    module = {"scikit-learn": "sklearn"}
    allowed = {module.get(r, r) for r in required} | set(sys.stdlib_module_names) | {"odk"}
    used = {
        i.split(".")[0]
        for path in ENGINE
        for i in imports(ast.parse(path.read_text()), list(path.relative_to(ROOT).parts[:-1]))
    }
    assert sorted(used - allowed) == []


def test_the_version_is_one():
    import odk

    assert re.fullmatch(r"\d+\.\d+\.\d+", odk.__version__)
    assert 'attr = "odk._version.__version__"' in (ROOT / "pyproject.toml").read_text()
