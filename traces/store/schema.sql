-- schema.sql - the tables and views of a flashtwin trace, format version 9.
--
-- The v_* views are the stable interface: any SQLite tool can query them. The t_* tables are
-- private and may change with the format version (PRAGMA user_version). This file is embedded in
-- the binary: store.c runs it for each new file, and store_check.c compares an existing file's
-- schema with it.
--
-- Version 2 added graphs (t_node, v_node), version 3 counters (t_counter, v_counter, t_hit, v_hit),
-- version 4 t_point_sum, v_point_sum and t_kernel_count, version 5 t_softmax, v_softmax and t_sum. If
-- an older trace is opened, store_check.c adds what is missing, empty. Before version 5, t_kv was
-- keyed by launch and had only what kernels wrote. Before version 6, v_partial had no share and
-- v_reduce no factor; both called it weight. store_check.c shows or stores these in the present
-- form. Version 7 added operations "variable", version 8 level access: t_request, t_access_line,
-- v_request and v_access_line. Before, t_access had other columns, and neither it nor t_line had
-- rows. Version 9 added t_attention and v_attention.
--
-- Conventions. NULL is "not measured" or "does not apply", never 0. Runs count from 1; ops,
-- launches and steps from 0 in each run. Offsets and sizes are in bytes. A value x of type f32
-- has three columns: x_bits (its bit pattern as a signed 32-bit integer), x (REAL, exact; NULL
-- for a NaN) and x_kind ('num', 'inf', 'nan', or 'none' when there is no value). Columns named
-- data or *_data are ids of stored bytes: `flashtwin sql` reads them with data(id).

PRAGMA application_id = 1718908782; -- "ftwn"
PRAGMA user_version = 9;

-- One row per byte value n. Views count with n to expand a row into several, and convert an f32
-- with exponent n to an exact REAL: (fraction + hidden) * scale. Built by exact doubling and
-- halving.
CREATE TABLE t_byte (n INTEGER PRIMARY KEY, hidden INTEGER NOT NULL, scale REAL NOT NULL);
INSERT INTO t_byte
	WITH RECURSIVE
		up (n, scale) AS (
			SELECT 150, 1.0 UNION ALL SELECT n + 1, scale * 2 FROM up WHERE n < 254),
		down (n, scale) AS (
			SELECT 149, 0.5 UNION ALL SELECT n - 1, scale / 2 FROM down WHERE n > 1)
	SELECT n, 8388608, scale FROM up UNION ALL SELECT n, 8388608, scale FROM down;
INSERT INTO t_byte SELECT 0, 0, scale FROM t_byte WHERE n = 1; -- zero and denormals
INSERT INTO t_byte VALUES (255, 8388608, 9e999); -- infinities; a NaN is tested for first

