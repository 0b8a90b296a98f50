#!/usr/bin/env python3
"""measure_class.py - what grading a class costs, with submissions made of a lab's solution and mutants.

usage: measure_class.py FLASHTWIN LABS LAB STUDENTS JOBS

First each of them is graded alone, for the processor time of a submission; then a class of STUDENTS is
graded, killed in the middle and started again. Not a test: it prints numbers, which depend on the
machine. The aims are 6 s of processor time (median), and 15 minutes for 200 students with 2 jobs on two
cores. Exit 1 if a submission is lost or graded twice.
"""
import glob, json, os, resource, signal, statistics, subprocess, sys, tempfile, time


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def text_of(value):
    return value if isinstance(value, str) else "\n".join(value)


def variants(folder):
    """The solution and the mutants: (name, text)."""
    solution = open(folder + "/staff/solution.cu").read()
    found = [("solution", solution)]
    for mutant in json.load(open(folder + "/staff/mutants.json")):
        text = solution
        if "file" in mutant:
            text = open(folder + "/staff/" + mutant["file"]).read()
        for change in mutant.get("changes", [mutant] if "replace" in mutant else []):
            text = text.replace(text_of(change["replace"]), text_of(change["with"]))
        found.append((mutant["name"], text))
    return found


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def measure_each(grade, texts, work):
    seconds = []
    for name, text in texts:
        write(f"{work}/each/{name}/student.cu", text)
        before = processor_seconds()
        subprocess.run(grade + [f"{work}/each/{name}", "--student", name, "--staff", "--traces",
                                f"{work}/traces"], stdout=subprocess.DEVNULL)
        seconds.append(processor_seconds() - before)
        print(f"{name:28} {seconds[-1]:6.2f} s")
    print(f"processor time of a submission: median {statistics.median(seconds):.2f} s, "
          f"largest {max(seconds):.2f} s")


def stamps(folder):
    return {name: os.stat(name).st_mtime_ns for name in glob.glob(folder + "/*.json")}


def measure_class(grade, texts, work, students, jobs):
    for i in range(students):
        write(f"{work}/class/s{i:04}/student.cu", texts[i % len(texts)][1])
    out = f"{work}/graded"
    command = grade + ["--submissions", f"{work}/class", "-o", out, "--jobs", str(jobs)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    start, used = time.time(), processor_seconds()
    first = subprocess.Popen(command, **quiet)
    while len(stamps(out)) < students // 2 and first.poll() is None:
        time.sleep(0.2)
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(2)
    before = stamps(out)
    print(f"killed after {time.time() - start:.0f} s with {len(before)} of {students} results")
    code = subprocess.run(command, **quiet).returncode
    wall = time.time() - start
    after = stamps(out)
    twice = [name for name in before if before[name] != after.get(name)]
    states = [json.load(open(name))["state"] for name in after]
    print(f"{students} submissions, --jobs {jobs}: {wall:.0f} s, exit code {code}; "
          f"lost {students - len(after)}, graded twice {len(twice)}, "
          f"faults {states.count('fault')}, passed {states.count('passed')}")
    print(f"processor time of the second run: {processor_seconds() - used:.0f} s for "
          f"{students - len(before)} submissions")
    return students == len(after) and not twice and "fault" not in states


def main():
    flashtwin, labs, lab, students, jobs = sys.argv[1:]
    flashtwin, labs = os.path.abspath(flashtwin), os.path.abspath(labs)
    folder = glob.glob(f"{labs}/{int(lab):02}-*")[0]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        write(work + "/secret", "measure")
        grade = [flashtwin, "lab", "grade", lab, "--labs", labs, "--secret", work + "/secret"]
        measure_each(grade, variants(folder), work)
        return 0 if measure_class(grade, variants(folder), work, int(students), jobs) else 1


sys.exit(main())
