/* export_walk.js - addresses and moves in a page that `flashtwin export --as html` wrote.
 *
 * An address is an object with a member for each of its parts. Moves work as in viewer_walk.c, on
 * the lists that export_html.c wrote, and on the rows of screens. Used by export_page.js, which draws
 * the places.
 */
"use strict";

const WHOLE = 1, PLACE = 2, PICTURE = 6;        // enum grain of export_screens.c
const LETTERS = { r: "run", s: "step", L: "launch", b: "block", w: "warp", l: "lane", p: "point",
	a: "access", o: "output", e: "element", f: "file", n: "line" };
// The grain of steps past the first or last row: as in viewer_screens.c, but without points.
const GRAINS = { time: "op", kv: "launch", chunks: "block", reduce: "block", diff: "launch",
	source: "block", findings: "launch", text: "step", launch: "launch",
	summary: "step", step: "step" };

let data, place = {}, screen = "step", both = false;

const element = id => document.getElementById(id);

/* --- addresses --- */

function parse(text) {
	const at = {};

	for (const part of text.replace(/\.end$/, "").split(".")) {
		const match = /^(op ?|[rsLbwlpaoefn])(\d+)$/.exec(part);

		if (!match)
			return null;
		at[LETTERS[match[1]] || "op"] = Number(match[2]);
	}
	return at;
}

function format(at) {
	const parts = [];

	for (const [letter, name] of [["r", "run"], ["op ", "op"], ["s", "step"], ["L", "launch"],
				      ["b", "block"], ["w", "warp"], ["l", "lane"],
				      ["p", "point"]])
		if (at[name] !== undefined && !(name === "run" && at.run === 1))
			parts.push(letter + at[name]);
	return parts.join(".");
}

function covers(anchor, at) {
	return Object.keys(anchor).every(name => anchor[name] === at[name]
		|| (name === "run" && at.run === undefined));
}

/* --- contents of the run --- */

const run = () => data.runs[(place.run || 1) - 1];
const inRun = parts => (place.run > 1 ? { run: place.run, ...parts } : parts);
const launchOf = number => run().byLaunch.get(number);

function opOf(at) {
	if (at.launch !== undefined)
		return launchOf(at.launch).op;
	if (at.step !== undefined)
		return run().steps.find(step => step.step === at.step).first;
	return at.op;
}

function stepOf(at) {
	if (at.step !== undefined)
		return at.step;
	if (at.launch !== undefined)
		return launchOf(at.launch).step;
	return run().operations.find(each => each.op === at.op)?.step ?? -1;
}

/* The nearest element after (direction 1) or before `value` in a list sorted by `name`. */
function neighbour(list, name, value, direction) {
	return direction > 0 ? list.find(each => each[name] > value)
		: list.findLast(each => each[name] < value);
}

const addressOf = each =>
	inRun(each.launch === undefined ? { op: each.op } : { launch: each.launch });

/* --- spots: places of a launch that attends (export_spots.h) --- */

/* The part of an address in its launch. */
const inside = at => format({ block: at.block, warp: at.warp, lane: at.lane, point: at.point });

/* The spot of a block or of what names a head in it. A block with several has that of the row shown
 * last, else its first one. */
function spotOf(at) {
	const launch = launchOf(at.launch);

	if (!launch?.spots)
		return at.block;
	const spots = launch.spotsOf.get(at.block) || [], rows = launch.columns * launch.rows;

	return launch.spotOf.get(inside(at)) ?? spots.find(spot => spot % rows === head)
		?? spots[0];
}

function atSpot(launch, spot) {
	const { spots } = launchOf(launch);

	if (!spots)
		return inRun({ launch, block: spot });
	return inRun({ ...parse(`L${launch}${spots[spot] ? "." : ""}${spots[spot] || ""}`) });
}

/* Whether the page has the place; changes it to one that has a screen: the operation of a launch
 * becomes the launch, and a thread becomes its block. */
