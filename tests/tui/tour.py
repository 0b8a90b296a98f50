"""tour.py FLASHTWIN TOUR.md [--update] - runs doc/tour.md as a test, in the current directory.

Commands: lines of ```console blocks that start with "$ ", and the lines after them that start with
"> "; the rest of a block is their output, stdout and stderr. Screens: "Start: `COMMAND`" opens the
viewer in a terminal of 100 x 30, "Keys: `:at L0` `Enter` `2`" sends keys to it, and a ```screen
block holds the screen after that, with runs of empty lines reduced to one. Everything runs in the
order of the text; the command under each heading runs at the end. A comment "<!-- $ COMMAND -->"
runs a command that readers do not see, such as what a user does in an editor. Prints TAP; with
--update, writes the new output and screens into TOUR.md instead. tests/tui/test_tour.sh and
tests/tui/lab/test_lab_readme.sh prepare the environment and call it.
"""
import difflib
import glob
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True          # sources may be read-only
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from limits import limit        # noqa: E402

COLUMNS, LINES = 100, 30
MAX_WAIT = limit(60)            # seconds until a screen counts as wrong
BUILD = os.path.dirname(os.path.abspath(sys.argv[1]))
WAITS_FOR_KEY = os.path.join(BUILD, 'tests', 'waits_for_key')
# Names of keys in the tour, and in tmux.
NAMED_KEYS = {'Enter': 'Enter', 'Tab': 'Tab', 'Space': 'Space', 'Escape': 'Escape', 'Up': 'Up',
              'Down': 'Down', 'PageDown': 'NPage', 'PageUp': 'PPage'}

FENCE = re.compile(r'^```(console|screen)\n(.*?)^```$', re.M | re.S)
STEP = re.compile(r'^Start:\s+`([^`]+)`|^Keys:((?:\s+`[^`]+`)+)|^<!-- \$ (.+?) -->$', re.M | re.S)
# The line under each heading: address, keys and command.
STOP = re.compile(r'^`[^`]+`.* \u00b7 keys.* \u00b7 `([^`]+)`$', re.M)

# Where no namespace can be made, as in some containers, commands say so and do without.
NO_SANDBOX = re.compile(r'^warning: (?:launch|lab): no sandbox, only resource limits: .*\n', re.M)


def strip_lines(text):
    """Removes trailing blanks, which the tour does not contain."""
    return re.sub(r'[ \t]+$', '', text, flags=re.M)


def squeeze(text):
    """Reduces runs of empty lines to one and removes those at both ends."""
    return re.sub(r'\n{3,}', '\n\n', strip_lines(text)).strip('\n') + '\n'


class Terminal:
    """The viewer in tmux. Each start gets its own server: a new one could collide with the previous
    one being killed."""

    def __init__(self):
        self.starts = 0

    def tmux(self, *args):
        socket = os.path.abspath(f'tmux.{self.starts}')
        return subprocess.run(['tmux', '-S', socket, '-f', '/dev/null', *args],
                              capture_output=True, text=True, encoding='utf-8')

    def close(self):
        if self.starts:
            self.tmux('kill-server')

    def start(self, command):
        self.close()
        self.starts += 1
        done = self.tmux('new-session', '-d', '-x', str(COLUMNS), '-y', str(LINES),
                         f"{command}; echo ended with exit code $?; sleep {limit(600):.0f}")
        if done.returncode:
            raise SystemExit(f'Bail out! tmux: {done.stderr}')
        self.settle()           # keys sent before curses has started would be lost

    def send(self, keys):
        for key in keys:
            if key in NAMED_KEYS:
                self.tmux('send-keys', NAMED_KEYS[key])
            else:               # tmux would treat a final ; as a separator
                self.tmux('send-keys', '-l', re.sub(';$', r'\\;', key))
            self.handled()

    def handled(self):
        """Waits until the viewer has handled all keys; sending another could stop its work."""
        where = self.tmux('display-message', '-p', '#{pane_pid} #{pane_tty}').stdout.split()
        subprocess.run([WAITS_FOR_KEY, *where, f'{MAX_WAIT:.0f}'], check=False)

    def screen(self):
        return squeeze(self.tmux('capture-pane', '-p').stdout)

    def busy(self):
        """Whether a process on the terminal is running or waiting for a disk."""
        session = self.tmux('display-message', '-p', '#{pane_pid}').stdout.strip()
        for path in glob.glob('/proc/[0-9]*/stat'):
            try:
                with open(path, encoding='utf-8', errors='replace') as file:
                    state, *_, its_session = file.read().rpartition(') ')[2].split()[:4]
            except OSError:     # the process has just ended
                continue
            if its_session == session and state in 'RD':
                return True
        return False

    def settle(self):
        """Waits until the screen has not changed and no process was busy for half a second; returns
        the screen."""
        last, since = None, time.monotonic()
        end = since + MAX_WAIT
        while time.monotonic() < end:
            now = self.screen()
            if now != last or self.busy():
                last, since = now, time.monotonic()
            elif now.strip() and time.monotonic() - since > 0.5:
                break
            time.sleep(0.1)
        return last

    def shows(self, wanted):
        """Waits for the screen to show `wanted`; returns what it shows."""
        end = time.monotonic() + MAX_WAIT
        while (got := self.screen()) != wanted and time.monotonic() < end:
            time.sleep(0.1)
        return got


