"""Runs a program and says what it cost; compares programs in turns."""

import os
import statistics
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Cost:
    """What one or the median of several runs took: seconds of wall and of CPU, bytes of peak memory."""

    wall: float
    cpu: float
    peak: int


class Failed(Exception):
    """A program did not do what it was measured for."""


def run(command, cwd=None, env=None, accept=(0,), stdin=None, stdout=None):
    """Runs `command` to its end and returns its cost, children included."""
    with open(os.devnull, "r+b") as null:
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=stdin or null, stdout=stdout or null, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accept:
        raise Failed(f"{command[0]} ended with {process.returncode}: {errors[-600:].decode(errors='replace')}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def median(costs):
    return Cost(*(statistics.median(getattr(cost, field) for cost in costs) for field in ("wall", "cpu", "peak")))


def in_turns(trials, rounds):
    """Runs each of `trials` (name -> function that gives a Cost) in turn, `rounds` times: A B A B, so that a noisy
    minute hits all of them. Gives name -> median."""
    costs = {name: [] for name in trials}
    for _ in range(rounds):
        for name, trial in trials.items():
            costs[name].append(trial())
    return {name: median(taken) for name, taken in costs.items()}