function known(at) {
	const where = data.runs[(at.run || 1) - 1];

	const named = where?.byLaunch.get(at.launch)?.spotOf?.has(inside(at));

	for (const name of ["warp", "lane", "point", "access", "output", "element", "file", "line"])
		if (!named || at[name] === undefined || !["warp", "lane", "point"].includes(name))
			delete at[name];
	if (!where)
		return false;
	if (at.launch !== undefined)
		return where.byLaunch.has(at.launch)
			&& (at.block || 0) < where.byLaunch.get(at.launch).blocks;
	if (at.step !== undefined)
		return where.steps.some(step => step.step === at.step);
	if (at.op !== undefined && where.launchAt.has(at.op)) {
		at.launch = where.launchAt.get(at.op);
		delete at.op;
		return true;
	}
	return at.op !== undefined && where.operations.some(each => each.op === at.op);
}

/* --- screens and their rows --- */

/* Number of the screen of a place; undefined: it was not drawn. */
function drawnAt(at) {
	const view = run().screens[screen];

	if (view.grain === WHOLE)
		return view.whole[0];
	if (at.launch === undefined)
		return at.step !== undefined
			? view.steps?.[run().steps.findIndex(step => step.step === at.step)]
			: view.ops?.[run().ops.findIndex(([op]) => op === at.op)];
	const found = view.byLaunch.get(at.launch);

	if (!found || at.block === undefined || found.blocks === 0)
		return found?.number;
	const spot = screen === "memory" ? at.block : spotOf(at);

	return spot === undefined ? found.number : found.number + 1
		+ Math.floor(spot % (found.blocks * found.apart) / found.apart);
}

/* Decodes a line: its text, the beginnings of its styles, the address of its row. */
function lineOf(number) {
	let line = data.lines[number];

	if (typeof line === "string") {
		const [text, styles, anchor] = line.split("\t");

		line = { text, anchor, at: anchor ? parse(anchor) : null,
			spans: (styles || "").split(",").filter(Boolean)
				.map(each => each.split(".").map(Number)) };
		data.lines[number] = line;
	}
	return line;
}

function linesOf(number) {
	const lines = [], ranges = data.drawn[number] || [];

	for (let i = 0; i < ranges.length; i += 2)
		for (let k = 0; k < ranges[i + 1]; k++)
			lines.push(lineOf(ranges[i] + k));
	return lines;
}

/* The row of the place: the line with the finest address that covers it. */
function markedRow(lines, at) {
	let best = -1;

	lines.forEach((line, i) => {
		if (line.at && covers(line.at, at)
		    && (best < 0 || !covers(line.at, lines[best].at)))
			best = i;
	});
	return best;
}

/* --- moves: each returns the new place, or undefined if there is none --- */

function stepOp(at, direction) {
	const before = at.step !== undefined && direction > 0 ? 1 : 0;
	const next = neighbour(run().operations, "op", opOf(at) - before, direction);

	return next && addressOf(next);
}

function stepLaunch(at, direction) {
	const before = at.step !== undefined && direction > 0 ? 1 : 0;
	const next = neighbour(run().launches, "op", opOf(at) - before, direction);

	return next && addressOf(next);
}

function stepBlock(at, direction) {
	const block = (at.block ?? -1) + direction;
	let next;

	if (at.launch !== undefined && (at.block !== undefined || direction > 0)
	    && block >= 0 && block < launchOf(at.launch).blocks)
		return inRun({ launch: at.launch, block });
	next = stepLaunch(at, direction);
	return next && { ...next, block: direction > 0 ? 0 : launchOf(next.launch).blocks - 1 };
}

/* The launch at the same offset in another step if it has the same layer and number of blocks, else
 * that step. */
function sameInStep(at, from, to) {
	const here = at.launch !== undefined && launchOf(at.launch);
	const op = here && here.op - from.first + to.first;
	const there = here && run().launches.find(each => each.op === op && each.step === to.step);

	if (there && there.layer === here.layer && there.blocks === here.blocks)
		return here.spots && at.block !== undefined ? atSpot(there.launch, spotOf(at))
			: { ...at, launch: there.launch };
	return inRun({ step: to.step });
}

