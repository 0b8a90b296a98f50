#!/usr/bin/env python3
"""cuda_doc.py SRCDIR - prints doc/cuda.md: what of CUDA is there, from the sources that implement it.

Calls of the runtime API come from its headers and engine/runtime/, device functions from the
headers of sim/cuda/ and kernels/math_list.h, headers from sim/cuda/include/. The proof of a row is
found by name in tests, without their comments, that of a header by its inclusion ("-": there is
none); what a GPU was asked about a call, in tests/run/semantics.cu. Only the table of the language is
written here; each row of it names a test and a text that the test must have.
tests/make/test_cuda_doc.sh compares the output with the file.
"""
import os
import re
import subprocess
import sys

ROOT = sys.argv[1]
INCLUDE = 'sim/cuda/include'

# Language: what, how far, test, a text in it.
LANGUAGE = (
    ('`<<<grid, block, shared, stream>>>`', '', 'tests/tui/run/kinds.cu', '<<<'),
    ('templates and explicit instances', '', 'tests/launch/templates.cu', 'template'),
    ('overloaded kernels', '', 'tests/tui/run/variables.cu', 'apply(int *x)'),
    ('classes in device code', '', 'tests/launch/classes.cu', 'class'),
    ('static and dynamic `__shared__` memory', '', 'tests/launch/dynamic_types.cu',
     'extern __shared__'),
    ('`__constant__` and `__device__` variables', 'copies to and from symbols are recorded',
     'tests/tui/run/variables.cu', '__constant__'),
    ('`clock`, `clock64`, `%clock`, `%globaltimer`',
     'count steps; what depends on them is not compared', 'tests/tui/run/clock.cu', 'clock64'),
    ('device `printf`', '', 'tests/launch/printing.cu', 'printf'),
    ('warps whose lanes diverge', 'no lockstep: an order by seed', 'tests/launch/active_mask.cu',
     '__activemask'),
    ('double: `+ - * / sqrt fma`, conversions, and the functions listed below',
     'other functions of double are compile errors', 'tests/launch/double_math.cu', 'exp10'),
    ('`__managed__` variables', 'of `run`', 'tests/tui/run/language.cu', '__managed__'),
    ('device `malloc`, `free`, `new`, `delete`', 'a heap of 8 MiB, or of the size that '
     '`cudaDeviceSetLimit()` sets before a kernel allocates', 'tests/tui/run/heap.cu', 'malloc'),
    ('inline PTX', 'the instructions of `sim/cu2c/ptx_table.c`; others are a compile error',
     'tests/launch/ptx_integer.cu', 'asm'),
    ('barriers with a number: `bar.sync`, `bar.arrive`, `bar.red`, `__barrier_sync`',
     'of PTX for a count of threads, which is a multiple of 32', 'tests/launch/wide_tiles.cu', 'bar.arrive'),
    ('tensor cores: `mma.h`, `mma.sync`, `ldmatrix`', 'the shapes that flashtwin(1) names',
     'tests/launch/ptx_matrix.cu', 'mma'),
    ('asynchronous copies: `sim/cuda/async.h`, `cp.async`, `mbarrier`, `cp.async.bulk`',
     'without tensor maps', 'tests/launch/async_bulk.cu', 'async_bulk_load'),
    ('thread block clusters: `sim/cuda/cluster.h`, `__cluster_dims__`, `this_cluster()`',
     'at most 8 blocks, or 16 if the kernel allows them', 'tests/launch/clusters.cu', 'cluster_sync'),
    ('CUB: `WarpReduce`, `WarpScan`, `BlockReduce`, `BlockScan`, `BlockLoad`, `BlockStore`, '
     '`BlockExchange`, `BlockRadixSort`, `BlockAdjacentDifference`, `BlockDiscontinuity`',
     'sums of floats in the order of CUB 3.0', 'tests/launch/cub.cu', 'BlockReduce'),
    ('CUB: `DeviceReduce`, `DeviceScan`, `DeviceSelect`, `DeviceHistogram`, `DeviceRadixSort`',
     'in programs; the host computes them, sums of floats in order, not a GPU\'s',
     'tests/tui/run/cub_device.cu', 'DeviceReduce'),
    ('CUB: `DevicePartition`, `DeviceRunLengthEncode`, `DeviceSegmentedReduce`',
     'the same', 'tests/tui/run/cub_runs.cu', 'DevicePartition'),
    ('Thrust in host code', 'the headers below; computed by the host, except for functors of '
     '`generate` on device memory', 'tests/tui/run/thrust.cu',
     'thrust'),
    ('textures and surfaces', 'of `run` on the simulator, with a GPU\'s bits; filtering of volumes '
     'and of signed bytes, sRGB, mipmaps and resource views are refused', 'tests/run/textures.cu',
     'tex2D'),
    ('textures and surfaces in `launch`', 'a compile error', 'tests/launch/errors_texture.cu',
     'tex'),
    ('conditional nodes of graphs', 'of `run --device sim`: with `--device cuda` creating a handle '
     'fails; `--device both` repeats on the GPU the launches that the conditions chose on the '
     'simulator, where a kernel that sets a condition gets the handle of the simulator, which is not '
     'valid there', 'tests/tui/run/conditions.cu', 'cudaGraphSetConditional'),
    ('launches in device code', 'of `run` on the simulator, of kernels of any file; they run '
     'when the grid that makes them is over', 'tests/tui/run/nested.cu', '<<<'),
)

