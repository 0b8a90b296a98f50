/* option_list.h - every option of every command, one row each, in the order in which --help lists
 * them. tui/option_table.h says what a row holds.
 *
 * Included by tui/option_table.[ch], which define
 * OPTION(id, commands, group, letter, name, value, help) first, so there is no guard.
 */

#define ON_RUNS (ON_DECODE | ON_ATTEND | ON_LAUNCH | ON_RUN)

/* decode */
OPTION(MODEL, ON_DECODE, OWN, 0, "model", VALUE_DIRECTORY("DIR"),
       "config.json and model.safetensors of a Llama model whose tokens are bytes (default: the "
       "installed sample)")
OPTION(PROMPT, ON_DECODE, OWN, 0, "prompt", VALUE_TEXT("TEXT"),
       "the text to continue; several prompts run side by side")
OPTION(PROMPT_FILE, ON_DECODE, OWN, 0, "prompt-file", VALUE_FILE("F"),
       "the same from a file, byte for byte")
OPTION(BYTES, ON_DECODE, OWN, 'n', NULL, VALUE_TEXT("BYTES[,BYTES...]"),
       "bytes to decode (64): one number for all prompts, or one for each; 0 only processes the "
       "prompt")
OPTION(SLOTS, ON_DECODE, OWN, 0, "slots", VALUE_INTEGER("N", 1, MAX_SLOTS),
       "prompts that run at once (all); the others wait until one has finished")
OPTION(KV_DTYPE, ON_DECODE, OWN, 0, "kv-dtype", VALUE_NAME("TYPE", "f32 f16 bf16 e4m3"),
       "of the KV cache (f32): new keys and values are rounded; types other than f32 need --path "
       "ladder")
OPTION(OUT_DIR, ON_DECODE, OWN, 0, "out-dir", VALUE_DIRECTORY("DIR"),
       "write the replies to DIR/0.txt, DIR/1.txt, ... instead of stdout")
OPTION(LOGITS, ON_DECODE, OWN, 0, "logits", VALUE_FILE("F.npy"),
       "write the logits of the last prompt position, f32 (256) or (M, 256)")

/* attend */
OPTION(Q, ON_ATTEND, OWN, 0, "q", VALUE_FILE("Q"), "the queries; required")
OPTION(K, ON_ATTEND, OWN, 0, "k", VALUE_FILE("K"), "the keys; required")
OPTION(V, ON_ATTEND, OWN, 0, "v", VALUE_FILE("V"), "the values; required")
OPTION(Q_DTYPE, ON_ATTEND, OWN, 0, "q-dtype", VALUE_NAME("TYPE", "f32 f16 bf16"),
       "of queries (default: what Q says); needed for bf16 in an array of u16; kernels read them "
       "widened to f32")
OPTION(ATTEND_KV_DTYPE, ON_ATTEND, OWN, 0, "kv-dtype", VALUE_NAME("TYPE", "f32 f16 bf16 e4m3"),
       "of keys and values (default: what K says); needed for bf16 in an array of u16, and always "
       "for e4m3; types other than f32 need --path ladder")
OPTION(K_SCALE, ON_ATTEND, OWN, 0, "k-scale", VALUE_FILE("F.npy"),
       "e4m3: what keys are multiplied by, one f32 for each KV head (default 1)")
OPTION(V_SCALE, ON_ATTEND, OWN, 0, "v-scale", VALUE_FILE("F.npy"), "the same for values")
OPTION(DECODE_PAGE, ON_DECODE, OWN, 0, "page", VALUE_INTEGER("N", 1, 1 << 24),
       "ladder, rungs from 5 up: the KV cache in pages of N rows, which sequences take in turn")
OPTION(PAGE_TABLE, ON_ATTEND, OWN, 0, "page-table", VALUE_FILE("T.npy"),
       "ladder, rungs from 5 up: K and V are pools of pages, (P, Hkv, N, D), layout HND; T is i32 "
       "(M, pages) or (pages): row r of sequence m is row r % N of page T[m, r / N]")
OPTION(PAGE, ON_ATTEND, OWN, 0, "page", VALUE_INTEGER("N", 1, INT32_MAX),
       "with --page-table: rows of a page; pools of other pages are refused (default: as K has)")
OPTION(OUT, ON_ATTEND, OWN, 0, "out", VALUE_FILE("O.npy"),
       "where to write the output; without it a summary is printed")
