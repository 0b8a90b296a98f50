#!/usr/bin/env python3
"""fuzz_arguments.py - gives commands damaged .npy files and models, and random arguments.

The options of each command come from its --help, so that new options are tried too; values are
plausible ones or hostile ones. commands.py says what counts as a failure. A failure is printed with
the command that reproduces it.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True          # sources may be read-only
import commands
import damage_npy

COMMANDS = ["decode", "attend", "launch", "run", "replay", "diff", "view", "find", "sql", "export",
            "bench", "info", "help", "verify"]
PATHS = ["prefill", "cached", "incremental", "incremental-multiwarp", "batched", "flash-decoding",
         "flash-decoding-graph", "auto"]
KERNEL = """\
__global__ void scale(float *x, const float *y, int n, float by)
{
	extern __shared__ float tile[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] = y ? y[i] * by : by;
}
"""
OPTION = re.compile(r"^  (--?[\w-]+)(\[=\S+\]|[ ]\S+)?(?=  |$)")
ADDRESSES = ["L0", "L3.b0", "L9.b1.w0.l3", "s0", "op 3", "r1", "r2.L0", "L3.end", "L3.o0.e5",
             "L3.n12", "L3.f1.n2", "L3.b0.p1", "L3.a0"]
# Plausible values of options; "-n" and the sizes of grids stay small, because all is really run.
GOOD = {
    "--path": PATHS, "--device": ["sim", "sim", "cuda", "both"],
    "--graph": ["none", "capture", "manual"], "--chunk": ["0", "1", "3", "128"],
    "--warps": ["1", "2"], "--seed": ["0", "7", "18446744073709551615"], "--all-orders": ["1", "2"],
    "--jobs": ["1", "2"], "--steps": ["1", "99", "100000"],
    "--log": ["launch", "partials", "points"],
    "-o": ["new.twin", "old.twin", "directory", "missing/x", "q.npy"],
    "--log-at": ["s0", "s0..s1", "L0..L3,L9", "s9..s1"], "--points": ["score", "softmax,reduce"],
    "--q": ["q.npy"], "--k": ["k.npy"], "--v": ["v.npy"], "--out": ["out.npy", "missing/o.npy"],
    "--lengths": ["1", "0", "2,3"], "--scale": ["0.5", "-1", "1e30", "1e-40", "linear", "log"],
    "-n": ["0", "1", "2", "1,2"], "--prompt": ["R", "RO", "\u00e9"],
    "--prompt-file": ["prompt"], "--slots": ["1", "2"], "--out-dir": ["texts", "missing/texts"],
    "--logits": ["logits.npy"], "--model": ["directory"],
    "--kernel": ["scale", "none", "scale<float>"],
    "--grid": ["1", "2,1", "0", "1,1,1,1", "1,65536"],
    "--block": ["32", "33", "1025", "0"], "--shared": ["0", "64", "300000"],
    "--arg": ["x=>o.npy:f32[4]", "x=<>q.npy", "y=@q.npy", "y=null", "n=i32:5", "n=u64:5",
              "by=f32:2", "x=>o.npy:f32[99999999999]", "x=>o.npy:f32[-1]", "x=>o.npy:f99[1]",
              "q=i32:1", "n=i32:x"],
    "-D": ["N=3", "=", "N=\"", "-x"], "-I": [".", "missing"],
    "-l": ["m", "missing"], "-L": [".", "missing"], "--std": ["c++20", "c++1"],
    "--exit": ["program", "verdict"], "--report": ["found", "missing/x"], "--profile": ["h200"],
    "--run": ["1", "2"], "--runs": ["1,1", "1,2", "1"], "--ulp": ["0", "5"],
    "--as": ["svg", "html", "json", "perfetto", "npz"], "--at": ADDRESSES,
    "--screen": ["summary", "time", "launch", "kv", "chunks", "reduce", "points", "counters",
                 "source", "text", "diff", "findings"],
    "--number": ["dec", "hex", "bits"], "--distance": ["ulp", "abs", "rel"],
    "--class": ["oob", "uninit"],
    "--suite": ["seeds", "view"], "--sample": ["demo.twin", "merge.cu", "shakespeare"],
    "--sandbox": ["auto", "yes", "no"], "--timeout": ["1", "5"],
    "--causal": ["top-left", "bottom-right"],
}
BAD = ["", "x", "-1", "0", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
       "2147483648", "18446744073709551616", "1e400", "nan", "inf", "0x10", " 1", "1 ", "1,1", ",",
       "1,,2", "\u00e9", "\x1b[2J", "\u009b2J", "a\nb", "%s%n", "x" * 5000, "9" * 400, "--", "-",
       "\udcff\udcfe", "s0..", "L5..L2", "L3.b0.w9223372036854775807", "L99999999999999999999",
       "r9223372036854775807.L3", "L3.o0.e-1", "op 9223372036854775808", "=", "x=", "x=@", "=i32:1",
       "x=>:f32[1]", "x=>o.npy:f32[", "x=>o.npy:f32[1,,2]", "x=i32:", "x=@missing.npy", "top-left"]
WORDS = ["old.twin", "old.twin", "other.twin", "missing.twin", "q.npy", "directory", "scale.cu",
         "SELECT 1", "SELECT", "SELECT * FROM v_op", "DELETE FROM t_op", "--", "extra"]


def options_of(program, command):
    """The command's options: (name, whether it has a value: True, False or None for optional)."""
    text = subprocess.run([program, "help", command], stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.DEVNULL).stdout.decode()
    found = []
    for line in text.splitlines():
        match = OPTION.match(line)
        if match:
            value = match[2]
            found.append((match[1], None if value and value[0] == "[" else bool(value)))
    return found


