# devices.sh - the part of run.sh that runs the device tests on a GPU, and tries every operation
# during a capture.
#
# Results of the captures go to $out/capture.txt and must equal tests/h200/capture.txt, which the
# simulator follows. Sourced by run.sh, whose functions and variables it uses.

CK_TAP_LOG_FILE_NAME=-
CK_VERBOSITY=silent
abs_srcdir=$source
abs_builddir=$build
export CK_TAP_LOG_FILE_NAME CK_VERBOSITY abs_srcdir abs_builddir
for test in engine/cuda/test_cuda engine/cuda/test_twin engine/attention/test_graph_twin \
	sim/device/test_graph sim/device/test_stream sim/device/test_stream_capture \
	sim/device/test_stream_order engine/attention/test_host_behaviour \
	engine/attention/test_host_graphs engine/attention/test_host_slots \
	engine/attention/test_prefill_model \
	engine/record/test_record_graph; do
	run 400 "$build/tests/$test"
	passed "${test##*/}"
done

# --- what CUDA does during a capture: `make check` tests that the simulator does the same ---

run 400 "$build/tests/gpu/capture_table"
cp "$work/stdout" "$out/capture.txt"
cases() {
	grep -v '^#' "$1" | tr -s ' '
}
cases "$out/capture.txt" >"$work/got"
cases "$source/tests/h200/capture.txt" >"$work/wanted"
detail="$(grep -c . "$work/got") cases, $(diff "$work/wanted" "$work/got" | grep -c '^>') differ"
if [ "$code" -eq 0 ] && cmp -s "$work/wanted" "$work/got"; then
	result PASS 'operations during a capture' "$detail"
else
	result FAIL 'operations during a capture' "$detail, exit code $code"
	diff "$work/wanted" "$work/got" >>"$log"
fi
