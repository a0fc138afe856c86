"""stage.py ROOT FOLDER: the repository's pages in one tree for MkDocs, with their links moved along, and its mkdocs.yml. stage.py ROOT --check: only checks them.

A link in a page is resolved to a file of the repository. If that is no page of the site, or does not exist, it is an error: so links are right in the repository, too.
docs/pages.md links to every page of docs/, and README.md fits on one screen."""

import json
import os
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"(^ {0,3}```.*?^ {0,3}```[ \t]*$)", re.S | re.M)
LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?(\))")

# Title -> pages of docs/, in order. Every page of docs/ is in one of them.
SECTIONS = {
    "Learn": ["learning-guide", "course", "patterns", "pitfalls", "choosing", "from-triton", "from-cuda", "real-world"],
    "Use": ["python", "torch", "cpp", "cpp-kernels", "library", "debugging", "warnings", "knobs", "threads", "benchmarking", "analysis", "profiling", "tuning", "cache", "shipping", "aot", "container"],
    "Language": ["semantics", "semantics-programs", "engines", "libdevice", "compatibility"],
    "Inside": ["architecture", "passes", "testing", "performance", "gpu-performance", "contributing/op", "contributing/pass", "contributing/target", "contributing/diagnostic", "contributing/glossary", "results/README", "results/nvidia-h200-language"],
}
# What README.md shows without scrolling: lines, and columns of one, once Markdown is rendered.
SCREEN = (64, 144)
OTHERS = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md", "src/README.md": "src/README.md", "learn/workshop/README.md": "learn/workshop.md"}


def sources(root):
    """Path in the repository -> path in the site."""
    found = dict(OTHERS)
    for path in sorted((root / "docs").rglob("*.md")):
        inner = path.relative_to(root / "docs").as_posix()
        found[f"docs/{inner}"] = inner
    for path in sorted((root / "learn").glob("*/lesson.md")):
        found[path.relative_to(root).as_posix()] = f"learn/{path.parent.name}.md"
    for path in sorted((root / "kernels").glob("*.py")):
        found[path.relative_to(root).as_posix()] = f"kernels/{path.stem}.md"
    return found


def moved(text, source, pages, root):
    """The page's text with links to the site's pages; files named in fences become titles."""
    problems = []

    def link(match):
        target, anchor = match[2], match[3] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if path not in pages:
            problems.append(f"{source}: the link to '{target}' is to no page of the site" + ("" if (root / path).exists() else ", and no file is there"))
            return match[0]
        return f"]({os.path.relpath(pages[path], os.path.dirname(pages[source]) or '.')}{anchor})"

    parts = FENCE.split(text)
    for number, part in enumerate(parts):
        if number % 2:
            parts[number] = re.sub(r"^( *```\w+) file=(\S+)$", r'\1 title="\2"', part, count=1, flags=re.M)
        else:
            # Between backticks, `kernel[grid](...)` is no link.
            pieces = re.split(r"(`[^`\n]*`|^(?: {4}|\t).*$)", part, flags=re.M)
            parts[number] = "".join(piece if index % 2 else LINK.sub(link, piece) for index, piece in enumerate(pieces))
    return "".join(parts), problems


def lesson_page(root, folder):
    """A step as `tilewise learn show` prints it, with its exercise, and its solution folded away."""
    number = str(int(folder.name[:2]))
    environment = {**os.environ, "PYTHONPATH": str(root / "build/release/python")}
    shown = subprocess.run([sys.executable, "-m", "tilewise", "learn", "show", number, f"--dir={root}/build/docs/course"], env=environment, capture_output=True, text=True)
    if shown.returncode:
        raise SystemExit(f"the lesson {folder.name} cannot be shown: {shown.stderr}")
    text = re.sub(r"\n*The exercise is now in .*$", "", shown.stdout, flags=re.S).replace(f"{root}/build/docs/course/", "tilewise-course/")
    code = lambda name: (folder / name).read_text().rstrip("\n")
    indented = "\n".join("    " + line if line else "" for line in f"```python\n{code('solution.py')}\n```".splitlines())
    return f"{text}\n\nCheck it with `tilewise learn check {number}`.\n\n```python title=\"the exercise\"\n{code('exercise.py')}\n```\n\n??? note \"A solution\"\n\n{indented}\n"


