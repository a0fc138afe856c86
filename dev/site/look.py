"""look.py SITE FOLDER: the site in headless Chromium: pictures of some pages, light and dark, wide and narrow; whether any page is wider than a phone; whether the search finds."""

import functools
import http.server
import json
import pathlib
import subprocess
import sys
import threading

PICTURED = ("index", "learning-guide", "reference/README", "reference/dot", "learn/07-softmax", "kernels/softmax", "semantics", "performance")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
SCHEMES = {"light": 1, "dark": 0}  # Chromium's numbers

# Each page in a frame as wide as a phone, one after the other; then the search for a word. The picture comes when the result is there: until then the page is loading, and Chromium
# stays (its virtual time would not wait for the search, which is a worker).
HARNESS = """<!doctype html><body><iframe id="frame" style="width:390px;height:844px;border:0"></iframe><img src="wait"><script>
const pages = %s, frame = document.getElementById("frame"), result = {wide: [], looked: 0, hits: -1};
const load = (address) => new Promise((done) => { frame.onload = () => setTimeout(done, 60); frame.src = address; });
const rest = (time) => new Promise((done) => setTimeout(done, time));
(async () => {
  for (const page of pages) {
    await load(page);
    const width = frame.contentDocument.documentElement.scrollWidth;
    result.looked++;
    if (width > 390) result.wide.push(page + ": " + width);
  }
  await load("index.html");
  const search = frame.contentDocument.querySelector("input.md-search__input");
  frame.contentDocument.getElementById("__search").click();
  search.focus();
  search.value = "softmax";
  search.dispatchEvent(new frame.contentWindow.KeyboardEvent("keyup", {bubbles: true}));
  for (let i = 0; i < 200 && result.hits < 1; i++) {
    await rest(100);
    result.hits = frame.contentDocument.querySelectorAll(".md-search-result__item").length;
  }
  await fetch("result", {method: "POST", body: JSON.stringify(result)});
})();
</script></body>"""


def chromium(*words, limit=300):
    command = ["chromium", "--headless=old", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=limit).stdout


def main():
    site, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.name != "404.html")
    (site / "look.html").write_text(HARNESS % json.dumps(pages))

    done, result = threading.Event(), {}

    class Quiet(http.server.SimpleHTTPRequestHandler):

        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path != "/wait":
                return super().do_GET()
            done.wait(240)
            self.send_error(404)

        def do_POST(self):
            result.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            done.set()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        for page in PICTURED:
            name = "index" if page == "index" else page.replace("/", "-")
            target = page.replace("README", "index")
            for size, (width, height) in SIZES.items():
                for scheme, number in SCHEMES.items():
                    chromium(f"--window-size={width},{height}", f"--blink-settings=preferredColorScheme={number}", f"--screenshot={folder / f'{name}-{size}-{scheme}.png'}",
                             f"{address}/{target}.html")
        chromium("--dump-dom", f"{address}/look.html")
    finally:
        server.shutdown()
        (site / "look.html").unlink()
    if not result:
        raise SystemExit("the pages could not be looked at: Chromium did not come to an end")
    for line in result["wide"]:
        print(f"wider than a phone: {line}")
    print(f"docs: {result['looked']} pages looked at, {len(result['wide'])} wider than a phone; the search for 'softmax' finds {result['hits']}; pictures in {folder}")
    return 1 if result["wide"] or result["hits"] < 1 else 0


if __name__ == "__main__":
    sys.exit(main())
