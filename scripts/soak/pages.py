"""Real runs against a hostile site, and their pages in Chromium."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from chromium import Chromium
from hostile_site import Site

LARGEST = 1_000_000
# Contrast of WCAG 2.2, 1.4.3 (AA) for text of this size, and the ways in which a page could be wrong, as the page says.
LOOK = r"""
(() => {
  const wrong = [], all = [...document.querySelectorAll("body *")];
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return { r, g, b, a }; };
  const part = value => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.a === 1) return color;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? parse("rgb(18,18,18)") : parse("rgb(255,255,255)");
  };
  let least = 99, texts = 0;
  for (const element of all) {
    if (element.closest("script, style, title") || !element.getClientRects().length) continue;
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own && element.tagName !== "INPUT") continue;
    const a = light(parse(getComputedStyle(element).color)), b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    texts += 1;
    if (ratio < least) least = ratio;
    if (ratio < 4.5 && wrong.length < 5)
      wrong.push(`contrast ${ratio.toFixed(2)} of <${element.tagName} class="${element.className}">`);
  }
  for (const bar of document.querySelectorAll("svg rect")) {
    const a = light(parse(getComputedStyle(bar).fill)), b = light(behind(bar.closest("td")));
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 3) { wrong.push("a bar is hard to see"); break; }
  }
  const levels = [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map(h => Number(h.tagName[1]));
  if (levels.filter(l => l === 1).length !== 1 || levels[0] !== 1) wrong.push(`headings ${levels}`);
  if (levels.some((l, i) => i && l > levels[i - 1] + 1)) wrong.push(`a heading's level is left out: ${levels}`);
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption || !table.caption.textContent.trim()) wrong.push("a table has no caption");
    if (!table.tHead) wrong.push("a table has no head");
  }
  for (const th of document.querySelectorAll("th"))
    if (!["col", "row"].includes(th.getAttribute("scope"))) wrong.push(`a th without scope: ${th.textContent}`);
  for (const svg of document.querySelectorAll("svg"))
    if (svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")) wrong.push("an svg without a label");
  for (const input of document.querySelectorAll("input")) if (!input.labels.length) wrong.push("an input without a label");
  if (document.documentElement.lang !== "en" || !document.title || !document.querySelector("main"))
    wrong.push("no language, title or main");
  if (window.pwned !== undefined) wrong.push("a script of the site ran");
  for (const element of document.querySelectorAll("*"))
    for (const { name, value } of element.attributes)
      if (/^on/.test(name) || (/^(href|src|action)$/.test(name) && /^\s*(javascript|data):/i.test(value)))
        wrong.push(`${element.tagName} has ${name}=${value}`);
  const foreign = [...document.querySelectorAll("img,iframe,object,embed,svg script,link,base")].map(e => e.tagName);
  if (foreign.length) wrong.push(`elements of the site: ${foreign}`);
  if (document.querySelectorAll("script").length !== 1) wrong.push("not exactly one script");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`${document.documentElement.scrollWidth} px wide in ${innerWidth}`);
  return { wrong, least, texts };
})()
"""
# Everything that can have the focus, in the order of the document.
ORDER = """[...document.querySelectorAll("a[href],input,button")].filter(e => e.getClientRects().length)"""


class Trial:
    def __init__(self, program, folder, work):
        self.program, self.folder, self.work = program, folder, work
        self.wrong = []
        os.makedirs(f"{work}/jobs")

    def manifest(self, job, body):
        with open(f"{self.work}/jobs/{job}.yaml", "w", encoding="utf-8") as file:
            file.write(f"job: {job}\n{body}")

    def command(self, name, *arguments):
        return [self.program, name, "--jobs", f"{self.work}/jobs", "--root", f"{self.work}/root", *arguments]

    def run(self, job, status):
        ended = subprocess.run(self.command("run", "--quiet", job), stderr=subprocess.PIPE, check=False)
        self.hold(ended.returncode == status, f"run of {job} ended with {ended.returncode}: {ended.stderr[-300:]}")

    def hold(self, is_so, otherwise):
        if not is_so:
            self.wrong.append(otherwise)

    def make(self, site):
        self.manifest("bericht", f"""start: {site.url}/
