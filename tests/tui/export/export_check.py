#!/usr/bin/env python3
"""export_check.py - checks files written by `flashtwin export`, with Python's standard library.

    export_check.py svg FILE PLAIN        the picture's text equals the lines of PLAIN
    export_check.py slide FILE TEXT...    a picture of shapes whose texts include these, none of them
                                          cut at an edge or on top of another; headings are
                                          above ribbons
    export_check.py perfetto FILE TIME    slices of a track do not overlap; TIME is "logical" or
                                          "launches"
    export_check.py npz FILE NAME DTYPE SHAPE [BITS...]
                                          an array, and its first elements as unsigned numbers
    export_check.py names FILE            prints the names of the arrays of an .npz, one per line
    export_check.py elements FILE ID...   writes the text of elements of an HTML document to files
                                          named after their ids
    export_check.py page FILE FLASHTWIN TRACE LAUNCH...
                                          the page's screens at these launches and all of their
                                          blocks equal those of --plain
    export_check.py picture FILE PLAY BITS FRAME
                                          the first picture in the document FILE has the numbers of
                                          that frame of the output PLAY of view --play, and where
                                          chunks are shown, the bits of max and sum in BITS; frame
                                          0 is the whole step, as the last one is drawn
    export_check.py printed FILE COLOUR...
                                          a PDF of one page that fills shapes with these colours,
                                          each RRGGBB
    export_check.py get FILE PATH         prints a member of a JSON file: launches.0.kernel;
                                          launches.# is the number of launches

Exits 1 and prints the first error, if any. Used by test_export.sh and test_export_html.sh.
"""
import ast
import base64
import gzip
import html.parser
import json
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree
import zipfile
import zlib

SVG = "{http://www.w3.org/2000/svg}"
MARGIN, HEADER, LINE = 14, 34, 17


def fail(*message):
    print(*message)
    sys.exit(1)


def as_page(plain):
    script = os.path.join(os.path.dirname(__file__), "page.sed")
    return subprocess.run(["sed", "-f", script], input=plain, capture_output=True,
                          check=True).stdout


def svg(path, plain):
    root = xml.etree.ElementTree.parse(path).getroot()
    lines = {}
    for text in root.iter(SVG + "text"):
        number = round((float(text.get("y")) - MARGIN - HEADER) / LINE - 0.7)
        lines[number] = "".join(text.itertext())
    if root.find(SVG + "title").text != lines.pop(-2, None):
        fail("the header is not the title:", root.find(SVG + "title").text)
    wanted = open(plain, encoding="utf-8").read().split("\n")[:-1]
    got = [lines.get(i, "") for i in range(len(wanted))]
    for number, (a, b) in enumerate(zip(wanted, got)):
        if a != b:
            fail("line", number, "expected", repr(a), "got", repr(b))
    if set(lines) - set(range(len(wanted))):
        fail("more lines than in plain text")


def boxes(element, inherited, found):
    """Appends (text, left, top, right, bottom) of every text; letters have typical widths."""
    here = dict(inherited)
    for name in ("font-size", "text-anchor", "font-family", "opacity"):
        here[name] = element.get(name, here.get(name))
    shift = element.get("transform", "")
    if shift.startswith("translate("):
        x, y = map(float, shift[10:-1].split())
        here["x"], here["y"] = here["x"] + x, here["y"] + y
    if element.tag == SVG + "text" and here["opacity"] != "0":
        text, size = "".join(element.itertext()), float(here["font-size"])
        width = len(text) * size * (0.602 if "Mono" in here["font-family"] else 0.5)
        left = float(element.get("x")) + here["x"]
        left -= {"end": width, "middle": width / 2}.get(here["text-anchor"], 0)
        y = float(element.get("y")) + here["y"]
        found.append((text, left, y - 0.72 * size, left + width, y + 0.1 * size))
    for child in element:
        boxes(child, here, found)


def aligned(root):
    """The numbers of a column have their points below each other."""
    def points(element, inherited):
        here = dict(inherited)
        for name in ("font-size", "text-anchor", "transform"):    # moved: the other run
            here[name] = element.get(name, here.get(name))
        number = element.tag == SVG + "text" and re.fullmatch(
            r"(?:\w+ )?(?:\u00d7 )?\u00a0*-?\d+(\.\d+)(?:e-\d+)?", "".join(element.itertext()))
        if number:
            end, digits = here["text-anchor"] == "end", number.group(0)
            column = (element.get("x"), end, here["font-size"], here["transform"])
            at = len(digits) - number.start(1) if end else number.start(1)
            columns.setdefault(column, {})[digits] = at
        for child in element:
            points(child, here)

    columns = {}
    points(root, {})
    for numbers in columns.values():
        if len({at for number, at in numbers.items() if "e-" not in number}) > 1:
            fail("points are not below each other:", sorted(numbers))


