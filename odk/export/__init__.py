"""Export: a release as a bundle that anyone can check, and the checks.

make_bundle(release, audit)        what would be published, in memory
write_bundle(release, path, audit) the same as a zip file
read_bundle(path)                  the cells, zones, manifest and report of a bundle
verify(path, trips=None)           every check that can be made, without the data or with it
compare(a, b)                      two bundles side by side, and what they give away together
"""

from odk.export._bundle import Bundle, read_bundle
from odk.export._compare import Comparison, compare, scopes_of
from odk.export._finding import Finding
from odk.export._make import make_bundle, write_bundle
from odk.export._verify import Verification, verify

__all__ = [
    "Bundle",
    "Comparison",
    "Finding",
    "Verification",
    "compare",
    "make_bundle",
    "read_bundle",
    "scopes_of",
    "verify",
    "write_bundle",
]
