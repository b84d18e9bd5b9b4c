"""Rows of pure computing: links, URLs, names, schedules."""

import os
import random
import subprocess
import sys

from measure import Cost
from trial import Result

LXML = """
import sys, time
from lxml import html
data = open(sys.argv[1], "rb").read()
began = time.process_time(); rounds = 0
while True:
    found = sum(1 for _ in html.fromstring(data).iterlinks()); rounds += 1
    if time.process_time() - began > 2: break
print(found, len(data) * rounds / (time.process_time() - began))
"""
SELECTOLAX = """
import sys, time
from selectolax.lexbor import LexborHTMLParser
data = open(sys.argv[1], "rb").read()
began = time.process_time(); rounds = 0
while True:
    found = sum(1 for node in LexborHTMLParser(data).css("[href], [src]") if node.attributes.get("href") or node.attributes.get("src"))
    rounds += 1
    if time.process_time() - began > 2: break
print(found, len(data) * rounds / (time.process_time() - began))
"""


def links(bench):
    """Links of one page, at sizes that no buffer holds."""
    lines = []
    for size in (1, 10, 100) if bench.full else (1, 10):
        path = os.path.join(bench.folder("page"), "page.html")
        page(path, size << 20)
        label = f"links of a page of {size} MB"
        own = rate([bench.measure, "links", path], 2)
        lines.append(Result(label, "nightjar", None, f"{own / 1e6:.0f} MB/s"))
        for tool, program, goal in (("lxml", LXML, True), ("selectolax", SELECTOLAX, False)):
            try:
                peer = rate([bench.python, "-c", program, path], 1)
            except (subprocess.CalledProcessError, OSError):
                lines.append(Result(label, tool, None, "not there"))
                continue
            lines.append(Result(label, tool, None, f"{peer / 1e6:.0f} MB/s"))
            ratio = own / peer
            lines.append(Result(label, f"nightjar / {tool}", None, f"speed {ratio:.2f}", "speed ≥ 1" if goal else "", ratio >= 1 if goal else None))
    return lines


def computing(bench):
    """URLs, names and schedules a CPU second."""
    lines = []
    for name, unit, goal in (("urls", "URLs parsed", 1e6), ("names", "names given", 1e5), ("schedule", "next times", 1e4)):
        own = rate([bench.measure, name], 2)
        lines.append(Result(f"{unit} a CPU second", "nightjar", None, f"{own:,.0f}", f"≥ {goal:,.0f}", own >= goal))
    return lines


def explain(bench):
    """`explain links --batch` reads JSON, so it pays for that too."""
    import json
    path = os.path.join(bench.folder("batch"), "batch.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        body = article(random.Random(3), 60_000)
        line = json.dumps({"html": body, "url": "https://example.org/a/", "content_type": "text/html"}) + "\n"
        for _ in range(500):
            file.write(line)
    size = os.path.getsize(path)
    from measure import median, run
    costs = []
    for _ in range(3):
        with open(path, "rb") as stdin:
            costs.append(run([bench.nightjar, "explain", "links", "--batch"], stdin=stdin))
    cost = median(costs)
    speed = size / cost.cpu / 1e6
    return [Result("explain links --batch, ordinary pages", "nightjar", cost, f"{speed:.0f} MB/s", "≥ 50 MB/s", speed >= 50)]


def page(path, size):
    rng = random.Random(5)
    with open(path, "w", encoding="utf-8") as file:
        file.write("<!DOCTYPE html><meta charset=utf-8><title>List</title><body>\n")
        while file.tell() < size:
            file.write(article(rng, 20_000))


def article(rng, size):
    words = "the annual report of region and figures by month with tables sources notes see also archive".split()
    parts, length = [], 0
    while length < size:
        text = " ".join(rng.choices(words, k=60))
        parts.append(f'<div class="entry"><h3>Entry {rng.randint(1, 10**6)}</h3><p>{text}</p>'
                     f'<a class="more" href="/reports/{rng.randint(1, 10**6)}/file.pdf">Read on</a>'
                     f'<img src="/img/{rng.randint(1, 10**4)}.png" alt="figure"></div>\n')
        length += len(parts[-1])
    return "".join(parts)


def rate(command, field):
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(answer[field])
