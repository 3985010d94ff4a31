"""`python -m memcli.cli.shells` writes the scripts in `completions/` anew."""

from __future__ import annotations

from memcli.cli.shells import SCRIPTS, generate, scripts_folder

if __name__ == "__main__":
    for shell, name in SCRIPTS.items():
        (scripts_folder() / name).write_text(generate(shell), encoding="utf-8")