SEMANTICS = ('tests/run/semantics.cu', 'tests/run/semantics_work.h', 'tests/run/semantics_graph.h')
API_HEADERS = tuple(f'{INCLUDE}/cuda_{name}_api.h' for name in ('runtime', 'graph', 'array'))
REFUSED_HEADER = f'{INCLUDE}/cuda_refused_api.h'
API_TESTS = ('tests/engine/runtime', 'tests/run', 'tests/tui/run')
DEVICE_TESTS = ('tests/launch', 'tests/words.cu', 'tests/checker', 'tests/tui/launch', 'tests/tui/run')


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as file:
        return file.read()


def files(folder, suffixes):
    if os.path.isfile(os.path.join(ROOT, folder)):
        return [folder]
    found = []
    for where, _, names in os.walk(os.path.join(ROOT, folder)):
        found += [os.path.relpath(os.path.join(where, name), ROOT)
                  for name in names if name.endswith(suffixes)]
    return sorted(found)


def without_comments(path):
    """What only a comment names is not used."""
    text = read(path)
    if path.endswith('.sh'):
        return re.sub(r'^\s*# .*', '', text, flags=re.M)
    return re.sub(r'/\*.*?\*/|//[^\n"]*$', '', text, flags=re.S | re.M)


def tests_by(pattern, folders, suffixes=('.c', '.cu', '.cpp', '.sh')):
    """What the pattern finds -> tests that have it, in the order of the folders."""
    table = {}
    for path in dict.fromkeys(path for folder in folders for path in files(folder, suffixes)):
        for found in set(re.findall(pattern, without_comments(path))):
            table.setdefault(found, []).append(path)
    return table


def tests_by_word(folders):
    return tests_by(r'\w+', folders)


def tests_by_include(folders):
    return tests_by(r'#\s*include <([^>]+)>', folders,
                    ('.c', '.cu', '.cuh', '.cpp', '.h', '.sh', '.py'))


def proof(table, name):
    tests = table.get(name, [])
    return ', '.join(f'`{test}`' for test in tests[:2]) or '-'


def measured_calls():
    """Calls in questions of tests/run/semantics.cu that tests/h200/semantics.txt has answers to."""
    answered = {line.split()[0] for line in read('tests/h200/semantics.txt').splitlines()
                if line and not line.startswith('#')}
    found, before = set(), []
    for statement in ';'.join(map(read, SEMANTICS)).split(';'):
        calls = re.findall(r'\b(cuda[A-Z]\w+)\(', statement)
        name = re.search(r'(CAPTURED\(|E\(|LAUNCH\(|printf\()"([\w.]+)', statement)
        if not name:
            # "int error = cudaCall(...)", which the next statement prints
            before = calls if 'error = ' in statement else []
            continue
        name = ('capture.' if name[1] == 'CAPTURED(' else '') + name[2]
        if any(a == name or name.endswith(('.', '_')) and a.startswith(name) for a in answered):
            found.update(calls + before)
        before = []
    return found


