#!/usr/bin/env python3
"""fuzz_traces.py - gives damaged traces to every command that reads or continues a trace.

Each case damages a trace (damage.py) and runs some commands on the copy; commands.py says what
counts as a failure. A failure is printed with the command that reproduces it.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True          # sources may be read-only
import commands
import damage

MAX_BYTES = 500000                      # copying larger traces would take most of the time
COMMANDS_PER_CASE = 10
SCREENS = ["summary", "time", "launch", "kv", "chunks", "reduce", "points", "counters", "source",
           "text", "diff", "findings"]
FORMATS = ["svg", "html", "json", "perfetto", "npz"]
VIEWS = ["v_run", "v_op", "v_launch", "v_node", "v_arg", "v_pointer", "v_buffer", "v_digest",
         "v_kv", "v_partial", "v_reduce", "v_point", "v_request", "v_access",
         "v_access_line", "v_line", "v_finding", "v_counter",
         "v_hit", "v_diff", "v_step", "v_token", "v_model", "v_attention", "v_source"]
QUERIES = ["SELECT * FROM {0}", "SELECT count(*) FROM {0}", "SELECT * FROM {0} LIMIT 5",
           "SELECT * FROM {0} ORDER BY 1 DESC, 2", "SELECT hex(data(rowid)) FROM t_blob",
           "SELECT op, f32(data(data), 0) FROM v_digest", "SELECT name, sql FROM sqlite_schema"]
ADDRESSES = ["r1", "r2", "s0", "s1", "op 0", "op 9", "L0", "L3", "L7.end", "L5.b0", "L5.b0.w0.l3",
             "L9.b1.p1", "L3.o0", "L3.o0.e5", "L3.n12", "L3.f1.n2", "L3.a0", "r2.L4", "L12",
             "s1.end"]


def record(program, arguments, path):
    subprocess.run([program] + arguments + ["-o", path], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def recorded(options):
    """Records what the traces in tests/h200/ lack: counters, findings, several runs."""
    model = os.path.join(options.source, "doc", "samples", "shakespeare")
    reference = os.path.join(model, "reference", "romeo", "layer0_")
    made = os.path.join(options.work, "made.twin")
    attended = os.path.join(options.work, "attended.twin")
    decode = ["decode", "--model", model, "--prompt", "RO", "-n", "2", "--path", "flash-decoding",
              "--chunk", "2"]
    record(options.program, decode + ["--log", "points", "--count"], made)
    record(options.program, decode + ["--append", "--seed", "3", "--warps", "2"], made)
    record(options.program, ["attend", "--q", reference + "q.npy", "--k", reference + "k.npy",
                             "--v", reference + "v.npy", "--lengths", "9", "--log", "points",
                             "--check", "--chunk", "4", "--graph", "capture"], attended)
    return [made, attended] + launched(options)


def launched(options):
    """Records a user's kernel and the race in it; returns no trace if there is no compiler."""
    path = os.path.join(options.work, "launched.twin")
    source = os.path.join(options.source, "doc", "samples", "merge.cu")
    subprocess.run([options.program, "launch", source, "--kernel", "merge", "--grid", "1",
                    "--block", "128", "--arg", "out=>out.npy:f32[1]", "--check", "-o", path],
                   cwd=options.work, check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return [path] if os.path.exists(path) else []


def traces_of(options):
    directory = os.path.join(options.source, "tests", "h200")
    paths = [os.path.join(directory, name) for name in sorted(os.listdir(directory))]
    return recorded(options) + [path for path in paths if path.endswith(".twin")
                                and os.path.getsize(path) < MAX_BYTES]


def helped(options, command):
    """The help of a command; empty if there is no such command."""
    return subprocess.run([options.program, "help", command], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout


class Maker:
    """Makes the cases."""

    def __init__(self, options):
        self.options = options
        self.traces = traces_of(options)
        self.readers = [self.info, self.diff, self.find, self.sql, self.sql, self.view, self.view,
                        self.view, self.export, self.export, self.replay]
        self.writers = [self.attend, self.decode, self.append_replay]
        if helped(options, "verify"):
            self.readers.append(self.verify)
        # Without it, a replay refuses a user's kernel.
        self.trust = ["--trust"] if b"--trust" in helped(options, "replay") else []

    def case(self, random, work):
        whole = random.choice(self.traces)
        kind = damage.copy(whole, os.path.join(work, "d.twin"), random)
        # Every reader once, then more of them; what changes the trace comes last.
        readers = list(dict.fromkeys(self.readers))
        random.shuffle(readers)
        readers += random.choices(self.readers, k=max(0, COMMANDS_PER_CASE - len(readers)))
        makers = readers + [random.choice(self.writers)]
        return f"{os.path.basename(whole)}, {kind}", [make(random, whole) for make in makers]

    @staticmethod
    def info(random, _):
        return ["info", "d.twin"] + random.choice([[], ["--json"]])

    @staticmethod
    def verify(_, __):
        return ["verify", "d.twin"]

    @staticmethod
    def diff(random, whole):
        traces = random.choice([["d.twin", whole], [whole, "d.twin"], ["d.twin"],
                                ["d.twin", "d.twin"]])
        return ["diff"] + traces + random.choice([[], [], ["--json"], ["--plain"], ["--first"],
                                                  ["--ulp", "3"], ["--runs", "1,2"],
                                                  ["--runs", "1,1"]])

    @staticmethod
    def find(random, _):
        return ["find", "d.twin"] + random.choice([[], ["--json"], ["--class", "uninit"],
                                                   ["--lint-fail"]])

    @staticmethod
    def sql(random, _):
        if random.random() < 0.2:
            return ["sql", "d.twin", "--dump"]
        return ["sql", "d.twin", random.choice(QUERIES).format(random.choice(VIEWS)),
                random.choice(["--table", "--plain", "--csv", "--json"])]

    @staticmethod
    def view(random, whole):
        words = ["view", "d.twin", "--plain"]
        words += random.choice([[], [], [whole]])
        words += random.choice([["--screen", random.choice(SCREENS)]] * 2 + [[]])
        words += random.choice([["--at", random.choice(ADDRESSES)]] * 2 + [[]])
        return words + random.choice([[], [], ["--all"], ["--number", "bits"],
                                      ["--distance", "rel"], ["--scale", "log"], ["--ascii"]])

    @staticmethod
    def export(random, whole):
        form = random.choice(FORMATS)
        words = ["export", "d.twin", "--as", form, "-o", "exported", "--force"]
        if random.random() < 0.2:
            words.insert(2, whole)
        if form in ("svg", "json"):
            words += random.choice([[], ["--screen", random.choice(SCREENS)]])
        if form == "html":
            return words + random.choice([[], ["--steps", "0"], ["--steps", "0-1"]])
        return words + random.choice([[], ["--at", random.choice(ADDRESSES)]])

    def replay(self, random, _):
        return ["replay", "d.twin"] + random.choice(
            [self.trust, [], [], [], ["--run", "1"], ["--run", "2"], ["--seed", "5"], ["--check"],
             ["--json"], ["--steps", "9"], ["--log", "points", "-o", "r.twin", "--force"],
             ["--jobs", "2"], ["--count", "-o", "r.twin", "--force"]])

    @staticmethod
    def append_replay(random, whole):
        return ["replay", whole, "--append", "-o", "d.twin"] + random.choice(
            [[], ["--log", "points"]])

    def attend(self, random, _):
        reference = os.path.join(self.options.source, "doc", "samples", "shakespeare",
                                 "reference", "romeo", "layer0_")
        return ["attend", "--q", reference + "q.npy", "--k", reference + "k.npy", "--v",
                reference + "v.npy", "--lengths", "5", "--append", "-o", "d.twin", "--path",
                random.choice(["batched", "flash-decoding", "incremental"]), "--log", "points"]

    def decode(self, random, _):
        model = os.path.join(self.options.source, "doc", "samples", "shakespeare")
        return ["decode", "--model", model, "--prompt", "R", "-n", "1", "--append", "-o", "d.twin",
                "--log", random.choice(["launch", "partials", "points"])]


if __name__ == "__main__":
    sys.exit(commands.main(__doc__, lambda options: Maker(options).case))
