"""The pages show what the program prints now, and every page and picture that is linked is there."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from memcli.cli.app import COMMANDS
from memcli.transcripts import formats

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]


def test_the_pages_show_what_the_program_prints() -> None:
    done = subprocess.run([sys.executable, str(DOCS / "generate.py"), "--check"], capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, done.stderr) == (0, ""), "write them anew: python docs/generate.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_readme_names_every_format_and_page_and_shows_every_picture() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ingest = (DOCS / "ingest.md").read_text(encoding="utf-8")
    named = {name for name in formats() if f"`{name}`" in readme}
    assert named == set(formats())
    assert {name for name in formats() if name not in ("locomo", "longmemeval", "beam") and f"`{name}`" not in ingest} == set()
    assert {page.name for page in DOCS.glob("*.md") if f"(docs/{page.name})" not in readme} == set()
    assert {picture.name for picture in (DOCS / "pictures").glob("*.svg") if f"(docs/pictures/{picture.name})" not in readme} == set()


def test_every_command_is_shown_somewhere() -> None:
    shown = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert {command for command in COMMANDS if not re.search(rf"\bmem {command}\b", shown)} == set()


def test_a_picture_is_sound_small_and_fetches_nothing() -> None:
    pictures = sorted((DOCS / "pictures").glob("*.svg"))
    assert pictures
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        assert ET.fromstring(text).tag.endswith("svg")
        assert len(text) < 60_000
        assert not re.search(r"url\((?!#)|<image|<script", text)
