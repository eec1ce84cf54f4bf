// The table of the frames that are shown: sums of each counter, or frame by frame.

import { partOf } from "./frames.js";
import { element } from "./graph.js";
import { format } from "./series.js";
import { VirtualList } from "./virtual.js";

const rowHeight = 21, mostColumns = 40;

const sums = [
	["counter", r => r.name, "the name"], ["kind", r => r.kind],
	["calls", r => r.calls, "of a timer, in the frames shown"], ["total", r => r.total, "of the frames shown; timers in ms"],
	["own", r => r.own, "total without timers inside"],
	["min", r => r.min, "of one call of a timer; of others of a frame"], ["mean", r => r.mean, "of one call of a timer; of others of a frame"], ["max", r => r.max, "of one call of a timer; of others of a frame"],
	["p50", r => r.p50, "of the frames"], ["p95", r => r.p95, "of the frames"], ["p99", r => r.p99, "of the frames"],
	["high", r => r.high, "the greatest frame"], ["at", r => r.highAt, "its number"],
	["spikes", r => r.spikes, "frames above twice the median"], ["run", r => r.longest, "the most of them in a row"],
];

export class CounterTable {
	#host;
	#mode = "sums";
	#sort = { sums: [0, 1], frames: [0, -1] }; // column and direction
	#columns = [];
	#rows = [];
	#names = [];
	#key = "";
	#known = Infinity; // frames in which timers are known in detail

