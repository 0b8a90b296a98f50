-- schema_earlier.sql - earlier forms of indexes and views that schema.sql defines otherwise now.
--
-- A trace may have one of them instead of the present form, and no other: see store_guard.c. If a
-- definition in schema.sql changes, its old statement is added here. White space and comments do
-- not count.

-- Versions 1 to 4: slower with some plans, but the same rows.
CREATE INDEX t_op_launch ON t_op (run, launch);

CREATE VIEW v_arg AS SELECT
	o.run,
	o.op,
	o.launch,
	a.position,
	a.name,
	a.type,
	a.kind,
	a.bits,
	a.value,
	a.buffer,
	a.offset,
	a.data,
	a.live
FROM t_op o JOIN t_arg a USING (call);

CREATE VIEW v_pointer AS
SELECT
	run, op,
	NULL AS position,
	entry,
	at,
	buffer,
	offset
FROM t_pointer
UNION ALL
SELECT o.run, o.op, p.position, p.entry, p.at, p.buffer, p.offset
FROM t_op o JOIN t_arg_pointer p USING (call);

CREATE VIEW v_digest AS SELECT
	d.run,
	d.op,
	o.launch,
	o.step,
	d.after_step,
	d.entry,
	d.buffer, d.offset,
	d.bytes,
	d.digest,
	d.data
FROM t_digest d JOIN t_op o USING (run, op);

-- Versions 1 to 4: rows of the cache by launch.
CREATE TABLE t_kv (
	run INTEGER, launch INTEGER, tensor INTEGER, slot INTEGER, position INTEGER,
	kv_head INTEGER, layer, buffer, offset, bytes, source_op, source_offset,
	PRIMARY KEY (run, launch, tensor, slot, position, kv_head)
) WITHOUT ROWID;

CREATE VIEW v_kv AS SELECT
	run, launch,
	CASE tensor WHEN 0 THEN 'k' ELSE 'v' END AS tensor,
	layer, slot, kv_head,
	position,       -- of the key in its sequence
	buffer, offset, bytes, -- where in the cache
	source_op,      -- the upload the row came from
	source_offset   -- of the row in that upload's bytes
FROM t_kv;

-- Versions 1 to 5, and no later one: the share of a chunk and its factor were both called weight.
CREATE VIEW v_partial AS SELECT
	p.run, p.launch, p.slot, p.head, p.kv_head,
	p.chunk + e.n AS chunk,
	p.key_begin + e.n * coalesce(p.key_step, 0) AS key_begin,
	p.key_end,
	p.key_begin >= p.key_end AS empty,
	p.max AS max_bits,
	iif((p.max & 0x7fffffff) > 0x7f800000, NULL,
	    ((p.max & 0x7fffff) + m.hidden) * m.scale * iif(p.max < 0, -1, 1)) AS max,
	CASE WHEN p.max IS NULL THEN 'none' WHEN (p.max & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (p.max & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS max_kind,
	p.sum AS sum_bits,
	iif((p.sum & 0x7fffffff) > 0x7f800000, NULL,
	    ((p.sum & 0x7fffff) + s.hidden) * s.scale * iif(p.sum < 0, -1, 1)) AS sum,
	CASE WHEN p.sum IS NULL THEN 'none' WHEN (p.sum & 0x7fffffff) < 0x7f800000 THEN 'num'
	     WHEN (p.sum & 0x7fffffff) = 0x7f800000 THEN 'inf' ELSE 'nan' END AS sum_kind,
	p.lse,
	p.weight,
	p.acc_data,
	p.acc_offset, p.acc_bytes
FROM t_partial p
	CROSS JOIN t_byte e ON e.n <= coalesce(p.more, 0)
	LEFT JOIN t_byte m ON m.n = (p.max >> 23) & 255
	LEFT JOIN t_byte s ON s.n = (p.sum >> 23) & 255;

CREATE VIEW v_reduce AS SELECT
	run, launch, slot, head,
	sequence,
	chunk,
	weight,
	sum
FROM t_reduce;

-- Versions 1 to 7: accesses by thread, none of which were recorded.
CREATE TABLE t_access (
	run INTEGER, launch INTEGER, thread INTEGER, sequence INTEGER, kind, space, buffer,
	offset, bytes, bits, file, line,
	PRIMARY KEY (run, launch, thread, sequence)
) WITHOUT ROWID;

CREATE VIEW v_access AS SELECT
	p.run, p.launch,
	p.thread / l.threads AS block,
	p.thread % l.threads / 32 AS warp,
	p.thread % l.threads % 32 AS lane,
	p.sequence,
	p.kind,
	p.space,
	p.buffer,
	p.offset,
	p.bytes,
	p.bits,
	p.file, p.line
FROM t_access p
	CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch;

-- Version 8, before bulk copies had kinds of their own.
CREATE VIEW v_request AS SELECT
	r.run, r.launch,
	r.warp / ((l.threads + 31) / 32) AS block,
	r.warp % ((l.threads + 31) / 32) AS warp,
	r.request,
	CASE r.kind WHEN 0 THEN 'load' WHEN 1 THEN 'store' ELSE 'atomic' END AS kind,
	CASE r.space WHEN 0 THEN 'global' ELSE 'shared' END AS space,
	r.counted,
	r.lanes,
	r.bytes,
	r.sectors,
	r.lines,
	r.conflicts,
	r.file, r.line
FROM t_request r
	CROSS JOIN t_launch l ON l.run = r.run AND l.launch = r.launch;

CREATE VIEW v_access AS SELECT
	p.run, p.launch,
	p.warp / ((l.threads + 31) / 32) AS block,
	p.warp % ((l.threads + 31) / 32) AS warp,
	p.request,
	p.lane,
	CASE r.kind WHEN 0 THEN 'load' WHEN 1 THEN 'store' ELSE 'atomic' END AS kind,
	CASE r.space WHEN 0 THEN 'global' ELSE 'shared' END AS space,
	p.buffer,
	p.offset,
	p.bytes,
	p.bits,
	r.file, r.line
FROM t_access p
	CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch
	LEFT JOIN t_request r ON r.run = p.run AND r.launch = p.launch AND r.warp = p.warp
		AND r.request = p.request;

CREATE VIEW v_access_line AS SELECT
	run, launch,
	nullif(file, '') AS file,
	line,
	CASE kind WHEN 0 THEN 'load' WHEN 1 THEN 'store' ELSE 'atomic' END AS kind,
	CASE space WHEN 0 THEN 'global' ELSE 'shared' END AS space,
	requests,
	counted,
	lanes,
	bytes,
	sectors,
	lines,
	conflicts,
	sectors * 32 - bytes AS wasted
FROM t_access_line;
