// The time line of scopes: the tab, its keys and what of it is in the URL.

import { button, el } from "./timeline-dom.js";
import { Line, liveSpan } from "./timeline-line.js";
import { Panel } from "./timeline-panel.js";
import { Compare } from "./timeline-compare.js";
import { Search } from "./timeline-search.js";
import { count } from "./timeline-text.js";

export const tab = {
	id: "timeline",
	title: "Time line",
	shown: info => info.recordings?.length > 0,
	mount: (root, app) => new TimeLine(root, app),
};

// In the URL: rec, from, to; of a second recording that is shown below rec2, from2, to2;
// ask, span and folded as JSON; find, compare, value.
class TimeLine {
	#lines = [];  // those that are shown, the first is that of the keys
	#made = new Map();
	#problem = 0;

	constructor(root, app) {
		this.app = app;
		this.root = root;
		root.classList.add("tl");
		this.on = {
			view: (line, aim, jump) => this.#moved(line, aim, jump),
			span: (line, span) => this.#choose(line, span),
			select: (line, { from, to }) => this.#question(line, { from, to, row: -1, name: "", detail: "" }, null),
			follow: () => this.#buttons(),
			folded: line => this.app.state.set(this.#key("folded", line), [...line.rows.folded].join(",")),
			answered: (line, a) => this.#answered(line, a),
			failed: (line, e) => this.#failed(e),
			question: (line, question, span) => this.#question(line, question, span),
			jump: (line, span, zoomed) => this.#jump(line, span, zoomed),
			step: (line, span, dir) => this.search.step(line, span, dir),
			close: () => this.#escape(),
		};
		this.panel = new Panel(app, this.on);
		this.compare = new Compare(app, { 
			show: r => this.#showBoth(r),
			close: () => this.#compare(false),
			by: by => { app.state.set("compare", by); this.#compare(true, false); },
			pick: (a, b) => this.#pair(a, b),
		});
		this.search = new Search(app, { line: () => this.#line, jump: (line, hit) => this.#hit(line, hit), query: q => this.#query(q) });
		this.#bar();
		this.stage = el("div", { className: "tl-stage" });
		this.split = el("div", { className: "tl-split", role: "separator", tabIndex: 0, "aria-orientation": "horizontal", "aria-label": "Height of the panel", hidden: true });
		this.#splitting();
		root.append(this.bar, this.stage, this.split, this.panel.root, this.compare.root);
		this.#keys();
	}

	get #line() { return this.#lines.find(l => l.root.contains(document.activeElement)) ?? this.#lines[0]; }
	#key(key, line) { return this.#lines.indexOf(line) > 0 ? key + "2" : key; }

	#bar() {
		const { info } = this.app;
		this.choice = el("select", { "aria-label": "Recording", hidden: info.recordings.length < 2 }, ...info.recordings.map((r, i) => el("option", { value: String(i), textContent: r.name })));
		this.choice.onchange = () => {
			for (const k of ["from", "to", "ask", "span", "folded", "rec2", "compare"]) this.app.state.set(k, "", true);
			this.app.state.set("rec", this.choice.value, true);
			this.show();
		};
		const toggle = (text, title, run) => {
			const b = button(text, title, run);
			b.setAttribute("aria-pressed", "false");
			return b;
		};
		this.both = toggle("Compare", "two recordings by scope and asset (C)", () => this.#compare(this.compare.root.hidden));
		this.both.hidden = info.recordings.length < 2;
		this.following = toggle("Follow", "keep up with the end of a live recording (E)", () => this.#line.setFollow(!this.#line.follow));
		this.picking = toggle("Select", "dragging selects a time, as Shift and dragging do (M)", () => this.#pick());
		this.valueList = el("div", { className: "tl-menu" });
		this.valueMenu = el("details", { hidden: true }, el("summary", { textContent: "Values" }), this.valueList);
		this.note = el("span", { className: "warn" });
		this.bar = el("div", { className: "bar tl-bar" }, this.choice, this.both, this.search.root, this.following, this.picking,
			button("All", "all of the recording (0)", () => this.#line.all()),
			button("Sums", "sums of what is seen (V)", () => this.#seen()),
			button("Fold", "fold or unfold all rows (X)", () => this.#foldAll()),
			this.valueMenu, this.note);
	}

	#keys() {
		const key = (keys, text, run) => {
			for (const k of keys) this.app.key(k, text, run, "timeline");
		};
		const line = () => this.#line;
		const seen = () => line().aim.to - line().aim.from;
		const at = () => line().pointer ? line().time(line().pointer.x) : undefined;
		key(["w", "+", "="], "zoom in", () => line().zoom(1 / 1.6, at(), true));
		key(["s", "-"], "zoom out", () => line().zoom(1.6, at(), true));
		key(["a"], "earlier", () => line().pan(-seen() / 4, true));
		key(["d"], "later", () => line().pan(seen() / 4, true));
		const arrow = (where, by) => e => {
			if (e.shiftKey) this.#neighbor(where);
			else if (where === "left" || where === "right") line().pan(by * seen() / 8, true);
			else this.#scroll(by);
		};
		key(["ArrowLeft"], "earlier; with Shift the span before", arrow("left", -1));
		key(["ArrowRight"], "later; with Shift the next span", arrow("right", 1));
		key(["ArrowUp"], "rows above; with Shift the span around", arrow("up", -1));
		key(["ArrowDown"], "rows below; with Shift the first span inside", arrow("down", 1));
		key(["0", "Home"], "all of the recording", () => line().all());
		key(["End"], "the end of the recording", () => line().go(line().end - seen(), line().end));
		key(["f"], "fit what is selected", () => this.#fit());
		key(["v"], "sums of what is seen", () => this.#seen());
		key(["m"], "dragging selects, or moves", () => this.#pick());
		key(["n"], "next hit of the search", () => this.search.go(1));
		key(["p"], "previous hit of the search", () => this.search.go(-1));
		key(["]"], "next of the name that is selected", () => this.#step(1));
		key(["["], "previous of the name that is selected", () => this.#step(-1));
		key(["x"], "fold or unfold all rows", () => this.#foldAll());
		key(["e"], "follow the end of a live recording", () => line().setFollow(!line().follow));
		key(["c"], "compare two recordings", () => { if (!this.both.hidden) this.#compare(this.compare.root.hidden); });
		key(["Escape"], "close the panel", () => this.#escape());
	}

	show() {
		const { state, info } = this.app;
		const valid = key => {
			const n = Number(state.get(key, "-1"));
			return Number.isInteger(n) && n >= 0 && n < info.recordings.length ? n : -1;
		};
		const recs = [Math.max(0, valid("rec"))];
		if (valid("rec2") >= 0 && valid("rec2") !== recs[0]) recs.push(valid("rec2"));
		const lines = recs.map(rec => {
			if (!this.#made.has(rec)) this.#made.set(rec, new Line(this.app, rec, this.on));
			return this.#made.get(rec);
		});
		const fresh = lines.filter(l => !this.#lines.includes(l));
		for (const l of this.#lines) if (!lines.includes(l)) l.hide();
		for (const [rec, l] of this.#made) if (!lines.includes(l)) this.#made.delete(rec);
		this.#lines = lines;
		this.stage.replaceChildren(...lines.map(l => l.root));
		this.choice.value = String(recs[0]);
		this.choice.hidden = info.recordings.length < 2 || lines.length > 1;
		this.stage.classList.toggle("tl-two", lines.length > 1);
		for (const l of lines) this.#restore(l, fresh.includes(l));
		this.search.set(state.get("find"));
		const ask = json(state.get("ask")), span = json(state.get("span"));
		const q = question(ask);
		if (q) this.#question(lines[0], q, spanOf(span), false);
		else this.#close(false);
		if (state.get("compare") && info.recordings.length > 1) this.#compare(true, false);
		else if (!this.compare.root.hidden) this.#compare(false, false);
		this.panel.redraw();
		for (const l of lines) l.show();
		this.#buttons();
		this.#values();
	}

	hide() { for (const l of this.#lines) l.hide(); }

	#restore(line, fresh) {
		const { state } = this.app;
		const from = Number(state.get(this.#key("from", line), "NaN")), to = Number(state.get(this.#key("to", line), "NaN"));
		const folded = state.get(this.#key("folded", line));
		line.rows.folded = new Set(folded ? folded.split(",").map(Number) : []);
		line.rows.place();
		if (from < to && Number.isFinite(to - from)) {
			const same = Math.floor(line.aim.from) === from && Math.ceil(line.aim.to) === to;
			if (!same) {
				line.setFollow(false);
				line.go(from, to, !fresh);
			}
		} else if (fresh) {
			line.go(0, line.end, false);
			if (line.info.live) {
				line.go(line.end - liveSpan, line.end, false);
				line.setFollow(true);
			}
		}
	}

	#moved(line, { from, to }, jump) {
		if (!this.#lines.includes(line)) return;
		// a view that follows the end is not one to come back to
		this.app.state.set(this.#key("from", line), line.follow ? "" : Math.floor(from), jump);
		this.app.state.set(this.#key("to", line), line.follow ? "" : Math.ceil(to));
	}

	#buttons() {
		const line = this.#lines[0];
		this.following.hidden = !this.#lines.some(l => l.info.live);
		this.following.setAttribute("aria-pressed", String(line?.follow ?? false));
	}

	#answered(line, answer) {
		if (this.#problem) this.app.status("timeline", "");
		this.#problem = 0;
		const dropped = Math.max(answer.dropped, line.info.dropped ?? 0);
		if (line === this.#lines[0]) this.note.textContent = dropped ? `${count(dropped)} events were dropped` : "";
	}

	#failed(e) {
		this.#problem = 1;
		this.app.status("timeline", `time line: ${e.message}`, "bad");
	}

	#choose(line, span) {
		if (!span) {
			for (const l of this.#lines) l.hit = null;
			if (this.panel.span) this.#close(true);
			line.redraw();
			return;
		}
		if (span.instant) return this.#question(line, { from: Math.max(0, span.start - 1), to: span.start + 1, row: span.row, name: "", detail: "" }, span);
		this.#question(line, { from: Math.floor(span.start), to: Math.ceil(span.start + Math.max(1, span.dur)), row: span.row, name: "", detail: "" }, span);
	}

	#question(line, q, span, push = true) {
		for (const l of this.#lines) {
			l.chosen = l === line ? span : null;
			l.selected = l === line && !span && q.to ? { from: q.from, to: q.to } : null;
			l.only = q.name || q.detail ? { name: q.name, detail: q.detail } : null;
			l.draw();
		}
		if (!this.compare.root.hidden && push) this.#compare(false);
		this.split.hidden = false;
		const { panel } = this;
		if (push || JSON.stringify([q, span]) !== JSON.stringify([panel.question, panel.span])) panel.ask(line, q, span);
		if (!push) return;
		this.app.state.set("ask", JSON.stringify([q.from, q.to, q.row, q.name, q.detail]), true);
		this.app.state.set("span", span ? JSON.stringify([span.row, span.depth ?? -1, span.start, span.dur, span.count ?? 1, span.name, span.detail ?? "", span.open ? 1 : 0, span.instant ? 1 : 0]) : "");
	}

	#close(push) {
		this.panel.close();
		this.split.hidden = this.compare.root.hidden;
		for (const l of this.#lines) {
			l.chosen = l.selected = l.hit = l.only = null;
			l.draw();
		}
		if (push) for (const k of ["ask", "span"]) this.app.state.set(k, "", true);
	}

	#escape() {
		if (!this.panel.root.hidden) this.#close(true);
		else if (!this.compare.root.hidden) this.#compare(false);
		else if (this.search.query) this.search.set("");
		else this.#close(false);
	}

	#seen() {
		const line = this.#line, { from, to } = line.aim;
		this.on.select(line, { from: Math.max(0, Math.floor(from)), to: Math.ceil(Math.min(to, line.end)) });
	}

	#fit() {
		const line = this.panel.line ?? this.#line;
		if (line.chosen) line.fit(line.chosen.start, line.chosen.start + line.chosen.dur);
		else if (line.selected) line.fit(line.selected.from, line.selected.to);
	}

	#foldAll() {
		const line = this.#line;
		line.rows.foldAll(line.rows.folded.size === 0);
		this.on.folded(line);
		line.draw();
	}

	#pick() {
		const on = this.picking.getAttribute("aria-pressed") !== "true";
		this.picking.setAttribute("aria-pressed", String(on));
		for (const l of this.#made.values()) l.picking = on;
		this.stage.classList.toggle("tl-picking", on);
	}

	#scroll(by) {
		const near = document.activeElement?.closest?.(".tl-left, .tl-right");
		(near ?? this.#line.scroller).scrollTop += by * 60;
	}

	#neighbor(where) {
		const line = this.#line;
		if (!line.chosen) {
			const middle = line.hitAt(line.width / 2, 30);
			if (middle) this.#choose(line, middle);
			return;
		}
		const span = line.neighbor(line.chosen, where);
		if (!span) return;
		this.#choose(line, span);
		line.reveal(span, false);
	}

	#step(dir) {
		const line = this.panel.line ?? this.#line;
		if (line.chosen) this.search.step(line, line.chosen, dir);
	}

	#jump(line, span, zoomed = false) {
		span = { count: 1, detail: "", ...span };
		line.reveal(span, zoomed);
		const { panel } = this;
		if (panel.span && span.start === panel.span.start && span.row === panel.span.row && span.dur === panel.span.dur) return;
		// what was asked stays, and its list of the slowest to go on with
		this.#question(line, panel.question ?? { from: 0, to: 0, row: -1, name: span.name, detail: "" }, span);
	}

	#hit(line, hit) {
		for (const l of this.#lines) l.hit = l === line ? hit : null;
		line.reveal(hit, false);
		line.redraw();
	}

	#query(q) {
		this.app.state.set("find", q);
		for (const l of this.#made.values()) {
			l.query = q;
			if (!q) l.hit = null;
			l.draw();
		}
	}

	#compare(on, push = true) {
		const { state, info } = this.app;
		this.both.setAttribute("aria-pressed", String(on && (push || this.#lines.length > 1)));
		if (on && push) {
			if (!this.panel.root.hidden) this.#close(true);
			const a = this.#lines[0].rec, b = this.#lines[1]?.rec ?? (a === 0 ? 1 : 0);
			state.set("rec", a, true);
			state.set("rec2", b);
			state.set("compare", "scopes");
			return this.show();
		}
		if (!on && push) {
			for (const k of ["rec2", "compare", "from2", "to2"]) state.set(k, "", true);
			this.compare.close();
			return this.show();
		}
		if (on && this.#lines.length > 1) {
			this.compare.open(this.#lines[0].rec, this.#lines[1].rec, state.get("compare"));
			this.split.hidden = false;
		} else this.compare.close();
	}

	// pair compares two other recordings, or the same two the other way round.
	#pair(a, b) {
		const [x, y] = this.#lines.map(l => l.rec);
		if (a === b) [a, b] = [y, x];
		for (const k of ["from", "to", "from2", "to2", "folded", "folded2"]) this.app.state.set(k, "", true);
		this.app.state.set("rec", a);
		this.app.state.set("rec2", b);
		this.show();
	}

	// showBoth shows the slowest span of what was compared, in both recordings.
	async #showBoth(r) {
		for (const line of this.#lines) {
			try {
				const got = await this.app.server.get("api/sums", { rec: line.rec, from: 0, to: Math.ceil(line.end), row: -1, name: r.name, detail: r.detail });
				const span = got.slowest?.[0];
				line.hit = span ?? null;
				if (span) line.reveal(span, true);
			} catch (e) { this.#failed(e); }
		}
		this.search.set(r.detail || r.name);
	}

	async #values() {
		const line = this.#lines[0];
		const names = line.values.names.length ? line.values.names : await line.values.load();
		this.valueMenu.hidden = names.length === 0 || this.#lines.length > 1;
		if (names.length === 0) return;
		const kept = this.app.state.all("value");
		const chosen = kept.length ? kept.filter(n => names.includes(n)) : names.slice(0, 2);
		const boxes = names.slice(0, 500).map(n => {
			const box = el("input", { type: "checkbox", checked: chosen.includes(n), value: n });
			box.onchange = () => {
				const now = boxes.filter(b => b.checked).map(b => b.value);
				this.app.state.setAll("value", now.length ? now : ["-"]);
				line.values.choose(now);
			};
			return box;
		});
		this.valueList.replaceChildren(...boxes.map(b => el("label", {}, b, " " + b.value)));
		line.values.choose(chosen);
	}

	#splitting() {
		const size = to => {
			const h = Math.min(Math.max(90, to), this.root.clientHeight - 160);
			this.root.style.setProperty("--tl-panel", `${h}px`);
			for (const l of this.#lines) l.draw();
		};
		const now = () => (this.compare.root.hidden ? this.panel.root : this.compare.root).offsetHeight;
		let drag = null;
		this.split.addEventListener("pointerdown", e => {
			drag = { y: e.clientY, h: now() };
			this.split.setPointerCapture(e.pointerId);
			e.preventDefault();
		});
		this.split.addEventListener("pointermove", e => { if (drag) size(drag.h + drag.y - e.clientY); });
		this.split.addEventListener("pointerup", () => { drag = null; });
		this.split.addEventListener("keydown", e => {
			if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
			e.preventDefault();
			e.stopPropagation();
			size(now() + (e.key === "ArrowUp" ? 24 : -24));
		});
	}
}

function json(text) {
	try { return text ? JSON.parse(text) : null; } catch { return null; }
}

const isTime = n => typeof n === "number" && n >= 0 && Number.isFinite(n);
const isText = s => typeof s === "string";

// question and spanOf take from the URL what has the right form.
function question(a) {
	if (!Array.isArray(a) || !isTime(a[0]) || !isTime(a[1]) || !Number.isInteger(a[2]) || !isText(a[3]) || !isText(a[4])) return null;
	return { from: a[0], to: a[1], row: a[2], name: a[3], detail: a[4] };
}

function spanOf(a) {
	if (!Array.isArray(a) || ![a[0], a[2], a[3], a[4]].every(isTime) || !isText(a[5]) || !isText(a[6])) return null;
	const s = { row: a[0], start: a[2], dur: a[3], count: a[4], name: a[5], detail: a[6] };
	if (isTime(a[1])) s.depth = a[1];
	if (a[7]) s.open = true;
	if (a[8]) s.instant = true;
	return s;
}
