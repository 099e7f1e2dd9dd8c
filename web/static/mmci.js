// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What makes the pages livelier. Each of them is whole without it: this only adds
 * keys, unfolding, copying, and news that come by themselves.
 */
"use strict";

const $ = (s, from) => (from || document).querySelector(s);
const $$ = (s, from) => [...(from || document).querySelectorAll(s)];

/* An element with text, never markup. */
function make(tag, attributes, ...children) {
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {}))
		e.setAttribute(name, value);
	e.append(...children);
	return e;
}

function say(text) {
	const e = $("#said");

	if (e)
		e.textContent = text;
}

async function load(url) {
	const answer = await fetch(url, { headers: { Accept: "text/html" } });

	if (!answer.ok)
		throw new Error(answer.status);
	return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/* Rows: j, k, Enter, and the button that unfolds one. */

const rows = () => $$("[data-row]");

function current() {
	return $("[data-row].cur");
}

function choose(row) {
	const link = row && $("a", row);

	$$("[data-row].cur").forEach((r) => r.classList.remove("cur"));
	if (!row)
		return;
	row.classList.add("cur");
	if (link)
		link.focus({ preventScroll: true });
	row.scrollIntoView({ block: "nearest" });
}

function step(by) {
	const all = rows(), at = all.indexOf(current());

	if (all.length)
		choose(all[Math.min(Math.max(at + by, 0), all.length - 1)]);
}

async function fold(row) {
	const button = $(".fold", row), open = row.nextElementSibling;

	if (!button)
		return;
	if (open && open.matches(".more")) {
		open.remove();
		button.setAttribute("aria-expanded", "false");
		return;
	}
	const cell = make("td", { colspan: row.cells.length }, "...");

	row.after(make("tr", { class: "more" }, cell));
	button.setAttribute("aria-expanded", "true");
	try {
		const page = await load(row.dataset.row);

		cell.replaceChildren($("#findings", page) || "No findings.");
		/* one page, one element of a name */
		$$("[id]", cell).forEach((e) => e.removeAttribute("id"));
	} catch {
		cell.textContent = "It could not be loaded.";
	}
}

function addFolds() {
	for (const row of rows()) {
		const what = $(".what", row), link = what && $("a", what);

		if (!link || !row.cells || $(".fold", row))
			continue;
		link.before(make("button", {
			class: "fold", type: "button", "aria-expanded": "false",
			"aria-label": "findings of " + link.textContent,
		}));
	}
}

/* Keys */

const keys = [
	["j, k", "next and previous row"],
	["Enter", "unfold the row, or follow its link"],
	["o", "open the row"],
	["n, p", "in a log: next and previous mark"],
	["/", "search"],
	["f", "in a log: follow, or stop"],
	["?", "these keys"],
];

function help() {
	const open = $("#help");

	if (open) {
		open.remove();
		return;
	}
	const list = make("dl", {});

	for (const [key, what] of keys)
		list.append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, what));
	$("footer").before(make("section", { id: "help", "aria-label": "keys" }, list));
	$("#help").scrollIntoView({ block: "nearest" });
}

