// The panel below the rows: sums by name of a time, of a span or of a name, the slowest,
// and how long they took.

import { Calls } from "./timeline-calls.js";
import { Table, button, el, sized } from "./timeline-dom.js";
import { colors, colorOf } from "./timeline-color.js";
import { font } from "./timeline-draw.js";
import { count, duration, exact, moment, percent } from "./timeline-text.js";

const mostRows = 1000; // to choose from
const all = { from: 0, to: 0, row: -1, name: "", detail: "", within: false };

// Panel shows a question: { from, to, row, name, detail, within }, of which to = 0 is all
// of the recording, row -1 all rows, "" any name, within without what reaches out; and the
// span that it began with, or null.
export class Panel {
	question = null;
	span = null;
	line = null;
	#stop = null;
	#answer = null;
	#sum = 0;  // of the own times
	#most = 0; // the greatest of them
	#bar = -1;

	constructor(app, on) {
		this.app = app;
		this.on = on;
		const color = r => colors(app.palette).fill[colorOf(r.name)];
		const time = (key, title, help) => ({ key, title, help, number: true, by: r => r[key], text: r => duration(r[key]), hint: r => exact(r[key]) });
		this.names = new Table("Sums by name", [
			{ key: "name", title: "name", text: r => r.name, color },
			{ key: "count", title: "count", number: true, by: r => r.count, text: r => count(r.count) },
			time("total", "total", "time in spans of this name"),
			{ ...time("self", "self", "time without that in spans inside"), share: r => r.self / (this.#most || 1) },
			{ key: "share", title: "share", help: "share of all own time", number: true, by: r => r.self, text: r => percent(r.self / (this.#sum || 1)) },
			time("min", "min"), time("mean", "mean"), time("p50", "p50"), time("p95", "p95"), time("p99", "p99"), time("max", "max"),
		], { sort: { key: "total", down: true }, click: r => this.#narrow({ name: this.question.name === r.name ? "" : r.name }) });
		this.slowest = new Table("Slowest spans", [
			{ key: "dur", title: "slowest", number: true, by: r => r.dur, text: r => duration(r.dur), hint: r => exact(r.dur) },
			{ key: "name", title: "name", text: r => r.name },
			{ key: "detail", title: "detail", text: r => r.detail ?? "" },
			{ key: "row", title: "row", text: r => this.line?.rows.get(r.row)?.name ?? String(r.row) },
			{ key: "start", title: "start", number: true, by: r => r.start, text: r => moment(r.start) },
		], { sort: { key: "dur", down: true }, click: r => this.on.jump(this.line, r), most: 200 });
		this.head = el("div", { className: "tl-head" });
		this.histogram = el("canvas", { className: "tl-histogram", role: "img" });
		this.reading = el("div", { className: "tl-reading dim" });
		this.state = el("div", { className: "tl-state", role: "status" });
		this.left = el("div", { className: "tl-left", tabIndex: -1 }, this.names.root);
		this.right = el("div", { className: "tl-right", tabIndex: -1 }, this.reading, this.histogram, this.slowest.root);
		this.calls = new Calls(app, this);
		this.root = el("section", { className: "tl-panel", hidden: true, "aria-label": "Sums" }, this.head, this.state, this.left, this.right, this.calls.root);
		this.histogram.addEventListener("pointermove", e => this.#point(e.offsetX));
		this.histogram.addEventListener("pointerleave", () => this.#point(-1));
		new ResizeObserver(() => this.#bars()).observe(this.histogram);
	}

	// ask shows what the question is answered with.
	async ask(line, question, span = null) {
		const same = this.#answer && line === this.line && !line.info.live && JSON.stringify(question) === JSON.stringify(this.question);
		this.line = line;
		this.question = question;
		this.span = span;
		this.root.hidden = false;
		this.#headline();
		const calls = this.calls.ask(line, question, span);
		if (same && !calls) return this.#show();
		this.#stop?.abort();
		if (calls && same) return;
		this.#answer = null;
		if (calls) return;
		const stop = this.#stop = new AbortController();
		this.root.setAttribute("aria-busy", "true");
		this.state.textContent = "";
		try {
			const { from, to, row, name, detail, within } = question;
			const end = to || Math.ceil(line.end);
			const answer = await this.app.server.get("api/sums", { rec: line.rec, from, to: Math.max(end, from), row, name, detail, within: within ? 1 : "" }, stop.signal);
			if (stop !== this.#stop) return;
			this.#answer = answer;
			this.#sum = answer.names.reduce((sum, n) => sum + n.self, 0);
			this.#most = answer.names.reduce((most, n) => Math.max(most, n.self), 0);
			this.#bar = -1;
			this.#show();
		} catch (e) {
			if (e.name === "AbortError") return;
			this.state.textContent = e.message;
		} finally {
			if (stop === this.#stop) this.root.removeAttribute("aria-busy");
		}
	}

	redraw() { if (this.question && !this.calls.redraw() && this.#answer) this.#show(); }

	#show() {
		const { names, slowest } = this.#answer, { question, span } = this;
		this.names.set(names, r => r.name === question.name);
		this.slowest.set(slowest ?? [], r => span && r.start === span.start && r.row === span.row && r.dur === span.dur);
		this.state.textContent = names.length === 0 ? "No spans." : "";
		this.#bars();
	}

	close() {
		this.#stop?.abort();
		this.calls.close();
		this.question = this.span = this.#answer = null;
		this.root.hidden = true;
	}

	#narrow(change) {
		const question = { ...this.question, ...change };
		this.on.question(this.line, question, this.span);
	}

	#headline() {
		const q = this.question, s = this.span;
		const parts = [];
		if (s) {
			const mark = el("i", { className: "tl-mark" });
			mark.style.background = colors(this.app.palette).fill[colorOf(s.name)];
			parts.push(el("h2", {}, mark, s.name));
			if (s.detail) parts.push(el("span", { className: "tl-detail", textContent: s.detail, title: s.detail }));
			const long = s.instant ? "instant" : s.count > 1 ? `${count(s.count)} spans joined, ${duration(s.dur)}` : (s.open ? "open for " : "") + duration(s.dur);
			parts.push(el("span", { textContent: long, title: exact(s.dur) }), el("span", { className: "dim", textContent: `at ${moment(s.start)} on ${this.line.rows.get(s.row)?.name ?? s.row}` }));
			parts.push(button("Zoom", "show this span (F)", () => this.on.jump(this.line, s, true)));
			parts.push(button("‹", "the one of this name before ([)", () => this.on.step(this.line, s, -1)), button("›", "the next of this name (])", () => this.on.step(this.line, s, 1)));
			if (q.to !== 0 || q.name !== s.name) parts.push(button("All of this name", "sums of this name in all of the recording", () => this.#narrow({ ...all, name: s.name })));
			if (s.detail && q.detail !== s.detail) parts.push(button("All of this detail", "sums of all that was done to this", () => this.#narrow({ ...all, detail: s.detail })));
		} else {
			parts.push(el("h2", { textContent: q.to ? duration(q.to - q.from) : "All of the recording" }));
			if (q.to) parts.push(el("span", { className: "dim", textContent: `${moment(q.from)} to ${moment(q.to)}` }));
			if (q.to) parts.push(button("Zoom", "show this time (F)", () => this.line.fit(q.from, q.to)));
		}
		const chip = (text, help, change) => parts.push(el("button", { type: "button", className: "tl-chip", title: help, onclick: () => this.#narrow(change) }, text, el("span", { "aria-hidden": "true", textContent: " ✕" })));
		if (q.to) chip(q.within ? "inside of it" : `overlapping ${duration(q.to - q.from)}`, "all of the recording instead", { from: 0, to: 0, within: false });
		parts.push(this.#rowChoice(q.row));
		if (q.name) chip(`name: ${q.name}`, "any name instead", { name: "" });
		if (q.detail) chip(`detail: ${q.detail}`, "any detail instead", { detail: "" });
		parts.push(this.calls.choice);
		const close = button("✕", "close (Escape)", () => this.on.close());
		close.className = "tl-close";
		close.setAttribute("aria-label", "Close the sums");
		const focused = this.head.contains(document.activeElement) ? document.activeElement.title : "";
		this.head.replaceChildren(...parts, close);
		if (focused) [...this.head.children].find(b => b.title === focused)?.focus();
	}

	#rowChoice(row) {
		const rows = this.line.rows.list.slice(0, mostRows);
		if (row >= 0 && !rows.some(r => r.row === row)) rows.push({ row, name: String(row) });
		const choice = el("select", { "aria-label": "Row", title: "sums of this row alone" }, el("option", { value: "-1", textContent: "all rows" }),
			...rows.map(r => el("option", { value: String(r.row), textContent: r.name || `row ${r.row}` })));
		choice.value = String(row);
		choice.onchange = () => this.#narrow({ row: Number(choice.value) });
		return choice;
	}

	#point(x) {
		const bars = this.#answer?.histogram ?? [];
		const n = x < 0 ? -1 : Math.min(bars.length - 1, Math.floor(x / barWidth(this.histogram.clientWidth, bars)));
		if (n === this.#bar) return;
		this.#bar = n;
		this.#bars();
	}

	// bars draws how many spans took how long; their heights are logarithms, so that the few
	// slow ones are seen.
	#bars() {
		const bars = this.#answer?.histogram ?? [];
		const { ctx, w, h } = sized(this.histogram);
		const palette = this.app.palette;
		ctx.clearRect(0, 0, w, h);
		const all = bars.reduce((sum, b) => sum + b.count, 0);
		const b = bars[this.#bar];
		this.reading.textContent = b ? `${duration(b.from)} to ${duration(b.to)}: ${count(b.count)} (${percent(b.count / all)})` : all ? `${count(all)} ${all === 1 ? "span" : "spans"} by duration` : "";
		this.histogram.setAttribute("aria-label", `Histogram of the durations of ${count(all)} spans`);
		if (!all) return;
		const most = Math.max(...bars.map(b => b.count)), each = barWidth(w, bars), foot = 14;
		ctx.font = font;
		ctx.textBaseline = "alphabetic";
		let free = 0;
		for (const [i, b] of bars.entries()) {
			const size = b.count ? Math.max(2, (h - foot - 4) * Math.log1p(b.count) / Math.log1p(most)) : 0;
			ctx.fillStyle = i === this.#bar ? palette.text : palette.accent;
			ctx.fillRect(Math.round(i * each), h - foot - size, Math.max(1, Math.round(each) - 1), size);
			const text = duration(b.from), x = i * each;
			if (x >= free && x + ctx.measureText(text).width < w) {
				ctx.fillStyle = palette.dim;
				ctx.fillText(text, x, h - 2);
				free = x + ctx.measureText(text).width + 14;
			}
		}
	}
}

const barWidth = (w, bars) => Math.min(48, w / Math.max(1, bars.length));
