/* export_page.js - moves through the screens of a page that `flashtwin export --as html` wrote.
 *
 * The step is a picture (export_step.js, export_play.js). Other screens are lists of line numbers,
 * drawn in advance. This file unpacks them, keeps the place (an address and a screen, both in the
 * URL's fragment), moves it by the viewer's keys, and sets the '>' marks. export_walk.js finds the
 * places next to a place; export_html.c writes the data.
 *
 * Fragment: #L12.b3 or #L12.b3&screen=chunks; &frame=4 is a frame of the step, &query=4 a query of
 * a prefill launch; &keys=ff3 also presses those keys.
 */

/* --- screens --- */

const COARSE = ["chunks", "kv"];        // without text for every block, in a page of many steps

function span(style, text) {
	if (style === 0)
		return document.createTextNode(text);
	const node = document.createElement("span");

	node.className = data.styles[style];
	node.textContent = text;
	return node;
}

function lineNode(line, at, current) {
	const characters = Array.from(line.text);
	const node = document.createElement(line.at && known(inRun({ ...line.at })) ? "a" : "span");

	if (line.at && characters.length && " >".includes(characters[0]))
		characters[0] = covers(line.at, at) ? ">" : " ";
	[[0, 0], ...line.spans].forEach(([from, style], i, spans) => {
		const text = characters.slice(from, spans[i + 1]?.[0]).join("");

		if (text)
			node.append(span(style, text));
	});
	if (node.tagName === "A") {
		node.href = "#" + fragment(inRun({ ...line.at }), screen);
		node.tabIndex = -1;
	}
	if (current)
		node.className = "row";
	return node;
}

function paint(node, at, number) {
	const lines = linesOf(number), row = markedRow(lines, at);

	node.replaceChildren(...lines.flatMap((line, i) => [lineNode(line, at, i === row), "\n"]));
	node.dataset.of = both ? run().title : "";
	node.style.setProperty("--columns", Math.max(1, ...lines.map(({ text }) =>
		Array.from(text).length)));
}

/* Marks the lines that differ between two screens. */
function light(one, other) {
	for (const [a, b] of [[one, other], [other, one]])
		[...a.children].forEach((line, i) => line.classList.toggle("differs",
			line.textContent.trim() !== (b.children[i]?.textContent.trim() ?? "")));
}

function say(text) {
	element("message").textContent = text;
}

function paintSecond() {
	const other = data.runs.length > 1 && (place.run > 1 ? 1 : 2), here = place;

	element("second").hidden = !both || !other;
	element("texts").classList.toggle("both", !element("second").hidden);
	if (!both || !other)
		return;
	place = { ...here, run: other };
	paint(element("second"), place, known({ ...place }) ? drawnAt(place) : undefined);
	place = here;
	light(element("screen"), element("second"));
}

function show() {
	const { title, label } = run();

	element("run").textContent = `${title} ${label}`;
	element("at").textContent = format(place);
	document.title = `${format(place)} ${screen} - ${data.name}`;
	for (const button of document.querySelectorAll("#tabs button[data-screen]"))
		button.toggleAttribute("aria-current", button.dataset.screen === screen);
	for (const button of document.querySelectorAll("#tabs button[aria-current]"))
		button.setAttribute("aria-current", "page");
	const drawn = screen === "step";

	element("picture").hidden = !drawn;
	element("screen").hidden = drawn;
	element("second").hidden = true;
	if (drawn) {
		drawPictures();
		return;
	}
	pause();
	if (run().coarse && place.block !== undefined && COARSE.includes(screen))
		say("this page has text per head; one of fewer steps (--steps) has every block");
	paint(element("screen"), place, drawnAt(place));
	paintSecond();
	element("screen").querySelector(".row")?.scrollIntoView({ block: "nearest" });
}

/* --- places and the fragment --- */

const encode = at => encodeURIComponent(at);

function fragment(at, view) {
	return encode(format(at)) + (view === "step" ? "" : "&screen=" + view)
		+ (view === "step" && query >= 0 && pictureAt(at)?.queries ? "&query=" + query : "")
		+ (view === "step" && frame >= 0 ? "&frame=" + frame : "");
}

/* A jump adds an entry to the browser's history; a step replaces the current one. */
function go(at, view, jump) {
	if (format(at) !== format(place))
		frame = -1;
	place = at;
	screen = view;
	history[jump ? "pushState" : "replaceState"](null, "", "#" + fragment(at, view));
	show();
}

function move(name, direction) {
	const next = MOVES[name](place, direction);

	if (!next)
		say(direction > 0 ? "nothing after this place" : "nothing before this place");
	else
		go(next, screen, name === "end" || name === "difference" || name === "finding");
}

const nothingFor = view => `this run has nothing for the screen ${view}`
	+ (view === "memory" ? ": --log access records loads and stores" : "");

