/* export_play.js - chooses which step, head and frame a page shows as a picture, and plays it.
 *
 * The frames are those that the viewer plays. A frame is a part of the page's state beside the
 * place: -1 is the whole step. With two runs both are drawn, and what differs is lit.
 */
let frame = -1, playing = null, head = 0;
let query = -1;                         // of a prefill launch; -1: the last one

/* --- which attention --- */

/* The attention of a place: of its launch, of the launch's step and layer, else the last one. */
function pictureAt(at) {
	const pictures = run().pictures;
	const launch = at.launch !== undefined && launchOf(at.launch);
	const step = launch ? launch.step : stepOf(at);
	const op = launch ? launch.op : at.step !== undefined
		? run().steps.find(each => each.step === at.step).last : at.op;

	return (launch && pictures.find(each => each.launch === at.launch
					|| each.reduce === at.launch))
		|| (launch && launch.layer >= 0 && pictures.find(each => each.step === step
								 && each.layer === launch.layer))
		|| pictures.findLast(each => each.op <= op);
}

const rowsOf = picture => picture.heads * (picture.queries ? 1 : picture.slots);

/* The query that is shown, if it is a prefill launch. */
function queryOf({ queries: [first, past] }) {
	return query < 0 ? past - 1 : Math.min(Math.max(query, first), past - 1);
}

/* Which row of it: of the block's head and slot, else of the head that was shown last. */
function indexAt(at, picture) {
	const rows = rowsOf(picture);
	const named = at.block !== undefined
		&& (at.launch === picture.launch || at.launch === picture.reduce);
	const index = named ? spotOf(at) % rows : Math.min(head, rows - 1);

	return picture.queries
		? (queryOf(picture) - picture.queries[0]) * picture.heads + index : index;
}

/* The query of a thread, or of the last one of a block; -1: the address names no prefill launch. */
function queryAt(at) {
	const picture = at && run().pictures.find(each => each.queries && each.launch === at.launch);

	if (!picture || at.block === undefined)
		return -1;
	const [, past, rows, group, threads, reversed] = picture.queries;
	const row = Math.floor(at.block / picture.heads), thread = (at.warp || 0) * 32 + at.lane;
	const tile = reversed ? Math.floor((past - 1) / rows) - row : row;

	return Math.min(past - 1, tile * rows + (at.lane === undefined ? rows - 1
		: Math.floor(thread / threads) * group + Math.min(thread % threads, group - 1)));
}

function shownAt(at) {
	const picture = pictureAt(at), index = picture ? indexAt(at, picture) : 0;
	const row = picture && rowOf(picture, index);

	return row ? { picture, row, index } : null;
}

/* --- drawing --- */

function titleOf({ picture, row, index }) {
	const parts = [picture.step >= 0 ? `Step ${picture.step}`
		: picture.launch >= 0 ? `L${picture.launch}` : `op ${picture.op}`];
	const count = row.chunks.length, unit = row.unit;

	if (picture.layer >= 0)
		parts.push(`layer ${picture.layer}`);
	if (picture.slots > 1)
		parts.push(`slot ${picture.slot ?? Math.floor(index / picture.heads)}`);
	if (row.query >= 0)
		parts.push(`query ${row.query} of ${picture.queries[1]}`);
	parts.push(`head ${index % picture.heads}`);
	return `${parts.join(", ")}: ${row.keys} key${row.keys === 1 ? "" : "s"}`
		+ (picture.form === "host" ? "" : ` in ${count} ${unit}${count === 1 ? "" : "s"}`)
		+ (row.made >= 0 && frame < 0 ? ` \u2192 next byte ${row.made === 32 ? "space"
			: `\u201c${mark(row.made)}\u201d`}` : "");
}

function figureOf(here, other, label) {
	const figure = document.createElement("figure"), caption = document.createElement("figcaption");
	const { picture, row } = here, at = place;
	const chosen = at.launch === picture.launch && at.block !== undefined
		&& picture.form === "chunks"
		? Math.floor(spotOf(at) / (picture.heads * picture.slots)) : -1;

	caption.textContent = (label ? `${label}: ` : "") + titleOf(here);
	figure.append(caption, stepPicture(picture, row, { other: other?.row, frame, chosen,
		small: !printing && (window.innerWidth < 700 || (other && window.innerWidth > 999)) }));
	return figure;
}

/* The same place of the other run, if it has one. */
function otherShown() {
	const here = place, number = data.runs.length > 1 ? (place.run > 1 ? 1 : 2) : 0;

	if (!both || !number)
		return null;
	place = { ...here, run: number };
	const known_ = known({ ...place }), shown = known_ ? shownAt(place) : null;

	place = here;
	return shown;
}

function drawPictures() {
	const here = shownAt(place), pictures = element("pictures");

	if (!here) {
		pictures.replaceChildren("No launch attends here, or the trace has nothing of it.");
		element("play").hidden = true;
		return;
	}
	const other = otherShown(), first = place.run > 1 ? 2 : 1;

	head = here.index % rowsOf(here.picture);
	showQuery(here.picture);
	pictures.replaceChildren(figureOf(here, other, other && data.runs[first - 1].title),
		...(other ? [figureOf(other, here, data.runs[2 - first].title)] : []));
	if (other && !pictures.querySelector(".differs"))
		say("both runs are equal in what is drawn");
	if (here.picture.launch >= 0)
		for (const group of pictures.querySelectorAll("figure:first-child [data-chunk]"))
			group.addEventListener("click", () => chooseChunk(here, group));
	showFrame(here);
}

/* The slider of queries. */
function showQuery({ queries }) {
	const slider = element("query");

	element("queries").hidden = !queries || queries[1] - queries[0] < 2;
	if (!queries)
		return;
	slider.min = queries[0];
	slider.max = queries[1] - 1;
	slider.value = queryOf({ queries });
}

