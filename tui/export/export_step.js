/* export_step.js - the picture of a step in a page that `flashtwin export --as html` wrote.
 *
 * export_pictures.c wrote what each slot and head of an attention computed: floats as bits, scores
 * and text in base64. This file turns a row of that into an SVG: keys by weight, chunks by share,
 * and ribbons as thick as the share into the merge. What a frame has not reached yet is left out,
 * as in step_frames.c. export_play.js chooses what is drawn.
 */
const SVG = "http://www.w3.org/2000/svg";
const APPEND = 0, TILE = 1, PARTIAL = 2, MERGE = 3, OUTPUT = 4, MADE = 5;      // step_frame_kind
const UNITS = { chunks: "chunk", rows: "warp", tiles: "tile", host: "softmax" };
const MOST_LINES = 40;                  // of keys; those with the smallest shares become gaps

/* --- numbers --- */

const cell = new DataView(new ArrayBuffer(4));

function floatOf(bits) {
	cell.setUint32(0, bits);
	return cell.getFloat32(0);
}

function bitsOf(value) {
	cell.setFloat32(0, value);
	return cell.getUint32(0);
}

/* The shortest decimal that reads back as the same float, and its bits. */
function exact(bits) {
	const value = floatOf(bits);
	let digits = 1;

	while (digits < 9 && Math.fround(Number(value.toPrecision(digits))) !== value)
		digits++;
	return `${Number(value.toPrecision(digits))} (0x${bits.toString(16).padStart(8, "0")})`;
}

const six = value => String(Number(value.toPrecision(6)));

