"""Review: what can be told from a bundle alone, for the reviewer who has no data."""

from odk.review._compare import RELATIONS, BundleComparison, Relation, compare_bundles, relation_of
from odk.review._rules import WouldFail, verify_with_trips, would_fail
from odk.review._zones import bundle_zones, said, unsaid

__all__ = [
    "RELATIONS",
    "BundleComparison",
    "Relation",
    "WouldFail",
    "bundle_zones",
    "compare_bundles",
    "relation_of",
    "said",
    "unsaid",
    "verify_with_trips",
    "would_fail",
]
