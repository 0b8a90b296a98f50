#!/bin/sh
# make.sh FLASHTWIN OUT.twin.zst - records the small trace of this folder with a flashtwin, whose
# version of the format it then has. A trace of a version that was released is kept as it is. Needs
# python3 and zstd.
set -e
flashtwin=$(realpath "$1")
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" <<'EOF'
import random, struct, sys

def save(name, shape):
    count = 1
    for size in shape:
        count *= size
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % ', '.join(map(str, shape))
    header += ' ' * (63 - (10 + len(header)) % 64) + '\n'
    with open(sys.argv[1] + '/' + name, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
        for _ in range(count):
            file.write(struct.pack('<f', random.gauss(0, 1)))

random.seed(1)
save('q.npy', (2, 8))
save('k.npy', (2, 6, 8))
save('v.npy', (2, 6, 8))
EOF
# Versions 1 to 7 have no accesses, versions 1 and 2 no counters, version 1 no graphs.
cd "$work"
for more in '--graph capture --count --log access --log-at L0.b0,L1.b0' \
	'--graph capture --count' '--graph capture' ''; do
	if "$flashtwin" attend --q q.npy --k k.npy --v v.npy --chunk 4 --log points --out o.npy \
		-o t.twin $more 2>messages; then
		break
	fi
done
cat messages >&2
zstd -q -19 -f t.twin -o out.zst
cd - >/dev/null
cp "$work/out.zst" "$out"
