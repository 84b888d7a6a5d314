"""The registry of verbs, and how a run of the command line begins and ends."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from odk.errors import InputError, OdkError

FINE, FAILED, BAD_INPUT = 0, 1, 2
"""Exit codes: all is well; a check failed, or no release meets the settings; something given is wrong."""


@dataclass(frozen=True)
class Verb:
    """One command: `python -m odk NAME`."""

    name: str
    summary: str
    """One line for --help."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does the work and returns the exit code; an OdkError is told in one line and ends in code 1 or 2."""


_VERBS: dict[str, Verb] = {}


def register(verb: Verb) -> Verb:
    """Add a verb under its name."""
    _VERBS[verb.name] = verb
    return verb


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    top = _Parser(
        prog="python -m odk",
        description="Publish origin-destination matrices in which every cell reaches a threshold.",
        epilog="Exit code 1: a check failed, or no release meets the settings. Exit code 2: bad input.",
        allow_abbrev=False,
    )
    parts = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in _VERBS.values():
        part = parts.add_parser(verb.name, help=verb.summary, description=verb.summary, allow_abbrev=False)
        verb.add_arguments(part)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code (argparse itself exits on --help and on arguments it cannot read)."""
    args = parser().parse_args(argv)
    args.argv = tuple(sys.argv[1:] if argv is None else argv)  # what was said, beside what defaults say
    try:
        code = _VERBS[args.verb].run(args)
        sys.stdout.flush()
    except OdkError as error:
        sys.stderr.write(f"python -m odk {args.verb}: {' '.join(str(error).split())}\n")
        return BAD_INPUT if isinstance(error, InputError) else FAILED
    except BrokenPipeError:  # the reader (head, less) has seen enough; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    return code