function stepStep(at, direction) {
	const number = stepOf(at);
	const from = run().steps.find(step => step.step === number);
	const to = from ? neighbour(run().steps, "step", number, direction)
		: neighbour(run().steps, "first", opOf(at), direction);

	if (!to)
		return undefined;
	return from ? sameInStep(at, from, to) : inRun({ step: to.step });
}

/* Keeps head and row in another launch. */
function carryBlock(at, launch) {
	const to = launchOf(launch), from = at.launch !== undefined && launchOf(at.launch);
	const next = inRun({ launch });

	if (from && at.block !== undefined) {
		const same = from.columns === to.columns && from.rows === to.rows;

		if (same && (from.spots || to.spots))
			return atSpot(launch, spotOf(at) % (to.columns * to.rows));
		next.block = same ? at.block % (to.columns * to.rows) : at.block;
		if (next.block >= to.blocks)
			delete next.block;
	}
	return next;
}

/* On a screen that only some launches have, goes from one of them to the next. */
function stepRows(at, direction) {
	const list = run().screens[screen].launches || run().launches;
	const next = neighbour(list, "op", opOf(at), direction);

	return next && carryBlock(at, next.launch);
}

/* The place itself if the screen has it, else the nearest launch that the screen has. */
function nearest(at) {
	const view = run().screens[screen], list = view.launches;

	if (view.grain === PICTURE)
		return shownAt(at) ? at : undefined;
	if (view.grain <= PLACE || view.byLaunch.has(at.launch))
		return at;
	// A KV cache filled by uploads is drawn after every step, too.
	if (at.launch === undefined && view.steps && stepOf(at) >= 0)
		return inRun({ step: stepOf(at) });
	const from = at.launch !== undefined ? at : stepLaunch(at, 1);
	const op = from ? opOf(from) : Infinity;
	const after = list.find(each => each.op >= op);
	const before = list.findLast(each => each.op <= op);
	const layer = at.launch !== undefined ? launchOf(at.launch).layer : -1;

	if (after && before && after.step === stepOf(at) && (layer < 0 || after.layer === layer))
		return carryBlock(at, after.launch);
	return before || after ? carryBlock(at, (before || after).launch) : undefined;
}

function stepHead(at, direction) {
	if (screen === "step")
		return stepPictureHead(at, direction);
	if (at.launch === undefined)
		return stepLaunch(at, direction);
	const heads = launchOf(at.launch).columns || 1;

	if (at.block === undefined)
		return atSpot(at.launch, 0);
	const spot = spotOf(at), column = spot % heads;

	return atSpot(at.launch, spot - column + (column + direction + heads) % heads);
}

function stepListed(list, at, direction) {
	const next = stepLaunch(at, 1)?.launch ?? Infinity;
	const here = at.launch ?? next - (direction > 0 ? 1 : 0);
	const launch = direction > 0 ? list.find(each => each > here)
		: list.findLast(each => each < here);

	return launch === undefined ? undefined : inRun({ launch });
}

/* The next row with another address; past the last row, a step of the screen's grain. */
function stepRow(at, direction) {
	if (screen === "step")
		return stepChunk(at, direction);
	const lines = linesOf(drawnAt(at)), here = markedRow(lines, at);

	if (here >= 0 || direction > 0)
		for (let row = here + direction; lines[row]; row += direction) {
			const next = lines[row].at && inRun({ ...lines[row].at });

			if (next && known(next) && format(next) !== format(at))
				return next;
		}
	return MOVES[GRAINS[screen]](at, direction);
}

const MOVES = {
	row: stepRow, op: stepOp, block: stepBlock, step: stepStep, head: stepHead,
	layer: stepLayer,
	launch: (at, direction) => run().screens[screen].some ? stepRows(at, direction)
		: stepLaunch(at, direction),
	difference: (at, direction) => stepListed(run().different, at, direction),
	finding: (at, direction) => stepListed(run().findings, at, direction),
	end: (at, direction) => addressOf(run().operations.at(direction > 0 ? 0 : -1)),
};

