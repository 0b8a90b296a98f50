#!/bin/sh
# demo.sh [BUILD_DIR] - decodes text with the sample model, and records a trace to look at.
#
# Decodes 64 bytes, every attention step through flash decoding on the simulator (and on the GPU, if
# there is one), recorded in full detail. Then replays a trace that an H200 recorded. Run by
# ./bootstrap demo, from any directory.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$source/build}" && pwd)
flashtwin=$build/flashtwin
trace=$build/demo.twin
recorded=$source/tests/h200/demo.twin
# The path as typed from the current directory.
shown=${build#"$PWD"/}

prompt='ROMEO:
O, she do'

if "$flashtwin" info --device cuda >/dev/null 2>&1; then
	device=both
	echo "== 64 bytes after a prompt of 16, by flash decoding on the GPU and on the simulator"
else
	device=sim
	echo "== 64 bytes after a prompt of 16, by flash decoding on the simulator (no GPU here)"
fi
echo
printf '%s' "$prompt"
"$flashtwin" decode --model "$source/doc/samples/shakespeare" --prompt "$prompt" -n 64 \
	--path flash-decoding --chunk 32 --device "$device" --log points --force -o "$trace"
echo
echo
echo "Recorded in $shown/demo.twin: $(($(wc -c <"$trace") / 1000)) KB."
echo

echo "== The same, recorded on an H200 and replayed here on the simulator"
echo
"$flashtwin" replay "$recorded"
echo

echo "== The last step in one picture: cache, chunks, reduction and output of layer 3, head 4"
launch=$("$flashtwin" sql "$trace" \
	"SELECT max(launch) FROM v_launch WHERE run = 1 AND kernel = 'flash_decode_chunk'")
"$flashtwin" view "$trace" --plain --screen step --at "L$launch.b4"
echo

echo "== Look at it"
echo
echo "$shown/flashtwin view $shown/demo.twin"
