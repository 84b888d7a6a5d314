"""The command line: one file a verb; `main` runs one.

A verb joins by calling `odk.cli.verbs.register` in a file that is imported here. Exit codes: 0 fine, 1 a check failed
or no release meets the settings, 2 bad input.
"""

from odk.cli import audit, compare, demo, noise, reproduce, run, verify  # noqa: F401 - join the registry
from odk.cli.verbs import Verb, main, register

__all__ = ["Verb", "main", "register"]