OPTION(OUT_DTYPE, ON_ATTEND, OWN, 0, "out-dtype", VALUE_NAME("TYPE", "f32 f16 bf16"),
       "of O.npy (default: that of queries); kernels write f32, which is rounded to nearest even")
OPTION(LSE, ON_ATTEND, OWN, 0, "lse", VALUE_FILE("L.npy"),
       "ladder, rungs from 5 up: where to write log(sum of exp(score)), f32 (H) or (M, H)")
OPTION(LENGTHS, ON_ATTEND, OWN, 0, "lengths", VALUE_TEXT("N0,N1,..."),
       "keys of each sequence, 0 for none; at most, and by default, n, or with pages N * pages")
OPTION(CAUSAL, ON_ATTEND, OWN, 0, "causal", VALUE_OPTIONAL_NAME("top-left bottom-right"),
       "prefill: query i sees no later key; the mask is aligned bottom-right (default: the last "
       "query sees all keys) or top-left")
OPTION(SCALE, ON_ATTEND, OWN, 0, "scale", VALUE_FLOAT("X"),
       "factor of the scores (default 1 / sqrt(D))")

/* launch */
OPTION(KERNEL, ON_LAUNCH, OWN, 0, "kernel", VALUE_TEXT("NAME"),
       "a __global__ function; in C++ also an expression: 'k<float, 64>', or with its types where "
       "several have one name: 'k(float *, int)'")
OPTION(GRID, ON_LAUNCH, OWN, 0, "grid", VALUE_TEXT("X[,Y[,Z]]"), "number of blocks; required")
OPTION(BLOCK, ON_LAUNCH, OWN, 0, "block", VALUE_TEXT("X[,Y[,Z]]"), "threads per block; required")
OPTION(CLUSTER, ON_LAUNCH, OWN, 0, "cluster", VALUE_TEXT("X[,Y[,Z]]"),
       "blocks per cluster, at most 16; divides the grid (default: the kernel's __cluster_dims__, "
       "or 1)")
OPTION(LIST, ON_LAUNCH, OWN, 0, "list", VALUE_NONE,
       "print the file's kernels with their parameters, and its device variables; launch nothing")
OPTION(ARG, ON_LAUNCH, OWN, 0, "arg", VALUE_TEXT("NAME=SPEC"),
       "one for each parameter, by its name; also for a __constant__ or __device__ variable of the "
       "file. SPEC is one of\n"
       "  i32:5 u64:5 f32:0.125 f16:2 bool:true   a number: bool,\n"
       "                           i8 to i64, u8 to u64, f16, bf16, e4m3,\n"
       "                           f32, f64\n"
       "  null                     a null pointer\n"
       "  @in.npy                  an array to read\n"
       "  >out.npy:f32[4,64]       an array to write; quote the >\n"
       "  <>io.npy                 an array to change in place")
OPTION(SHARED, ON_LAUNCH, OWN, 0, "shared", VALUE_INTEGER("BYTES", 0, MAX_SHARED),
       "dynamic shared memory; above 48 KiB the limit of the kernel is raised first")
OPTION(DEFINE, ON_LAUNCH | ON_RUN, OWN, 'D', NULL, VALUE_TEXT("NAME[=VALUE]"),
       "passed to the compilers")
OPTION(INCLUDE, ON_LAUNCH | ON_RUN, OWN, 'I', NULL, VALUE_DIRECTORY("DIR"),
       "passed to the compilers")

/* run */
OPTION(LIBRARY, ON_RUN, OWN, 'l', NULL, VALUE_TEXT("NAME"), "a library that host code uses")
OPTION(LIBRARY_PATH, ON_RUN, OWN, 'L', NULL, VALUE_DIRECTORY("DIR"), "where libraries are")
OPTION(STANDARD, ON_RUN, OWN, 0, "std", VALUE_TEXT("STANDARD"),
       "the language standard, such as c++20, passed to the compilers")
OPTION(EXIT, ON_RUN, OWN, 0, "exit", VALUE_ONE_OF("program verdict"),
       "the exit code: always the program's, or always flashtwin's (default: flashtwin's if it is "
       "not 0, else the program's)")
OPTION(REPORT, ON_RUN, OWN, 0, "report", VALUE_FILE("FILE"),
       "write findings, or what --json prints, to this file; an existing file is replaced")

