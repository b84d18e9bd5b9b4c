"""The table: which rows there are, and how they are printed. `scripts/bench` calls it."""

import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import computing
import fetching
import nightly
import packing
import reporting
from measure import Failed
from trial import Bench

ROWS = {
    "crawl": fetching.crawl, "listed": fetching.listed, "large": fetching.large, "latency": fetching.latency,
    "again": nightly.again, "links": computing.links, "explain": computing.explain, "computing": computing.computing,
    "pack": packing.pack, "growth": nightly.growth, "start": nightly.start,
    "report": reporting.report, "disk": fetching.crawl_on_disk,
}
IN_FULL_ONLY = {"disk"}


def main():
    binaries, arguments = sys.argv[1], sys.argv[2:]
    if arguments == ["rows"]:
        print("\n".join(ROWS))
        return 0
    full = arguments[:1] == ["full"]
    names = arguments[1:] if arguments[:1] in (["full"], ["quick"]) else arguments
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        print(f"scripts/bench: no row '{unknown[0]}'; there are {', '.join(ROWS)}", file=sys.stderr)
        return 2
    names = names or [name for name in ROWS if full or name not in IN_FULL_ONLY]
    place = os.environ.get("NIGHTJAR_BENCH_DIR", "/dev/shm" if os.path.isdir("/dev/shm") else None)
    # Cores, limits and proxies of the caller are nobody's to measure.
    for variable in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        os.environ.pop(variable, None)
    # So that what was made goes, and the servers end, when it is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = tempfile.mkdtemp(prefix="nightjar-bench-", dir=place)
    # nginx gives up root, and must still read its site.
    os.chmod(work, 0o755)
    bench = Bench(os.path.join(binaries, "nightjar"), os.path.join(binaries, "nightjar-bench"), work, full)
    try:
        return measure(bench, names)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measure(bench, names):
    describe(bench)
    print("| work | tool | wall s | CPU s | peak MB | ratio | goal |\n| --- | --- | --: | --: | --: | --- | --- |")
    missed = 0
    for name in names:
        began = time.monotonic()
        try:
            for line in ROWS[name](bench):
                print(shown(line), flush=True)
                missed += line.reached is False
        except (Failed, OSError, subprocess.CalledProcessError) as error:
            print(f"| {name} | **failed**: {error} | | | | | |".replace("\n", " "), flush=True)
            missed += 1
            continue
        print(f"scripts/bench: {name} took {time.monotonic() - began:.0f} s", file=sys.stderr)
        for entry in os.listdir(bench.work):
            shutil.rmtree(os.path.join(bench.work, entry), ignore_errors=True)
    if bench.settings:
        print("\nHow the peers were called:\n")
        for tool, command in bench.settings.items():
            print(f"- {tool}: `{command}`")
    print(f"\n{missed} goals were missed." if missed else "\nEvery goal was reached.")
    return 0


def shown(line):
    cost = line.cost
    figures = [f"{cost.wall:.2f}", f"{cost.cpu:.2f}", f"{cost.peak / 1e6:.0f}"] if cost else ["", "", ""]
    goal = line.goal if line.reached is None else f"{line.goal}: {'yes' if line.reached else '**no**'}"
    return f"| {line.work} | {line.tool} | {' | '.join(figures)} | {line.ratio} | {goal} |"


def describe(bench):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    versions = []
    for command in (["nightjar", bench.nightjar, "--version"], ["curl", "curl", "--version"], ["wget2", "wget2", "--version"],
                    ["wget", "wget", "--version"], ["aria2", "aria2c", "--version"], ["bsdtar", "bsdtar", "--version"]):
        try:
            versions.append(subprocess.run(command[1:], capture_output=True, text=True).stdout.splitlines()[0])
        except (OSError, IndexError):
            versions.append(f"{command[0]}: not there")
    print(f"{os.cpu_count()} cores, {models[0] if models else platform.machine()}, Linux {platform.release()}, "
          f"{'full' if bench.full else 'quick'} trial; medians of runs in turn. Versions: {'; '.join(versions)}.\n")


if __name__ == "__main__":
    sys.exit(main())
