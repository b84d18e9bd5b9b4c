"""Rows that fetch: a crawl with small files, the same as a list, large files, and a slow server."""

import os
import subprocess

from measure import in_turns, run
from served import make_files, make_pages, nginx, write
from trial import Result, compare, expect_files, fresh

CONCURRENCY = 16


def crawl(bench, disk=None):
    """201 pages and the files they link to."""
    pages, files = (200, 20_000) if bench.full else (50, 5_000)
    label = f"crawl {pages + 1} pages, fetch {files:,} files" + (", on disk" if disk else "")
    site = bench.folder("site")
    make_pages(f"{site}/www", files, pages)
    with nginx(site, f"{site}/www") as url:
        jobs = bench.manifest("crawl", f"""start: {url}/
crawl: {{ depth: 2, pages: 1000 }}
download: {{ extensions: [dat] }}
fetch: {{ concurrency: {CONCURRENCY}, per-host: {CONCURRENCY} }}
""")

        def own(folder):
            cost = bench.mirror(jobs, folder)
            expect_files(f"{folder}/files", files)
            return cost

        def peer(name, command):
            bench.used(name, " ".join(command).replace(url, "URL"))

            def trial(folder):
                cost = run(command, cwd=folder, accept=(0, 8))
                expect_files(folder, files)
                return cost
            return trial

        trials = {
            "nightjar": own,
            "wget2 -r": peer("wget2 -r", [
                "wget2", "-q", "-r", "-l", "3", "-nH", f"--max-threads={CONCURRENCY}", "--no-robots", f"{url}/"]),
        }
        if bench.full and not disk:
            trials["wget -r"] = peer("wget -r", ["wget", "-q", "-r", "-l", "3", "-nH", "-e", "robots=off", f"{url}/"])
            trials["httrack"] = peer("httrack", [
                "httrack", f"{url}/", "-q", "-I0", "-s0", f"-c{CONCURRENCY}", "-A1000000000", "--disable-security-limits", "-%c1000", "-O", "."])
        where = disk or bench.work
        bench.work, kept = where, bench.work
        try:
            costs = in_turns({name: fresh(bench, "out", trial) for name, trial in trials.items()}, 3)
        finally:
            bench.work = kept
    return compare(label, costs, "nightjar", [("wall", "wget2 -r", 0.9), ("cpu", "wget2 -r", 0.8)])


def crawl_on_disk(bench):
    """The first row once more, where write-back counts."""
    return crawl(bench, disk=bench.folder_on_disk())


def listed(bench):
    """The same files from a list, without a crawl."""
    count = 20_000 if bench.full else 5_000
    site = bench.folder("site")
    names = make_pages(f"{site}/www", count, 200 if bench.full else 50)
    with nginx(site, f"{site}/www") as url:
        urls = "".join(f"{url}/{name}\n" for name in names)
        with open(f"{site}/www/urls.txt", "w", encoding="ascii") as file:
            file.write(urls)
        with open(f"{site}/curl.cfg", "w", encoding="ascii") as file:
            file.writelines(f'url = "{url}/{name}"\noutput = "{os.path.basename(name)}"\n' for name in names)
        jobs = bench.manifest("listed", f"""start: {url}/urls.txt
download: {{ extensions: [dat] }}
fetch: {{ concurrency: {CONCURRENCY}, per-host: {CONCURRENCY} }}
""")
        curl = ["curl", "-s", "--parallel", "--parallel-max", str(CONCURRENCY), "-K", f"{site}/curl.cfg"]
        aria = ["aria2c", "-q", f"-j{CONCURRENCY}", "-x1", "-s1", "--file-allocation=none", "--disk-cache=64M",
                "--max-connection-per-server=1", "-i", f"{site}/www/urls.txt"]
        bench.used("curl --parallel", f"curl -s --parallel --parallel-max {CONCURRENCY} -K LIST")
        bench.used("aria2 -i", " ".join(aria).replace(site, "."))

        def own(folder):
            cost = bench.mirror(jobs, folder)
            expect_files(f"{folder}/files", count)
            return cost

        def peer(command):
            def trial(folder):
                cost = run(command, cwd=folder)
                expect_files(folder, count)
                return cost
            return trial

        trials = {"nightjar": own, "curl --parallel": peer(curl), "aria2 -i": peer(aria)}
        costs = in_turns({name: fresh(bench, "out", trial) for name, trial in trials.items()}, 3)
    return compare(f"{count:,} files from a list", costs, "nightjar", [("cpu", "curl --parallel", 1.5)])