def slide(path, *wanted):
    root = xml.etree.ElementTree.parse(path).getroot()
    tags = {element.tag.replace(SVG, "") for element in root.iter()}
    known = {"svg", "title", "desc", "rect", "line", "path", "text", "g", "animate"}
    if tags - known or not {"rect", "text"} <= tags:
        fail("unexpected elements:", sorted(tags))
    found = []
    boxes(root, {"x": 0.0, "y": 0.0}, found)
    texts = [box[0] for box in found]
    for text in wanted:
        if text not in texts:
            fail("no text", repr(text), "in", texts)
    _, _, width, height = map(float, root.get("viewBox").split())
    for i, a in enumerate(found):
        if a[1] < 0 or a[2] < 0 or a[3] > width or a[4] > height:
            fail("text is cut at an edge:", a)
        for b in found[:i]:
            across = min(a[3], b[3]) - max(a[1], b[1])
            if a != b and across > 2 and min(a[4], b[4]) - max(a[2], b[2]) > 2:
                fail("texts overlap:", a, b)
    aligned(root)
    headings = [float(text.get("y")) for text in root.iter(SVG + "text") if text.get("letter-spacing")]
    for ribbon in root.iter(SVG + "path"):
        if ribbon.get("fill-opacity") == "0.5":
            top = float(re.match(r"M[\d.]+ ([\d.]+)", ribbon.get("d")).group(1))
            if top < headings[0]:
                fail("a ribbon begins at", top, "and headings are at", headings[0])
    print(len(found), "texts")


def perfetto(path, time):
    trace = json.load(open(path, encoding="utf-8"))
    ends, names, named, steps = {}, set(), set(), 0
    for event in trace["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                named.add(track)
            continue
        if event["ph"] == "X":
            if event["dur"] < 0:
                fail("negative duration:", event)
            if event["ts"] < ends.get(track, 0) - 1e-6:
                fail("a slice begins before the previous one of its track ended:", event)
            ends[track] = event["ts"] + event["dur"]
            steps += event["cat"] == "step"
            names.add(event["name"])
        elif event["ph"] not in "isf":
            fail("unknown phase:", event)
        if event["ph"] in "iX" and "address" not in event["args"]:
            fail("no address:", event)
        if track not in named:
            fail("a track without a name:", event)
    for run in trace["otherData"]["runs"]:
        if not run["time"].startswith(time):
            fail("expected time", time, "got", run["time"])
    print(len(ends), "tracks", steps, "steps", *sorted(n for n in names if "_" in n))


def read_array(path, name):
    """Returns dtype, shape and bytes."""
    with zipfile.ZipFile(path) as archive:
        if archive.testzip():
            fail("a damaged zip")
        data = archive.read(name + ".npy")
    if data[:8] != b"\x93NUMPY\x01\x00":
        fail("not an .npy file:", data[:8])
    length, = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode("ascii"))
    return header["descr"], header["shape"], data[10 + length:]


def npz(path, name, dtype, shape, *bits):
    found, extent, data = read_array(path, name)
    if (found, "x".join(map(str, extent))) != (dtype, shape):
        fail(name, "expected", dtype, shape, "got", found, extent)
    size = int(dtype[2:])
    count = 1
    for length in extent:
        count *= length
    if len(data) != count * size:
        fail(name, "expected", count * size, "bytes, got", len(data))
    for i, wanted in enumerate(bits):
        got = int.from_bytes(data[i * size:(i + 1) * size], "little")
        if got != int(wanted) % (1 << 8 * size):
            fail(f"{name}[{i}]: expected {int(wanted) % (1 << 8 * size):#x}, got {got:#x}")


def names(path):
    with zipfile.ZipFile(path) as archive:
        print(*(name[:-4] for name in archive.namelist()), sep="\n")


class Element(html.parser.HTMLParser):
    """Collects the text of the element with the id `name`."""

    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.tag, self.depth, self.text = name, None, 0, None

    def handle_starttag(self, tag, attrs):
        if self.text is None and dict(attrs).get("id") == self.name:
            self.tag, self.text = tag, ""
        self.depth += tag == self.tag

    def handle_endtag(self, tag):
        self.depth -= tag == self.tag
        if self.depth == 0:
            self.tag = None

    def handle_data(self, data):
        if self.tag:
            self.text += data


def elements(path, *names):
    document = open(path, encoding="utf-8", errors="replace").read()
    for name in names:
        found = Element(name)
        found.feed(document)
        with open(name, "w", encoding="utf-8", newline="") as out:
            out.write(f"no element {name}" if found.text is None else found.text)