def run_block(block):
    """Runs the commands of a console block; returns the block with their output. They share one
    shell, so that $? works."""
    pieces = re.split(r'^(?=\$ )', block, flags=re.M)
    script, prompts = '', []
    for piece in pieces[1:]:
        lines = piece.splitlines(keepends=True)
        count = 1
        while count < len(lines) and lines[count].startswith('> '):
            count += 1
        prompts.append(''.join(lines[:count]))
        script += ''.join(line[2:] for line in lines[:count])
        script += "code=$?; printf '\\001'; (exit $code)\n"
    done = subprocess.run(['sh', '-c', script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, encoding='utf-8')
    outputs = [NO_SANDBOX.sub('', re.sub(r'([^\n])\Z', r'\1\n', output))
               for output in done.stdout.split('\1')]
    return strip_lines(''.join(p + output for p, output in zip(prompts, outputs)))


def check_stop(command):
    """Runs the command under a heading; returns '' if it works, else the error."""
    done = subprocess.run(['sh', '-c', command], capture_output=True, text=True, encoding='utf-8')
    expected = 4 if command.startswith('flashtwin find') else 0
    if done.returncode == expected and done.stdout:
        return ''
    return f'exit code {done.returncode}\n{done.stderr}'


def what_block_shows(kind, block, terminal, update):
    if kind == 'console':
        return run_block(block)
    return terminal.settle() if update else terminal.shows(block)


def report(number, what, wanted, got):
    good = wanted == got
    print(f"{'ok' if good else 'not ok'} {number} - {what}")
    if not good:
        for line in difflib.unified_diff(wanted.splitlines(), got.splitlines(), 'expected',
                                         'got', lineterm=''):
            print('#', line)
    sys.stdout.flush()


def walk(text, update):
    """Runs the tour; returns it with updated blocks."""
    terminal, out, at, number = Terminal(), '', 0, 0
    try:
        for fence in FENCE.finditer(text):
            prose, kind, block = text[at:fence.start()], fence[1], fence[2]
            for step in STEP.finditer(prose):
                if step[1]:
                    terminal.start(step[1])
                elif step[3]:
                    subprocess.run(['sh', '-ec', step[3]], check=True)
                else:
                    terminal.send(re.findall(r'`([^`]+)`', step[2]))
            got = what_block_shows(kind, block, terminal, update)
            number += 1
            if not update:
                line = text.count('\n', 0, fence.start()) + 1
                report(number, f"{kind} at line {line}: {block.splitlines()[0]}", block, got)
            out += prose + f'```{kind}\n{got}```'
            at = fence.end()
    finally:
        terminal.close()
    if not update:
        for stop in STOP.finditer(text):
            number += 1
            report(number, f'prints something: {stop[1]}', '', check_stop(stop[1]))
        print(f'1..{number}')
    return out + text[at:]


def main():
    path = os.path.abspath(sys.argv[2])
    update = sys.argv[3:] == ['--update']
    os.environ['PATH'] = BUILD + ':' + os.environ['PATH']
    with open(path, encoding='utf-8') as file:
        text = file.read()
    now = walk(text, update)
    if update and now != text:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(now)
        print(f'{path}: updated')


main()