function open(view) {
	const before = screen;
	let next;

	screen = view;
	next = nearest(place);
	screen = before;
	if (!next) {
		say(nothingFor(view));
		return;
	}
	if (format(next) !== format(place))
		say(`${format(next)} is the nearest place with something for this screen`);
	go(next, view, true);
}

function goTo(text) {
	const at = parse(text.trim());

	if (!at || !known(at)) {
		say(`${text}: ${at ? "not in this page" : "invalid address"}`);
		return false;
	}
	place = at;
	place = nearest(at) || at;
	go(place, screen, true);
	return true;
}

/* The parts of the URL's fragment: at, screen, frame, keys; one without a name is an address. */
function named() {
	const found = {};

	for (const part of location.hash.slice(1).split("&")) {
		const [name, ...value] = part.split("=");

		try {
			if (value.length)
				found[name] = decodeURIComponent(value.join("="));
			else if (name)
				found.at = decodeURIComponent(name);
		} catch {
			say(`${part}: bad escapes`);
		}
	}
	return found;
}

/* The screen for a place whose URL names none, as in the viewer: the picture of its attention, or
 * the operations around it. */
const screenFor = at => (at && known({ ...at }) && at.op === undefined && pictureAt(at)
	&& shownAt(at) ? "step" : "time");

/* Goes to the place in the URL, and presses its keys once. */
function arrive() {
	const { at: text, screen: view, frame: number, query: row, keys } = named();
	const at = text && parse(text), thread = at && { ...at };

	if (at && known(at))
		place = at;
	else if (text)
		say(`${text}: ${at ? "not in this page" : "invalid address"}`);
	if (data.runs[0].screens[view])
		screen = view;
	else if (text || !shownAt(place))
		screen = screenFor(place);
	if (!nearest(place) && screen === view) {
		say(nothingFor(view));
		screen = screenFor(place);
	}
	place = nearest(place) || place;
	query = row ? Number(row) : thread && known({ ...thread }) ? queryAt(thread) : -1;
	frame = number ? Number(number) : text && shownAt(place) ? frameOf(text) : -1;
	show();
	if (keys)
		history.replaceState(null, "", "#" + fragment(place, screen));
	for (const key of keys || "")
		document.dispatchEvent(new KeyboardEvent("keydown",
							 { key: key === "\n" ? "Enter" : key }));
}

/* --- keys --- */

const BELOW = { summary: "time", time: "launch", launch: "chunks", diff: "source",
	step: "chunks" };

function deeper() {
	if (!BELOW[screen] || (screen === "time" && place.launch === undefined))
		say("nothing to open here");
	else
		open(BELOW[screen]);
}

function command(view) {
	const at = format(place);

	return `flashtwin view ${data.name} --screen ${view} --at ${at.includes(" ") ? `'${at}'` : at}`;
}

function noPoints() {
	say(`named points are not in this page: ${command("points")}`);
}

function noRequests() {
	say(`of a block, this page has one request: ${command("memory")} has all`);
}

function toggleBoth() {
	both = !both && data.runs.length > 1;
	if (data.runs.length < 2)
		say("the page has only one run");
	show();
}

function toggleHelp() {
	element("help").hidden = !element("help").hidden;
}

const pair = (forth, back, name, help) => [
	[forth, () => move(name, 1), `${forth} ${back}`, help], [back, () => move(name, -1)]
];

// [key, action, keys as shown in the help, help text]; without a help text, an alias.
const KEYS = [
	...pair("d", "D", "step", "next, previous decode step (token)"),
	...pair("f", "F", "launch", "next, previous launch"),
	...pair("o", "O", "op", "next, previous operation"),
	...pair("b", "B", "block", "next, previous block"),
	...pair(")", "(", "block", "the same"),
	...pair("l", "h", "head", "next, previous head"),
	...pair("z", "Z", "layer", "next, previous layer"),
	[".", () => play(1), ".", "play the step, frame by frame, or pause"],
	[",", () => play(-1), ",", "play backwards"],
	["s", () => walkFrame(1), "s S", "next, previous frame of the step"],
	["S", () => walkFrame(-1)],
	...pair("j", "k", "row", "next, previous row; in the picture, chunk or query"),
	...pair("g", "G", "end", "first, last place of the run"),
	...pair("]", "[", "difference", "next, previous launch that differs"),
	...pair("e", "E", "finding", "next, previous finding"),
	["Enter", deeper, "enter", "open what the row is about"],
	["q", () => history.back(), "q", "back"],
	["v", toggleBoth, "v", "show both runs, or one"],
	[":", () => element("goto").focus(), ":", "go to an address"],
	["y", () => say(command(screen)), "y", "the command that shows this place"],
	["?", toggleHelp, "?", "these keys"],
	["t", noPoints, "t T", "tiles are not in the page: shows the command for the viewer"],
	["T", noPoints],
	["a", noRequests, "a A", "requests: shows the command for the viewer"],
	["A", noRequests],
];