class Maker:
    """Makes the cases."""

    def __init__(self, options):
        self.source = options.source
        self.model = os.path.join(options.source, "doc", "samples", "shakespeare")
        self.options = {name: options_of(options.program, name) for name in COMMANDS}
        self.commands = [name for name in COMMANDS if self.options[name] or name == "help"]
        self.old = os.path.join(options.source, "tests", "h200", "cached.twin")
        self.other = os.path.join(options.source, "tests", "h200", "incremental.twin")

    def case(self, random, work):
        kinds = {self.tensors: 6, self.lists: 9, self.damaged_model: 1, self.launches: 1}
        kind = random.choices(list(kinds), list(kinds.values()))[0]
        return kind(random, work)

    # --- damaged tensors ---

    def tensors(self, random, work):
        groups = random.choice([1, 2, 3])
        shapes = random.choice([
            {"q": (2 * groups, 4), "k": (2, 5, 4), "v": (2, 5, 4)},
            {"q": (2, groups, 33), "k": (2, 1, 3, 33), "v": (2, 1, 3, 33)},
            {"q": (2, 3, 8), "k": (2, 5, 8), "v": (2, 5, 6)},
            {"q": (2, 257), "k": (2, 5, 257), "v": (2, 5, 257)}])
        hurt = random.choice(["q", "k", "v", "q", "k", "v", "all", "none"])
        kinds = []
        for name, shape in shapes.items():
            path = os.path.join(work, name + ".npy")
            if hurt in (name, "all"):
                kinds.append(f"{name}: {damage_npy.damaged(path, shape, random)}")
            else:
                damage_npy.intact(path, shape, random)
        return ", ".join(kinds), [self.attend(random) for _ in range(8)]

    def attend(self, random):
        words = ["attend", "--q", "q.npy", "--k", "k.npy", "--v", "v.npy"]
        words += ["--path", random.choice(PATHS)]
        for option in random.sample(["--lengths", "--causal", "--scale", "--chunk", "--warps",
                                     "--graph", "--seed", "--log", "--check", "--count", "--json",
                                     "--all-orders"], random.choice([0, 1, 1, 2, 4])):
            words += self.option(random, option, dict(self.options["attend"]).get(option, False))
        if random.random() < 0.4:
            words += ["-o", "t.twin", random.choice(["--force", "--append"])]
        return words + random.choice([[], ["--out", "out.npy"]])

    # --- random lists of arguments ---

    @staticmethod
    def option(random, name, has_value):
        value = random.choice(BAD if random.random() < 0.2 or name not in GOOD else GOOD[name])
        if has_value is False:
            return [name] if random.random() < 0.97 else [name + "=" + value]
        if has_value is None:
            return [name + "=" + value] if random.random() < 0.7 else [name]
        if name.startswith("--") and random.random() < 0.3:
            return [name + "=" + value]
        return [name, value] if random.random() < 0.97 else [name]

    def needed(self, random, command):
        """Arguments without which the command does nothing, now and then without one of them."""
        words = {"attend": ["--q", "q.npy", "--k", "k.npy", "--v", "v.npy"],
                 "decode": ["--model", self.model, "--prompt", "R", "-n", random.choice("012")],
                 "launch": ["scale.cu", "--kernel", "scale", "--grid", "1", "--block", "32"],
                 "run": ["missing.cu"],     # compiling would take most of the time
                 "diff": ["old.twin", "other.twin"], "sql": ["old.twin", "SELECT * FROM v_run"],
                 "export": ["old.twin", "--as", "json"], "info": [], "help": [], "bench": [],
                 }.get(command, ["old.twin"])
        if random.random() < 0.15 and words:
            words.pop(random.randrange(len(words)))
        return words

    def words(self, random):
        command = random.choice(self.commands)
        words = self.needed(random, command)
        offered = self.options[command]
        for _ in range(random.choice([0, 1, 1, 2, 3, 5])):
            if offered and random.random() < 0.85:
                words += self.option(random, *random.choice(offered))
            elif random.random() < 0.5:
                words.append(random.choice(WORDS))
            else:
                others = self.options[random.choice(self.commands)]
                if others:
                    words += self.option(random, *random.choice(others))
        if random.random() < 0.1:
            random.shuffle(words)
        # These would run for minutes.
        if "--verify-math" in words:
            words.append("no-such-function")
        if command == "bench":
            words += ["--runs", random.choice(["0", "x", "-1", "10001"])]
        if random.random() < 0.02:
            command = random.choice(BAD + ["decoed", "Info", "--help", "--version"])
        # An argument cannot hold a byte of 0.
        return [command] + [word.replace("\0", "") for word in words]

    def lists(self, random, work):
        for name, shape in {"q": (4, 8), "k": (2, 5, 8), "v": (2, 5, 8)}.items():
            damage_npy.intact(os.path.join(work, name + ".npy"), shape, random)
        with open(os.path.join(work, "scale.cu"), "w", encoding="ascii") as file:
            file.write(KERNEL)
        with open(os.path.join(work, "prompt"), "wb") as file:
            file.write(random.choice([b"", b"R", b"\x00\xff", b"x" * 3000]))
        os.mkdir(os.path.join(work, "directory"))
        shutil.copyfile(self.old, os.path.join(work, "old.twin"))
        shutil.copyfile(self.other, os.path.join(work, "other.twin"))
        return "", [self.words(random) for _ in range(12)]

    # --- kernels with damaged arrays ---

    def launches(self, random, work):
        with open(os.path.join(work, "scale.cu"), "w", encoding="ascii") as file:
            file.write(KERNEL)
        kind = damage_npy.damaged(os.path.join(work, "y.npy"), (8,), random)
        damage_npy.intact(os.path.join(work, "x.npy"), (8,), random)
        made = []
        for _ in range(3):
            made.append(["launch", "scale.cu", "--kernel", "scale", "--grid", "1", "--block", "32",
                         "--arg", random.choice(["x=<>x.npy", "x=>o.npy:f32[8]", "x=<>y.npy"]),
                         "--arg", "y=@y.npy", "--arg", "n=i32:" + random.choice("089"),
                         "--arg", "by=f32:" + random.choice(["2", "1e400", "nan", ""])]
                        + random.choice([[], ["--check"], ["--json"], ["--count", "--json"]]))
        return f"y: {kind}", made

    # --- damaged models ---

    def damaged_model(self, random, work):
        model = os.path.join(work, "model")
        os.mkdir(model)
        config = os.path.join(model, "config.json")
        weights = os.path.join(model, "model.safetensors")
        shutil.copyfile(os.path.join(self.model, "config.json"), config)
        os.symlink(os.path.join(self.model, "model.safetensors"), weights)
        kind = random.choice([self.other_config, self.flipped_config, self.other_header,
                              self.other_header])
        kind(random, config, weights)
        return kind.__name__, [["decode", "--model", "model", "--prompt", "RO", "-n", "1"]
                               + random.choice([[], ["-o", "t.twin"], ["--json"]])]

    @staticmethod
    def other_config(random, config, _):
        with open(config, encoding="ascii") as file:
            values = json.load(file)
        for name in random.sample(sorted(values), random.choice([1, 1, 3])):
            values[name] = random.choice([0, 1, -1, 2**31, 2**63 - 1, 2**63, 1e300, "x", "", None,
                                          [], {}, True, 3, 64, 255])
        with open(config, "w", encoding="ascii") as file:
            json.dump(values, file)

    @staticmethod
    def flipped_config(random, config, _):
        with open(config, "r+b") as file:
            data = bytearray(file.read())
            for _ in range(random.choice([1, 3, 30])):
                data[random.randrange(len(data))] = random.randrange(256)
            file.seek(0)
            file.write(data)
            file.truncate(random.choice([len(data), random.randrange(len(data))]))

    def other_header(self, random, _, weights):
        """Edits the description of the tensors; the data follows unless the file is cut."""
        with open(weights, "rb") as file:
            size = struct.unpack("<Q", file.read(8))[0]
            header = bytearray(file.read(size))
            data = file.read() if random.random() < 0.7 else b""
        digits = [at for at, byte in enumerate(header) if chr(byte).isdigit()]
        for _ in range(random.choice([1, 3])):
            if random.random() < 0.7:
                header[random.choice(digits)] = ord(random.choice("0123456789-e.9"))
            else:
                header[random.randrange(len(header))] = random.randrange(256)
        claimed = random.choice([size, size, size, 0, 1, size - 1, size + 1, 2**31, 2**63,
                                 2**64 - 1])
        os.unlink(weights)
        with open(weights, "wb") as file:
            file.write(struct.pack("<Q", claimed) + header + data)


if __name__ == "__main__":
    sys.exit(commands.main(__doc__, lambda options: Maker(options).case))