/* Formats values below each other, as slide_cell() does: points are below each other. */
function columnOf(values) {
	const largest = values.reduce((most, value) =>
		(Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
	const before = largest >= 10 ? 1 + Math.floor(Math.log10(largest)) : 1;
	const after = largest <= 1 ? 6 : 6 - before;
	const width = after > 0 ? before + 1 + after + values.some(value => value < 0) : 0;

	return value => (after < 0 || !Number.isFinite(value) ? six(value)
		: value !== 0 && after > 3 && Math.abs(value) < 0.5 * 10 ** -after
			? value.toExponential(after - 4).replace(/e-(\d)$/, "e-0$1")
			: value.toFixed(after)).padStart(width, "\u00a0");
}

const percent = (share, digits = 1) =>
	share === null ? "?" : `${(100 * share).toFixed(digits)} %`;

function bytesOf(packed) {
	return Uint8Array.from(atob(packed), character => character.charCodeAt(0));
}

/* --- rows --- */

function chunkOf([number, spot, begin, end, max, sum, share, factor, merge, scores, weights,
		  tiles]) {
	return {
		number, spot, begin, end, max, sum, share, factor, merge, tiles,
		scores: scores && new Uint32Array(bytesOf(scores).buffer),
		weights: weights && weights.map(each => (each === null ? null : each / 1e6)),
	};
}

/* Decodes the row of a slot and head, once. The text is with the slot's first head; of queries, with
 * the last one, which sees the most keys. */
function rowOf(picture, index) {
	const row = picture.rows[index];

	if (!row || row.decoded)
		return row;
	const first = picture.rows[picture.queries ? picture.rows.length - picture.heads
		: index - index % picture.heads];

	row.chunks = row.chunks.map(chunkOf);
	row.frames = row.frames.map(([kind, chunk, tile, tensor, at]) =>
		({ kind, chunk, tile, tensor, at }));
	row.bytes = typeof first?.text === "string" ? bytesOf(first.text) : null;
	row.unit = row.tiled ? "tile" : UNITS[picture.form];
	row.decoded = true;
	return row;
}

/* How far the step has got with a frame; -1: it is over. */
function progressOf(picture, row, number) {
	const frame = row.frames[number], live = row.chunks.length;
	const none = { published: 0, tiles: 0, merged: 0, output: false, made: false };

	if (!frame)
		return { published: live, tiles: 0, merged: live, output: true, made: true };
	if (frame.kind === APPEND)
		return none;
	if (frame.kind === TILE && row.tiled)
		return { ...none, published: frame.chunk + 1, merged: frame.chunk + 1 };
	if (frame.kind === TILE && picture.form === "rows"
	    && frame.tile + 1 === row.chunks[frame.chunk].tiles.length)
		return { ...none, published: frame.chunk + 1 };
	if (frame.kind === TILE)
		return { ...none, published: frame.chunk, tiles: frame.tile + 1 };
	if (frame.kind === PARTIAL)
		return { ...none, published: frame.chunk + 1 };
	if (frame.kind === MERGE)
		return { ...none, published: live, merged: frame.chunk + 1 };
	return { published: live, tiles: 0, merged: live, output: true,
		made: frame.kind === MADE };
}

function frameText(picture, row, { kind, chunk, tile, tensor }) {
	const unit = row.unit, number = row.chunks[chunk]?.number;

	if (kind === APPEND)
		return `${{ k: "K is", v: "V is" }[tensor] || "K and V are"} appended`;
	if (kind === TILE && picture.form === "tiles")
		return `tile ${number} of query ${row.query}`;
	if (kind === TILE)
		return row.tiled ? `tile ${number}` : `tile ${tile} of ${unit} ${number}`;
	if (kind === PARTIAL)
		return `partial of chunk ${number}`;
	if (kind === MERGE)
		return `merge of ${unit} ${number}`;
	if (kind === OUTPUT)
		return picture.form === "host" ? "softmax on the host, output"
			: picture.merges ? `merge in the ${picture.merges}, output` : "output";
	return "next byte";
}

/* The lines of keys: parts of chunks, and gaps where there are too many. */
function linesOfRow(row, width) {
	let lines = row.chunks.flatMap((chunk, index) => {
		const parts = [];

		for (let begin = chunk.begin; begin < chunk.end; begin += width)
			parts.push({ chunk, index, begin, end: Math.min(begin + width, chunk.end),
				first: begin === chunk.begin });
		return parts;
	});
	if (lines.length <= MOST_LINES)
		return lines;
	const kept = new Set([...lines].sort((a, b) => b.chunk.share - a.chunk.share)
		.slice(0, MOST_LINES - 1));

	kept.add(lines.at(-1));
	lines = lines.map(line => (kept.has(line) ? line : { ...line, gap: true }));
	return lines.filter((line, i) => !line.gap || !lines[i - 1]?.gap);
}

/* --- shapes --- */

function shape(tag, attributes, ...children) {
	const node = document.createElementNS(SVG, tag);

	for (const [name, value] of Object.entries(attributes))
		if (value !== undefined && value !== "")
			node.setAttribute(name, typeof value === "number"
				? Math.round(value * 100) / 100 : value);
	node.append(...children.filter(child => child !== null && child !== undefined));
	return node;
}

const box = (x, y, width, height, kind, more = {}) =>
	shape("rect", { x, y, width: Math.max(width, 0), height, class: kind, rx: 3, ...more });
const words = (x, y, kind, text, more = {}) => shape("text", { x, y, class: kind, ...more }, text);

function ribbon(x1, y1, x2, y2, thickness) {
	const middle = (x1 + x2) / 2, half = thickness / 2;

	return shape("path", { class: "ribbon", d: `M${x1} ${y1 - half}C${middle} ${y1 - half} `
		+ `${middle} ${y2 - half} ${x2} ${y2 - half}V${y2 + half}C${middle} ${y2 + half} `
		+ `${middle} ${y1 + half} ${x1} ${y1 + half}Z` });
}

/* --- heat --- */

// From the ground of the page to its ink: the order of the colours does not depend on their hues.
const RAMPS = {
	light: ["fcfcf6", "ddecdb", "acd9c2", "75c4af", "42a6a0", "26868f", "24667e", "2e466c",
		"342652"],
	dark: ["1b2027", "1c3640", "1b4f5b", "216a70", "338779", "58a47c", "8fbf7c", "cbd787",
		"fbf0a4"],
};

let printing = false;
const darkPage = window.matchMedia("(prefers-color-scheme: dark)");

/* The colour of a weight, on a logarithmic scale from 0.1 %, and that of text on it. */
function heat(weight) {
	const dark = darkPage.matches && !printing, ramp = RAMPS[dark ? "dark" : "light"];
	const last = ramp.length - 1;
	const at = weight > 0 ? Math.min(Math.max((Math.log10(weight) + 3) / 3, 0), 1) * last : 0;
	const from = Math.min(Math.floor(at), last - 1);
	const part = k => [from, from + 1].map(i => parseInt(ramp[i].slice(k, k + 2), 16));
	const rgb = [0, 2, 4].map(part).map(([a, b]) => Math.round(a + (at - from) * (b - a)));

	const deep = at > (dark ? 3.9 : 4.8);  // of two inks, the one with more contrast

	return { fill: `rgb(${rgb})`, ink: deep === dark ? "#14161a" : deep ? "#ffffff"
		: dark ? "#e8eaee" : "#1d2433" };
}

const mark = byte => (byte === 10 ? "\u21b5" : byte >= 32 && byte < 127
	? String.fromCharCode(byte) : byte ? "?" : "");

/* The tile that has a key: the last one that begins before it, in the order of the warps. */
function tileOf(chunk, key) {
	if (!chunk.tiles.length)
		return 0;
	const first = Math.max(...chunk.tiles.filter(begin => begin <= key));

	return chunk.tiles.indexOf(first);
}

/* --- a picture: `d` has the row, its layout, what it is compared with, and the frame --- */

function keyShape(d, chunk, key, x, y, width, height) {
	const { row, shown } = d, index = row.chunks.indexOf(chunk), at = key - chunk.begin;
	const reached = index < shown.published
		|| (index === shown.published && tileOf(chunk, key) < shown.tiles);
	const weight = reached ? chunk.weights?.[at] : undefined;
	const fresh = key >= row.fresh[0] && key <= row.fresh[1];
	const byte = row.bytes?.[key], other = d.other?.bytes;
	const differs = other && byte !== undefined && other[key] !== byte;
	const under = differs ? [box(x + 0.5, y + height + 1, width - 1.5, 3, "differing")] : [];
	const colour = weight >= 0 ? heat(weight) : null;
	const tip = [`key ${key}${byte ? ` '${mark(byte)}'` : ""}`,
		colour && `weight ${percent(weight, 4)}`,
		reached && chunk.scores && `score ${exact(chunk.scores[at])}`,
		fresh && "written in this step", differs && "differs from the other run"];

	return shape("g", { "data-tip": tip.filter(Boolean).join(", ") },
		box(x + 0.5, y, width - 1.5, height,
		    "key" + (fresh ? " fresh" : ""),
		    colour ? { style: `fill: ${colour.fill}` } : {}), ...under,
		words(x + width / 2, y + height / 2 + 5, "letter", mark(byte),
		      colour ? { style: `fill: ${colour.ink}` } : {}));
}

const factorOf = chunk => (chunk.merge ? floatOf(chunk.merge[0]) : chunk.factor);
const lit = (d, bits, other) => (d.other && bits !== other ? " differs" : "");

function chunkTip({ row }, chunk) {
	const parts = [`${row.unit} ${chunk.number}, keys ${chunk.begin} to ${chunk.end - 1}`,
		`share ${percent(chunk.share, 4)}`, `max ${exact(chunk.max)}`,
		`sum ${exact(chunk.sum)}`];

	if (chunk.merge)
		parts.push(`factor ${exact(chunk.merge[0])}`, `sum so far ${exact(chunk.merge[1])}`);
	return parts.join(", ");
}

function barShapes(d, line, y) {
	const { chunk, index } = line, { bar, barWidth, share } = d.layout;
	const other = d.other?.chunks.find(each => each.number === chunk.number);
	const group = shape("g", { "data-tip": chunkTip(d, chunk), "data-chunk": chunk.number,
		class: chunk.number === d.chosen ? "chosen" : "" });

	group.append(box(bar, y, barWidth, d.layout.barHeight, "track"));
	if (index >= d.shown.published)
		return group;
	group.append(box(bar, y, Math.max(2, barWidth * chunk.share), d.layout.barHeight, "bar"),
		words(share, y + d.layout.barHeight / 2 + 5, "share"
		      + lit(d, chunk.share, other?.share), percent(chunk.share)),
		words(bar, y + d.layout.barHeight + 15, "small" + lit(d, chunk.max, other?.max),
		      `max ${d.columns.max(floatOf(chunk.max))}`),
		words(bar + 122, y + d.layout.barHeight + 15, "small"
		      + lit(d, chunk.sum, other?.sum), `sum ${d.columns.sum(floatOf(chunk.sum))}`));
	// The first tile has nothing before it to rescale.
	if (index < d.shown.merged && d.picture.form !== "host"
	    && !(d.row.tiled && chunk.number === 0))
		group.append(words(share, y + d.layout.barHeight + d.layout.factor, "small end"
			+ lit(d, chunk.merge?.[0], other?.merge?.[0]),
			`${d.layout.named}\u00d7 ${d.columns.factor(factorOf(chunk))}`));
	return group;
}

function outputShapes(d, x, y) {
	const { row } = d, last = row.chunks.at(-1), shapes = [];

	if (d.shown.output && row.out !== undefined)
		shapes.push(shape("g", { "data-tip": `out[0] = ${exact(row.out)}` },
			words(x, y - 10, "mono", "out[0] ="),
			words(x, y + 14, "result" + lit(d, row.out, d.other?.out),
			      six(floatOf(row.out)))));
	else if (d.shown.output)
		shapes.push(words(x, y + 5, "quiet", "not recorded"));
	const other = d.other?.chunks.at(-1)?.merge;

	if (d.shown.output && last.merge && !row.tiled)
		shapes.push(words(x, y + 34, "small" + lit(d, last.merge[2], other?.[2]),
				  `= acc ${six(floatOf(last.merge[2]))}`),
			words(x, y + 51, "small" + lit(d, last.merge[1], other?.[1]),
			      `/ sum ${six(floatOf(last.merge[1]))}`));
	if (d.shown.made && row.made >= 0)
		shapes.push(words(x, y + 80, "quiet", "next byte"),
			box(x, y + 90, 40, 40, "made" + lit(d, row.made, d.other?.made)),
			row.made === 32 ? words(x + 20, y + 114, "space", "space")
				: words(x + 20, y + 118, "next", mark(row.made)));
	return shapes;
}

function legendShapes(x, y) {
	const shapes = [words(x, y + 13, "quiet", "weight of a key: 0.1 %")];

	for (let i = 0; i < 24; i++)
		shapes.push(shape("rect", { x: x + 152 + i * 5, y, width: 5.3, height: 16,
			style: `fill: ${heat(10 ** (-3 + 3 * i / 23)).fill}` }));
	shapes.push(shape("rect", { x: x + 151.5, y: y - 0.5, width: 121.3, height: 17,
		class: "outline" }), words(x + 280, y + 13, "quiet", "100 % (log)"));
	return shapes;
}

function marksLegend(d, x, y) {
	const shapes = d.row.fresh[1] < 0 ? [] : [box(x, y, 15, 16, "key fresh"),
		words(x + 23, y + 13, "quiet", "written in this step")];

	if (d.chosen >= 0)
		shapes.push(shape("g", { class: "chosen" }, box(x + 170, y, 15, 16, "bar")),
			words(x + 193, y + 13, "quiet", `chunk ${d.chosen}, chosen`));
	return shapes;
}

/* Panes next to each other; ribbons flow to the right. */
function wide(d, lines) {
	const pitch = lines.length > 10 ? 62 : lines.length > 6 ? 70 : 84;
	const most = Math.max(...d.row.chunks.map(chunk => chunk.share || 0), 0.2);
	const thickness = Math.min(150, 0.8 * pitch / most), top = 48;
	const middle = Math.max(top + lines.length * pitch / 2 - 10, top + 80), shapes = [];
	let flow = middle - thickness / 2;

	d.layout = { bar: 566, barWidth: 230, barHeight: pitch > 66 ? 30 : 22, share: 886,
		factor: 15, named: "" };
	const cellWidth = Math.min(27, 440 / d.width), keys = d.row.query >= 0
		? `KEYS, ${d.row.keys} SEEN` : d.picture.maxLen
		? `KEYS, ${d.row.keys} OF AT MOST ${d.picture.maxLen}` : `KEYS, ${d.row.keys}`;
	for (const [x, text, kind] of [[92, keys, ""], [566, d.row.tiled ? "KEY TILES, SO FAR"
			: `${d.row.unit.toUpperCase()}S`, ""],
		[886, d.picture.form === "host" ? "SHARE"
			: d.row.tiled ? "SHARE, \u00d7 RESCALE" : "SHARE, \u00d7 FACTOR", " end"], [1080, d.picture.form === "host" ? "" : "MERGE", " end"],
		[1100, "OUTPUT", ""]])
		shapes.push(words(x, 18, "heading" + kind, text));
	lines.forEach((line, i) => {
		const y = top + i * pitch;

		if (line.gap) {
			shapes.push(words(92, y + 16, "quiet", "keys that are not shown"));
			return;
		}
		shapes.push(words(82, y + 20, "small end", line.begin));
		for (let key = line.begin; key < line.end; key++)
			shapes.push(keyShape(d, line.chunk, key, 92 + (key - line.begin) * cellWidth,
				y, cellWidth, 30));
		if (!line.first)
			return;
		shapes.push(barShapes(d, line, y));
		if (d.picture.form === "host")
			return;
		const thick = thickness * (line.chunk.share || 0);

		if (line.index < d.shown.merged)
			shapes.push(ribbon(902, y + d.layout.barHeight / 2, 1080, flow + thick / 2,
				Math.max(1.2, thick)));
		flow += thick;
	});
	if (d.shown.output)
		shapes.push(box(1080, middle - thickness / 2 - 2, 8, thickness + 4, "merge"));
	shapes.push(...outputShapes(d, 1100, middle));
	const bottom = Math.max(top + lines.length * pitch, middle + 140) + 20;

	shapes.push(...legendShapes(92, bottom), ...marksLegend(d, 470, bottom));
	return { shapes, width: 1280, height: bottom + 34 };
}

/* For a narrow screen: below each other; the ribbons are a river at the right, whose bends are wide
 * enough for the inner edge to be round. */
function narrow(d, lines) {
	const shapes = [], total = 60, right = 392;
	let y = 8, flow = 0;
	const bends = [];

	d.layout = { bar: 32, barWidth: 200, barHeight: 18, share: 318, factor: 32,
		named: d.row.tiled ? "rescale " : "factor " };
	for (const line of lines) {
		if (line.gap) {
			shapes.push(words(32, y + 16, "quiet", "keys that are not shown"));
			y += 30;
			continue;
		}
		shapes.push(words(28, y + 19, "small end", line.begin));
		for (let key = line.begin; key < line.end; key++)
			shapes.push(keyShape(d, line.chunk, key, 32 + (key - line.begin) * 18, y, 18,
				26));
		y += 32;
		if (line.end < line.chunk.end)
			continue;
		shapes.push(barShapes(d, line, y));
		const thick = total * (line.chunk.share || 0);

		if (line.index < d.shown.merged && d.picture.form !== "host")
			bends.push({ y: y + 9, x: right - flow - thick / 2, thick,
				radius: Math.max(12, thick / 2 + 4) });
		flow += thick;
		y += 70;
	}
	for (const bend of bends)
		shapes.push(shape("path", { class: "river", "stroke-width": Math.max(1, bend.thick),
			d: `M322 ${bend.y}H${bend.x - bend.radius}A${bend.radius} ${bend.radius} `
				+ `0 0 1 ${bend.x} ${bend.y + bend.radius}V${y + 8}` }));
	if (d.shown.output)
		shapes.push(box(right - total - 2, y + 8, total + 4, 8, "merge"));
	shapes.push(...outputShapes(d, 272, y + 44), ...legendShapes(10, y + 184),
		...marksLegend(d, 10, y + 212));
	return { shapes, width: 400, height: y + 242 };
}

/* The whole picture as an SVG. */
function stepPicture(picture, row, { other, frame, chosen, small }) {
	const longest = Math.max(...row.chunks.map(chunk => chunk.end - chunk.begin), 8);
	const d = { picture, row, other, chosen, shown: progressOf(picture, row, frame),
		width: small ? 16 : Math.min(longest, 32),
		columns: { max: columnOf(row.chunks.map(chunk => floatOf(chunk.max))),
			sum: columnOf(row.chunks.map(chunk => floatOf(chunk.sum))),
			factor: columnOf(row.chunks.map(factorOf)) } };
	const { shapes, width, height } = (small ? narrow : wide)(d, linesOfRow(row, d.width));

	return shape("svg", { viewBox: `0 0 ${width} ${Math.round(height)}`, role: "img",
		class: small ? "narrow" : "", "aria-label": "the keys, chunks and merge of this step" }, ...shapes);
}
