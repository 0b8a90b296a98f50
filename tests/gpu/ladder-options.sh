# ladder-options.sh - the part of run.sh that attends with rungs 5, 6, 7, 9 and 10 on both devices, with
# keys and values of each type, softcap, windows, sinks, log-sum-exps, pages and several queries.
#
# Head sizes, groups and lengths near tiles, windows and page borders, with random tensors: no bit
# may differ between the devices, and rungs must give the output and log-sum-exps of the lowest one that
# has the same arithmetic: 5, and 7 with tensor cores.
# Sourced by run.sh, whose functions and variables it uses.

# tensors D HEADS LENGTH: q.npy, q4.npy with 4 queries of each sequence, and for each type
# kv_k.TYPE.npy and kv_v.TYPE.npy of 2 sequences and 2 KV heads; pools of the same type and shape in pages of 16 rows, and their table. Pages are
# shuffled, two are shared, and one in the middle, which no table names, is not a number.
tensors() {
	python3 - "$work" "$@" <<'PYTHON'
import array, random, struct, sys
folder, D, heads, length = sys.argv[1], *map(int, sys.argv[2:])
random.seed(D + length)
PAGE, SLOTS, KV_HEADS = 16, 2, 2
PAGES = -(-length // PAGE)

def save(name, kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    with open(f"{folder}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)

def floats(numbers):
    return array.array("f", numbers).tobytes()

def halves(numbers):
    return b"".join(struct.pack("<e", x) for x in numbers)

def upper(numbers):
    return b"".join(struct.pack("<f", x)[2:] for x in numbers)

def codes(numbers):
    # Any code but those of NaN: the number chooses one.
    return bytes((int(abs(x) * 1e4) % 127) | (128 if x < 0 else 0) for x in numbers)

def normal(count):
    return [random.gauss(0, 1) for _ in range(count)]

save("q", "<f4", (SLOTS, heads, D), floats(normal(SLOTS * heads * D)))
save("q4", "<f4", (SLOTS, 4, heads, D), floats(normal(SLOTS * 4 * heads * D)))
for letter in "kv":
    rows = normal(SLOTS * KV_HEADS * length * D)
    pool = normal((SLOTS * PAGES + 1) * KV_HEADS * PAGE * D)
    hole = KV_HEADS * PAGE * D
    for kind, name, pack, nan in (("<f4", "f32", floats, b"\0\0\xc0\x7f"),
                                  ("<f2", "f16", halves, b"\0\x7e"),
                                  ("<u2", "bf16", upper, b"\xc0\x7f"),
                                  ("|u1", "e4m3", codes, b"\x7f")):
        save(f"kv_{letter}.{name}", kind, (SLOTS, KV_HEADS, length, D), pack(rows))
        data = pack(pool[:hole]) + nan * hole + pack(pool[hole * 2:])
        save(f"pool_{letter}.{name}", kind, (SLOTS * PAGES + 1, KV_HEADS, PAGE, D), data)
table = [n for n in range(SLOTS * PAGES + 1) if n != 1]
random.shuffle(table)
table[-1] = table[0]
save("table", "<i4", (SLOTS, PAGES), array.array("i", table).tobytes())
PYTHON
}

# attends WHAT TYPE FILES Q OPTION...: all rungs; FILES is kv or pool.
attends() {
	what="$2, $1" type=$2 files=$3 q=$4
	shift 4
	for rung in 5 6 7 9 10; do
		[ "$type$rung" != f327 ] || continue
		run 240 "$flashtwin" attend --path ladder --rung "$rung" --kv-dtype "$type" \
			--q "$work/$q.npy" --k "$work/${files}_k.$type.npy" \
			--v "$work/${files}_v.$type.npy" --device both --log points \
			--out "$work/out.$rung.npy" --lse "$work/lse.$rung.npy" "$@"
		compared "rung $rung, $what"
	done
	for rung in 6 9 10; do
		like=5
		[ "$type" = f32 ] || [ "$rung" -lt 7 ] || like=7
		cmp -s "$work/out.$like.npy" "$work/out.$rung.npy" &&
			cmp -s "$work/lse.$like.npy" "$work/lse.$rung.npy" ||
			result FAIL "rung $rung, $what" "not the output or log-sum-exps of rung $like"
	done
}

if command -v python3 >/dev/null 2>&1; then
	for D in 64 80 96 128 256; do
		tensors "$D" 6 300
		for type in f32 f16 bf16 e4m3; do
			attends "D $D" "$type" kv q --lengths 300,17
			attends "D $D, window 40, sinks 5, softcap 3" "$type" kv q \
				--lengths 300,129 --window 40 --sinks 5 --softcap 3
			attends "D $D, pages" "$type" pool q --page-table "$work/table.npy" \
				--lengths 289,16
			attends "D $D, pages, window 130, sinks 20" "$type" pool q \
				--page-table "$work/table.npy" --lengths 300,161 --window 130 --sinks 20
			# New keys in two splits, and fewer keys than queries.
			attends "D $D, 4 queries" "$type" kv q4 --lengths 130,3
			attends "D $D, 4 queries, pages, window 130, sinks 20, softcap 3" "$type" \
				pool q4 --page-table "$work/table.npy" --lengths 300,161 \
				--window 130 --sinks 20 --softcap 3
		done
	done
	for heads in 2 4 8 14 32; do
		tensors 128 "$heads" 1100
		for type in f32 bf16; do
			attends "$heads/2 heads" "$type" kv q --lengths 1100,0
			attends "$heads/2 heads, 4 queries" "$type" kv q4 --lengths 1100,130
			attends "$heads/2 heads, pages, window 1000" "$type" pool q \
				--page-table "$work/table.npy" --lengths 1100,1 --window 1000
		done
	done
else
	result SKIP 'options of the ladder' 'no python3 to make tensors'
fi