/* replay, view, export */
OPTION(TRUST, ON_REPLAY | ON_VIEW | ON_EXPORT, OWN, 0, "trust", VALUE_NONE,
       "compile and run kernels that the trace brings along: runs of `launch` and `run`")

/* Shared by the commands that run kernels. */
OPTION(PATH, ON_DECODE | ON_ATTEND, RUN, 0, "path",
       VALUE_NAME("P", "prefill cached incremental incremental-multiwarp batched flash-decoding "
		       "flash-decoding-graph auto ladder prefill-tiled"),
       "the attention path (flash-decoding; flash-decoding-graph is short for flash-decoding "
       "--graph capture)")
OPTION(DEVICE, ON_RUNS, RUN, 0, "device", VALUE_ONE_OF("sim cuda both"),
       "where it runs (sim); both: run on both and compare")
OPTION(DEVICES, ON_RUN, RUN, 0, "devices", VALUE_INTEGER("N", 1, MAX_RUN_DEVICES),
       "how many devices the simulator has (1); those of more are not recorded or checked")
OPTION(REPLAY_DEVICE, ON_REPLAY, RUN, 0, "device", VALUE_ONE_OF("sim cuda"),
       "where to replay (sim)")
OPTION(RUN, ON_REPLAY, RUN, 0, "run", VALUE_INTEGER("N", 1, INT64_MAX),
       "only this run of the trace")
OPTION(GRAPH, ON_DECODE | ON_ATTEND, RUN, 0, "graph", VALUE_ONE_OF("none capture manual"),
       "launch each layer's step from a CUDA graph: captured, or built by hand; none (default). "
       "For flash-decoding, incremental, incremental-multiwarp, batched, and ladder from rung 1 up")
OPTION(CHUNK, ON_DECODE | ON_ATTEND, RUN, 0, "chunk", VALUE_INTEGER("C", 0, MAX_CHUNK),
       "keys per chunk (128); with 0, auto does not use flash decoding")
OPTION(WARPS, ON_DECODE | ON_ATTEND, RUN, 0, "warps", VALUE_INTEGER("N", 1, 2),
       "warps per chunk of flash decoding, 1 or 2 (1)")
OPTION(RUNG, ON_DECODE | ON_ATTEND, RUN, 0, "rung",
       VALUE_NAME("N", "best 0 1 2 3 4 5 6 7 9 10 11 13"),
       "of the path ladder: a rung, or the fastest (best)")
OPTION(SOFTCAP, ON_DECODE | ON_ATTEND, RUN, 0, "softcap", VALUE_FLOAT("X"),
       "ladder, rungs from 5 up: a score becomes X * tanh(score / X)")
OPTION(WINDOW, ON_DECODE | ON_ATTEND, RUN, 0, "window", VALUE_INTEGER("N", 1, INT32_MAX),
       "ladder, rungs from 5 up: a query sees only the last N keys, its own included")
OPTION(SINKS, ON_DECODE | ON_ATTEND, RUN, 0, "sinks", VALUE_INTEGER("N", 0, INT32_MAX),
       "with --window: it also sees the first N keys (0)")
OPTION(PROFILE, ON_RUN, RUN, 0, "profile", VALUE_NAME("NAME", "h200"),
       "the GPU whose limits and error codes the simulator has (h200)")
OPTION(SEED, ON_RUNS | ON_REPLAY, RUN, 0, "seed", VALUE_UNSIGNED("N"),
       "order of lanes, warps, blocks and streams on the simulator (0: in order)")
OPTION(ALL_ORDERS, ON_RUNS | ON_REPLAY, RUN, 0, "all-orders", VALUE_INTEGER("K", 1, MAX_ORDERS),
       "run again with seeds 1 to K: exit 1 if a bit changes, with the finding that explains it")
OPTION(JOBS, ON_DECODE | ON_ATTEND | ON_RUN | ON_REPLAY, RUN, 0, "jobs",
       VALUE_INTEGER("N", 1, MAX_JOBS),
       "threads of the simulator (1)")
OPTION(CHECK, ON_RUNS | ON_REPLAY, RUN, 0, "check", VALUE_NONE,
       "check accesses and barriers on the simulator; a finding: exit 4")
