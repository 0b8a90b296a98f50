#!/usr/bin/env python3
"""autograder.py - grades a lab of flashtwin in Classroom 50. Put it, with LAB set, into
CLASSROOM/autograders/ASSIGNMENT/ of the classroom50 repository.

The runner starts it in the student's checkout, in an image that has flashtwin (see runtime.json).
It writes result.json. Any other exit code than 0 is a fault of the grader, and no result.

There is no secret here: students can read what an action of their repository reads. So only 65
points are graded; grade the secret cases on a machine of your own.
"""
import os
import pathlib
import subprocess
import sys

LAB = '3'
FILE = 'student.cu'


def main():
    environment = {name: value for name, value in os.environ.items()
                   if name != 'FLASHTWIN_LAB_SECRET'}
    if pathlib.Path(FILE).is_symlink() or not pathlib.Path(FILE).is_file():
        # Not a fault of the grader: a file that does not compile has 0 points.
        pathlib.Path(FILE).unlink(missing_ok=True)
        pathlib.Path(FILE).write_text('#error "there is no file with this name"\n')
    graded = subprocess.run(['flashtwin', 'lab', 'grade', LAB, FILE, '--format', 'classroom50',
                             '-o', 'result.json'], env=environment, check=False)
    return 0 if graded.returncode in (0, 1) else graded.returncode


sys.exit(main())