def kernel_page(path):
    text = path.read_text()
    first = text.splitlines()[0].strip('"# ')
    return f"# {path.name}\n\n{first}\n\n```python\n{text.rstrip()}\n```\n"


def navigation(root, pages):
    listed = {f"docs/{name}.md" for names in SECTIONS.values() for name in names}
    own = {source for source in pages if source.startswith("docs/") and not source.startswith("docs/reference/")} - {"docs/pages.md"}
    if own != listed & own or listed - own:
        raise SystemExit(f"dev/site/stage.py: SECTIONS lacks {sorted(own - listed)} and has {sorted(listed - own)} too much")
    lessons = [page for source, page in pages.items() if source.endswith("/lesson.md")]
    reference = ["reference/README.md"] + sorted((page for source, page in pages.items() if source.startswith("docs/reference/") and not page.endswith("README.md")), key=str.lower)
    menu = [{"Tilewise": ["index.md", "pages.md"]}]
    for title, names in SECTIONS.items():
        entries = [f"{name}.md" for name in names]
        if title == "Learn":
            entries += ["learn/workshop.md", {"The steps": lessons}]
        if title == "Language":
            entries.append({"Every name": reference})
        if title == "Use":
            entries.append({"Kernels": [page for source, page in pages.items() if source.startswith("kernels/")]})
        if title == "Inside":
            entries = ["CONTRIBUTING.md", "src/README.md", *entries, "CHANGELOG.md"]
        menu.append({title: entries})
    return menu


def unlisted(root, pages):
    """Pages of docs/ to which docs/pages.md has no link."""
    links = {os.path.normpath(f"docs/{target}") for _, target, _, _ in LINK.findall((root / "docs/pages.md").read_text())}
    own = {source for source in pages if source.startswith("docs/") and (not source.startswith("docs/reference/") or source.endswith("README.md"))}
    return [f"docs/pages.md has no link to {source}" for source in sorted(own - links - {"docs/pages.md"})]


def beyond_screen(text):
    """Lines of a page that does not fit on one screen: fences and the targets of links are not shown."""
    shown = [LINK.sub("]", line).replace("[", "").replace("]", "") for line in text.splitlines() if not line.startswith("```")]
    wide = [f"README.md: '{line[:40]}...' has {len(line)} columns, a screen {SCREEN[1]}" for line in shown if len(line) > SCREEN[1]]
    return wide + ([f"README.md has {len(shown)} lines, a screen {SCREEN[0]}: move something to a page of docs/"] if len(shown) > SCREEN[0] else [])


def main():
    root, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    checks = sys.argv[2] == "--check"
    pages = sources(root)
    problems = unlisted(root, pages) + beyond_screen((root / "README.md").read_text())
    for source, page in pages.items():
        path = root / source
        if source.endswith("/lesson.md") and not checks:
            text = lesson_page(root, path.parent)
        elif source.startswith("kernels/"):
            text = kernel_page(path)
        else:
            text = path.read_text()
        if not source.startswith("kernels/"):
            text, wrong = moved(text, source, pages, root)
            problems += wrong
        if checks:
            continue
        target = folder / "pages" / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    if problems:
        raise SystemExit("\n".join(problems))
    menu = navigation(root, pages)
    if checks:
        return
    (folder / "pages/site.css").write_text((pathlib.Path(__file__).parent / "site.css").read_text())
    config = json.loads((pathlib.Path(__file__).parent / "mkdocs.json").read_text())
    config["docs_dir"], config["site_dir"] = str(folder / "pages"), str(folder / "site")
    config["nav"] = menu
    (folder / "mkdocs.yml").write_text(json.dumps(config, indent=1))  # JSON is YAML
    print(f"docs: {len(pages)} pages")


if __name__ == "__main__":
    main()