OPTION(CHECK_ORDERS, ON_RUNS | ON_REPLAY, RUN, 0, "check-orders",
       VALUE_INTEGER("K", 0, MAX_ORDERS),
       "with --check: run a launch that atomics or flags ordered under K further seeds, on a copy "
       "of its memory (4)")
OPTION(LINT_FAIL, ON_RUNS | ON_REPLAY, RUN, 0, "lint-fail", VALUE_NONE,
       "exit 4 for a lint too")
OPTION(COUNT_EVENTS, ON_RUNS | ON_REPLAY, RUN, 0, "count", VALUE_NONE,
       "count bytes, sectors, bank conflicts, barriers and lines of every launch, for -o or "
       "--json; implies --check")
OPTION(STEPS, ON_RUNS | ON_REPLAY, RUN, 0, "steps", VALUE_INTEGER("N", 1, INT64_MAX),
       "a launch on the simulator ends after N basic blocks: exit 5")
OPTION(TIMEOUT, ON_LAUNCH | ON_RUN | ON_REPLAY, RUN, 0, "timeout",
       VALUE_INTEGER("S", 1, 31536000),
       "end everything, compilers included, after S seconds of wall-clock time: exit 5")
OPTION(SANDBOX, ON_LAUNCH | ON_REPLAY | ON_LAB, RUN, 0, "sandbox", VALUE_ONE_OF("auto yes no"),
       "compile and run users' kernels under bubblewrap; yes: exit 2 where that does not work; "
       "auto (default): then with resource limits alone; no: with neither")
OPTION(JSON, ON_DECODE | ON_ATTEND | ON_LAUNCH | ON_REPLAY, RUN, 0, "json", VALUE_NONE,
       "print one JSON object")
OPTION(RUN_JSON, ON_RUN, RUN, 0, "json", VALUE_NONE,
       "one JSON object: in the file of --report, else as the last line of stderr")

OPTION(TRACE, ON_RUNS, RECORD, 'o', NULL, VALUE_FILE("T.twin"),
       "record a trace; an existing file is refused without --force or --append. Without -o the "
       "run is kept as the last run, which view, diff, find, sql and export open if no trace is "
       "given")
OPTION(REPLAY_TRACE, ON_REPLAY, RECORD, 'o', NULL, VALUE_FILE("T2.twin"),
       "record the replay as a trace; an existing file is refused without --force or --append")
OPTION(FORCE, ON_RUNS | ON_REPLAY, RECORD, 0, "force", VALUE_NONE, "replace an existing trace")
OPTION(APPEND, ON_RUNS | ON_REPLAY, RECORD, 0, "append", VALUE_NONE, "add to an existing trace")
OPTION(LOG, ON_RUNS, RECORD, 0, "log", VALUE_NAME("LEVEL", "launch partials points access"),
       "what is recorded (launch)")
OPTION(REPLAY_LOG, ON_REPLAY, RECORD, 0, "log", VALUE_NAME("LEVEL", "launch partials points"),
       "record at this level what the trace has at a lower one")
OPTION(LOG_AT, ON_RUNS, RECORD, 0, "log-at", VALUE_TEXT("A[..B][,...]"),
       "record only these steps (s0..s9,s20) or launches (L0..L9); with --log access the loads and "
       "stores of these blocks (L4.b0..L4.b7)")
OPTION(POINTS, ON_DECODE | ON_ATTEND, RECORD, 0, "points",
       VALUE_LIST("LIST", "score softmax reduce"),
       "record only these named points, separated by commas")
OPTION(NO_RECORD, ON_RUNS, RECORD, 0, "no-record", VALUE_NONE,
       "refuse to record, and do not keep the run as the last run")

/* diff */
OPTION(RUNS, ON_DIFF, OWN, 0, "runs", VALUE_TEXT("A,B"),
       "which runs (1,1 of two traces, 1,2 of one)")
OPTION(ULP, ON_DIFF, OWN, 0, "ulp", VALUE_INTEGER("N", 0, INT32_MAX),
       "floats up to N units in the last place apart count as equal (0)")
OPTION(FIRST, ON_DIFF, OWN, 0, "first", VALUE_NONE, "only the first difference")
OPTION(DIFF_PLAIN, ON_DIFF, OWN, 0, "plain", VALUE_NONE,
       "only the differences, separated by tabs: address, what, A, B, bits, ulp")

/* view, export */
OPTION(PLAIN, ON_VIEW, OWN, 0, "plain", VALUE_NONE,
       "text; implied if standard output is not a terminal")