def api_proof(tests, measured, name):
    if name not in measured:
        return proof(tests, name)
    other = [test for test in tests.get(name, []) if test not in SEMANTICS]
    return ', '.join(['H200'] + [f'`{test}`' for test in other[:1]])


def print_table(head, rows):
    print('| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')
    print()


# --- the runtime API ---

def implementations():
    table = {}
    for path in files('engine/runtime', ('.c',)):
        for name in re.findall(r'^(?:cudaError_t|const char \*)\s*\*?(cuda\w+)\(', read(path), re.M):
            table[name] = os.path.basename(path)
    return table


def api_rows(path, where, tests, measured):
    """(heading, rows) for each part of a header."""
    parts = re.split(r'/\* --- (.+?) --- \*/', read(path))
    if len(parts) == 1:
        parts = ['', 'graphs', parts[0]]
    for heading, text in zip(parts[1::2], parts[2::2]):
        names = re.findall(r'^\s*(?:cudaError_t|const char \*)\s*(cuda\w+)\(', text, re.M)
        rows = [(f'`{name}`', f'`{where[name]}`', api_proof(tests, measured, name))
                for name in dict.fromkeys(names) if name in where]
        if rows:
            yield heading, rows


def refused_calls():
    reasons, rows = {}, []
    for line in read(REFUSED_HEADER).splitlines():
        define = re.match(r'#define (FT_\w+) "(.*)"', line)
        call = re.match(r'FT_NO_CALL\((\w+), (?:"(.*)"|(\w+))\)', line)
        if define:
            reasons[define[1]] = define[2]
        elif call and call[1] != 'name':
            rows.append((call[1], call[2] or reasons.get(call[3], '')))
    return rows


def print_api():
    where, tests, measured = implementations(), tests_by_word(API_TESTS), measured_calls()
    print('## Runtime API\n\nIn `engine/runtime/`, over the simulated device. What is not obvious, '
          'mostly error codes, is asked by\n`tests/run/semantics.cu`. The proof of a row is "H200" '
          'if one of these questions is about the call:\n`tests/h200/semantics.txt` has the '
          'answers of that GPU, and `tests/tui/run/test_run_semantics.sh`\nexpects the same of the '
          'simulator.\n')
    for path in API_HEADERS:
        for heading, rows in api_rows(path, where, tests, measured):
            print(f'### {heading[0].upper()}{heading[1:]}\n')
            print_table(('call', 'implemented in', 'proof'), rows)
    print('### Refused\n\nA use is a compile error of one line that names the call: '
          '`tests/engine/runtime/test_runtime_headers.sh`.\n')
    by_reason = {}
    for name, reason in refused_calls():
        by_reason.setdefault(reason, []).append(f'`{name}`')
    print_table(('why', 'calls'), [(reason, ', '.join(names))
                                   for reason, names in by_reason.items()])


# --- device functions ---

def defined_names(path):
    """Names that a header defines for users, in order."""
    text = re.sub(r'/\*.*?\*/', '', read(path), flags=re.S)
    names = re.findall(r'^#define (\w+)\(', text, re.M)
    names += re.findall(r'^(?:FT_INTEGER|FT_FN|static inline)[\w\s*]*?\b(\w+)\(', text, re.M)
    names += re.findall(r'^FT_(?:ATOMIC|CAS)_FUNCTION\w*\((\w+)', text, re.M)
    return [name for name in dict.fromkeys(names)
            if not re.match(r'(?i)ft_|MUFU|POINT|_static|__align|__attribute__|assert$|static_', name)]


