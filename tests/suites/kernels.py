#!/usr/bin/env python3
"""kernels.py - single kernels of public repositories under `flashtwin launch`, against NumPy.

The lists are tests/suites/kernels/*.json: an object with "suite", "repository", "commit" (40 hex
digits), "license", "about" and "rows". A row launches a kernel of a file as it is:
  "path"      the file, in whose folder the compiler runs
  "kernel"    what --kernel gets; "grid", "block", "shared": as for --grid, --block, --shared
  "options"   more options of `launch`, such as -I and -D
  "args"      parameter -> an array to read, as an expression of NumPy; "<>" and such an expression:
              an array that is changed in place; ">f32[8]": an array to write; "i32:5": a number
  "where"     name -> an expression, for use in the following ones and in values
  "values"    array -> what it must hold afterwards, as an expression
  "error"     the maximum |difference| / (1 + |value|); without it every bit counts
  "refused"   what keeps it from running, or its values from being these
  "cause"     of refused: a key of CAUSES in rows.py
Expressions see NumPy, the arguments before them, and normal(), integers(), real(), bf16(), fp8().
Nothing of the repositories is here.

usage: kernels.py --list LIST.json...                  checks and counts the lists
       kernels.py FLASHTWIN LIST.json CHECKOUT [TEXT]  runs the rows whose name has TEXT, prints TAP

A row that is refused is run too, and reported if it runs now. FLASHTWIN_LAUNCH has more options of
`launch`, such as --check.
"""
import ast
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True          # sources may be read-only
import rows

ROW = {"path": str, "kernel": str, "grid": str, "block": str, "shared": int, "options": list,
       "args": dict, "where": dict, "values": dict, "error": float, "refused": str, "cause": str}
SECONDS = 120
NUMBER = re.compile(r'(bool|[iu](?:8|16|32|64)|f16|bf16|f32|f64):(.*)$')
OUTPUT = re.compile(r'>(bool|[iu](?:8|16|32|64)|f16|bf16|f32|f64)\[([0-9,]+)\]$')
NPY = {'bool': '|b1', 'bf16': '<V2', 'f16': '<f2', 'f32': '<f4', 'f64': '<f8'}


def check_row(row):
    wrong = rows.wrong_field(row, ROW) or rows.wrong_cause(row)
    if wrong:
        return wrong
    missing = [name for name in ("path", "kernel", "grid", "block", "args") if name not in row]
    if missing:
        return f'no "{missing[0]}"'
    if not rows.is_inside(row["path"]):
        return 'not inside'
    if "values" not in row and "refused" not in row:
        return 'expected values or refused'
    if not set(row.get("values", {})) <= set(row["args"]) or row.get("values") == {}:
        return 'values of no argument'
    return None


def read_list(path):
    return rows.read_list(path, check_row, lambda row: (
        row.get("path"), row.get("kernel"), row.get("grid"), row.get("block")))


def namespace():
    """What expressions see. Every row gets the same random numbers."""
    import numpy
    random = numpy.random.default_rng(17)
    names = {name: getattr(numpy, name) for name in dir(numpy) if not name.startswith('_')}

    def normal(kind, *shape):
        return random.standard_normal(shape).astype(kind)

    def integers(kind, low, high, *shape):
        return random.integers(low, high, shape).astype(kind)

    def bf16(array):
        """Rounds to the nearest bfloat16, ties to even: two bytes that NumPy has no name for."""
        bits = numpy.ascontiguousarray(array, '<f4').view('<u4').astype('<u8')
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype('<u2').view('V2')

    def real(array):
        """Any array as float64."""
        if array.dtype.kind == 'V':
            return (array.view('<u2').astype('<u4') << 16).view('<f4').astype('f8')
        return array.astype('f8')

    def fp8(bytes_, exponent):
        """8-bit floats with 4 or 5 bits of exponent as float64; without infinities and NaNs."""
        mantissa, bias = 7 - exponent, 2 ** (exponent - 1) - 1
        low = bytes_.astype('i8') & (1 << mantissa) - 1
        high = bytes_.astype('i8') >> mantissa & (1 << exponent) - 1
        size = numpy.where(high > 0, (low / 2 ** mantissa + 1) * 2.0 ** (high - bias),
                           low / 2 ** mantissa * 2.0 ** (1 - bias))
        return numpy.where(bytes_.view('i1') < 0, -size, size)

    names.update(normal=normal, integers=integers, bf16=bf16, real=real, fp8=fp8, f2='<f2', f4='<f4',
                 f8='<f8', i4='<i4')
    return names


