"""links.py SITE: every link, anchor, picture and script of a built site is there, and nothing is loaded from elsewhere."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(given[key] for key in ("id", "name") if given.get(key))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script", "iframe") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect") and given.get("href"):
            self.loads.append(given["href"])


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong, count, outside = [], 0, 0
    for path, page in pages.items():
        for target in [*page.links, *page.loads]:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                outside += 1
                if target in page.loads and parts.scheme != "data":
                    wrong.append(f"{path.relative_to(site)} loads {target} from elsewhere")
                continue
            count += 1
            if path.name == "404.html":
                continue  # its links are from the server's root
            file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            file = file / "index.html" if file.is_dir() else file
            if not file.exists():
                wrong.append(f"{path.relative_to(site)}: there is no {target}")
            elif parts.fragment and file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].ids and parts.fragment != "__search":
                wrong.append(f"{path.relative_to(site)}: {target} has no such place")
    for line in sorted(set(wrong)):
        print(line)
    print(f"docs: {len(pages)} pages, {count} links checked, {len(set(wrong))} wrong; {outside} lead elsewhere and were not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