def listed(path):
    """The functions of a list of verified ones."""
    return re.findall(r'\bX\(\w+,\s+"([^"]+)"', read(path))


def print_device():
    tests = tests_by_word(DEVICE_TESTS)
    print('## Device functions\n')
    print('### Warps, memory, integers, atomics\n')
    rows, measured = [], listed('kernels/math_list.h')
    doubles = listed('kernels/double_list.h')
    for path in ('sim/cuda/cuda_c.h', 'sim/cuda/cuda_integer.h', 'sim/cuda/cuda_atomic.h',
                 'sim/cuda/cuda_cpp.h'):
        rows += [(f'`{name}`', f'`{path}`',
                  'H200, below' if name in measured else proof(tests, name)) for name in defined_names(path)
                 if not any(row[0] == f'`{name}`' for row in rows)]
    print_table(('function', 'in', 'proof'), rows)
    print('### Floats\n\nEvery input of these was computed on an H200, or, of what is in `MATH_MORE_LIST` and '
          '`MATH_ROUNDED_LIST` of\n`kernels/math_list.h`, on an H100. The simulator computed every input of '
          'the others and of the functions\nthat doc/numerics.md names, with 0 differing bits, and a sample '
          'of the rest, every 4093rd: the sums are in\n`kernels/math_sums.h`, and `flashtwin info '
          '--verify-math` computes them again.\n')
    print(', '.join(f'`{name}`' for name in dict.fromkeys(measured)) + '\n')
    print('### Doubles\n\nThe sums over the results for 2^32 seeded inputs, and for all pairs of 289 '
          'boundary values, were computed\non an H200 (`tests/gpu/double_sums.cu`); on the simulator '
          '`flashtwin info --verify-math --device sim`\ncomputes them again over all of these inputs, '
          'and `make check` over the boundary values\n(`kernels/double_list.h`, '
          '`kernels/double_sums.h`). Further inputs are not proven.\n')
    print(', '.join(f'`{name}`' for name in doubles) + '\n')
    print('### Floats that are refused\n\nThey have no model, and so are compile errors.\n')
    absent = re.findall(r'FT_ABSENT\("(\w+)", "([^"]*)"\)', read('sim/cuda/float_api.h'))
    print_table(('function', 'instead'), [(f'`{name}`', f'`{instead}`'.replace('|', '\\|')
                                           if '(' in instead else instead)
                                          for name, instead in dict(absent).items()])


# --- headers, language ---

# --- inline PTX ---

def ptx_rows():
    """The parts of each row of sim/cu2c/ptx_table.c, whose head says what they mean."""
    table = preprocessed('sim/cu2c/ptx_table.c')
    table = table[table.index('rows[] = {'):]
    found = re.findall(r'\{\s*((?:"[^"]*"\s*)+),\s*(?:"[^"]*"\s*)+,', table[:table.index('};')])
    return list(dict.fromkeys(''.join(re.findall(r'"([^"]*)"', row)) for row in found))


def preprocessed(path):
    """The text with macros expanded, as far as the file has them, and adjacent strings joined."""
    text = re.sub(r'^\s*#\s*include.*$', '', read(path), flags=re.M)
    done = subprocess.run([os.environ.get('CC', 'cc'), '-E', '-P', '-w', '-x', 'c', '-'],
                          input=text.encode(), stdout=subprocess.PIPE, check=True)
    return re.sub(r'"\s*"', '', done.stdout.decode())


def ptx_sets():
    """The sets of types that rows name."""
    return {'@' + name: types.split('|') for name, types in
            re.findall(r'\{ "([A-Z0-9]+)", "([\w|]+)" \}', read('sim/cu2c/ptx_table.c'))}


def takes(parts, words, sets):
    """Whether an instruction's words are one of each part, in any order."""
    # A set may have a type that another part names.
    for part in sorted(parts[1:], key=lambda part: part[0] == '@'):
        names = sets.get(part) or part.lstrip('?+-').split('|')
        found = [word for word in words if word in names]
        if found:
            words.remove(found[0])
        elif part[0] not in '?-':
            return False
    return not words