-- Names of operations, in the order of OP_LIST in op.h; filled by store.c.
CREATE TABLE t_op_kind (kind INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- Stored bytes. A blob is a list of pieces (little-endian 32-bit ids) of at most 64 KiB. Each piece
-- is stored once per file, identified by its XXH3 128-bit hash. Pages contain pieces: codec 0 is
-- raw, 1 zstd, 2 zstd over the bytes of each 32-bit word sorted into four planes; sum is XXH3 64
-- of the stored bytes.
CREATE TABLE t_page (page INTEGER PRIMARY KEY, codec, bytes, sum, stored BLOB);
CREATE TABLE t_piece (piece INTEGER PRIMARY KEY, hash BLOB, page, offset, bytes);
CREATE TABLE t_blob (data INTEGER PRIMARY KEY, bytes, pieces BLOB);

CREATE TABLE t_run (
	run INTEGER PRIMARY KEY, device, device_name, profile, driver, compute, ordinal, seed,
	command, path, options, level, log_at, version, started, complete, ended, message
);
CREATE TABLE t_model (
	run INTEGER PRIMARY KEY, directory, config, layers, heads, kv_heads, head_dim, hidden,
	vocabulary, max_positions, max_len, chunk, max_chunks, slots
);
CREATE TABLE t_attention (
	run INTEGER, attention INTEGER, path, rung, kv_dtype, queries, window, sinks, softcap, page,
	lse,
	PRIMARY KEY (run, attention)
) WITHOUT ROWID;
CREATE TABLE t_text (text INTEGER PRIMARY KEY, content TEXT);
CREATE TABLE t_kernel (
	run INTEGER, kernel TEXT, params, origin, independent,
	PRIMARY KEY (run, kernel)
) WITHOUT ROWID;
CREATE TABLE t_source (
	run INTEGER, kernel TEXT, entry INTEGER, file, text,
	PRIMARY KEY (run, kernel, entry)
) WITHOUT ROWID;

-- Launches of a run by kernel, counted at its end: no rows for a run that was cut off. grid_*: the
-- maximum; duration_us: the mean.
CREATE TABLE t_kernel_count (
	run INTEGER, kernel TEXT, launches, first, last, grid_x, grid_y, grid_z, duration_us REAL,
	PRIMARY KEY (run, kernel)
) WITHOUT ROWID;

-- Sums of the rows of each table, written by the commit that completes a run; store_sums.c defines
-- them. run: 0 for a table that runs share. A row with an empty name says that a run has no sums:
-- it was recorded in an earlier format.
CREATE TABLE t_sum (
	run INTEGER, "table" TEXT, rows, hash,
	PRIMARY KEY (run, "table")
) WITHOUT ROWID;

-- What a launch calls, stored once per content: most launches of a decode repeat it.
CREATE TABLE t_call (
	call INTEGER PRIMARY KEY, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
	cluster_x, cluster_y, cluster_z, shared_bytes, attributes
);
CREATE TABLE t_arg (
	call INTEGER, position INTEGER, name, type, kind, bits, value, buffer, offset, data, live,
	PRIMARY KEY (call, position)
) WITHOUT ROWID;
CREATE TABLE t_arg_pointer (
	call INTEGER, position INTEGER, entry INTEGER, at, buffer, offset,
	PRIMARY KEY (call, position, entry)
) WITHOUT ROWID;

CREATE TABLE t_op (
	run INTEGER, op INTEGER, kind, step, stream, ordinal, code, start_us REAL,
	duration_us REAL, buffer, offset, bytes, from_buffer, from_offset, pattern, object, data,
	launch, call, layer,
	PRIMARY KEY (run, op)
) WITHOUT ROWID;
-- Includes call, because SQLite would otherwise scan the run instead of using the index.
CREATE INDEX t_op_launch ON t_op (run, launch, call);
-- threads: per block.
CREATE TABLE t_launch (
	run INTEGER, launch INTEGER, op, threads,
	PRIMARY KEY (run, launch)
) WITHOUT ROWID;
CREATE TABLE t_pointer (
	run INTEGER, op INTEGER, entry INTEGER, at, buffer, offset,
	PRIMARY KEY (run, op, entry)
) WITHOUT ROWID;
-- after: JSON array. work: a kind of operation.
CREATE TABLE t_node (
	run INTEGER, op INTEGER, graph, node, work, own, after, launch,
	PRIMARY KEY (run, op)
) WITHOUT ROWID;
CREATE TABLE t_buffer (
	run INTEGER, op INTEGER, buffer, name, dtype, rank, shape, bytes, ordinal,
	PRIMARY KEY (run, op)
) WITHOUT ROWID;
CREATE INDEX t_buffer_id ON t_buffer (run, buffer);
-- A step has several rows if windows of launches split it.
CREATE TABLE t_step (
	run INTEGER, step INTEGER, first_op, last_op,
	PRIMARY KEY (run, step, first_op)
) WITHOUT ROWID;
CREATE TABLE t_token (
	run INTEGER, step INTEGER, slot INTEGER, position INTEGER, byte, prompt, logit,
	PRIMARY KEY (run, step, slot, position)
) WITHOUT ROWID;
CREATE TABLE t_digest (
	run INTEGER, op INTEGER, after_step INTEGER, entry INTEGER, buffer, offset, bytes, digest,
	data,
	PRIMARY KEY (run, op, after_step, entry)
) WITHOUT ROWID;

-- Consecutive empty chunks are one row: `more` further chunks, key_step keys apart. weight: the
-- share.
CREATE TABLE t_partial (
	run INTEGER, launch INTEGER, slot INTEGER, head INTEGER, chunk INTEGER, kv_head,
	key_begin, key_end, max, sum, lse REAL, weight REAL, acc_data, acc_offset, acc_bytes,
	more, key_step,
	PRIMARY KEY (run, launch, slot, head, chunk)
) WITHOUT ROWID;
-- weight: the factor.
CREATE TABLE t_reduce (
	run INTEGER, launch INTEGER, slot INTEGER, head INTEGER, sequence INTEGER, chunk,
	weight REAL, sum REAL,
	PRIMARY KEY (run, launch, slot, head, sequence)
) WITHOUT ROWID;
-- Rows that follow each other in one upload or copy are one row: `more` further positions.
CREATE TABLE t_kv (
	run INTEGER, op INTEGER, tensor INTEGER, slot INTEGER, position INTEGER,
	kv_head INTEGER, layer, buffer, offset, bytes, source_op, source_offset, more,
	PRIMARY KEY (run, op, tensor, slot, position, kv_head)
) WITHOUT ROWID;
CREATE TABLE t_softmax (
	run INTEGER, op INTEGER, layer, heads, keys, head_dim, scale, k_buffer, k_offset,
	v_buffer, v_offset, stride, q_data,
	PRIMARY KEY (run, op)
) WITHOUT ROWID;

-- thread is counted through the whole grid: block * threads per block + thread in the block.
CREATE TABLE t_point (
	run INTEGER, launch INTEGER, thread INTEGER, sequence INTEGER, name, v0, v1, v2, v3,
	PRIMARY KEY (run, launch, thread, sequence)
) WITHOUT ROWID;
CREATE TABLE t_point_name (name INTEGER PRIMARY KEY, content TEXT);
-- digest: the sum of the digests of a launch's points, so that equal launches need not be read.
CREATE TABLE t_point_sum (
	run INTEGER, launch INTEGER, points, digest,
	PRIMARY KEY (run, launch)
) WITHOUT ROWID;
CREATE TABLE t_probe (
	run INTEGER, launch INTEGER, dropped,
	PRIMARY KEY (run, launch)
) WITHOUT ROWID;
-- warp: counted through the grid. kind: enum access_kind of traces/row.h; space: 0 global, 1 shared.
-- Figures of requests and lines follow from t_access; traces/request.h defines them.
CREATE TABLE t_request (
	run INTEGER, launch INTEGER, warp INTEGER, request INTEGER, kind, space, counted, lanes,
	bytes, sectors, lines, conflicts, file, line,
	PRIMARY KEY (run, launch, warp, request)
) WITHOUT ROWID;
CREATE TABLE t_access (
	run INTEGER, launch INTEGER, warp INTEGER, request INTEGER, lane INTEGER, buffer, offset,
	bytes, bits,
	PRIMARY KEY (run, launch, warp, request, lane)
) WITHOUT ROWID;
CREATE TABLE t_access_line (
	run INTEGER, launch INTEGER, file TEXT, line INTEGER, kind INTEGER, space INTEGER, counted,
	requests, lanes, bytes, sectors, lines, conflicts,
	PRIMARY KEY (run, launch, file, line, kind, space)
) WITHOUT ROWID;
CREATE TABLE t_line (
	run INTEGER, launch INTEGER, thread INTEGER, sequence INTEGER, file, line,
	PRIMARY KEY (run, launch, thread, sequence)
) WITHOUT ROWID;
CREATE TABLE t_finding (
	run INTEGER, finding INTEGER, class, op, launch, thread, other_thread, buffer, offset,
	bytes, file, line, other_line, message,
	PRIMARY KEY (run, finding)
) WITHOUT ROWID;
CREATE TABLE t_counter (
	run INTEGER, launch INTEGER, kernel, load_bytes, store_bytes, load_distinct_bytes,
	load_requests, load_sectors, store_requests, store_sectors, atomics, shared_atomics,
	shared_load_requests, shared_load_conflicts, shared_store_requests,
	shared_store_conflicts, barriers, shuffles, divergent_branches, basic_blocks, left_out,
	PRIMARY KEY (run, launch)
) WITHOUT ROWID;
CREATE TABLE t_hit (
	run INTEGER, launch INTEGER, file TEXT, line INTEGER, hits,
	PRIMARY KEY (run, launch, file, line)
) WITHOUT ROWID;

-- One row per run.
CREATE VIEW v_run AS SELECT
	run,            -- 1, 2, ...
	device,         -- 'sim' or 'cuda'
	device_name,    -- as reported by the device: 'NVIDIA H200'
	profile,        -- the device whose limits and error codes apply: 'h200'
	driver,         -- 'CUDA 13.0, driver 580.159.04'; NULL on the simulator
	compute,        -- compute capability: '9.0'
	ordinal,        -- number of the device among those of its kind, from 0
	seed,           -- order of lanes, warps, blocks and streams (64 bits, signed)
	command,        -- 'decode', 'attend', ...
	path,           -- attention path: 'flash-decoding'
	options,        -- JSON object: the command's options
	level,          -- what was recorded: 'launch', 'partials', 'points', 'access'
	log_at,         -- windows that were recorded: 's0..s9,s20', 'L4..L9'; NULL: the whole run
	version,        -- of the flashtwin that recorded it
	started,        -- ISO 8601, UTC (a clock column)
	complete,       -- 1 if the run ended, 0 if it was cut off
	ended,          -- how: 'OK' or the name of an error status; NULL when cut off
	message,        -- the error's text
	(SELECT coalesce(max(op) + 1, 0) FROM t_op o WHERE o.run = r.run) AS ops,
	(SELECT count(*) FROM t_launch l WHERE l.run = r.run) AS launches,
	(SELECT count(DISTINCT step) FROM t_step s WHERE s.run = r.run) AS steps
FROM t_run r;

-- One row per run that ran a model.
CREATE VIEW v_model AS SELECT
	run,
	directory,      -- where the model was read from
	config,         -- its config.json
	layers, heads, kv_heads, head_dim, hidden, vocabulary, max_positions,
	max_len,        -- capacity of a cache, in keys
	chunk,          -- keys per chunk of flash decoding
	max_chunks,     -- chunks in the grid
	slots           -- sequences decoded at once
FROM t_model;

-- What attention is computed with: one row per run of a command that attends; a program that uses
-- several attention paths in a run has several.
CREATE VIEW v_attention AS SELECT
	a.run,
	a.attention,    -- 0, 1, ...: in the order they were created
	a.path,         -- 'ladder'
	a.rung,         -- of the path ladder, 4 or more; NULL: another path
	a.kv_dtype,     -- of keys and values in the cache: 'f32', 'f16', 'bf16', 'e4m3'
	a.queries,      -- of a sequence in a step
	a.window,       -- last keys that a query sees; NULL: it sees all
	a.sinks,        -- first keys that it also sees; NULL: none
	a.softcap AS softcap_bits, -- limit of a score: softcap * tanh(score / softcap)
	iif((a.softcap & 0x7fffffff) > 0x7f800000, NULL,
	    ((a.softcap & 0x7fffff) + m.hidden) * m.scale * iif(a.softcap < 0, -1, 1)) AS softcap,
	CASE WHEN a.softcap IS NULL THEN 'none' WHEN (a.softcap & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (a.softcap & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS softcap_kind,
	a.page,         -- keys of a page of the cache; NULL: no pages
	a.lse           -- 1: log-sum-exps can be returned, 0: they cannot
FROM t_attention a LEFT JOIN t_byte m ON m.n = (a.softcap >> 23) & 255;

-- One row per source file of each kernel of a run.
CREATE VIEW v_source AS SELECT
	k.run,
	k.kernel,       -- its name
	s.entry,        -- 0: the .cu file; 1, ...: the headers with code that it includes
	s.file,         -- 'kernels/flash_decode_chunk.cu'
	k.params,       -- of the kernel: JSON array of {"name", "type"}
	k.origin,       -- 'cuda_c'
	k.independent,  -- 1: its blocks share nothing but inputs
	t.content AS source -- text of the file
FROM t_kernel k
	CROSS JOIN t_source s ON s.run = k.run AND s.kernel = k.kernel
	LEFT JOIN t_text t ON t.text = s.text;

-- One row per device operation, in the order issued.
CREATE VIEW v_op AS SELECT
	run,
	op,             -- 0, 1, ...
	k.name AS kind, -- 'alloc', 'upload', 'launch', ...
	step,           -- the step it belongs to; NULL outside of steps
	stream,         -- 0 is the default stream
	ordinal,        -- of the device
	code,           -- CUDA error code; 0 is success
	start_us,       -- measured device time (clock columns)
	duration_us,
	buffer,         -- destination, or source of a download
	offset, bytes,  -- of a heap: its size
	from_buffer,    -- source of a copy
	from_offset,
	pattern,        -- of a fill: 32 bits, unsigned; of a capture: its mode (0 global, 1
	                -- thread-local, 2 relaxed); of capture_relax: 1 relaxed, 0 not; of a
	                -- heap: 1 if all of its memory was freed first, 0 if not
	object,         -- number of an event, a graph, or an executable graph (graph_instantiate,
	                -- graph_upload, graph_launch, graph_exec_destroy); of a launch made by a
	                -- graph: the operation of that graph launch
	data,           -- bytes uploaded from the host, or downloaded to it; the output of a
	                -- host_softmax
	launch          -- launch number; NULL for any other operation
FROM t_op LEFT JOIN t_op_kind k USING (kind);

-- One row per kernel launch. Those of a graph follow its graph_launch, in the order of its nodes.
CREATE VIEW v_launch AS SELECT
	l.run,
	l.launch,       -- number in the whole run, from 0: the L of an address
	l.op,           -- its operation
	o.step,
	c.kernel,
	c.grid_x, c.grid_y, c.grid_z,
	c.block_x, c.block_y, c.block_z,
	c.cluster_x, c.cluster_y, c.cluster_z,
	c.shared_bytes, -- dynamic shared memory
	c.attributes,   -- JSON object, or NULL
	o.layer,        -- of the model; NULL when it has none
	o.stream, o.ordinal, o.code, o.start_us, o.duration_us,
	p.dropped       -- points that did not fit the probe buffer; NULL: none were recorded
FROM t_launch l
	CROSS JOIN t_op o ON o.run = l.run AND o.op = l.op
	LEFT JOIN t_call c ON c.call = o.call
	LEFT JOIN t_probe p ON p.run = l.run AND p.launch = l.launch;

-- One row per operation that concerns a graph. A graph_node is work that was captured, or added by
-- hand; a graph_upload has the bytes that an upload in the graph reads at the next launch. v_op and
-- v_arg have the operands of a node.
CREATE VIEW v_node AS SELECT
	n.run,
	n.op,           -- the operation
	n.graph,        -- 1, 2, ... in the order captures were begun and graphs created
	n.node,         -- in the graph: 0, 1, ...; NULL if the operation concerns the whole graph
	k.name AS work, -- what the node does: 'launch', 'copy', ...; NULL unless a graph_node
	n.own,          -- 1: added by the recorder, not part of the user's graph: saves bytes
	                -- (v_op.buffer, offset, bytes) that this node is about to overwrite
	n.after,        -- JSON array: nodes that come before one added by hand; NULL in a capture,
	                -- where streams and events give the order
	n.launch,       -- of a graph launch: number of the first launch it makes
	c.kernel,       -- of a node that is a launch
	o.layer
FROM t_node n CROSS JOIN t_op o USING (run, op)
	LEFT JOIN t_op_kind k ON k.kind = n.work LEFT JOIN t_call c ON c.call = o.call;

-- One row per argument of a launch or graph node.
CREATE VIEW v_arg AS SELECT
	o.run,
	o.op,
	o.launch,       -- NULL for a graph node
	a.position,     -- 0, 1, ...
	a.name,         -- the kernel's parameter
	a.type,         -- as in the source: 'const float *'
	a.kind,         -- 'i32' 'u32' 'i64' 'u64' 'f32' 'f64' 'pointer' 'blob'
	a.bits,         -- bit pattern of a scalar, zero-extended (64 bits, signed)
	a.value,        -- the scalar; NULL for a NaN and for a u64 above the signed range
	a.buffer,       -- of a pointer; NULL for a null pointer
	a.offset,
	a.data,         -- bytes of a blob
	a.live          -- 1: a live argument, whose source may change between replays of a graph
FROM t_op o CROSS JOIN t_arg a ON a.call = o.call;

-- One row per device pointer inside an uploaded pointer table or a blob argument.
CREATE VIEW v_pointer AS
SELECT
	run, op,
	NULL AS position, -- of the argument; NULL for an upload
	entry,          -- 0, 1, ...
	at,             -- byte offset in the upload's destination range or in the blob
	buffer,         -- what it points to; NULL for a null pointer
	offset
FROM t_pointer
UNION ALL
SELECT o.run, o.op, p.position, p.entry, p.at, p.buffer, p.offset
FROM t_op o CROSS JOIN t_arg_pointer p ON p.call = o.call;

-- One row per allocation.
CREATE VIEW v_buffer AS SELECT
	b.run,
	b.buffer,       -- 1, 2, ...
	b.op,           -- the allocation
	b.name,         -- 'k_cache.3'
	b.dtype,        -- 'f32', ...
	b.rank,
	b.shape,        -- JSON array, in elements
	b.bytes,
	b.ordinal,      -- of the device
	(SELECT min(f.op) FROM t_op f JOIN t_op_kind k USING (kind)
	 WHERE f.run = b.run AND k.name = 'free' AND f.buffer = b.buffer) AS freed_op
FROM t_buffer b;

-- One row per digest: bytes [offset, offset + bytes) of a buffer after an operation or a step. For
-- scattered writes this is the span from the first to the last; the digest covers only the bytes
-- written, which v_kv lists row by row.
CREATE VIEW v_digest AS SELECT
	d.run,
	d.op,           -- the operation, or the last one of the step
	o.launch,       -- NULL if the operation is not a launch
	o.step,
	d.after_step,   -- 0: what the operation wrote; 1: state after the step
	d.entry,        -- 0, 1, ... in the operation
	d.buffer, d.offset,
	d.bytes,        -- from the first byte to the last, with gaps between scattered writes
	d.digest,       -- 64 bits, signed; all NaNs count as equal
	d.data          -- the bytes; NULL if they were not recorded
FROM t_digest d CROSS JOIN t_op o ON o.run = d.run AND o.op = d.op;

-- One row per row of K or V that an operation wrote into a KV cache, or copied out of one to another
-- buffer. Traces before version 5 have only what launches wrote.
CREATE VIEW v_kv AS SELECT
	k.run,
	k.op,           -- the operation: a launch, an upload or a copy
	o.launch,       -- NULL for an upload or a copy
	CASE k.tensor WHEN 0 THEN 'k' ELSE 'v' END AS tensor,
	k.layer, k.slot, k.kv_head,
	k.position + e.n AS position, -- of the key in its sequence
	k.buffer,       -- where the row was written
	k.offset + e.n * k.bytes AS offset,
	k.bytes,
	k.source_op,    -- the upload the row came from; NULL for a copy: v_op says from where
	k.source_offset + e.n * k.bytes AS source_offset -- of the row in that upload's bytes
FROM t_kv k
	LEFT JOIN t_op o ON o.run = k.run AND o.op = k.op
	CROSS JOIN t_byte e ON e.n <= coalesce(k.more, 0);

-- One row per host_softmax: attention that the host computed from rows it had downloaded. The output
-- is the operation's data in v_op, f32 [heads, head_dim].
CREATE VIEW v_softmax AS SELECT
	s.run, s.op,
	s.layer,        -- of the model
	s.heads, s.keys, s.head_dim,
	s.scale AS scale_bits, -- factor of the scores
	iif((s.scale & 0x7fffffff) > 0x7f800000, NULL,
	    ((s.scale & 0x7fffff) + m.hidden) * m.scale * iif(s.scale < 0, -1, 1)) AS scale,
	CASE WHEN s.scale IS NULL THEN 'none' WHEN (s.scale & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (s.scale & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS scale_kind,
	s.k_buffer,     -- K of the first head: keys * head_dim f32 from k_offset on
	s.k_offset,
	s.v_buffer, s.v_offset, -- V in the same way
	s.stride,       -- from one head to the next
	s.q_data        -- f32 [heads, head_dim]
FROM t_softmax s LEFT JOIN t_byte m ON m.n = (s.scale >> 23) & 255;

-- One row per chunk of a row of flash decoding. acc: f32 accumulators, not normalised. With g the
-- maximum of the row, a chunk has the factor exp(max - g), in v_reduce, and the share
-- factor * sum / total, where total is the sum of factor * sum over the chunks of the row.
CREATE VIEW v_partial AS SELECT
	p.run, p.launch, p.slot, p.head, p.kv_head,
	p.chunk + e.n AS chunk, -- 0, 1, ...
	p.key_begin + e.n * coalesce(p.key_step, 0) AS key_begin,
	p.key_end,      -- exclusive: keys key_begin <= i < key_end
	p.key_begin >= p.key_end AS empty, -- 1: it has no keys
	p.max AS max_bits, -- maximum score
	iif((p.max & 0x7fffffff) > 0x7f800000, NULL,
	    ((p.max & 0x7fffff) + m.hidden) * m.scale * iif(p.max < 0, -1, 1)) AS max,
	CASE WHEN p.max IS NULL THEN 'none' WHEN (p.max & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (p.max & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS max_kind,
	p.sum AS sum_bits, -- sum of exp(score - max)
	iif((p.sum & 0x7fffffff) > 0x7f800000, NULL,
	    ((p.sum & 0x7fffff) + s.hidden) * s.scale * iif(p.sum < 0, -1, 1)) AS sum,
	CASE WHEN p.sum IS NULL THEN 'none' WHEN (p.sum & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (p.sum & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS sum_kind,
	p.lse,          -- max + ln(sum) in float64; NULL when empty
	p.weight AS share, -- part of the row's softmax, in float64: those of a row add up to 1
	p.acc_data,     -- bytes with the accumulators, from acc_offset on; NULL when empty
	p.acc_offset, p.acc_bytes,
	p.weight        -- old name of share
FROM t_partial p
	CROSS JOIN t_byte e ON e.n <= coalesce(p.more, 0)
	LEFT JOIN t_byte m ON m.n = (p.max >> 23) & 255
	LEFT JOIN t_byte s ON s.n = (p.sum >> 23) & 255;

-- One row per step of a reduction, computed from the partials in float64.
CREATE VIEW v_reduce AS SELECT
	run, launch, slot, head,
	sequence,       -- 0, 1, ...: the order chunks were merged in
	chunk,
	weight AS factor, -- exp(its max - the row's max): what its sum and accumulators are
	                -- multiplied by; NULL for a NaN
	sum,            -- running sum after the chunk
	weight          -- old name of factor
FROM t_reduce;

-- One row per named point that a thread passed: up to four f32 values.
CREATE VIEW v_point AS SELECT
	p.run, p.launch,
	p.thread / l.threads AS block, -- linear
	p.thread % l.threads / 32 AS warp,
	p.thread % l.threads % 32 AS lane,
	p.sequence,     -- 0, 1, ... per thread: the p of an address
	n.content AS name,
	(v0 IS NOT NULL) + (v1 IS NOT NULL) + (v2 IS NOT NULL) + (v3 IS NOT NULL) AS count,
	v0 AS v0_bits,
	iif((v0 & 0x7fffffff) > 0x7f800000, NULL,
	    ((v0 & 0x7fffff) + e0.hidden) * e0.scale * iif(v0 < 0, -1, 1)) AS v0,
	CASE WHEN v0 IS NULL THEN 'none' WHEN (v0 & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (v0 & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS v0_kind,
	v1 AS v1_bits,
	iif((v1 & 0x7fffffff) > 0x7f800000, NULL,
	    ((v1 & 0x7fffff) + e1.hidden) * e1.scale * iif(v1 < 0, -1, 1)) AS v1,
	CASE WHEN v1 IS NULL THEN 'none' WHEN (v1 & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (v1 & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS v1_kind,
	v2 AS v2_bits,
	iif((v2 & 0x7fffffff) > 0x7f800000, NULL,
	    ((v2 & 0x7fffff) + e2.hidden) * e2.scale * iif(v2 < 0, -1, 1)) AS v2,
	CASE WHEN v2 IS NULL THEN 'none' WHEN (v2 & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (v2 & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS v2_kind,
	v3 AS v3_bits,
	iif((v3 & 0x7fffffff) > 0x7f800000, NULL,
	    ((v3 & 0x7fffff) + e3.hidden) * e3.scale * iif(v3 < 0, -1, 1)) AS v3,
	CASE WHEN v3 IS NULL THEN 'none' WHEN (v3 & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (v3 & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS v3_kind
FROM t_point p
	CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch
	LEFT JOIN t_point_name n ON n.name = p.name
	LEFT JOIN t_byte e0 ON e0.n = (v0 >> 23) & 255
	LEFT JOIN t_byte e1 ON e1.n = (v1 >> 23) & 255
	LEFT JOIN t_byte e2 ON e2.n = (v2 >> 23) & 255
	LEFT JOIN t_byte e3 ON e3.n = (v3 >> 23) & 255;

-- One row per launch whose points were recorded; none in traces before version 4.
CREATE VIEW v_point_sum AS SELECT
	run, launch,
	points,         -- how many there are
	digest          -- of all of them, 64 bits, signed; all NaNs count as equal
FROM t_point_sum;

-- One row per request of a warp: what its lanes load or store at a time, of the blocks recorded with
-- --log access. doc/counters.md says how lanes are combined.
CREATE VIEW v_request AS SELECT
	r.run, r.launch,
	r.warp / ((l.threads + 31) / 32) AS block,
	r.warp % ((l.threads + 31) / 32) AS warp,
	r.request,      -- 0, 1, ... per warp: the a of an address
	CASE r.kind WHEN 0 THEN 'load' WHEN 1 THEN 'store' WHEN 2 THEN 'atomic'
		WHEN 3 THEN 'bulk read' ELSE 'bulk write' END AS kind,
	CASE r.space WHEN 0 THEN 'global' ELSE 'shared' END AS space,
	r.counted,      -- 0: not one of --count's requests: atomics, and accesses of a lane that
	                -- ran too far ahead of its warp
	r.lanes,        -- how many take part; bulk: pieces of 16 bytes
	r.bytes,        -- distinct ones that they access
	r.sectors,      -- global: 32-byte sectors that hold these bytes; else NULL
	r.lines,        -- global: 128-byte lines
	r.conflicts,    -- shared: passes over the banks beyond the first
	r.file, r.line  -- of the source; NULL: not known
FROM t_request r
	CROSS JOIN t_launch l ON l.run = r.run AND l.launch = r.launch;

-- One row per load, store or atomic of a thread.
CREATE VIEW v_access AS SELECT
	p.run, p.launch,
	p.warp / ((l.threads + 31) / 32) AS block,
	p.warp % ((l.threads + 31) / 32) AS warp,
	p.request,      -- of the warp
	p.lane,         -- bulk: the number of the piece
	CASE r.kind WHEN 0 THEN 'load' WHEN 1 THEN 'store' WHEN 2 THEN 'atomic'
		WHEN 3 THEN 'bulk read' ELSE 'bulk write' END AS kind,
	CASE r.space WHEN 0 THEN 'global' ELSE 'shared' END AS space,
	p.buffer,       -- NULL for shared memory, and for memory in no buffer
	p.offset,       -- in the buffer, in the block's shared memory, or in device memory
	p.bytes,
	p.bits,         -- loaded, stored, or found by an atomic; NULL: more than 8 bytes
	r.file, r.line  -- of the source
FROM t_access p
	CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch
	LEFT JOIN t_request r ON r.run = p.run AND r.launch = p.launch AND r.warp = p.warp
		AND r.request = p.request;

-- One row per source line with requests, and kind and space of these: sums over the recorded blocks.
CREATE VIEW v_access_line AS SELECT
	run, launch,
	nullif(file, '') AS file, -- NULL: not known
	line,
	CASE kind WHEN 0 THEN 'load' WHEN 1 THEN 'store' WHEN 2 THEN 'atomic'
		WHEN 3 THEN 'bulk read' ELSE 'bulk write' END AS kind,
	CASE space WHEN 0 THEN 'global' ELSE 'shared' END AS space,
	requests,
	counted,        -- of these, those in --count's requests
	lanes,          -- loads, stores or atomics of threads
	bytes,          -- distinct ones of each request
	sectors,        -- global: of each request
	lines,          -- global: 128-byte lines of each request
	conflicts,      -- shared
	sectors * 32 - bytes AS wasted -- global: bytes moved that no lane of the request accesses
FROM t_access_line;

-- One row per source line that a thread of these blocks reached.
CREATE VIEW v_line AS SELECT
	p.run, p.launch,
	p.thread / l.threads AS block,
	p.thread % l.threads / 32 AS warp,
	p.thread % l.threads % 32 AS lane,
	p.sequence,     -- 0, 1, ... per thread, in the order first reached
	p.file, p.line
FROM t_line p
	CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch;

-- One row per finding of the checker (--check); findings of the same class and sites are merged.
CREATE VIEW v_finding AS SELECT
	run,
	finding,        -- 0, 1, ...
	class,          -- 'oob', 'race-shared', ...
	op, launch,
	thread,         -- counted through the grid; from the first such finding
	other_thread,   -- the other side of a race
	buffer, offset, bytes,
	file, line,
	other_line,
	message         -- JSON object with the complete finding: both sides, count, why, fix; seed:
	                -- of the order that showed it (--all-orders), if not the run's own
FROM t_finding;

-- One row per launch of a run with --count; doc/counters.md says how each is counted.
CREATE VIEW v_counter AS SELECT
	run, launch, kernel,
	load_bytes, store_bytes,        -- of global memory, as requested by threads
	load_distinct_bytes,            -- distinct bytes among those loaded
	load_bytes * 1.0 / nullif(load_distinct_bytes, 0) AS reuse,
	load_requests, store_requests,  -- of warps
	load_sectors, store_sectors,    -- distinct 32-byte sectors of each request
	load_sectors * 1.0 / nullif(load_requests, 0) AS sectors_per_load,
	store_sectors * 1.0 / nullif(store_requests, 0) AS sectors_per_store,
	atomics, shared_atomics,        -- by threads, of global and of shared memory
	shared_load_requests, shared_store_requests,
	shared_load_conflicts, shared_store_conflicts,  -- passes over the banks beyond the first
	barriers, shuffles,             -- completed by blocks, by warps
	divergent_branches,             -- of warps whose lanes went different ways
	basic_blocks,                   -- entered by threads: what --steps bounds
	left_out                        -- accesses not counted as requests; 0: the sums are exact
FROM t_counter;

-- One row per source line that threads of a launch reached, in a run with --check.
CREATE VIEW v_hit AS SELECT
	run, launch, file, line,
	hits            -- how often threads entered the most frequent basic block of the line
FROM t_hit;

-- One row per step of a decode loop, or several if windows of launches split it.
CREATE VIEW v_step AS SELECT
	run, step,
	first_op,       -- operations first_op <= op <= last_op
	last_op         -- NULL while the step runs
FROM t_step;

-- One row per byte of a sequence.
CREATE VIEW v_token AS SELECT
	t.run,
	t.step,         -- of a prompt byte: the step that processed it; of a generated byte: the
	                -- step that produced it, from the key at position - 1
	t.slot,
	t.position,     -- in the sequence
	t.byte,         -- 0 to 255
	t.prompt,       -- 1: given, 0: generated
	t.logit AS logit_bits, -- of the byte when it was chosen
	iif((t.logit & 0x7fffffff) > 0x7f800000, NULL,
	    ((t.logit & 0x7fffff) + e.hidden) * e.scale * iif(t.logit < 0, -1, 1)) AS logit,
	CASE WHEN t.logit IS NULL THEN 'none' WHEN (t.logit & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (t.logit & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS logit_kind
FROM t_token t LEFT JOIN t_byte e ON e.n = (t.logit >> 23) & 255;

-- One row per difference between two runs of this file, matched by launch, step and place. All NaNs
-- count as equal. Rows that only one of the runs has are not listed.
CREATE VIEW v_diff AS
SELECT
	ra.run AS run_a,
	rb.run AS run_b, -- > run_a
	CASE a.after_step WHEN 0 THEN 'launch' ELSE 'step' END AS what, -- or 'point', 'partial'
	a.op,           -- of run_a; NULL for a point or partial
	o.launch,
	a.buffer, a.offset, a.bytes, -- NULL for a point or partial
	NULL AS place,  -- 'thread 37 p2', 'slot 0 head 3 chunk 1'
	NULL AS name,   -- of the point and the value that differs: 'softmax v1'; 'max', 'sum'
	a.digest AS a,  -- digest, or bits of the value
	b.digest AS b
FROM t_run ra CROSS JOIN t_run rb ON rb.run > ra.run
	CROSS JOIN t_digest a ON a.run = ra.run
	CROSS JOIN t_op o ON o.run = a.run AND o.op = a.op
	-- Operation numbers differ if the runs were recorded in different windows. A step that a
	-- window split is compared if both runs had reached the same launch.
	CROSS JOIN t_op ob ON ob.run = rb.run AND ob.op = iif(a.after_step,
		(SELECT max(s.last_op) FROM t_step s WHERE s.run = rb.run AND s.step = o.step),
		iif(o.launch IS NULL, a.op,
		    (SELECT l.op FROM t_launch l WHERE l.run = rb.run AND l.launch = o.launch)))
	CROSS JOIN t_digest b ON b.run = rb.run AND b.op = ob.op AND b.after_step = a.after_step
		AND b.buffer = a.buffer AND b.offset = a.offset AND b.bytes = a.bytes
WHERE a.digest <> b.digest AND (NOT a.after_step
	OR (SELECT x.launch FROM t_op x WHERE x.run = a.run AND x.op <= a.op
	    AND x.launch IS NOT NULL ORDER BY x.op DESC LIMIT 1)
	IS (SELECT x.launch FROM t_op x WHERE x.run = b.run AND x.op <= b.op
	    AND x.launch IS NOT NULL ORDER BY x.op DESC LIMIT 1))
UNION ALL
SELECT
	ra.run, rb.run, 'partial', NULL, a.launch, NULL, NULL, NULL,
	'slot ' || a.slot || ' head ' || a.head || ' chunk ' || a.chunk,
	iif(w.n = 0, 'max', 'sum'), iif(w.n = 0, a.max, a.sum), iif(w.n = 0, b.max, b.sum)
FROM t_run ra CROSS JOIN t_run rb ON rb.run > ra.run
	CROSS JOIN t_partial a ON a.run = ra.run
	CROSS JOIN t_partial b ON b.run = rb.run AND b.launch = a.launch AND b.slot = a.slot
		AND b.head = a.head AND b.chunk = a.chunk
	CROSS JOIN t_byte w ON w.n < 2
WHERE iif(w.n = 0, a.max, a.sum) <> iif(w.n = 0, b.max, b.sum)
	AND NOT ((iif(w.n = 0, a.max, a.sum) & 0x7fffffff) > 0x7f800000
		 AND (iif(w.n = 0, b.max, b.sum) & 0x7fffffff) > 0x7f800000)
UNION ALL
SELECT
	ra.run, rb.run, 'point', NULL, a.launch, NULL, NULL, NULL,
	'thread ' || a.thread || ' p' || a.sequence,
	coalesce((SELECT content FROM t_point_name n WHERE n.name = a.name), '?') || ' v' || w.n,
	CASE w.n WHEN 0 THEN a.v0 WHEN 1 THEN a.v1 WHEN 2 THEN a.v2 ELSE a.v3 END,
	CASE w.n WHEN 0 THEN b.v0 WHEN 1 THEN b.v1 WHEN 2 THEN b.v2 ELSE b.v3 END
FROM t_run ra CROSS JOIN t_run rb ON rb.run > ra.run
	CROSS JOIN t_point a ON a.run = ra.run
	CROSS JOIN t_point b ON b.run = rb.run AND b.launch = a.launch AND b.thread = a.thread
		AND b.sequence = a.sequence
	CROSS JOIN t_byte w ON w.n < 4
WHERE (a.v0 IS NOT b.v0 OR a.v1 IS NOT b.v1 OR a.v2 IS NOT b.v2 OR a.v3 IS NOT b.v3)
	AND CASE w.n WHEN 0 THEN a.v0 IS NOT b.v0 AND NOT ((a.v0 & 0x7fffffff) > 0x7f800000
			AND (b.v0 & 0x7fffffff) > 0x7f800000)
		WHEN 1 THEN a.v1 IS NOT b.v1 AND NOT ((a.v1 & 0x7fffffff) > 0x7f800000
			AND (b.v1 & 0x7fffffff) > 0x7f800000)
		WHEN 2 THEN a.v2 IS NOT b.v2 AND NOT ((a.v2 & 0x7fffffff) > 0x7f800000
			AND (b.v2 & 0x7fffffff) > 0x7f800000)
		ELSE a.v3 IS NOT b.v3 AND NOT ((a.v3 & 0x7fffffff) > 0x7f800000
			AND (b.v3 & 0x7fffffff) > 0x7f800000) END;
