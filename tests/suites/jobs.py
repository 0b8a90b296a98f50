"""jobs.py - runs the rows of several lists side by side: for both.py and checked.py."""
import concurrent.futures
import os

import kernels
import programs


def jobs(arguments, wanted):
    """(list, module, row, checkout) of each wanted row of "LIST.json=CHECKOUT" arguments."""
    for argument in arguments:
        path, checkout = argument.split('=', 1)
        module = kernels if '/kernels/' in path else programs
        suite = module.read_list(path)
        for row in suite["rows"]:
            if wanted(row):
                yield suite, module, row, os.path.abspath(checkout)


def name_of_suite(job):
    return job[0]["suite"] + (' kernels' if job[1] is kernels else '')


def attempt(flashtwin, module, row, checkout):
    """Runs a row: what is wrong, or None, and the command's messages."""
    said = []
    try:
        wrong = module.run(flashtwin, row, checkout, said)
    except Exception as error:                  # a row must not end the others
        wrong = repr(error)
    return wrong, ''.join(said)


def run_all(run, work):
    """run(list, module, row, checkout) of each job, as many at once as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda job: run(*job), work))
