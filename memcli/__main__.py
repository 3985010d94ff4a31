"""`python -m memcli` is the `mem` command."""

import sys

from memcli.cli import main

if __name__ == "__main__":
    sys.exit(main())
