#!/usr/bin/env python3
"""both.py - programs and kernels of public repositories on a GPU and the simulator, bit by bit.

Runs every row of the lists (programs.py, kernels.py) that runs on the simulator with --device both,
as many at once as there are processors, and writes a table: what was compared, and what differs.

usage: both.py FLASHTWIN TABLE.md LIST.json=CHECKOUT...

REASONS says why the results of a row are not the same in every run on a GPU. Prints a line for each
other row that does not compare equal, and how many do. Exits 1 if one of those differs.
"""
import datetime
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True          # sources may be read-only
import jobs
import kernels
import programs

programs.SECONDS = kernels.SECONDS = 240
os.environ['FLASHTWIN_RUN'] = os.environ['FLASHTWIN_LAUNCH'] = '--device both'
REASONS = {
    'Samples/0_Introduction/simpleAtomicIntrinsics/simpleAtomicIntrinsics.cu':
        'atomicExch, atomicInc, atomicDec and atomicCAS of all threads: the last one wins',
    'Samples/0_Introduction/systemWideAtomics/systemWideAtomics.cu':
        'atomicExch_system and others of all threads: the last one wins',
    'Samples/3_CUDA_Features/newdelete/newdelete.cu':
        'stores addresses of the device heap',
    'Samples/3_CUDA_Features/warpAggregatedAtomicsCG/warpAggregatedAtomicsCG.cu':
        'blocks append in any order: atomicAdd gives the place',
    'kernels/dot-product/dot_product.cu dot_prod_f16_f32_kernel<256>':
        'atomicAdd of floats in any order',
    'dev/cuda/encoder_backward.cu encoder_backward_kernel1':
        'atomicAdd of floats in any order',
    'dev/cuda/global_norm.cu norm_kernel2<float>':
        'atomicAdd of floats in any order',
    'Exercises/Chapter15/Exercise01/src/bfs_parallel.cu':
        'threads append to the frontier in any order: atomicAdd gives the place',
    'Exercises/Chapter17/Exercise03/solution.cu':
        'atomicAdd of floats in any order',
}
COMPARED = re.compile(r'^sim and cuda: (.*)$', re.M)


def compare(flashtwin, _, module, row, checkout):
    """Returns "equal", "differs" or "not compared", and the reason."""
    wrong, said = jobs.attempt(flashtwin, module, row, checkout)
    found = COMPARED.search(said)
    if not found:
        return 'not compared', wrong or 'nothing was recorded'
    if not re.search(r'\b0 bits differ(, [0-9,]+ \w+ that depends? on clock\(\) left out)*$',
                     found[1]):
        return 'differs', found[1]
    if found[1].startswith('0 buffers'):        # of kernels; copies and prints count for nothing
        return 'not compared', wrong or found[1]
    return ('not compared', wrong) if wrong else ('equal', found[1])


def wanted(row):
    return "refused" not in row and "until" not in row


def name_of(row):
    if "kernel" in row:
        return f'{row["path"]} {row["kernel"]}'
    return programs.name_of(row)


def device(flashtwin):
    done = subprocess.run([flashtwin, 'info', '--device', 'cuda'], stdout=subprocess.PIPE,
                          check=False)
    lines = [line.strip() for line in done.stdout.decode().splitlines()]
    name = [line for line in lines if line.startswith('cuda:0')]
    driver = [line for line in lines if 'driver' in line]
    name = [line.removeprefix('cuda:0').split(',')[0].strip() for line in name]
    return ', '.join(name[:1] + driver[:1])


def write_table(path, flashtwin, ended):
    with open(path, 'w', encoding='utf-8') as out:
        out.write('# Public programs and kernels on a GPU and the simulator\n\n')
        out.write('Written by `tests/suites/both.py`, which `tests/gpu/programs.sh` runs: each row'
                  ' of\n`tests/suites/programs/` and `tests/suites/kernels/` that runs on the simulator and'
                  ' ends by itself, with\n`--device both`. Buffers that a launch wrote are compared'
                  ' after it.\n\n')
        out.write(f'{device(flashtwin)}, {datetime.date.today()}\n\n')
        out.write('| suite | compared | 0 bits differ |\n|---|---|---|\n')
        for suite in sorted({row[0] for row in ended}):
            states = [row[2] for row in ended if row[0] == suite]
            out.write(f'| {suite} | {len(states) - states.count("not compared")} |'
                      f' {states.count("equal")} |\n')
        out.write('\n| program or kernel | |\n|---|---|\n')
        for suite, name, state, why in sorted(ended):
            text = why if state in ('equal', 'depends') else f'{state}: {why}'
            out.write(f'| {suite}: {name} | {text} |\n')


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    flashtwin = os.path.abspath(sys.argv[1])
    work = list(jobs.jobs(sys.argv[3:], wanted))
    results = jobs.run_all(lambda *job: compare(flashtwin, *job), work)
    results = [('depends', f'{why}: {REASONS[name_of(job[2])]}')
               if state == 'differs' and name_of(job[2]) in REASONS else (state, why)
               for job, (state, why) in zip(work, results)]
    ended = [(jobs.name_of_suite(job), name_of(job[2]), *result)
            for job, result in zip(work, results)]
    write_table(sys.argv[2], flashtwin, ended)
    for suite, name, state, why in ended:
        if state not in ('equal', 'depends'):
            print(f'{state}: {suite}: {name}: {why}')
    states = [row[2] for row in ended]
    print(f'{len(states) - states.count("not compared")} compared, {states.count("equal")} with 0'
          f' differing bits, {states.count("depends")} whose results depend on order or time,'
          f' {states.count("not compared")} not compared')
    sys.exit('differs' in states)


main()