OPTION(FORMAT, ON_EXPORT, OWN, 0, "as", VALUE_ONE_OF("svg png html json perfetto npz"),
       "svg: one screen at one address, as a picture for slides: shapes of step, chunks, reduce, "
       "text, time and memory, the text of other screens\n"
       "png: the same picture in pixels, if rsvg-convert is installed\n"
       "html: a page that steps through the decode in a browser, with the viewer's keys; #L12.b3 "
       "in its URL is an address\n"
       "json: all rows of the trace, or with --at those of a place; with --screen or --at the "
       "lines of a screen too\n"
       "perfetto: the timeline as Chrome-trace JSON, for ui.perfetto.dev\n"
       "npz: tensors for NumPy: device memory after an operation, its launch's arguments, chunk "
       "partials; without --at after the last launch")
OPTION(AT, ON_VIEW, OWN, 0, "at", VALUE_TEXT("ADDR"),
       "[rN.]L<launch>[.b<block>[.w<warp>[.l<lane>]]][.p<point>|\n"
       ".a<access>], L<launch>.o<output>[.e<element>],\n"
       "L<launch>[.f<file>].n<line>, L<launch>.end, s<step>, 'op N' or rN")
OPTION(SCREEN, ON_VIEW | ON_EXPORT, OWN, 0, "screen",
       VALUE_NAME("NAME", "step summary time launch kv chunks reduce points counters memory "
			  "source text diff findings"),
       "this screen instead of the one that fits the address")
OPTION(EXPORT_AT, ON_EXPORT, OWN, 0, "at", VALUE_TEXT("ADDR"),
       "a launch (L12), a block of it (L12.b3), a step (s4), an operation ('op 9')")
OPTION(EXPORT_PLAY, ON_EXPORT, OWN, 0, "play", VALUE_NONE,
       "of svg: one animated picture of a step, frame by frame as the viewer plays it")
OPTION(EXPORT_STEPS, ON_EXPORT, OWN, 0, "steps", VALUE_TEXT("A[-B]"), "of html: only these steps")
OPTION(EXPORT_OUT, ON_EXPORT, OWN, 'o', NULL, VALUE_FILE("FILE"),
       "where to write; an existing file is refused without --force")
OPTION(EXPORT_FORCE, ON_EXPORT, OWN, 0, "force", VALUE_NONE, "replace an existing file")
OPTION(ALL, ON_VIEW, OWN, 0, "all", VALUE_NONE, "with --plain: show all rows")
OPTION(NUMBER, ON_VIEW, OWN, 0, "number", VALUE_ONE_OF("dec full hex bits"),
       "the base of recorded f32 values; full: decimal, never rounded")
OPTION(DISTANCE, ON_VIEW, OWN, 0, "distance", VALUE_ONE_OF("ulp abs rel"),
       "how to show the distance between two values")
OPTION(CHART_SCALE, ON_VIEW, OWN, 0, "scale", VALUE_ONE_OF("linear log"), "the scale of charts")
OPTION(ASCII, ON_VIEW, OWN, 0, "ascii", VALUE_NONE, "draw charts with ASCII characters")
OPTION(NO_COLOR, ON_VIEW, OWN, 0, "no-color", VALUE_NONE,
       "no colours, as with NO_COLOR in the environment")
OPTION(NO_REPLAY, ON_VIEW | ON_EXPORT, OWN, 0, "no-replay", VALUE_NONE,
       "show only named points that were recorded; without it a launch that lacks them is replayed "
       "on the simulator")
OPTION(MOUSE, ON_VIEW, OWN, 0, "mouse", VALUE_NONE,
       "use the mouse, which is the default: click tabs and rows, scroll with the wheel")
OPTION(PLAY, ON_VIEW, OWN, 0, "play", VALUE_NONE,
       "play a step frame by frame; with --plain, print its frames")
OPTION(NO_MOUSE, ON_VIEW, OWN, 0, "no-mouse", VALUE_NONE,
       "leave the mouse to the terminal; with it, shift and drag selects text")

/* find */
#define CLASS_NAME(id, text, ...) text " "
OPTION(CLASS, ON_FIND, OWN, 0, "class", VALUE_NAME("C", CLASS_LIST(CLASS_NAME)),
       "only this class")
