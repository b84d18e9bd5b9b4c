"""What the report costs of the run that it tells of."""

import contextlib
import os
import statistics
import subprocess
import time

from measure import Cost, Failed
from served import make_pages, nginx
from trial import Result, expect_files, fresh

CONCURRENCY = 16
# Threads of the program by their names: `report` writes report, items file and page, `log` the run's log.
THREADS = ("report", "log")
# Between two looks. What a thread did after the last of them is lost, so the figures may be too small by this much.
INTERVAL = 0.002


def report(bench):
    """The CPU of the thread that writes the report against that of the whole process, in one and the same run: a pair
    of runs with and without a report would drown 2 % in its noise. The kernel tells a thread's time on a processor in
    nanoseconds (schedstat), where the ticks of `stat` would be a tenth of what is measured. Handing an event over to
    the writer is done by the thread that has it, and is not in the figure."""
    pages, files = (200, 20_000) if bench.full else (50, 5_000)
    site = bench.folder("site")
    make_pages(f"{site}/www", files, pages)
    with nginx(site, f"{site}/www") as url:
        jobs = bench.manifest("report", f"""start: {url}/
crawl: {{ depth: 2, pages: 1000 }}
download: {{ extensions: [dat] }}
fetch: {{ concurrency: {CONCURRENCY}, per-host: {CONCURRENCY} }}
""")

        def trial(folder):
            taken = watched([bench.nightjar, "run", "--quiet", "--jobs", jobs, "--root", folder])
            expect_files(f"{folder}/files", files)
            return taken

        trials = [fresh(bench, "out", trial)() for _ in range(3)]
    label = f"report of {files:,} files"
    cost = Cost(*(statistics.median(getattr(trial[0], field) for trial in trials) for field in ("wall", "cpu", "peak")))
    lines = [Result(label, "nightjar", cost)]
    for name in THREADS:
        share = statistics.median(seconds[name] / cost.cpu for cost, seconds in trials)
        milliseconds = statistics.median(seconds[name] for _, seconds in trials) * 1000
        goal = ("cpu ≤ 2 %", share <= 0.02) if name == "report" else ("", None)
        lines.append(Result(label, f"thread `{name}` / nightjar", None, f"cpu {share:.1%} ({milliseconds:.0f} ms)", *goal))
    return lines


def watched(command):
    """Runs `command`; gives its cost, and the CPU seconds of each of `THREADS`."""
    began = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    threads, seconds = {}, {}
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        # A thread that is over, or not there yet, has no file.
        with contextlib.suppress(OSError):
            if len(threads) < len(THREADS):
                threads = named(process.pid)
            for name, thread in threads.items():
                with open(f"/proc/{process.pid}/task/{thread}/schedstat", encoding="ascii") as file:
                    seconds[name] = int(file.read().split()[0]) / 1e9
        time.sleep(INTERVAL)
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(f"{command[0]} ended with {process.returncode}")
    missing = [name for name in THREADS if name not in seconds]
    if missing:
        raise Failed(f"{command[0]} has no thread called {' or '.join(missing)}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024), seconds


def named(process):
    found = {}
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/comm", encoding="utf-8") as file:
            name = file.read().strip()
        if name in THREADS:
            found[name] = thread
    return found