def ptx_tests():
    """The instructions that tests have, as lists of words -> the tests."""
    table = {}
    for path in (p for folder in DEVICE_TESTS for p in files(folder, ('.cu', '.sh'))):
        text = read(path) + (preprocessed(path) if path.endswith('.cu') else '')
        for found in set(re.findall(r'(?<![\w.%])[a-z]\w*(?:\.[\w:]+)+', text)):
            table.setdefault(found, []).append(path)
    return table


def print_ptx():
    instructions = [(name.split('.'), tests) for name, tests in ptx_tests().items()]
    rows, sets = [], ptx_sets()
    for row in ptx_rows():
        parts = row.split()
        tests = sorted({test for words, where in instructions if words[0] in parts[0].split('|')
                        and takes(parts, words[1:], sets) for test in where})
        shown = ' '.join(part for part in parts if part[0] != '-').replace('|', '\\|')
        rows.append((f'`{shown}`', ', '.join(f'`{test}`' for test in tests[:2]) or '-'))
    print('## Inline PTX\n\nRows of `sim/cu2c/ptx_table.c`, which says how to read them, without hints '
          'and defaults. A proof is a\ntest that has such an instruction; '
          '`tests/gpu/run.sh BUILD OUT kernels` runs these on a GPU.\n')
    print_table(('instruction', 'proof'), rows)


def print_headers():
    tests = tests_by_include(DEVICE_TESTS + API_TESTS)
    rows = []
    for path in files(INCLUDE, ''):
        if path in API_HEADERS[1:] + (REFUSED_HEADER,):         # parts of the first
            continue
        first = re.match(r'/\* [\w./]+ - (.+?)(?:\.(?:\s|$)|\n \*\n| \*/)', read(path), re.S)
        name = os.path.relpath(path, INCLUDE)
        about = re.sub(r'\s*\n \*\s*', ' ', first[1]) if first else 'stub'
        rows.append((f'`<{name}>`', about, proof(tests, name)))
    print('## Headers\n\nOther headers are those of a toolkit, if the compiler finds one.\n')
    print_table(('header', 'what it has', 'proof'), rows)


# --- cuBLAS and cuRAND ---

LIBRARIES = (f'{INCLUDE}/cublas_v2.h', 'sim/cuda/blas', 'sim/cuda/random')
LIBRARY_CALL = re.compile(r'\b((?:cublas|curand)\w*)\((?:[^(){};]|\([^()]*\))*\)\s*\{')


def print_libraries():
    tests, where = tests_by_word(DEVICE_TESTS + API_TESTS), {}
    for path in (p for folder in LIBRARIES for p in files(folder, ('.h',))):
        for name in LIBRARY_CALL.findall(preprocessed(path)):
            where.setdefault(name, path)
    print('## cuBLAS and cuRAND\n\nFor C++ host code, and cuRAND\'s device functions. cuBLAS is that of the '
          'host\'s BLAS, and its results\nare not compared with a GPU.\n')
    print_table(('function', 'in', 'proof'), [(f'`{name}`', f'`{path}`', proof(tests, name))
                                              for name, path in where.items()])


def print_language():
    rows = []
    for what, how, test, text in LANGUAGE:
        if text not in read(test):
            raise SystemExit(f'{test} has no {text!r}, the proof of {what}')
        rows.append((what, how or 'yes', f'`{test}`'))
    print('## Language\n')
    print_table(('what', 'how far', 'proof'), rows)


def main():
    print('# What of CUDA is there\n\nFor `flashtwin run`, and as far as kernels are concerned for '
          '`launch`. Made by `make/cuda_doc.py` from the\nsources that implement it; '
          '`make/cuda_doc.py . >doc/cuda.md` updates it. A proof is a test that uses the\ncall by '
          'name. What is absent is a compile error that names it.\n')
    print_language()
    print_headers()
    print_device()
    print_ptx()
    print_libraries()
    print_api()


main()