// The viewer's keys for which a page has no data, but those that browsers use.
const VIEWER_KEYS = "wrWnNmxuL+;";

function press(event) {
	const tab = data.tabs.find(([, key]) => key === event.key);
	const entry = KEYS.find(([key]) => key === event.key);

	if (event.ctrlKey || event.altKey || event.metaKey || event.target === element("goto")
	    || (event.key === "Enter" && event.target.closest?.("button, a")))
		return;
	if (!tab && !entry) {
		if (VIEWER_KEYS.includes(event.key))
			say(`the key ${event.key} is only in the viewer: ${command(screen)}`);
		return;
	}
	event.preventDefault();
	say("");
	if (tab)
		open(tab[0]);
	else
		entry[1]();
}

/* --- the page --- */

function keyNode(key) {
	const node = document.createElement("kbd");

	node.textContent = key;
	return node;
}

function button(parent, label, title, act) {
	const node = document.createElement("button");

	node.type = "button";
	node.append(...label);
	node.title = title;
	node.addEventListener("click", () => {
		say("");
		act();
	});
	parent.append(node);
	return node;
}

function makeButtons() {
	for (const [name, key, tab, summary] of data.tabs)
		button(element("tabs"), [keyNode(key), ` ${tab}`], summary, () => open(name))
			.dataset.screen = name;
	data.runs.forEach((each, i) => {
		if (data.runs.length > 1)
			button(element("tabs"), [each.title], each.label, () => {
				const at = { ...place, run: i + 1 };

				if (known({ ...at }))
					go(at, screen, true);
				else
					say(`${each.title} has no ${format(place)} in this page`);
			});
	});
	const moves = element("moves");

	for (const name of ["step", "layer", "head", "launch", "block"]) {
		button(moves, [`\u2190 ${name}`], `previous ${name}`, () => move(name, -1));
		button(moves, [`${name} \u2192`], `next ${name}`, () => move(name, 1));
	}
	button(moves, [keyNode("?"), " keys"], "the keys of this page", toggleHelp);
}

function makeHelp() {
	const list = document.createElement("dl");
	const rows = [...data.tabs.map(([, key, tab, summary]) => [key, `${tab}: ${summary}`]),
		...KEYS.filter(each => each[3]).map(([, , keys, help]) => [keys, help])];

	for (const [keys, help] of rows) {
		const term = document.createElement("dt"), meaning = document.createElement("dd");
		const line = document.createElement("div");

		term.append(...keys.split(" ").map(keyNode));
		meaning.textContent = help;
		line.append(term, meaning);
		list.append(line);
	}
	element("help").append(list);
}

/* Turns rows of numbers into objects, and builds maps for lookups by launch. */
function prepare(each) {
	each.steps = each.steps.map(([step, first, last]) => ({ step, first, last }));
	each.launches = each.launches.map(([launch, op, step, layer, columns, rows, blocks,
					    spots]) => ({ launch, op, step, layer, columns, rows,
			blocks, spots, spotOf: spots && new Map(spots.map((text, spot) => [text, spot])),
			spotsOf: spots && Map.groupBy(spots.keys(),
				spot => parse(spots[spot])?.block) }));
	each.byLaunch = new Map(each.launches.map(launch => [launch.launch, launch]));
	each.launchAt = new Map(each.launches.map(launch => [launch.op, launch.launch]));
	each.operations = [...each.ops.map(([op, step]) => ({ op, step: step ?? -1 })),
		...each.launches].sort((a, b) => a.op - b.op);
	each.different = each.different.flat();
	each.findings = each.findings.flat();
	for (const view of Object.values(each.screens)) {
		view.some = view.launches && view.launches.length < each.launches.length;
		view.launches = view.launches?.map(([launch, number, blocks, apart]) =>
			({ ...each.byLaunch.get(launch), number, blocks, apart }));
		view.byLaunch = new Map(view.launches?.map(launch => [launch.launch, launch]));
	}
}

async function unpack() {
	const packed = atob(element("data").textContent);
	const bytes = Uint8Array.from(packed, character => character.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));

	element("data").remove();
	return new Response(stream).json();
}

async function start() {
	data = await unpack();
	data.runs.forEach(prepare);
	screen = data.screen;
	place = data.at ? parse(data.at) : {};
	if (!known(place))
		place = data.runs[0].steps.length ? { step: data.runs[0].steps[0].step }
			: MOVES.end(place, 1);
	makeButtons();
	makeHelp();
	both = data.runs.length > 1;
	startPictures();
	document.addEventListener("keydown", press);
	window.addEventListener("popstate", arrive);
	element("goto").addEventListener("keydown", event => {
		if (event.key === "Escape" || (event.key === "Enter" && goTo(element("goto").value)))
			element("goto").blur();
	});
	arrive();
}

start().catch(error => say(`this page cannot be shown: ${error.message}`));
