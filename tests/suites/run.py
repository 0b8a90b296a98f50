#!/usr/bin/env python3
"""run.py - runs the lists of public programs and kernels that checkouts belong to.

A list belongs to a checkout whose remote "origin" is its repository, or, without one, whose folder has
the repository's name. Each list goes to programs.py or kernels.py, which print TAP. A checkout at
another commit than the list's is run as well, with a line that says so. Exit code 1 if a row failed
or a DIR has no list.

usage: run.py [--flashtwin PROGRAM] DIR...
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def git(folder, *words):
    done = subprocess.run(('git', '-C', folder) + words, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ''


def is_checkout(folder):
    """Whether the folder is the top of a checkout, not a part of another one."""
    return os.path.exists(os.path.join(folder, '.git'))


def repository_of(folder):
    url = is_checkout(folder) and git(folder, 'remote', 'get-url', 'origin')
    url = url or os.path.abspath(folder)
    return os.path.basename(url.rstrip('/')).removesuffix('.git').lower()


def lists_of(folder):
    """(script, list) of the checkout, programs first."""
    name = repository_of(folder)
    for kind in ('programs', 'kernels'):
        for path in sorted(glob.glob(os.path.join(HERE, kind, '*.json'))):
            with open(path, encoding='utf-8') as file:
                suite = json.load(file)
            if os.path.basename(suite['repository']).lower() == name:
                yield os.path.join(HERE, kind + '.py'), path, suite['commit']


def main():
    parser = argparse.ArgumentParser(description='run lists of public programs and kernels')
    parser.add_argument('--flashtwin', default='flashtwin')
    parser.add_argument('folders', nargs='+', metavar='DIR')
    args = parser.parse_args()
    flashtwin = shutil.which(args.flashtwin)
    if not flashtwin:
        raise SystemExit(f'run.py: no program {args.flashtwin}')
    failed = False
    for folder in args.folders:
        if not os.path.isdir(folder):
            print(f'run.py: {folder}: no such folder', file=sys.stderr)
            failed = True
            continue
        found = list(lists_of(folder))
        if not found:
            print(f'run.py: {folder}: no list is of a repository {repository_of(folder)}',
                  file=sys.stderr)
            failed = True
        for script, path, commit in found:
            head = git(folder, 'rev-parse', 'HEAD') if is_checkout(folder) else ''
            print(f'# {os.path.relpath(path, HERE)}'
                  + (f', for commit {commit}, not {head}' if head not in ('', commit) else ''),
                  flush=True)
            failed |= subprocess.run([sys.executable, script, flashtwin, path,
                                      folder]).returncode != 0
    sys.exit(failed)


if __name__ == '__main__':
    main()
