"""The `mem` command: one module a command, named after it, and `render` for what people see.

To add a command, write `memcli/cli/NAME.py` with a function `NAME` and an `EXAMPLE`, and list it in `app.COMMANDS`.
Nothing here imports a model, the store or a screen library before a command needs it: starting up is most of what a
person waits for.
"""

from memcli.cli.process import main

__all__ = ["main"]