OPTION(FIND_LINT_FAIL, ON_FIND, OWN, 0, "lint-fail", VALUE_NONE, "exit 4 for lints too")
OPTION(FIND_JSON, ON_FIND, OWN, 0, "json", VALUE_NONE, "print an array of objects")

/* sql: one format at most. */
OPTION(TABLE, ON_SQL, OWN, 0, "table", VALUE_NONE, "aligned columns (the default on a terminal)")
OPTION(SQL_PLAIN, ON_SQL, OWN, 0, "plain", VALUE_NONE,
       "values separated by tabs, no column names (the default elsewhere)")
OPTION(CSV, ON_SQL, OWN, 0, "csv", VALUE_NONE, "comma-separated values, column names first")
OPTION(SQL_JSON, ON_SQL, OWN, 0, "json", VALUE_NONE, "an array of objects")
OPTION(DUMP, ON_SQL, OWN, 0, "dump", VALUE_NONE,
       "the logical dump: every row of every view, without times; two recordings of the same work "
       "with the same seed have equal dumps")

/* lab */
OPTION(LAB_SECRET, ON_LAB, OWN, 0, "secret", VALUE_FILE("FILE"),
       "of the instructor: its text and the student's id give the seed of the secret cases, which "
       "are not graded without it (default: the file that FLASHTWIN_LAB_SECRET names)")
OPTION(LAB_STUDENT, ON_LAB, OWN, 0, "student", VALUE_TEXT("ID"), "who submitted the file")
OPTION(LAB_DEVICE, ON_LAB, OWN, 0, "device", VALUE_ONE_OF("sim both"),
       "where kernels run (sim); both: cases that pass also run on the GPU, outside of the "
       "sandbox, and are compared with the simulator, which changes no points")
OPTION(LAB_FORMAT, ON_LAB, OWN, 0, "format",
       VALUE_ONE_OF("text json gradescope autolab classroom50 junit tap"),
       "of the result of grade (text)")
OPTION(LAB_OUT, ON_LAB, OWN, 'o', NULL, VALUE_FILE("FILE"),
       "where to write the result; default stdout. An existing file is replaced. With "
       "--submissions a folder, which may hold earlier results")
OPTION(LAB_STAFF, ON_LAB, OWN, 0, "staff", VALUE_NONE,
       "show values and traces of secret cases too")
OPTION(LAB_TRACES, ON_LAB, OWN, 0, "traces", VALUE_DIRECTORY("DIR"),
       "where to record cases that fail (traces next to the file)")
OPTION(LABS, ON_LAB, OWN, 0, "labs", VALUE_DIRECTORY("DIR"),
       "a folder of labs instead of those that come with flashtwin")
OPTION(LAB_SUBMISSIONS, ON_LAB, OWN, 0, "submissions", VALUE_DIRECTORY("DIR"),
       "grade a class: each folder in DIR is a submission, and its name the student's id. Results "
       "go to the folder -o: ID.json for each student, with everything, and grades.csv. A run that "
       "was ended goes on where it stopped. Needs a sandbox, or --sandbox=no")
OPTION(LAB_JOBS, ON_LAB, OWN, 0, "jobs", VALUE_INTEGER("N", 1, MAX_JOBS),
       "submissions that are graded at the same time (1)")
OPTION(LAB_SHARE, ON_LAB, OWN, 0, "share", VALUE_TEXT("K/N"),
       "grade only the K-th of N shares of the class, for several machines with one folder of "
       "results; a run without it then makes grades.csv")

/* bench */
OPTION(BENCH_SIM, ON_BENCH, OWN, 0, "sim", VALUE_NONE,
       "the simulator (the default): chunk + reduce on one job next to plain C, if this processor "
       "can run the plain C as compiled for the building machine; barriers, a matrix product and "
       "start-up of users' kernels; bytes and seconds per decode step, not recorded and at each "
       "level")
