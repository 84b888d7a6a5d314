"""The audit: a release checked against the trips again, by code that shares nothing with what made it.

`odk.audit` is the function of this package (the package has another name so that it does not hide it). Cells of trips
are found with the h3 library, sums with pandas: neither `odk.cells` nor the matrix's grouping is used.
"""

from odk.auditing._audit import audit
from odk.auditing._identity import release_digest
from odk.auditing._options import AuditOptions
from odk.auditing._result import Audit, Check

__all__ = ["Audit", "AuditOptions", "Check", "audit", "release_digest"]
