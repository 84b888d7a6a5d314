"""The command line: `python -m odk VERB ...`. The verbs are in `odk.cli`, one file each."""

import sys

from odk.cli import main

if __name__ == "__main__":
    sys.exit(main())