download: {{ extensions: [pdf], types: [application/pdf] }}
fetch: {{ concurrency: 16, per-host: 16, retries: 0 }}
schedule: "15 2 * * *"
pack: [{{ format: zip }}, {{ format: tar.zst, include: ["*.exe"] }}]
handoff: [{{ to: "file://{self.work}/delivered" }}]
""")
        self.manifest("late", f"start: {site.url}/small/\ndownload: {{ extensions: [pdf] }}\n"
                              "fetch: { retries: 0 }\nschedule: \"* * * * *\"\n")
        self.manifest("stalls", f"start: [{site.url}/stall.pdf]\ndownload: {{ extensions: [pdf] }}\n")
        self.manifest("never-ran", f"start: {site.url}/small/\nschedule: \"@yearly\"\n")
        self.run("bericht", 1)
        for edition in range(2, 9):
            site.edition, site.is_broken = edition, edition == 5
            self.run("late", 3 if site.is_broken else 1 if edition % 3 == 0 else 0)
        stopped = subprocess.Popen(self.command("run", "--quiet", "stalls"), stderr=subprocess.DEVNULL)
        site.is_stalled.wait(20)
        stopped.send_signal(signal.SIGTERM)
        stopped.wait()
        # Some items change, some are no longer linked to, some are new.
        site.edition, site.count = 2, site.count + 40
        self.run("bericht", 1)

    def index(self):
        """The page of all jobs, once the job of every minute is overdue."""
        for _ in range(75):
            page = subprocess.run(self.command("report", "--format", "html"), stdout=subprocess.PIPE, check=True).stdout
            if b"overdue since" in page:
                break
            time.sleep(1)
        self.hold(b"overdue since" in page, "no job is overdue")
        path = f"{self.work}/root/reports/index.html"
        with open(path, "wb") as file:
            file.write(page)
        return path

    def look(self, browser, name, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.hold(len(text.encode()) < LARGEST, f"{name}: {len(text.encode())} bytes")
        self.hold(not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\x00-\x08\x0b-\x1f\x7f-\x9f]", text),
                  f"{name}: a character that turns or hides text")
        self.hold("secret" not in text, f"{name}: shows the value of a token")
        for scheme in ("light", "dark"):
            browser.open(f"file://{path}", scheme)
            self.judge(browser, f"{name}, {scheme}")
            browser.screenshot(f"{self.folder}/{name}-{scheme}.png")
        self.tab(browser, name)
        browser.open(f"file://{path}", width=400, height=800)
        self.judge(browser, f"{name}, narrow")
        browser.screenshot(f"{self.folder}/{name}-narrow.png")
        browser.open(f"file://{path}", scripts=False)
        browser.screenshot(f"{self.folder}/{name}-no-script.png")
        browser.pdf(f"{self.folder}/{name}.pdf")
        return len(text.encode())

    def judge(self, browser, name):
        found = browser.evaluate(LOOK)
        self.wrong += [f"{name}: {problem}" for problem in found["wrong"]]
        print(f"{name}: {found['texts']} texts, least contrast {found['least']:.2f}")
        asked = [event["params"]["request"]["url"] for event in browser.events
                 if event["method"] == "Network.requestWillBeSent"]
        self.hold(len(asked) == 1, f"{name}: asked for {asked[:5]}")
        for event in browser.events:
            self.hold(event["method"] != "Page.javascriptDialogOpening", f"{name}: an alert")
            if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown"):
                self.wrong.append(f"{name}: {event['params']}")

    def tab(self, browser, name):
        """The focus must go through the page in its order, and be seen."""
        count = min(browser.evaluate(f"{ORDER}.length"), 40)
        for place in range(count):
            browser.press("Tab", 9)
            seen = browser.evaluate(f"""(() => {{ const e = document.activeElement, style = getComputedStyle(e);
                return [{ORDER}.indexOf(e), style.outlineStyle !== "none" && style.outlineWidth !== "0px"]; }})()""")
            if seen != [place, True]:
                self.wrong.append(f"{name}: after {place + 1} tabs the focus is at {seen}")
                break

    def use(self, browser, path):
        """Filters and sorts by keyboard."""
        browser.open(f"file://{path}")
        rows = "[...document.querySelectorAll('tr[data-kind]')]"
        shown = f"{rows}.filter(r => !r.hidden)"
        total = browser.evaluate(f"{rows}.length")
        browser.evaluate("document.querySelector('input[type=search]').focus()")
        for letter in "한국어":
            browser.press(letter, text=letter)
        some = browser.evaluate(f"{shown}.length")
        self.hold(0 < some < total, f"the filter shows {some} of {total}")
        self.hold(browser.evaluate(f"{shown}.every(r => r.textContent.includes('한국어'))"), "the filter shows others")
        self.hold(browser.evaluate("document.querySelector('output').textContent") == f"{some} of {total} shown",
                  "the filter does not say how many it shows")
        browser.evaluate("document.querySelector('[data-sorts] th:nth-child(4) button').focus()")
        browser.press("Enter", 13, "\r")
        self.hold(browser.evaluate("document.querySelector('[aria-sort]').getAttribute('aria-sort')") == "ascending",
                  "sorting is not told")
        sizes = browser.evaluate(f"{shown}.map(r => Number(r.cells[3].dataset.value))")
        self.hold(sizes == sorted(sizes), "sizes are not sorted")
        browser.evaluate("document.querySelector('form').scrollIntoView()")
        browser.screenshot(f"{self.folder}/run-filtered.png")


def main():
    program, folder = sys.argv[1:]
    work = tempfile.mkdtemp(prefix="nightjar-pages-")
    trial = Trial(os.path.realpath(program), folder, work)
    browser = None
    try:
        trial.make(Site())
        browser = Chromium()
        page = os.path.realpath(f"{work}/root/reports/bericht/latest.html")
        sizes = [trial.look(browser, "run", page), trial.look(browser, "index", trial.index())]
        trial.use(browser, page)
        shutil.copy(page, f"{folder}/run.html")
        shutil.copy(f"{work}/root/reports/index.html", f"{folder}/index.html")
        print(f"run page {sizes[0]} bytes, index {sizes[1]} bytes; "
              + ("all right" if not trial.wrong else "WRONG:\n" + "\n".join(trial.wrong[:30])))
        return 1 if trial.wrong else 0
    finally:
        if browser:
            browser.close()
        shutil.rmtree(work, ignore_errors=True)


sys.exit(main())
