"""What every row of the table needs: the programs, a folder, the wanted size, and how it tells its result."""

import itertools
import os
import shutil
from dataclasses import dataclass, field

from measure import Failed, run

VENV = os.path.join(os.path.dirname(__file__), "..", "..", ".build", "python", "bin", "python3")
PYTHON = os.path.abspath(VENV) if os.path.exists(VENV) else "/usr/bin/python3"

@dataclass
class Result:
    """One line of the table. `goal` is the bound as text, `reached` whether it holds, or None where there is none."""

    work: str
    tool: str
    cost: object
    ratio: str = ""
    goal: str = ""
    reached: bool | None = None


@dataclass
class Bench:
    """`full` asks for the sizes of the published table; else each row takes the size of a quick look."""

    nightjar: str
    measure: str
    work: str
    full: bool
    #: With lxml and selectolax, where scripts/deps could get them.
    python: str = PYTHON
    settings: dict = field(default_factory=dict)
    _numbers: itertools.count = field(default_factory=itertools.count)

    def folder(self, name):
        """A fresh folder that nobody used before."""
        path = os.path.join(self.work, f"{name}-{next(self._numbers)}")
        os.makedirs(path)
        return path

    def folder_on_disk(self):
        """A folder beside the build, which is no tmpfs."""
        path = os.path.join(os.path.dirname(self.nightjar), "bench-on-disk")
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def manifest(self, name, body):
        """Writes a manifest; returns the jobs folder that holds it alone."""
        jobs = self.folder("jobs")
        with open(os.path.join(jobs, f"{name}.yaml"), "w", encoding="utf-8") as file:
            file.write(f"job: {name}\n{body}")
        return jobs

    def mirror(self, jobs, root, *arguments, accept=(0,)):
        return run([self.nightjar, "run", "--quiet", "--jobs", jobs, "--root", root, *arguments], accept=accept)

    def used(self, tool, command):
        """Notes how a peer was called, for the page of results."""
        self.settings[tool] = command


def fresh(bench, name, trial):
    """A trial in a folder of its own, which is removed afterwards, outside the time that counts."""
    def once():
        folder = bench.folder(name)
        try:
            return trial(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return once


def expect_files(folder, count, ending=".dat"):
    """Fails unless at least `count` files came: a tool that was fast since it did nothing must not win."""
    found = sum(name.endswith(ending) or ending == "" for _, _, names in os.walk(folder) for name in names)
    if found < count:
        raise Failed(f"{folder} holds {found} files, {count} were expected")


def compare(work, costs, own, bounds):
    """Lines for `costs` (tool -> Cost). `bounds` are (field, peer, at most) and are held against `own`."""
    return [Result(work, tool, cost) for tool, cost in costs.items()] + ratios(work, costs, own, bounds)


def ratios(work, costs, own, bounds):
    """Lines for what `own` costs beside its peers; a bound of None only tells."""
    lines = []
    for what, peer, bound in bounds:
        if peer in costs:
            ratio = getattr(costs[own], what) / getattr(costs[peer], what)
            goal, reached = ("", None) if bound is None else (f"{what} ≤ {bound}", ratio <= bound)
            lines.append(Result(work, f"{own} / {peer}", None, f"{what} {ratio:.2f}", goal, reached))
    return lines
