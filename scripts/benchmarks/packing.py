"""Rows that pack: many small files and a few large ones, each format against the tools that write it."""

import os

from measure import in_turns, run
from served import make_files, make_pages, nginx
from trial import Result, compare, fresh, ratios

# Levels are named, since defaults differ: 3 is zstd's own, 6 that of deflate and xz.
FORMATS = {
    "tar.zst": (3, {
        "bsdtar --zstd": ["bsdtar", "--zstd", "--options", "zstd:compression-level=3,zstd:threads=2", "-cf", "OUT", "-C", "IN", "."],
        "tar | zstd -T0": ["tar", "--use-compress-program=zstd -3 -T0", "-cf", "OUT", "-C", "IN", "."],
    }),
    "zip": (6, {
        "bsdtar --format zip": ["bsdtar", "--format", "zip", "--options", "zip:compression-level=6", "-cf", "OUT", "-C", "IN", "."],
        "zip -r": ["sh", "-c", "cd IN && exec zip -q -6 -r OUT ."],
        "7z -tzip": ["sh", "-c", "cd IN && exec 7z a -bd -bso0 -tzip -mx=5 OUT ."],
    }),
    "tar.xz": (1, {
        "bsdtar -J": ["bsdtar", "-J", "--options", "xz:compression-level=1,xz:threads=2", "-cf", "OUT", "-C", "IN", "."],
        "tar | xz -T0": ["tar", "--use-compress-program=xz -1 -T0", "-cf", "OUT", "-C", "IN", "."],
    }),
}
ALONE = "nightjar, packing alone"
# What a person would run to have the digests, and to know that the archive can be read to its end.
PROVEN = "bsdtar, openssl, bsdtar -xO"
MADE_FOR = {"tar.zst": "bsdtar --zstd", "zip": "bsdtar --format zip", "tar.xz": "bsdtar -J"}


def pack(bench):
    """Nightjar reads every bundle back, entry by entry, before it counts; its peers only pack. So the goal is held once
    without that, and once against a peer that is made to prove as much. A quick trial has one peer a format."""
    small, size = (20_000, 512 << 20) if bench.full else (5_000, 16 << 20)
    for label, ending, make in (
        (f"{small:,} small files", "dat", lambda folder: make_pages(folder, small, small // 100)),
        (f"6 files of {size >> 20} MiB", "bin", lambda folder: make_files(folder, 6, size)),
    ):
        root, content = stored(bench, ending, make)
        for form, (level, peers) in FORMATS.items():
            if form == "tar.xz" and not bench.full:
                continue
            jobs = bench.manifest("stock", "start: http://127.0.0.1:1/urls.txt\n"
                                  f"download: {{ extensions: [{ending}] }}\n"
                                  f"pack: [{{ format: {form}, contents: all, level: {level}, threads: 2 }}]\n")
            trials = {"nightjar": lambda: own(bench, jobs, root), ALONE: fresh(bench, "out", lambda folder: run(
                [bench.measure, "pack", content, folder, form, str(level), "2"]))}
            best = MADE_FOR[form]
            for tool, command in peers.items():
                if tool != best and not bench.full:
                    continue
                bench.used(tool, " ".join(command))
                trials[tool] = fresh(bench, "out", lambda folder, command=command: run(
                    [part.replace("IN", content).replace("OUT", f"{folder}/out.{form}") for part in command]))
            trials[PROVEN] = fresh(bench, "out", lambda folder, command=peers[best]: proven(
                [part.replace("IN", content).replace("OUT", f"{folder}/out.{form}") for part in command],
                f"{folder}/out.{form}"))
            costs = in_turns(trials, 3)
            work = f"pack {label}: {form}"
            yield from compare(work, costs, ALONE, [("wall", best, 1.1), ("cpu", best, 1.1)])
            yield from ratios(work, costs, "nightjar", [
                ("wall", best, None), ("cpu", best, None), ("wall", PROVEN, 1.1), ("cpu", PROVEN, 1.1)])
            more = (costs["nightjar"].peak - costs[best].peak) / (1 << 20)
            yield Result(work, f"nightjar - {best}", None, f"peak {more:+.0f} MiB", "peak ≤ +64 MiB", more <= 64)


def proven(command, archive):
    script = '"$@" && openssl dgst -sha256 "$0" > "$0.sha256" && bsdtar -xOf "$0" | openssl dgst -sha256 > "$0.content"'
    return run(["sh", "-c", script, archive, *command])


def stored(bench, ending, make):
    """A root into which a run has fetched the content, and the folder of its names."""
    site, root = bench.folder("site"), bench.folder("root")
    names = make(f"{site}/www")
    with nginx(site, f"{site}/www") as url:
        with open(f"{site}/www/urls.txt", "w", encoding="ascii") as file:
            file.writelines(f"{url}/{name}\n" for name in names)
        jobs = bench.manifest("stock", f"start: {url}/urls.txt\ndownload: {{ extensions: [{ending}] }}\n")
        bench.mirror(jobs, root)
    return root, f"{root}/files/stock"


def own(bench, jobs, root):
    cost = run([bench.nightjar, "pack", "stock", "--quiet", "--jobs", jobs, "--root", root])
    for folder, _, names in os.walk(f"{root}/bundles"):
        for name in names:
            os.remove(os.path.join(folder, name))
    return cost