	constructor(host) {
		this.#host = host;
		this.sumsButton = element("button", { type: "button", textContent: "counters", title: "sums of each counter over the frames shown", onclick: () => this.mode("sums") });
		this.framesButton = element("button", { type: "button", textContent: "frames", title: "log of frames", onclick: () => this.mode("frames") });
		this.what = element("span", { className: "dim" });
		this.csv = element("button", { type: "button", textContent: "CSV", title: "save what the table shows", onclick: () => this.#save() });
		this.close = element("button", { type: "button", textContent: "close", onclick: () => host.toggleTable(false) });
		this.head = element("div", { className: "gridrow gridhead", role: "row" });
		this.sizer = element("div", { className: "sizer" });
		this.box = element("div", { className: "grid", tabIndex: 0, role: "table", ariaLabel: "Frames shown" }, this.head, this.sizer);
		this.el = element("section", { className: "countertable", hidden: true },
			element("div", { className: "bar" }, element("h2", { textContent: "Table" }), this.sumsButton, this.framesButton, this.what, this.csv, this.close), this.box);
		this.list = new VirtualList(this.box, this.sizer, rowHeight, () => element("div", { className: "gridrow", role: "row" }), (row, i) => this.#fill(row, this.#rows[i]));
	}

	// mode shows "sums" or "frames"; of these names, or of all that are graphed.
	mode(mode, names = null) {
		this.#mode = mode;
		this.#names = names;
		this.#key = "";
		this.#host.tableMode(mode);
		this.update();
	}

	get names() {
		const shown = this.#host.shownNames();
		return this.#names?.filter(n => shown.includes(n)) ?? shown;
	}

	// update computes the table anew.
	update() {
		if (this.el.hidden) return;
		const { view, frames, kinds } = this.#host;
		const from = Math.max(view.from, frames.first), to = view.until;
		this.sumsButton.setAttribute("aria-pressed", String(this.#mode === "sums"));
		this.framesButton.setAttribute("aria-pressed", String(this.#mode === "frames"));
		const names = this.#mode === "sums" ? this.names : this.names.slice(0, mostColumns);
		this.what.textContent = to > from ? `frames ${from} to ${to - 1}` + (names.length < this.names.length ? `, ${names.length} of ${this.names.length} counters` : "") : "no frames yet";
		if (this.#mode === "sums") {
			this.#columns = sums;
			this.#known = Infinity;
			this.#rows = names.map(name => this.#sum(name, from, to));
			if (this.#known < to - from) this.what.textContent += `; calls, own, min, mean and max of timers of the ${this.#known} frames since the table shows them`;
		} else {
			const units = names.map(n => kinds.get(n) === "timer" ? n + " ms" : n);
			const column = (name, text) => [text, n => frames.value(name, n), text];
			const columns = (name, i) => !this.#host.spans.has(name) ? [column(name, units[i])]
				: [column(name, units[i]), column(partOf(name, "min"), name + " min"), column(partOf(name, "max"), name + " max")];
			this.#columns = [["frame", n => n], ["time", n => this.#time(n)], ...names.flatMap(columns)];
			this.#rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
		}
		this.#order();
		this.#header();
		this.list.draw(this.#rows.length, true);
	}

	#sum(name, from, to) {
		const { frames, kinds } = this.#host;
		const s = this.#host.summarize(name, from, to);
		const kind = kinds.get(name) ?? "";
		const row = { name, kind, calls: NaN, total: s.sum, own: NaN, min: s.min, mean: s.mean, max: s.high, p50: s.p50, p95: s.p95, p99: s.p99,
			high: s.high, highAt: from + s.highAt, spikes: s.spikes, longest: s.longest };
		if (s.count === 0) for (const key of ["total", "min", "mean", "max", "p50", "p95", "p99", "high", "highAt"]) row[key] = NaN;
		if (kind === "gauge") row.total = NaN;
		if (kind !== "timer" || s.count === 0) return row;
		let calls = 0, own = 0, min = Infinity, max = 0, total = 0, known = 0;
		for (let n = from; n < to; n++) {
			const c = frames.value(partOf(name, "calls"), n);
			if (!Number.isNaN(c)) known++;
			if (!(c > 0)) continue; // none, or not watched in detail
			calls += c;
			total += frames.value(name, n);
			own += frames.value(partOf(name, "own"), n);
			min = Math.min(min, frames.value(partOf(name, "min"), n));
			max = Math.max(max, frames.value(partOf(name, "max"), n));
		}
		this.#known = Math.min(this.#known, known);
		return calls > 0 ? { ...row, calls, own, min, max, mean: total / calls } : { ...row, min: NaN, mean: NaN, max: NaN };
	}

	#time(n) {
		const t = this.#host.frames.time(n);
		return Number.isNaN(t) ? "" : new Date(t).toISOString().slice(11, 23);
	}

	#order() {
		const [column, direction] = this.#sort[this.#mode], value = (this.#columns[column] ?? this.#columns[0])[1];
		if (this.#mode === "frames" && column < 2) {
			if (direction < 0) this.#rows.reverse();
			return;
		}
		const number = v => Number.isNaN(v) ? -Infinity : v;
		const keyed = this.#rows.map(r => [value(r), r]);
		keyed.sort(([a], [b]) => direction * (typeof a === "string" ? a < b ? -1 : a > b ? 1 : 0 : number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0));
		this.#rows = keyed.map(([, r]) => r);
	}

	#header() {
		const [at, direction] = this.#sort[this.#mode];
		const key = this.#mode + at + direction + this.#columns.map(c => c[0]).join("\n");
		if (key === this.#key) return;
		this.#key = key;
		this.box.style.setProperty("--columns", this.#mode === "sums" ? "minmax(16rem, 2fr) 5rem repeat(13, minmax(4.6rem, 1fr))" : `6rem 8rem repeat(${this.#columns.length - 2}, minmax(8rem, 1fr))`);
		this.box.classList.toggle("sums", this.#mode === "sums");
		this.head.replaceChildren(...this.#columns.map(([text, , title], i) => {
			const b = element("button", { type: "button", textContent: text + (i === at ? direction > 0 ? " ▴" : " ▾" : ""), title: title ?? text });
			b.onclick = () => {
				this.#sort[this.#mode] = i === at ? [i, -direction] : [i, this.#mode === "sums" && i < 2 ? 1 : -1];
				this.update();
			};
			const cell = element("span", { role: "columnheader" }, b);
			cell.ariaSort = i === at ? direction > 0 ? "ascending" : "descending" : "none";
			return cell;
		}));
	}

	#fill(row, data) {
		while (row.children.length < this.#columns.length) row.append(element("span", { role: "cell" }));
		while (row.children.length > this.#columns.length) row.lastChild.remove();
		for (const [i, [, value]] of this.#columns.entries()) {
			const v = value(data);
			const text = typeof v === "string" ? v : Number.isInteger(v) && Math.abs(v) < 1e9 ? String(v) : format(v);
			if (row.children[i].textContent !== text) row.children[i].textContent = text;
		}
		row.onclick = () => { this.#host.mark(this.#mode === "frames" ? data : data.highAt); };
		row.classList.toggle("marked", this.#mode === "frames" && data === this.#host.view.marked);
	}

	#save() {
		const field = v => {
			const text = typeof v === "number" ? Number.isNaN(v) ? "" : String(v) : v;
			return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
		};
		const lines = [this.#columns.map(c => field(c[0])).join(",")];
		for (const r of this.#rows) lines.push(this.#columns.map(([, value]) => field(value(r))).join(","));
		const url = URL.createObjectURL(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
		element("a", { href: url, download: this.#mode === "sums" ? "counters.csv" : "frames.csv" }).click();
		setTimeout(() => URL.revokeObjectURL(url), 1000);
	}
}
