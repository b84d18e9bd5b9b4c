"""Rows of the second night, of growth, and of starting up."""

import os
import shutil

from measure import in_turns, median, run
from served import make_pages, nginx
from trial import Result, compare, expect_files

CONCURRENCY = 16


def again(bench):
    """Nothing changed since yesterday: everything is asked for, nothing comes."""
    pages, files = (200, 20_000) if bench.full else (50, 5_000)
    site = bench.folder("site")
    names = make_pages(f"{site}/www", files, pages)
    with nginx(site, f"{site}/www") as url:
        body = f"""start: {url}/
crawl: {{ depth: 2, pages: 1000 }}
download: {{ extensions: [dat] }}
"""
        asking = bench.manifest("again", body + f"fetch: {{ concurrency: {CONCURRENCY}, per-host: {CONCURRENCY} }}\n")
        trusting = bench.manifest(
            "again", body + f"fetch: {{ concurrency: {CONCURRENCY}, per-host: {CONCURRENCY}, max-age: 7d }}\n")
        root, wget2, wget, curl = (bench.folder(name) for name in ("root", "wget2", "wget", "curl"))
        with open(f"{site}/curl.cfg", "w", encoding="ascii") as file:
            for name in names:
                flat = os.path.basename(name)
                file.write(("next\n" if name != names[0] else "") + f'url = "{url}/{name}"\noutput = "{flat}"\n'
                           f'etag-save = "{flat}.etag"\netag-compare = "{flat}.etag"\n')
        commands = {
            "wget2 -N": (["wget2", "-q", "-r", "-N", "-l", "3", "-nH", f"--max-threads={CONCURRENCY}", "--no-robots", f"{url}/"], wget2),
            "curl with etag files": (["curl", "-s", "-Z", "--parallel-max", str(CONCURRENCY), "-K", f"{site}/curl.cfg"], curl),
        }
        if bench.full:
            commands["wget -N"] = (["wget", "-q", "-r", "-N", "-l", "3", "-nH", "-e", "robots=off", f"{url}/"], wget)
        bench.used("wget2 -N", " ".join(commands["wget2 -N"][0]).replace(url, "URL"))
        bench.used("curl with etag files", "curl -s -Z --parallel-max 16 -K LIST (etag-save, etag-compare for each)")
        trials = {"nightjar": lambda: bench.mirror(asking, root)}
        for name, (command, folder) in commands.items():
            trials[name] = lambda command=command, folder=folder: run(command, cwd=folder, accept=(0, 8))
        in_turns(trials, 1)
        expect_files(f"{root}/files", files)
        expect_files(wget2, files)
        expect_files(curl, files)
        costs = in_turns(trials, 3)
        fresh = median([bench.mirror(trusting, root) for _ in range(3)])
    label = f"again, nothing changed, {files:,} URLs"
    lines = compare(label, costs, "nightjar", [("wall", "wget2 -N", 0.8)])
    limit = 1.5 if bench.full else 1.5 / 4
    lines.append(Result(label, "nightjar, max-age: 7d", fresh, f"wall {fresh.wall:.2f} s", f"wall < {limit:.2f} s", fresh.wall < limit))
    return lines


def growth(bench):
    """What one more URL costs when many are known."""
    sizes = [1_000, 10_000, 100_000, 1_000_000] if bench.full else [1_000, 10_000]
    site = bench.folder("site")
    os.makedirs(f"{site}/www")
    lines, first = [], None
    with nginx(site, f"{site}/www", 'location /f/ { return 200 "%PDF-1.4 the file of $uri\\n"; }') as url:
        for size in sizes:
            with open(f"{site}/www/urls.txt", "w", encoding="ascii") as file:
                file.writelines(f"{url}/f/{number:07}.dat\n" for number in range(size))
            jobs = bench.manifest("growth", f"start: {url}/urls.txt\ndownload: {{ extensions: [dat] }}\n"
                                  f"fetch: {{ concurrency: {CONCURRENCY}, per-host: {CONCURRENCY} }}\n")
            root = bench.folder("root")
            cost = bench.mirror(jobs, root)
            shutil.rmtree(root, ignore_errors=True)
            each = cost.wall / size * 1e6
            first = first or (each, cost.peak)
            ratio, memory = each / first[0], cost.peak / first[1]
            lines.append(Result(f"growth: {size:,} URLs", "nightjar", cost, f"{each:.0f} µs a URL"))
            if size > sizes[0]:
                lines.append(Result(f"growth: {size:,} URLs", f"nightjar / nightjar at {sizes[0]:,}", None,
                                    f"wall a URL {ratio:.2f}, memory {memory:.2f}", "wall ≤ 1.3, memory ≤ 1.5",
                                    ratio <= 1.3 and memory <= 1.5))
    return lines


def start(bench):
    """How long a person or cron waits for an answer that needs no network."""
    root = bench.folder("root")
    one = bench.manifest("one", 'start: https://example.org/\nschedule: "15 2 * * *"\n')
    many = bench.folder("jobs")
    for number in range(1000):
        with open(f"{many}/job-{number:04}.yaml", "w", encoding="ascii") as file:
            file.write(f'job: job-{number:04}\nstart: https://example.org/{number}/\nschedule: "{number % 60} 2 * * *"\n')
    rows = [
        ("start: --version", [bench.nightjar, "--version"], 0.015),
        ("start: due, 1 manifest", [bench.nightjar, "due", "--jobs", one, "--root", root], 0.025),
        ("start: due, 1,000 manifests", [bench.nightjar, "due", "--jobs", many, "--root", root], 0.300),
    ]
    lines = []
    for label, command, limit in rows:
        cost = median([run(command) for _ in range(15)])
        lines.append(Result(label, "nightjar", cost, f"wall {cost.wall * 1000:.1f} ms", f"wall < {limit * 1000:.0f} ms", cost.wall < limit))
    return lines
