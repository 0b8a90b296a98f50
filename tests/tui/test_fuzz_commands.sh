#!/bin/sh
# test_fuzz_commands.sh - a short run of two fuzzers: damaged traces through every command, and random
# arguments with damaged tensors and models.
#
# `make check-fuzz` runs them in full, under sanitizers.
. "${abs_srcdir:-$(dirname "$0")/../..}/tests/tap.sh"
command -v python3 >/dev/null 2>&1 || {
	echo '1..0 # SKIP no python3'
	exit 0
}

for fuzzer in traces arguments; do
	python3 "$srcdir/tests/fuzz/fuzz_$fuzzer.py" --program "$flashtwin" --source "$srcdir" \
		--runs "${FUZZ_RUNS:-250}" --seed "${SEED:-3}" >out 2>&1
	code=$?
	result "random $fuzzer" "$([ $code -eq 0 ] || cat out)"
	sed 's/^/# /' out
done

# A failure must be found and reported: this program fails in some way for each command.
cat >liar <<'END'
#!/bin/sh
case $1 in
info) echo one >&2; echo two >&2; exit 2 ;;
diff) kill -SEGV $$ ;;
find) printf '\033[2J' ;;
sql) echo 'ERROR: AddressSanitizer: x' >&2 ;;
view) exit 70 ;;
decode | attend)
	# Records, for the fuzzer's own traces.
	exec "$FLASHTWIN" "$@"
	;;
esac
END
chmod +x liar
FLASHTWIN=$flashtwin python3 "$srcdir/tests/fuzz/fuzz_traces.py" --program ./liar \
	--source "$srcdir" --runs 60 --jobs 1 --failures 100 >out 2>&1
code=$?
expect 'failures are reported' 1 'expected one line of error with exit code 2' \
	'killed by signal 11' 'wrote the control character' 'stopped by a sanitizer' \
	'expected an exit code of .*, got 70' 'reproduce: .* --seed 1 --only 0' \
	'^  ran: flashtwin find d.twin'
case=$(sed -n 's/.*reproduce: .* --only \([0-9]*\).*/\1/p' out | head -n 1)
grep "^FAILED" out | head -n 3 >first
FLASHTWIN=$flashtwin python3 "$srcdir/tests/fuzz/fuzz_traces.py" --program ./liar \
	--source "$srcdir" --only "$case" --failures 100 >out 2>&1
grep "^FAILED" out | head -n 3 | cmp -s - first
result 'the same case fails in the same way' "$([ $? -eq 0 ] || cat first out)"

plan
