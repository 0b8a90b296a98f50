#!/usr/bin/env python3
"""check_formats.py - is a file in the format of a sample? See labs/formats/README.md.

check_formats.py FORMAT SAMPLE FILE prints a line for each difference. The sample must pass too, so
that no rule here is stricter than the system's documents. Control characters fail in every format.
"""
import json
import re
import sys
import xml.etree.ElementTree as tree

VISIBILITY = ('hidden', 'after_due_date', 'after_published', 'visible')
TIME = r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d'
errors = []


def expect(condition, what):
    if not condition:
        errors.append(what)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def kind(value):
    return 'number' if is_number(value) else type(value).__name__


def same_names(sample, value, place, free=()):
    """Every name of the value is at the same place in the sample, with the same type."""
    if place in free:
        return
    expect(kind(sample) == kind(value), f'{place}: {kind(value)}, expected {kind(sample)}')
    if isinstance(value, dict) and isinstance(sample, dict):
        for name, part in value.items():
            if name in sample:
                same_names(sample[name], part, f'{place}.{name}', free)
            else:
                expect(f'{place}.{name}' in free, f'{place}: {name} is not in the sample')
    if isinstance(value, list) and isinstance(sample, list):
        for part in value:
            same_names(sample[0], part, f'{place}[]', free)


def required(value, place, names):
    for name in names:
        expect(name in value, f'{place}: {name} is missing')


def check_gradescope(sample, text):
    sample, result = json.loads(sample), json.loads(text)
    same_names(sample, result, '', ('.extra_data', '.leaderboard[].value',
                                    '.leaderboard[].order'))
    expect('score' in result or all('score' in test for test in result['tests']), 'no score')
    for holder in [result] + result['tests']:
        for name in ('visibility', 'stdout_visibility'):
            expect(holder.get(name, 'visible') in VISIBILITY, f'{name}: {holder.get(name)}')
        for name in ('output_format', 'test_output_format', 'test_name_format', 'name_format'):
            expect(holder.get(name, 'text') in ('text', 'simple_format', 'html', 'md', 'ansi'),
                   f'{name}: {holder.get(name)}')
    for test in result['tests']:
        expect(test.get('status', 'passed') in ('passed', 'failed'), f'status {test}')
        expect(('score' in test) == ('max_score' in test), f'score without max_score: {test}')
        expect('score' in test or 'status' in test, f'neither score nor status: {test}')
        expect(0 <= test.get('score', 0) <= test.get('max_score', 0), f'score of {test}')


def check_autolab(sample, text):
    result = json.loads(text.splitlines()[-1])
    same_names(json.loads(sample), result, '', tuple(f'.scores.{name}' for name in
                                                     result['scores']))
    required(result, 'autoresult', ('scores',))
    expect(all(is_number(value) for value in result['scores'].values()), 'a score is no number')
    expect(all(is_number(value) for value in result.get('scoreboard', [])), 'scoreboard')
    expect(sum(result['scores'].values()) == result['scoreboard'][-1], 'the total')


def check_classroom50(sample, text):
    sample, result = json.loads(sample), json.loads(text)
    same_names(sample, result, '', ('.tests[].output',))
    required(result, 'result', [name for name in sample if name != 'graded_at'])
    expect(result['schema'] == sample['schema'], 'schema')
    expect(result['assignment_type'] in ('individual', 'group'), 'assignment_type')
    expect(result['submission'].startswith('submit/'), 'submission')
    expect(re.fullmatch(TIME + 'Z', result['datetime']), 'datetime')
    for name in ('classroom', 'assignment', 'owner', 'commit', 'release', 'review'):
        expect(result[name], f'{name} is empty')
    for test in result['tests'] + [result]:
        expect(type(test['score']) is int and type(test['max-score']) is int, f'{test}')
        expect(0 <= test['score'] <= test['max-score'], f'score of {test}')
    for test in result['tests']:
        required(test, 'test', sample['tests'][0])
    for name in ('score', 'max-score'):
        expect(sum(test[name] for test in result['tests']) == result[name], f'sum of {name}')


def shape(element, place, attributes, children):
    """Collects the attributes and children of every element by its place."""
    place = f'{place}/{element.tag}'
    attributes.setdefault(place, []).append(set(element.attrib))
    children.setdefault(place, set()).update(child.tag for child in element)
    for child in element:
        shape(child, place, attributes, children)


def check_junit(sample, text):
    root = tree.fromstring(text.encode())
    shapes = [({}, {}), ({}, {})]
    for tested, (attributes, children) in zip((tree.fromstring(sample.encode()), root), shapes):
        shape(tested, '', attributes, children)
    for place, found in shapes[1][0].items():
        known = shapes[0][0].get(place)
        expect(known, f'{place} is not in the sample')
        for names in found if known else []:
            expect(names == known[0], f'{place} has {sorted(names)}, not {sorted(known[0])}')
    for place, found in shapes[1][1].items():
        expect(found <= shapes[0][1].get(place, set()), f'{place} contains {found}')
    for number, suite in enumerate(root):
        cases = suite.findall('testcase')
        expect([child.tag for child in suite] == ['properties'] + ['testcase'] * len(cases)
               + ['system-out', 'system-err'], f'order in {suite.get("name")}')
        expect(suite.get('id') == str(number), 'id')
        expect(re.fullmatch(TIME, suite.get('timestamp')), 'timestamp')
        expect(suite.get('tests') == str(len(cases)), 'tests')
        for name, tag in (('failures', 'failure'), ('errors', 'error'), ('skipped', 'skipped')):
            expect(suite.get(name) == str(len(suite.findall(f'testcase/{tag}'))), name)


def check_tap(sample, text):
    lines = text.splitlines()
    expect(re.fullmatch('TAP version 1[34]', lines[0]), 'the version')
    plans = [line for line in lines if re.match(r'1\.\.\d+$', line)]
    points = [line for line in lines if re.match('(not )?ok ', line)]
    expect(len(plans) == 1 and plans[0] == f'1..{len(points)}', f'plan {plans}')
    for number, line in enumerate(points, 1):
        expect(re.match(rf'(not )?ok {number} - ', line), f'point {number}: {line}')
        expect(not re.search(r'(?<!\\)(\\\\)*#', line)
               or re.search(r' # (SKIP|TODO) ', line), f'a directive: {line}')
    inside = False
    for line in lines[1:]:
        if line in ('  ---', '  ...'):
            expect(inside == (line == '  ...'), 'diagnostics')
            inside = not inside
        elif inside:
            expect(re.match(r'   *(\w+:( |$)|")', line), f'not YAML: {line}')
        else:
            expect(line in points + plans or line.startswith('# '), f'not TAP: {line}')
    for scalar in re.findall(r'^ +\w+: (".*)$', text, re.M):
        json.loads(scalar)


def main():
    name, *files = sys.argv[1:]
    texts = [open(file, encoding='utf-8', newline='').read() for file in files]
    for file, text in zip(files, texts):
        before = len(errors)
        if re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f]', text):
            errors.append('a control character')
        try:
            globals()[f'check_{name}'](texts[0], text)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError,
                tree.ParseError) as error:
            errors.append(repr(error))
        errors[before:] = [f'{file}: {error}' for error in errors[before:]]
    print('\n'.join(errors), end='\n' if errors else '')


main()
