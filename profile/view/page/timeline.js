// The time line of scopes: the tab, its keys and what of it is in the URL.

import { button, el } from "./timeline-dom.js";
import { Line, liveSpan } from "./timeline-line.js";
import { Panel } from "./timeline-panel.js";
import { Compare } from "./timeline-compare.js";
import { Search } from "./timeline-search.js";
import { FrameBar, frameEnd } from "./timeline-framebar.js";
import { keys } from "./timeline-keys.js";
import { splitter } from "./timeline-split.js";
import { count } from "./timeline-text.js";
import { questionFrom, questionTo, recordings, spanFrom, spanTo } from "./timeline-url.js";

export const tab = {
	id: "timeline",
	title: "Time line",
	shown: info => info.recordings?.length > 0,
	mount: (root, app) => new TimeLine(root, app),
};

class TimeLine {
	#lines = [];  // those that are shown, the first is that of the keys
	#made = new Map();
	#problem = false;

	constructor(root, app) {
		this.app = app;
		this.root = root;
		root.classList.add("tl");
		this.on = {
			view: (line, aim, jump) => this.#moved(line, aim, jump),
			span: (line, span) => this.#choose(line, span),
			select: (line, { from, to }) => this.#question(line, { from, to, row: -1, name: "", detail: "", within: false }, null),
			follow: () => this.#buttons(),
			folded: line => this.app.state.set(this.#key("folded", line), [...line.rows.folded].join(",")),
			answered: (line, a) => this.#answered(line, a),
			failed: (line, e) => this.#failed(e),
			question: (line, question, span) => this.#question(line, question, span),
			jump: (line, span, zoomed) => this.#jump(line, span, zoomed),
			step: (line, span, dir) => this.search.step(line, span, dir),
			close: () => this.escape(),
			frame: (line, frame) => this.#frame(line, frame),
			frames: () => this.frames.update(),
		};
		this.panel = new Panel(app, this.on);
		this.compare = new Compare(app, {
			show: r => this.#showBoth(r),
			close: () => this.#compare(false),
			by: by => { app.state.set("compare", by); this.show(); },
			pick: (a, b) => this.#pair(a, b),
		});
		this.search = new Search(app, { line: () => this.line, jump: (line, hit) => this.#hit(line, hit), query: q => this.#query(q) });
		this.frames = new FrameBar(app, { line: () => this.line, frame: this.on.frame });
		this.#bar();
		this.stage = el("div", { className: "tl-stage" });
		this.split = splitter(root, () => { for (const l of this.#lines) l.draw(); });
		root.append(this.bar, this.stage, this.split, this.panel.root, this.compare.root);
		keys(app, this);
	}

	// line is the one that has the focus, or else the first.
	get line() { return this.#lines.find(l => l.root.contains(document.activeElement)) ?? this.#lines[0]; }
	#key(key, line) { return this.#lines.indexOf(line) > 0 ? key + "2" : key; }

	#bar() {
		const { info } = this.app;
		this.choice = el("select", { "aria-label": "Recording", hidden: info.recordings.length < 2 }, ...info.recordings.map((r, i) => el("option", { value: String(i), textContent: r.name })));
		this.choice.onchange = () => {
			for (const k of ["from", "to", "ask", "asked", "span", "folded", "rec2", "compare", "frame"]) this.app.state.set(k, "", true);
			this.app.state.set("rec", this.choice.value, true);
			this.show();
		};
		const toggle = (text, title, run) => {
			const b = button(text, title, run);
			b.setAttribute("aria-pressed", "false");
			return b;
		};
		this.both = toggle("Compare", "two recordings by scope and asset (C)", () => this.toggleCompare());
		this.both.hidden = info.recordings.length < 2;
		this.following = toggle("Follow", "keep up with the end of a live recording (E)", () => this.line.setFollow(!this.line.follow));
		this.picking = toggle("Select", "dragging selects a time, as Shift and dragging do (M)", () => this.pick());
		this.valueList = el("div", { className: "tl-menu" });
		this.valueMenu = el("details", { hidden: true }, el("summary", { textContent: "Values" }), this.valueList);
		this.note = el("span", { className: "warn" });
		this.bar = el("div", { className: "bar tl-bar" }, this.choice, this.both, this.search.root, this.following, this.picking,
			button("All", "all of the recording (0)", () => this.line.all()),
			button("Sums", "sums of what is seen (V)", () => this.sumSeen()),
			button("Fold", "fold or unfold all rows (X)", () => this.foldAll()),
			this.valueMenu, this.frames.root, this.note);
		document.addEventListener("pointerdown", e => {
			for (const menu of this.bar.querySelectorAll("details[open]")) if (!menu.contains(e.target)) menu.open = false;
		});
	}

	show() {
		const { state, info } = this.app;
		const recs = recordings(state, info);
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
		for (const l of lines) {
			l.query = this.search.query;
			l.picking = this.#picks;
		}
		this.frames.show(lines);
		if (this.comparing) this.compare.open(recs[0], recs[1], state.get("compare"));
		else this.compare.close();
		this.both.setAttribute("aria-pressed", String(this.comparing));
		const q = questionFrom(state.get("ask")), asked = state.get("asked") === "2" ? lines[1] : lines[0];
		if (q && asked) this.#question(asked, q, spanFrom(state.get("span")), false);
		else this.#close(false);
		this.panel.redraw();
		this.compare.redraw();
		for (const l of lines) l.show();
		this.#buttons();
		lines[0].values.menu(this.valueMenu, this.valueList, lines.length > 1);
	}

	get comparing() { return this.app.state.get("compare") !== "" && this.#lines.length > 1; }
	get #picks() { return this.picking.getAttribute("aria-pressed") === "true"; }

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
		this.#problem = false;
		if (line !== this.#lines[0]) return;
		const { info } = line, missing = Math.max(answer.dropped, info.dropped ?? 0), said = [];
		if (missing) said.push(`${count(missing)} events were dropped${info.live ? " or are too old" : ""}`);
		if (info.error) said.push(`it ends early: ${info.error}`);
		this.note.textContent = said.join("; ");
	}

	#failed(e) {
		this.#problem = true;
		this.app.status("timeline", `time line: ${e.message}`, "bad");
	}

	#choose(line, span) {
		if (!span) {
			for (const l of this.#lines) l.hit = null;
			if (this.panel.span) this.#close(true);
			line.redraw();
			return;
		}
		if (span.instant) return this.#question(line, { from: span.start, to: span.start, row: span.row, name: "", detail: "", within: false }, span);
		this.#question(line, { from: Math.floor(span.start), to: Math.ceil(span.start + span.dur), row: span.row, name: "", detail: "", within: !span.open }, span);
	}

	#question(line, q, span, push = true) {
		for (const l of this.#lines) {
			l.chosen = l === line ? span : null;
			l.selected = l === line && !span && q.to ? { from: q.from, to: q.to } : null;
			l.only = q.name || q.detail ? { name: q.name, detail: q.detail } : null;
			l.draw();
		}
		// the panel takes the place of the comparison, which comes back when it is closed
		this.compare.root.hidden = true;
		this.split.hidden = false;
		const { panel } = this;
		if (push || line !== panel.line || JSON.stringify([q, span]) !== JSON.stringify([panel.question, panel.span])) panel.ask(line, q, span);
		this.frames.leave(line, q, push);
		if (!push) return;
		this.app.state.set("ask", questionTo(q), true);
		this.app.state.set("span", spanTo(span));
		this.app.state.set("asked", this.#key("", line));
	}

	#close(push) {
		this.frames.leave(null, null, push);
		this.panel.close();
		this.compare.root.hidden = !this.comparing;
		this.split.hidden = !this.comparing;
		for (const l of this.#lines) {
			l.chosen = l.selected = l.hit = l.only = null;
			l.draw();
		}
		if (push) for (const k of ["ask", "asked", "span", "path", "of"]) this.app.state.set(k, "", true);
	}

	#frame(line, frame) {
		this.frames.select(line, frame);
		const to = frameEnd(frame);
		this.#question(line, { from: frame.start, to, row: -1, name: "", detail: "", within: false }, null);
		line.fit(frame.start, to);
	}

	escape() {
		if (!this.panel.root.hidden) this.#close(true);
		else if (this.comparing) this.#compare(false);
		else if (this.search.query) this.search.set("");
		else this.#close(false);
	}

	sumSeen() {
		const line = this.line, { from, to } = line.aim;
		this.on.select(line, { from: Math.max(0, Math.floor(from)), to: Math.ceil(Math.min(to, line.end)) });
	}

	fit() {
		const line = this.panel.line ?? this.line;
		if (line.chosen) line.fit(line.chosen.start, line.chosen.start + line.chosen.dur);
		else if (line.selected) line.fit(line.selected.from, line.selected.to);
	}

	foldAll() {
		const line = this.line;
		line.rows.foldAll(line.rows.folded.size === 0);
		this.on.folded(line);
		line.draw();
	}

	pick() {
		const on = !this.#picks;
		this.picking.setAttribute("aria-pressed", String(on));
		for (const l of this.#made.values()) l.picking = on;
		this.stage.classList.toggle("tl-picking", on);
	}

	scroll(by) {
		const near = document.activeElement?.closest?.(".tl-left, .tl-right");
		(near ?? this.line.scroller).scrollTop += by * 60;
	}

	neighbor(where) {
		const line = this.line;
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

	step(dir) {
		const line = this.panel.line ?? this.line;
		if (line.chosen) this.search.step(line, line.chosen, dir);
	}

	#jump(line, span, zoomed = false) {
		span = { count: 1, detail: "", ...span };
		line.reveal(span, zoomed);
		const { panel } = this;
		if (panel.span && span.start === panel.span.start && span.row === panel.span.row && span.dur === panel.span.dur) return;
		// what was asked stays, and its list of the slowest to go on with
		this.#question(line, panel.question ?? { from: 0, to: 0, row: -1, name: span.name, detail: "", within: false }, span);
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
		this.panel.redraw();
	}

	toggleCompare() { if (!this.both.hidden) this.#compare(!this.comparing); }

	#compare(on) {
		const { state } = this.app, a = this.#lines[0].rec;
		for (const k of ["ask", "asked", "span", "rec2", "compare", "from2", "to2", "folded2", "frame"]) state.set(k, "", true);
		if (on) {
			state.set("rec", a);
			state.set("rec2", a === 0 ? 1 : 0);
			state.set("compare", "scopes");
		}
		this.show();
	}

	// pair compares two other recordings, or the same two the other way round.
	#pair(a, b) {
		const [x, y] = this.#lines.map(l => l.rec);
		if (a === b) [a, b] = [y, x];
		for (const k of ["from", "to", "from2", "to2", "folded", "folded2", "frame"]) this.app.state.set(k, "", true);
		this.app.state.set("rec", a);
		this.app.state.set("rec2", b);
		this.show();
	}

	// showBoth shows the slowest span of what was compared, in both recordings.
	#showBoth(r) {
		this.search.set(r.detail || r.name);
		for (const line of this.#lines) this.#showSlowest(line, r);
	}

	async #showSlowest(line, { name, detail }) {
		try {
			const got = await this.app.server.get("api/sums", { rec: line.rec, from: 0, to: Math.ceil(line.end), row: -1, name, detail });
			line.hit = got.slowest?.[0] ?? null;
			if (line.hit) line.reveal(line.hit, true);
			line.draw();
		} catch (e) { this.#failed(e); }
	}
}
