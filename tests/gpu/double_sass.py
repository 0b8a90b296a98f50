#!/usr/bin/env python3
"""double_sass.py [--lines] [FILE] - checks which instructions a GPU's double functions are made of.

Reads what `cuobjdump -sass` prints for kernels/verify_double.cu, which has a kernel for each
function of kernels/double_list.h, and prints a line for each function: its name and its
floating-point instructions. With --lines it reads such lines. These instructions must be IEEE
operations of float and double in any rounding direction, without flushing of subnormals,
comparisons, conversions, or first guesses that base/math/mufu_model.c and double_core.c model;
others must not compute with floats at all. Exit code 1 if a function has another one, or if there
is no function.
"""
import re
import sys

# Operation and modifiers. HFMA2.MMA of two zeros loads a constant.
IEEE = re.compile(r'D(ADD|MUL|FMA)(\.R[MPZ])?|F(ADD|MUL|FMA)(\.R[MPZ])?|[DF]SETP(\.[A-Z]+)+'
                  r'|DMNMX|FMNMX|FSEL|FRND(\.F64)?(\.TRUNC|\.FLOOR|\.CEIL)?|F2F\.F(32\.F64|64\.F32)'
                  r'|F2I(\.[SU](32|64))?(\.F64)?(\.NTZ)?(\.TRUNC|\.FLOOR|\.CEIL)?'
                  r'|I2FP?(\.F(32|64))?(\.[SU](32|64))?(\.RZ)?')
GUESSES = {'MUFU.RCP64H', 'MUFU.RSQ64H', 'MUFU.EX2', 'MUFU.LG2'}
CONSTANT = re.compile(r'HFMA2\.MMA R\d+, -RZ, RZ, ')
# Integers, moves, memory, control: by the name before the first dot.
OTHERS = set('''BAR BRA BRX BSSY BSYNC CALL CS2R EXIT FLO IABS IADD3 IMAD IMNMX ISETP LD LDC LDG
                LDL LEA LOP3 MOV NOP PLOP3 POPC PRMT R2P R2UR RET S2R S2UR SEL SHF ST STG STL
                UIADD3 UIMAD UISETP ULDC ULOP3 UMOV USEL USHF VIADD VIADDMNMX VIMNMX
                WARPSYNC'''.split())
INSTRUCTION = re.compile(r'\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*)')


def of_sass(lines):
    """Returns {function: its floating-point instructions, and others that are not known}."""
    found, name = {}, None
    for line in lines:
        begins = re.match(r'\s*Function : math_(\S+)', line)
        if begins:
            name = begins[1]
            found[name] = set()
        match = INSTRUCTION.match(line)
        if not match or name is None or match[1].split('.')[0] in OTHERS:
            continue
        if not CONSTANT.match(match[1] + match[2]):
            found[name].add(match[1])
    return found


def of_lines(lines):
    return {words[0]: set(words[1:]) for words in
            (line.split() for line in lines if not line.startswith('#'))}


def main():
    arguments = sys.argv[1:]
    read = of_sass
    if arguments[:1] == ['--lines']:
        read = of_lines
        arguments = arguments[1:]
    with open(arguments[0]) if arguments else sys.stdin as file:
        found = read(file)
    wrong = not found
    for name, instructions in sorted(found.items()):
        print(name, *sorted(instructions))
        for one in sorted(instructions - GUESSES):
            if not IEEE.fullmatch(one):
                print(f'double_sass.py: {name} has {one}, which is neither IEEE nor modelled',
                      file=sys.stderr)
                wrong = True
    if not found:
        print('double_sass.py: no functions', file=sys.stderr)
    return int(wrong)


if __name__ == '__main__':
    sys.exit(main())