function setQuery(number) {
	query = number;
	frame = -1;
	history.replaceState(null, "", "#" + fragment(place, screen));
	drawPictures();
}

function chooseChunk({ picture, index }, group) {
	if (picture.form === "chunks")
		go(atSpot(picture.launch, index + picture.heads * picture.slots
			* Number(group.dataset.chunk)), "step", false);
}

function showFrame({ picture, row }) {
	const count = row.frames.length, scrub = element("scrub");

	element("play").hidden = count === 0;
	scrub.max = count;
	scrub.value = frame < 0 ? count : frame;
	element("frame").textContent = frame < 0 ? `the whole step, ${count} frames`
		: `frame ${frame + 1} of ${count}: ${frameText(picture, row, row.frames[frame])}`;
	element("toggle").textContent = playing ? "\u23f8 pause" : "\u25b6 play";
}

/* --- frames --- */

function setFrame(number) {
	const here = shownAt(place);

	frame = here && number < here.row.frames.length ? number : -1;
	history.replaceState(null, "", "#" + fragment(place, screen));
	drawPictures();
}

function pause() {
	clearInterval(playing);
	playing = null;
}

/* The next or previous frame; from the last one, the first of the next step. */
function stepFrame(direction) {
	const here = shownAt(place), count = here ? here.row.frames.length : 0;
	const next = frame < 0 ? (direction > 0 ? 0 : count - 1) : frame + direction;

	if (next >= 0 && next < count) {
		setFrame(next);
		return true;
	}
	const step = here && MOVES.step(place, direction);

	if (!step) {
		say(direction > 0 ? "this is the last step" : "this is the first step");
		pause();
		return false;
	}
	go(step, "step", false);
	setFrame(direction > 0 ? 0 : (shownAt(place)?.row.frames.length || 0) - 1);
	return true;
}

function play(direction) {
	if (screen !== "step")
		open("step");
	if (playing) {
		pause();
	} else if (stepFrame(direction)) {
		playing = setInterval(() => {
			if (!stepFrame(direction))
				drawPictures();
		}, 700);
	}
	drawPictures();
}

function walkFrame(direction) {
	pause();
	if (screen === "step")
		stepFrame(direction);
	else
		noPoints();
}

/* The frame that an address names, as in the viewer: L318.b3.w0.l0.p16; -1: none. A block is no
 * frame here, but its chunk. */
function frameOf(text) {
	const here = /\.(p|end)/.test(text) && shownAt(place);

	return here ? here.row.frames.findIndex(each => each.at === text) : -1;
}

/* --- moves --- */

function stepLayer(at, direction) {
	const here = pictureAt(at), index = here ? indexAt(at, here) % rowsOf(here) : 0;
	const next = here && run().pictures.find(each => each.step === here.step
						 && each.layer === here.layer + direction);

	return next && (next.launch >= 0 ? atSpot(next.launch, index) : inRun({ op: next.op }));
}

/* The chunk below or above; without one that is chosen, the first. Of a prefill launch, the query
 * after or before. */
function stepChunk(at, direction) {
	const here = shownAt(at), queries = here?.picture.queries;

	if (queries) {
		const next = queryOf(here.picture) + direction;

		if (next < queries[0] || next >= queries[1])
			return undefined;
		query = next;
		frame = -1;
		return at;
	}
	if (!here || here.picture.form !== "chunks")
		return undefined;
	const rows = here.picture.heads * here.picture.slots;
	const chosen = at.launch === here.picture.launch && at.block !== undefined
		? Math.floor(spotOf(at) / rows) + direction : 0;

	return chosen >= 0 && chosen < here.row.chunks.length
		? atSpot(here.picture.launch, here.index + rows * chosen) : undefined;
}

function stepPictureHead(at, direction) {
	const here = shownAt(at), heads = here?.picture.heads;

	if (!here)
		return undefined;
	const at_ = here.index % rowsOf(here.picture), index = at_ - at_ % heads
		+ (at_ % heads + direction + heads) % heads;

	if (here.picture.launch < 0) {
		head = index;
		return at;
	}
	return atSpot(here.picture.launch, index);
}

/* --- the page's part --- */

/* Exact values next to the pointer: below it, or above it in the lower half of the window. */
function showDetail(event) {
	const detail = element("detail"), { clientX: x, clientY: y } = event;

	detail.textContent = event.target.closest("[data-tip]")?.dataset.tip.replaceAll(", ", "\n")
		|| "";
	detail.style.left = "0";        // else it is measured as narrow as the window's edge makes it
	const { width, height } = detail.getBoundingClientRect();
	const right = document.documentElement.clientWidth;

	detail.style.left = `${Math.max(4, Math.min(x + 12, right - width - 12))}px`;
	detail.style.top = `${y > window.innerHeight / 2 ? y - height - 12 : y + 18}px`;
}

function startPictures() {
	const scrub = element("scrub");

	element("toggle").addEventListener("click", () => play(1));
	scrub.addEventListener("input", () => {
		pause();
		setFrame(Number(scrub.value));
	});
	element("query").addEventListener("input", () => {
		pause();
		setQuery(Number(element("query").value));
	});
	for (const kind of ["pointermove", "pointerleave", "click"])
		element("pictures").addEventListener(kind, showDetail);
	const again = () => screen === "step" && drawPictures();

	darkPage.addEventListener("change", again);
	window.addEventListener("resize", again);
	window.addEventListener("beforeprint", () => {
		printing = true;
		again();
	});
	window.addEventListener("afterprint", () => {
		printing = false;
		again();
	});
}