function nextMark(by) {
	const at = Number((location.hash.match(/^#L(\d+)/) || [0, 0])[1]);
	const marks = $$(".marks a").map((a) => [Number(a.dataset.line), a]);
	const ahead = marks.filter(([n]) => by > 0 ? n > at : n < at);
	const found = ahead[by > 0 ? 0 : ahead.length - 1];

	if (found)
		found[1].click();
}

function onKey(e) {
	if (e.ctrlKey || e.altKey || e.metaKey ||
	    e.target.closest("input, select, textarea"))
		return;
	const row = current();
	const actions = {
		j: () => step(1), k: () => step(-1),
		n: () => nextMark(1), p: () => nextMark(-1),
		f: () => $("#follow") && $("#follow").click(),
		"/": () => $("input[type=search]").focus(),
		"?": help,
		Escape: () => $("#help") && help(),
	};

	if (e.key === "Enter" && row && row.contains(e.target) &&
	    e.target.matches(".what a") && $(".fold", row)) {
		fold(row);
	} else if (e.key === "o" && row) {
		$("a", row).click();
	} else if (actions[e.key]) {
		actions[e.key]();
	} else {
		return;
	}
	e.preventDefault();
}

/* Clicks */

async function copy(button) {
	const from = $(button.dataset.copy), text = from.textContent;

	try {
		await navigator.clipboard.writeText(text);
	} catch { /* not given to pages without TLS */
		getSelection().selectAllChildren(from);
		document.execCommand("copy");
		getSelection().removeAllRanges();
	}
	button.textContent = "copied";
	say("copied");
	setTimeout(() => { button.textContent = "copy"; }, 2000);
}

function onClick(e) {
	const target = e.target.closest(".fold, .copy, .log a, [data-help]");

	if (!target)
		return;
	if (target.matches(".fold")) {
		choose(target.closest("[data-row]"));
		fold(target.closest("[data-row]"));
	} else if (target.matches(".copy")) {
		copy(target);
	} else if (target.matches("[data-help]")) {
		e.preventDefault();
		help();
	} else if (e.shiftKey && location.hash.startsWith("#L")) {
		const ends = [location.hash.match(/\d+/)[0], target.textContent]
			.map(Number).sort((a, b) => a - b);

		e.preventDefault();
		location.hash = `#L${ends[0]}-L${ends[1]}`;
	}
}

/* #L873 and #L873-L880, also where that line is not among those shown */
function showLines() {
	const m = location.hash.match(/^#L(\d+)(?:-L(\d+))?$/), log = $(".log");

	if (!m || !log)
		return;
	const first = Number(m[1]), last = Number(m[2] || m[1]);
	const here = $("#L" + first), url = new URL(location.href);

	if (!here) {
		if (first > Number(log.dataset.total) ||
		    url.searchParams.get("line") === m[1])
			return;
		url.searchParams.set("line", m[1]);
		location.replace(url);
		return;
	}
	$$(".hit", log).forEach((l) => l.classList.remove("hit"));
	for (let n = first, l = here; l && n <= last; n++, l = l.nextElementSibling)
		l.classList.add("hit");
	here.scrollIntoView({ block: "center" });
}

/* News: the page is asked for again, and what changed is put in its place. */

let newsTimer = 0, newsAt = 0;
/* as it came, before anything here was added */
let shown = $("#main") && $("#main").innerHTML;

function state() {
	return {
		open: $$("#main details").map((d) => d.open),
		folded: $$("#main .more").map((r) => [
			r.previousElementSibling.dataset.row, r]),
		row: current() && current().dataset.row,
		focus: document.activeElement && document.activeElement.id,
	};
}

function restore(old) {
	$$("#main details").forEach((d, i) => {
		if (old.open[i] !== undefined)
			d.open = old.open[i];
	});
	addFolds();
	for (const [key, more] of old.folded) {
		const row = rows().find((r) => r.dataset.row === key);

		if (row) {
			row.after(more);
			$(".fold", row).setAttribute("aria-expanded", "true");
		}
	}
	const row = rows().find((r) => r.dataset.row === old.row);

	if (row)
		row.classList.add("cur");
	if (old.focus && document.getElementById(old.focus))
		document.getElementById(old.focus).focus({ preventScroll: true });
}

async function refresh() {
	newsTimer = 0;
	if (document.hidden) {
		document.addEventListener("visibilitychange", () => news(0),
					  { once: true });
		return;
	}
	newsAt = Date.now();
	try {
		const page = await load(location.href), main = $("#main", page);

		/* not under the hands of who fills in a form */
		if (!main || $("#main :is(input, select, textarea):focus"))
			return;
		/* something is on its way that no event will tell of */
		if ($("[data-again]", main))
			news(2000);
		if (main.innerHTML === shown)
			return;
		const old = state();

		shown = main.innerHTML;
		$("#main").replaceChildren(...main.childNodes);
		restore(old);
		reveal();
		followLog();
	} catch { /* the next event tries again */ }
}

function news(pause_ms) {
	if (!newsTimer)
		newsTimer = setTimeout(refresh, Math.max(
			300, newsAt + pause_ms - Date.now()));
}

function listen() {
	const url = $("#main").dataset.live;

	if (!url)
		return;
	const source = new EventSource(url);

	source.onmessage = () => news(3000);
	/* what happened since the page was made, or while there was no line */
	source.onopen = () => news(0);
}

/* A log that is being written */

const MAX_LINES = 5000;
const WORDS = [
	["stage", /^==> /],
	["error", /error: |\*\*\* \[|BUG: |Kernel panic|undefined reference to|^not ok /],
	["warning", /warning: |WARNING: /],
];
let following = true;

function addLine(log, text) {
	const n = Number(log.dataset.total) + 1, old = $("#L" + n);
	/* colours come when the page is loaded again */
	const clean = text.replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, "");
	const kind = (WORDS.find(([, re]) => re.test(clean)) || [])[0];
	const line = make("span", { id: "L" + n },
			  make("a", { href: "#L" + n }, String(n)), clean + "\n");

	if (old)
		old.remove();
	if (kind) {
		line.className = "l-" + kind;
		addMark(n, kind, clean);
	}
	log.append(line);
	log.dataset.total = n;
	if (log.childElementCount > MAX_LINES)
		log.firstElementChild.remove();
}

function addMark(n, kind, text) {
	const list = $(".marks");

	if (list.childElementCount < 600)
		list.append(make("a", { class: "m-" + kind, href: "#L" + n,
					"data-line": n },
				 make("span", { class: "num" }, String(n)), " " +
				 text.slice(0, 160)));
}

function toEnd() {
	const log = $(".log");

	if (following && log.lastElementChild)
		log.lastElementChild.scrollIntoView({ block: "end" });
}

function setFollowing(on, button) {
	following = on;
	button.textContent = on ? "stop following" : "follow";
	button.setAttribute("aria-pressed", String(on));
	if (on)
		toEnd();
}

let logSource = null;

function followLog() {
	const log = $(".log[data-live]"), button = $("#follow");

	if (logSource)
		logSource.close(); /* of a log that is no longer shown */
	if (!log || !button)
		return;
	const source = logSource = new EventSource(log.dataset.live);

	button.hidden = false;
	setFollowing(!location.hash, button);
	button.addEventListener("click", () => setFollowing(!following, button));
	for (const kind of ["wheel", "touchmove"])
		addEventListener(kind, (e) => {
			if (following && (kind === "touchmove" || e.deltaY < 0))
				setFollowing(false, button);
		}, { passive: true });
	source.onmessage = (e) => {
		for (const text of e.data.split("\n"))
			addLine(log, text);
		toEnd();
	};
	source.addEventListener("end", () => {
		source.close();
		button.hidden = true;
		say("the job has ended");
		$("#live").textContent = "ended";
	});
}

/* What only works with this file is hidden until it runs. */
function reveal() {
	$$(".copy, [data-help]").forEach((e) => { e.hidden = false; });
	for (const select of $$("form[data-auto] select"))
		select.onchange = () => select.form.requestSubmit();
	addFolds();
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", onClick);
addEventListener("hashchange", showLines);
reveal();
showLines();
followLog();
listen();
