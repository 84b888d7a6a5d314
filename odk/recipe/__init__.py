"""Recipes: every setting of a release in one readable file that the app, the command line and a bundle share."""

from odk.recipe._entry import COMMON_ZONING, entry_of
from odk.recipe._recipe import Counted, Data, Made, Recipe, fingerprint

__all__ = ["COMMON_ZONING", "Counted", "Data", "Made", "Recipe", "entry_of", "fingerprint"]