def hash_seconds(size):
    """What SHA-256 of `size` bytes costs by `openssl speed`, in CPU seconds."""
    answer = subprocess.run(["openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", "sha256"],
                            capture_output=True, text=True, check=True).stdout
    rate = float(answer.split()[-1].rstrip("k")) * 1000
    return size / rate


def large(bench):
    """Six files, each larger than any buffer."""
    size = (512 << 20) if bench.full else (64 << 20)
    site = bench.folder("site")
    names = make_files(f"{site}/www", 6, size)
    with nginx(site, f"{site}/www") as url:
        with open(f"{site}/www/urls.txt", "w", encoding="ascii") as file:
            file.writelines(f"{url}/{name}\n" for name in names)
        jobs = bench.manifest("large", f"start: {url}/urls.txt\ndownload: {{ extensions: [bin] }}\n"
                                       "fetch: { concurrency: 6, per-host: 6 }\n")
        each = [part for name in names for part in ("-o", name, f"{url}/{name}")]
        commands = {
            "curl --parallel": ["curl", "-s", "--parallel", "--parallel-max", "6", *each],
            "aria2": ["aria2c", "-q", "-j6", "-x4", "-s4", "--file-allocation=none", "-i", f"{site}/www/urls.txt"],
            "wget2": ["wget2", "-q", "--max-threads=6", *[f"{url}/{name}" for name in names]],
        }
        bench.used("wget2", "wget2 -q --max-threads=6 URL...")
        bench.used("aria2", "aria2c -q -j6 -x4 -s4 --file-allocation=none -i LIST")

        def own(folder):
            cost = bench.mirror(jobs, folder)
            expect_files(f"{folder}/files", 6, ".bin")
            return cost

        def peer(command):
            def trial(folder):
                cost = run(command, cwd=folder)
                expect_files(folder, 6, ".bin")
                return cost
            return trial

        trials = {"nightjar": own} | {name: peer(command) for name, command in commands.items()}
        costs = in_turns({name: fresh(bench, "out", trial) for name, trial in trials.items()}, 3)
    label = f"6 files of {size >> 20} MiB, hashed"
    best = min((name for name in commands), key=lambda name: costs[name].wall)
    lines = compare(label, costs, "nightjar", [("wall", best, 1.15)])
    bound = costs["curl --parallel"].cpu + hash_seconds(6 * size)
    ratio = costs["nightjar"].cpu / bound
    lines.append(Result(label, "nightjar / (curl + openssl's sha256)", None, f"cpu {ratio:.2f}", "cpu ≤ 1", ratio <= 1))
    return lines


def latency(bench):
    """A server that thinks for 50 ms before each answer."""
    count, width, delay = 2_000, 64, 0.050
    site = bench.folder("site")
    make_pages(f"{site}/www", count, 20)
    # A page in its place would be asked for within the server, and wait twice.
    write(f"{site}/www/robots.txt", b"")
    slow = f'location / {{ echo_sleep {delay}; echo_exec @file; }} location @file {{ try_files $uri /p000/index.html; }}'
    with nginx(site, f"{site}/www", slow) as url:
        with open(f"{site}/www/urls.txt", "w", encoding="ascii") as file:
            file.writelines(f"{url}/p{n // 100:03}/file-{n // 100:03}-{n % 100:04}.dat\n" for n in range(count))
        jobs = bench.manifest("latency", f"start: {url}/urls.txt\ndownload: {{ extensions: [dat] }}\n"
                                         f"fetch: {{ concurrency: {width}, per-host: {width} }}\n")

        def own(folder):
            cost = bench.mirror(jobs, folder)
            expect_files(f"{folder}/files", count)
            return cost

        costs = in_turns({"nightjar": fresh(bench, "out", own)}, 3)
    label = f"{count:,} files at {delay * 1000:.0f} ms latency, concurrency {width}"
    files = count * delay / width
    # Nothing can be asked beside robots.txt, nor beside the list.
    ideal = files + 2 * delay
    wall = costs["nightjar"].wall
    return [Result(label, "nightjar", costs["nightjar"]),
            Result(label, f"nightjar / ideal of {ideal:.2f} s", None, f"wall {wall / ideal:.2f}", "wall ≤ 1.25",
                   wall / ideal <= 1.25),
            Result(label, f"nightjar / ideal without robots.txt and the list, {files:.2f} s", None,
                   f"wall {wall / files:.2f}")]
