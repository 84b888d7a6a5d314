"""A release bundle: what is published of a release, what was promised, what was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from odk.errors import UnsafeError
from odk.export import _container, _json, _zones
from odk.export._container import Place, digest
from odk.export._flows import Flows, parse_flows
from odk.export._schema import check_manifest
from odk.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Bundle:
    """The four files of a bundle, read."""

    files: Mapping[str, bytes] = field(repr=False)
    """flows.csv, zones.geojson, manifest.json, report.html as they stand in the zip."""
    published: Flows = field(repr=False)
    """The cells in exact units."""
    columns: tuple[str, ...]
    """Columns of flows.csv."""
    zones: dict[str, Any] = field(repr=False)
    """The GeoJSON of the zones that have a published flow."""
    manifest: dict[str, Any] = field(repr=False)
    name: str = "bundle"

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Published cells: origin, destination (boxes: the eight sides) and the guarded measures, natural units."""
        return self.published.table

    @cached_property
    def recipe(self) -> Recipe:
        """The settings that make this bundle again."""
        return Recipe.from_dict(self.manifest["recipe"])

    @property
    def report(self) -> str:
        """The printable page."""
        return _container.text(self.files["report.html"], "report.html")

    @property
    def thresholds(self) -> dict[str, float]:
        """What every published cell reaches, by guarded measure."""
        return dict(self.manifest["thresholds"])

    @property
    def digest(self) -> str:
        """By which the whole bundle is known: the manifest holds the digests of the other files."""
        return str(self.manifest["digest"])

    def to_bytes(self) -> bytes:
        """The zip file; the same for the same content."""
        return _container.pack(self.files)

    def write(self, path: str | Path) -> None:
        """Write the zip file, whole or not at all."""
        _container.write(path, self.to_bytes())


def read_bundle(place: Place) -> Bundle:
    """Read a bundle from a path, bytes or an open file.

    A file that is no bundle, is hostile, or does not match its digests raises OdkError. `odk.verify` says more.
    """
    data, name = _container.read(place)
    bundle = parse(_container.unpack(data, name), name)
    wrong = changed_files(bundle)
    if wrong:
        raise UnsafeError(f"bundle ({name}) must be as it was written: {wrong[0]} was changed")
    return bundle


def parse(files: Mapping[str, bytes], name: str) -> Bundle:
    """Read the four files without trust."""
    manifest = _json.loads(_container.text(files["manifest.json"], "manifest.json"), "manifest.json")
    check_manifest(manifest)
    flows, columns = parse_flows(_container.text(files["flows.csv"], "flows.csv"))
    zones = _zones.parse_zones(_container.text(files["zones.geojson"], "zones.geojson"))
    bundle = Bundle(dict(files), flows, columns, zones, manifest, name)
    _container.text(files["report.html"], "report.html")
    bundle.recipe.to_dict()  # a recipe that cannot be read is an error here
    return bundle


def changed_files(bundle: Bundle) -> list[str]:
    """Files that do not have the digest that the manifest states, the manifest itself included."""
    stated = bundle.manifest["files"]
    found = [name for name in stated if digest(bundle.files[name]) != stated[name]]
    rest = {key: value for key, value in bundle.manifest.items() if key != "digest"}
    text = _json.dumps(rest).encode()
    canonical = _json.dumps(bundle.manifest).encode() == bundle.files["manifest.json"]
    if digest(text) != bundle.manifest["digest"] or not canonical:
        found.append("manifest.json")
    return found
