"""What the pages of a site point to: every target must be there, and none on the network."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Collects targets, anchors and what is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.targets.append(found["href"])
        for name in ("src", "data"):
            if found.get(name):
                self.loaded.append(found[name])
        if tag == "link" and found.get("href"):
            self.loaded.append(found["href"])


def read(path: Path) -> _Page:
    """Return what a page points to and which anchors it has."""
    parser = _Page()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


def problems(folder: Path) -> Iterator[str]:
    """Say what is broken in the pages of a folder.

    Parameters
    ----------
    folder : Path
        Root of the site.

    Yields
    ------
    str
        A sentence a broken link, missing anchor, or file that comes from the network.
    """
    pages = {path.resolve(): read(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(folder.resolve()).as_posix()
        for address in page.loaded:
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                yield f"{name} loads {address} from the network"
            elif not (path.parent / unquote(parts.path)).exists():
                yield f"{name} shows {address}, which does not exist"
        for address in page.targets:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name} links to {address}, which does not exist"
            elif target in pages and parts.fragment:
                anchors = pages[target].anchors
                if unquote(parts.fragment) not in anchors:
                    yield f"{name} links to {address}, which has no such place"
