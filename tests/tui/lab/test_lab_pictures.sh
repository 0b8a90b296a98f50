#!/bin/sh
# test_lab_pictures.sh [--update] - the pictures of the handouts that flashtwin exports are what it
# exports now. With --update, writes them: look at them, and at what the handouts say about them.
#
# The others, drawn by hand, are range, tree, rescaling and lengths.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
update=${1-}
LC_ALL=C.UTF-8
export LC_ALL
unset FLASHTWIN_DATADIR

# picture FILE TRACE SCREEN ADDRESS
picture() {
	run export "$2.twin" --as svg --screen "$3" --at "$4" -o new.svg --force
	if [ "$update" = --update ] && [ "$code" -eq 0 ]; then
		cp new.svg "$srcdir/labs/$1.svg"
	fi
	result "$1.svg is $3 at $4" "$([ "$code" -eq 0 ] && cmp new.svg "$srcdir/labs/$1.svg" 2>&1 ||
		cat err)"
}

# As lab 0 makes the trace of a student.
"$flashtwin" decode --prompt 'First Citizen:
Before we proceed any further, h' -n 36 --chunk 12 --log points -o trace.twin >log 2>&1 || cat log
picture 00-read-a-trace/step trace step s20
picture 00-read-a-trace/kv trace kv s20
picture 11-write-tests/merge trace step L311.b2
"$flashtwin" decode --prompt 'First Citizen:
Before we proceed any further, h' -n 3 --chunk 32 --log access --log-at L14.b0 -o loads.twin \
	>log 2>&1 || cat log
picture 04-split-partials/loads loads memory L14

cp "$srcdir/tests/h200/demo.twin" demo.twin
picture 01-safe-softmax/weights demo text s40
picture 04-split-partials/splits demo step s40
picture 04-split-partials/partials demo chunks L654.b8
picture 05-combine/merge demo reduce L1263.b4
picture 06-gqa/heads demo text s78
picture 07-paged-cache/cache demo kv s78

cp "$srcdir/doc/samples/merge.cu" .
"$flashtwin" launch merge.cu --kernel merge --grid 1 --block 128 --arg 'out=>out.npy:f32[1]' \
	--check -o merge.twin >log 2>&1
picture 02-block-reduction/race merge source L0.n14

"$flashtwin" decode --prompt 'First Citizen:
Before we proceed any further, hear me speak.
All: Speak, speak. First Citizen: You are all resolved' -n 3 --path incremental --log points \
	-o tiles.twin >log 2>&1 || cat log
picture 03-online-softmax/tiles tiles points L35.b0.w0.l0
plan