def write_npy(path, array):
    import numpy
    if array.dtype.kind != 'V':
        numpy.save(path, array)
        return
    header = "{'descr': '<V2', 'fortran_order': False, 'shape': %s, }" % (array.shape,)
    with open(path, 'wb') as out:
        out.write(b'\x93NUMPY\x01\x00\x76\x00' + header.ljust(117).encode() + b'\n')
        out.write(array.tobytes())


def read_npy(path):
    """Reads an array; NumPy does not take the name of a bfloat16."""
    import numpy
    with open(path, 'rb') as file:
        data = file.read()
    end = 10 + int.from_bytes(data[8:10], 'little')
    header = ast.literal_eval(data[10:end].decode())
    kind = header['descr'].replace('<V2', 'V2')
    return numpy.frombuffer(data[end:], kind).reshape(header['shape'])


def arguments(row, names, folder):
    """The options --arg of a row; binds what expressions can name."""
    words = []
    for name, value in row["args"].items():
        path = os.path.join(folder, name + '.npy')
        number, output = NUMBER.match(value), OUTPUT.match(value)
        if number:
            names[name] = ast.literal_eval(number[2].capitalize())
        elif output:
            value = f'>{path}:{output[1]}[{output[2]}]'
        elif value != 'null':
            mode = '<>' if value.startswith('<>') else '@'
            names[name] = eval(value.removeprefix('<>'), names)
            write_npy(path, names[name])
            value = mode + path
        words += ['--arg', f'{name}={value}']
    return words


def differs(name, got, value, error):
    """Returns how an array differs from what is expected, or None."""
    import numpy
    wanted = numpy.broadcast_to(value, got.shape)
    if wanted.dtype.kind == 'V':
        wanted, got = wanted.view('<u2'), got.view('<u2')
    if error is None:
        bad = got != wanted.astype(got.dtype)
        bad &= ~((got != got) & (wanted != wanted))
    else:
        with numpy.errstate(invalid='ignore'):
            near = abs(got.astype('f8') - wanted) <= error * (1 + abs(wanted))
        bad = ~(near & numpy.isfinite(wanted) | (got == wanted))
    if not bad.any():
        return None
    first = tuple(int(i) for i in numpy.argwhere(bad)[0])
    return (f'{name}: {int(bad.sum())} of {bad.size} elements are wrong, the first is {first}: '
            f'{got[first]}, expected {wanted[first]}')


def launch(flashtwin, row, checkout, folder, said):
    """Returns what is wrong, or None, and appends the command's messages to said."""
    names = namespace()
    here = os.path.dirname(row["path"])
    command = [flashtwin, 'launch', os.path.basename(row["path"]), '--kernel', row["kernel"],
               '--grid', row["grid"], '--block', row["block"], '--shared', str(row.get("shared", 0)),
               '--timeout', str(SECONDS), *row.get("options", [])]
    command += os.environ.get('FLASHTWIN_LAUNCH', '--no-record').split()
    command += arguments(row, names, folder)
    for name, value in row.get("where", {}).items():
        names[name] = eval(value, names)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, cwd=os.path.join(checkout, here))
    said.append(done.stderr.decode(errors='replace'))
    if done.returncode:
        lines = (done.stderr + done.stdout).decode(errors='replace').splitlines()
        lines = [line for line in lines if line and not line.startswith('warning: ')] or ['?']
        return f'exit code {done.returncode}: {lines[0][:200]}'
    for name, value in row.get("values", {}).items():
        got = read_npy(os.path.join(folder, name + '.npy'))
        if "error" in row and got.dtype.kind == 'V':
            got = names["real"](got)
        wrong = differs(name, got, eval(value, names), row.get("error"))
        if wrong:
            return wrong
    return None


def run(flashtwin, row, checkout, said=None):
    with tempfile.TemporaryDirectory() as folder:
        return launch(flashtwin, row, checkout, folder, [] if said is None else said)


def main():
    if len(sys.argv) > 2 and sys.argv[1] == '--list':
        for path in sys.argv[2:]:
            rows.print_counts(read_list(path), 'kernels')
        return
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    flashtwin, path, checkout = sys.argv[1:4]
    chosen = read_list(path)["rows"]
    if sys.argv[4:]:
        chosen = [row for row in chosen if sys.argv[4] in row["path"] + ' ' + row["kernel"]]
    print(f'1..{len(chosen)}')
    failed = 0
    for number, row in enumerate(chosen, 1):
        wrong = rows.missing(row, checkout) or run(os.path.abspath(flashtwin), row, checkout)
        state = f' # TODO {row["refused"]}' if "refused" in row else ''
        failed += wrong is not None and not state
        print(f'{"not ok" if wrong else "ok"} {number} - {row["path"]} {row["kernel"]}{state}')
        if wrong:
            print('# ' + wrong)
        sys.stdout.flush()
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