def page_data(path):
    text = open(path, encoding="utf-8").read()
    packed = text.split('id="data">', 1)[1].split("<", 1)[0]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def page_screen(data, number):
    """The lines of a screen, without the mark of the current place."""
    ranges = data["drawn"][number]
    numbers = [first + i for first, count in zip(ranges[::2], ranges[1::2]) for i in range(count)]
    return [unmarked(data["lines"][n].split("\t")[0]) for n in numbers]


def unmarked(line):
    return " " + line[1:] if line[:1] == ">" else line


def lines(path):
    """Every line that a page's screens have."""
    for line in page_data(path)["lines"]:
        print(line.split("\t")[0])


def page(path, flashtwin, trace, *launches):
    data, compared = page_data(path), 0
    run = data["runs"][0]
    blocks = {launch[0]: launch[6] for launch in run["launches"]}
    for name, view in run["screens"].items():
        for launch, number, count, apart in view.get("launches", []):
            if str(launch) not in launches:
                continue
            at = [(f"L{launch}", number)]
            if count:
                at += [(f"L{launch}.b{block}", number + 1 + block % (count * apart) // apart)
                       for block in range(blocks[launch])]
            for address, number in at:
                plain = subprocess.run([flashtwin, "view", trace, "--plain", "--screen", name,
                                        "--at", address], capture_output=True, check=False)
                wanted = as_page(plain.stdout).decode().splitlines()
                if page_screen(data, number) != [unmarked(line) for line in wanted]:
                    fail(name, "at", address, "differs from --plain")
                compared += 1
    print(compared, "screens")


def played(path, number):
    """The caption, and the shares, factors and output of a frame in the output of view --play."""
    frames = re.split(r"^frame (?=\d+ of \d+, at)", open(path, encoding="utf-8").read(),
                      flags=re.M)[1:]
    head, body = frames[number - 1].split("\n", 1)
    count, text = re.match(r"\d+ of (\d+), at [^:]*: (.*)", head).groups()
    out = re.search(r"out\[0\] = .*?(-?[\d.]+)$", body, re.M)
    # A share of less than 0.05 % is printed too; a line of a chunk begins with its first key.
    return (f"frame {number} of {count}: {text}" if number else "", re.findall(r"([\d.]+)%", re.sub(
        r"(?m)^ (looks at|weight).*$", "", body)), re.findall(r"x([\d.]+)", body),
            out and out.group(1), len(frames))


def picture(path, play, bits, number):
    document = open(path, encoding="utf-8").read()
    number = int(number)
    caption, shares, factors, out, count = played(play, number)
    shown = re.search(r'id="frame"[^>]*>([^<]*)<', document).group(1)
    if shown != (caption if number else f"the whole step, {count} frames"):
        fail("expected", repr(caption), "got", repr(shown))
    svg = re.search(r"<figure>.*?</figure>", document, re.S).group(0)
    got = re.findall(r'class="share">([\d.]+) %<', svg)
    if got != shares:
        fail("shares: expected", shares, "got", got)
    got = re.findall(r"\u00d7 ([\d.]+)<", svg)
    if got != [f"{float(factor):.6f}" for factor in factors]:
        fail("factors: expected", factors, "got", got)
    got = re.search(r'class="result">(-?[\d.]+)<', svg)
    if bool(got) != bool(out) or (got and got.group(1) != f"{float(out):.6g}"):
        fail("output: expected", out, "got", got and got.group(1))
    # Bars that are drawn have the exact values.
    wanted = [line.split("\t") for line in open(bits, encoding="utf-8").read().splitlines()]
    tips = re.findall(r'data-tip="(chunk[^"]*)" data-chunk', svg)
    for (high, total), tip in zip(wanted, tips, strict=True):
        if f"0x{high})" not in tip or f"0x{total})" not in tip:
            fail("bits: expected", high, total, "in", tip)


def printed(path, *colours):
    document = open(path, "rb").read()
    pages = len(re.findall(rb"/Type\s*/Page\b", document))
    if pages != 1:
        fail("pages:", pages)
    found = set()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", document, re.S):
        try:
            drawn = zlib.decompress(stream)
        except zlib.error:
            continue        # not compressed, such as a font
        for rgb in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\b", drawn):
            found.add("".join(f"{round(255 * float(each)):02x}" for each in rgb))
    for colour in colours:
        if colour not in found:
            fail("no", colour, "in", sorted(found))


def get(path, members):
    value = json.load(open(path, encoding="utf-8"))
    for member in members.split("."):
        if member == "#":
            value = len(value)
        else:
            value = value[int(member)] if isinstance(value, list) else value[member]
    print(value)


{"svg": svg, "slide": slide, "perfetto": perfetto, "npz": npz, "names": names, "elements": elements,
 "page": page, "picture": picture, "lines": lines, "printed": printed, "get": get}[sys.argv[1]](
    *sys.argv[2:])
