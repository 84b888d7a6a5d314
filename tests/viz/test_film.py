"""The walk as a film: every frame has the zones of its step, in words and figures that the walk itself gives."""

import json

import numpy as np
import pytest

import odk
from odk.replay import curve, frames, real_merges, safe_share
from odk.viz.film import film
from odk.viz.theme import count
from odk.walk import Walk

RULE = odk.Protection(trips=5)


@pytest.fixture(scope="module")
def walk(small_matrix):
    return Walk(small_matrix)


@pytest.fixture(scope="module")
def steps(walk):
    return frames(walk, number=8)


def made(walk, steps, **more):
    every = frames(walk, number=8)
    return film(walk, RULE, steps, every[4], curve(walk, RULE, every), **more)


def shown(reel, frame):
    """Zones of a frame with their shares in per cent."""
    starts = np.cumsum([0, *reel["frames"]])
    found = {}
    for i, zone in enumerate(reel["zone"]):
        since = frame - reel["from"][i]
        if 0 <= since < reel["frames"][i]:
            found[zone] = reel["share"][starts[i] + since]
    return found


def test_each_frame_shows_the_zones_of_its_step(walk, steps):
    found = made(walk, steps)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    for frame, step in enumerate(steps):
        for (axis, reel), tree, table in zip(
            found["reels"].items(), walk.trees, safe_share(walk, RULE, step), strict=True
        ):
            wanted = dict(zip(tree.names(table["node"].to_numpy()), (100 * table["safe"]).round(), strict=True))
            assert shown(reel, frame) == wanted, (axis, step)
            assert reel["notes"][frame].startswith(f"{count(len(table))} zone")
        at = walk.at(step, RULE)
        assert f"<b>{count(len(at.o_cut))} × {count(len(at.d_cut))}</b> zones" in found["words"][frame]
    assert found["stop"] == 4
    assert "stopped here" in found["words"][4]
    assert found["reels"]["origins"]["level"] == sorted(found["reels"]["origins"]["level"])  # coarse below fine


def test_only_the_largest_are_drawn_and_it_is_said(walk, steps):
    reel = made(walk, steps, most=10)["reels"]["origins"]
    first = safe_share(walk, RULE, 0)[0].sort_values(["volume", "node"], ascending=[False, True]).head(10)
    assert set(shown(reel, 0)) == set(walk.trees[0].names(first["node"].to_numpy()))
    assert reel["notes"][0].endswith("the 10 largest drawn")
    assert "largest" not in reel["notes"][-1]


def test_one_frame_between_marks_the_merge_that_made_it(walk):
    step = int(real_merges(walk)[3])
    found = made(walk, [step])
    at = walk.at(step, RULE)
    tree = walk.trees[0 if at.axis == "origins" else 1]
    reel = found["reels"][at.axis]
    assert [reel["zone"][i] for i in reel["fresh"][0]] == tree.names(np.array([at.merged]))
    assert reel["rings"][0] == pytest.approx([tree.lon[at.merged], tree.lat[at.merged]], abs=1e-4)
    other = found["reels"]["destinations" if at.axis == "origins" else "origins"]
    assert other["rings"] == [None]
    assert "zones become one" in found["words"][0]
    assert found["stop"] is None


def test_marks_lie_on_the_curves(walk, steps):
    spots = made(walk, steps)["spots"]
    assert len(spots) == len(steps)
    across = [first[0] for first, _ in spots]
    assert across == sorted(across)  # fewer and fewer zones
    down = [second[1] for _, second in spots]
    assert down == sorted(down)  # less and less is suppressed