OPTION(SUITE, ON_BENCH, OWN, 0, "suite", VALUE_ONE_OF("sim seeds decode view last check"),
       "sim: as --sim\n"
       "seeds: what the attention paths claim to gain, on a GPU: attention kernels with a cold L2, "
       "launches, blocks and bytes of a step, waits, graphs, a long prompt; next to the claims of "
       "the engines they follow, and to times of earlier re-implementations. Markdown\n"
       "decode: decode attention on a GPU by rung of the path ladder, with a cold L2: time, GB/s "
       "of keys and values, and how close that is to a read of the same bytes. With files: prints "
       "their results as one table instead. Markdown\n"
       "view: how fast the viewer opens a trace of more than ten million rows (two runs recorded "
       "for it, or T.twin), and how soon it reacts to each key on each screen; exit 1 above 0.5 s "
       "and 50 ms\n"
       "last: what keeping the last run adds to a decode; on the simulator exit 1 above 10 %\n"
       "check: what --check costs, for each kernel and a tiled matrix product")
OPTION(BENCH_DEVICE, ON_BENCH, OWN, 0, "device", VALUE_ONE_OF("cuda sim"),
       "of --suite seeds or decode (cuda); sim: the same work with smaller sizes, in the "
       "simulator's own wall-clock time, without verdicts on it; of --suite last (sim)")
OPTION(SAMPLES, ON_BENCH, OWN, 0, "runs", VALUE_INTEGER("N", 1, 10000),
       "samples per median (7; of --suite decode 50)")
OPTION(BENCH_RUNG, ON_BENCH, OWN, 0, "rung", VALUE_TEXT("all|N,N,..."),
       "of --suite decode: these rungs of the path ladder, or best (all)")
OPTION(BENCH_SHAPE, ON_BENCH, OWN, 0, "shape", VALUE_TEXT("LIST|SHAPE"),
       "of --suite decode: only the shapes of a list (table, keys, sizes, narrow or prefill), or "
       "one shape, as for info --plan")
OPTION(BENCH_KV_DTYPE, ON_BENCH, OWN, 0, "kv-dtype", VALUE_NAME("TYPE", "f32 f16 bf16 e4m3"),
       "of --suite decode: of keys and values (f32)")
OPTION(BENCH_QUERIES, ON_BENCH, OWN, 0, "queries", VALUE_INTEGER("T", 1, 65535),
       "of --suite decode: queries of each sequence, with a causal mask (1)")
OPTION(BENCH_LIST, ON_BENCH, OWN, 0, "list", VALUE_NONE,
       "of --suite decode: print which shapes and rungs it would measure; measure nothing")
OPTION(BENCH_PLOT, ON_BENCH, OWN, 0, "plot", VALUE_FILE("FILE"),
       "of --sim, --suite seeds, decode or view: also draw the table as an SVG")
OPTION(BENCH_JSON, ON_BENCH, OWN, 0, "json", VALUE_NONE,
       "of --suite seeds, decode or check: one JSON object")

/* info */
OPTION(INFO_DEVICE, ON_INFO, OWN, 0, "device", VALUE_ONE_OF("sim cuda"),
       "only devices of this kind; cuda without a GPU is exit code 77")
OPTION(SAMPLE, ON_INFO, OWN, 0, "sample",
       VALUE_NAME("NAME", "demo.twin merge.cu vectorAdd.cu shakespeare"),
       "print the path of a sample: a trace of an H200, a kernel with a race, a program, the model")
OPTION(INFO_PLAN, ON_INFO, OWN, 0, "plan", VALUE_TEXT("SHAPE"),
       "print how the path ladder runs a batch: splits, tiles, blocks, bytes, the least time that "
       "the memory allows, and the time to be expected, for the simulator's profile or, with "
       "--device cuda, the GPU")
OPTION(INFO_RUNG, ON_INFO, OWN, 0, "rung", VALUE_NAME("N", "best 5 6 7 9 10 11 13"),
       "with --plan: a rung that has splits and tiles (best: by the shape table)")
OPTION(INFO_KV_DTYPE, ON_INFO, OWN, 0, "kv-dtype", VALUE_NAME("TYPE", "f32 f16 bf16 e4m3"),
       "with --plan: of keys and values (f32)")
OPTION(VERIFY_MATH, ON_INFO, OWN, 0, "verify-math", VALUE_NONE,
       "run every function whose bits the simulator models on all its inputs")
OPTION(INFO_JOBS, ON_INFO, OWN, 0, "jobs", VALUE_INTEGER("N", 1, MAX_JOBS),
       "threads of the simulator for --verify-math (one per processor)")
OPTION(PRINT_JSON, ON_DIFF | ON_VERIFY | ON_INFO, OWN, 0, "json", VALUE_NONE,
       "print one JSON object")

#undef CLASS_NAME
#undef ON_RUNS
