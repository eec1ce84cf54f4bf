// A graph as a card: a plot, its buttons, a legend with values.

import { partOf } from "./frames.js";
import { Plot, gutter, lane } from "./plot.js";
import { format, spiky } from "./series.js";

const element = (tag, props = {}, ...children) => {
	const e = Object.assign(document.createElement(tag), props);
	e.append(...children);
	return e;
};
export { element };

// The color of a series; those after the first eight are dashed.
export const lookOf = (palette, i) => ({ color: palette.series[i % 8], dash: i < 8 ? [] : i < 16 ? [7, 3] : [2, 2] });

const legendColumns = [["value", "value at the cursor, or of the current frame"], ["mean"], ["p99", "99th percentile of the frames shown"],
	["max", "greatest of the frames shown"], ["spikes", "frames above twice the median, and the longest run of them"]];

export class GraphCard {
	#host;
	#rows = []; // of the legend: { name, cells }
	#rangeBox;
	#focus = 0;
	#key = "";
	series = [];
	visible = true;

	// host is the tab: it has frames, view, stats, highs, kinds and what buttons do.
	constructor(host, graph) {
		this.#host = host;
		this.graph = graph;
		this.canvas = element("canvas", { className: "plot", tabIndex: 0, role: "img" });
		this.legend = element("table", { className: "legend" });
		this.title = element("h2");
		this.buttons = element("span", { className: "tools" });
		this.over = element("span", { className: "dim over" });
		this.el = element("section", { className: "card" },
			element("div", { className: "cardhead" }, this.title, this.over, this.buttons),
			element("div", { className: "cardbody" }, element("div", { className: "plotbox" }, this.canvas), element("div", { className: "legendbox" }, this.legend)));
		this.plot = new Plot(this.canvas);
		this.#tools();
		this.#mouse();
		this.update(graph);
	}

	#tools() {
		const button = (text, title, run) => {
			const b = element("button", { type: "button", textContent: text, title, onclick: run });
			this.buttons.append(b);
			return b;
		};
		this.own = button("own scales", "a scale for each series", () => this.#host.change(this.graph.name, g => { g.own = !g.own; }));
		this.range = button("range", "a fixed scale", () => this.#editRange());
		button("log", "table of the frames of this graph", () => this.#host.log(this.graph));
		button("hide", "hide the graph; its counters are not watched any more", () => this.#host.change(this.graph.name, g => { g.hidden = true; }));
		button("remove", "remove the graph", () => this.#host.remove(this.graph.name));
	}

	#editRange() {
		if (this.#rangeBox) {
			this.#rangeBox.remove();
			this.#rangeBox = null;
			return;
		}
		const [low, high] = this.graph.range ?? ["", ""];
		const field = (value, label) => element("input", { value, size: 7, ariaLabel: label, placeholder: label, inputMode: "decimal" });
		const a = field(low, "least"), b = field(high, "greatest");
		const done = range => {
			this.#rangeBox.remove();
			this.#rangeBox = null;
			this.#host.change(this.graph.name, g => { g.range = range; });
		};
		this.#rangeBox = element("form", { className: "rangebox", onsubmit: e => {
			e.preventDefault();
			const low = Number(a.value), high = Number(b.value);
			if (a.value.trim() === "" || b.value.trim() === "" || !(low < high)) {
				this.#host.say("a range needs two numbers, the least first");
				return;
			}
			done([low, high]);
		} }, a, b, element("button", { textContent: "set" }), element("button", { type: "button", textContent: "auto", onclick: () => done(null) }));
		this.buttons.prepend(this.#rangeBox);
		a.focus();
	}

	#mouse() {
		const c = this.canvas, host = this.#host;
		const place = e => e.clientX - c.getBoundingClientRect().left;
		let drag = null;
		c.onpointermove = e => {
			if (drag) {
				const moved = (place(e) - drag.x) / this.plot.inner * (host.view.to - host.view.from);
				if (Math.abs(moved) >= 1 || drag.moved) {
					drag.moved = true;
					host.scrollTo(drag.to - Math.round(moved));
				}
				return;
			}
			host.hover((place(e) - gutter) / this.plot.inner);
			c.style.cursor = this.#spikeAt(e) >= 0 ? "pointer" : "crosshair";
		};
		c.onpointerleave = () => host.hover(NaN);
		c.onpointerdown = e => {
			if (e.button !== 0) return;
			c.setPointerCapture(e.pointerId);
			drag = { x: place(e), to: host.view.until, moved: false };
		};
		c.onpointerup = e => {
			const was = drag;
			drag = null;
			if (!was || was.moved) return;
			const spike = this.#spikeAt(e);
			host.mark(spike >= 0 ? spike : this.plot.frameAt(place(e), host.view));
			if (spike >= 0) host.openTimeline(spike);
		};
		c.onpointercancel = () => { drag = null; };
		c.addEventListener("wheel", e => {
			e.preventDefault();
			if (e.ctrlKey || e.metaKey) return host.zoom(e.deltaY > 0 ? 1.25 : .8);
			const by = Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : e.deltaY;
			host.scrollTo(host.view.until + Math.round(by / this.plot.inner * (host.view.to - host.view.from)));
		}, { passive: false });
		const el = this.el;
		el.addEventListener("dragover", e => {
			if (!e.dataTransfer.types.includes("text/x-counters")) return;
			e.preventDefault();
			el.classList.add("drop");
		});
		el.addEventListener("dragleave", e => { if (!el.contains(e.relatedTarget)) el.classList.remove("drop"); });
		el.addEventListener("drop", e => {
			el.classList.remove("drop");
			const text = e.dataTransfer.getData("text/x-counters");
			if (!text) return;
			e.preventDefault();
			host.add(this.graph.name, JSON.parse(text));
		});
		el.addEventListener("pointerdown", () => host.select(this.graph.name));
		el.addEventListener("focusin", () => host.select(this.graph.name));
	}

	// spikeAt returns the frame of a spike whose mark in the lane is below the pointer, or -1.
	#spikeAt(e) {
		const box = this.canvas.getBoundingClientRect(), view = this.#host.view;
		if (!view.spikes || e.clientY - box.top > lane + 3) return -1;
		const at = e.clientX - box.left;
		const from = this.plot.frameAt(at - 3, view), to = this.plot.frameAt(at + 3, view);
		const middle = this.plot.frameAt(at, view);
		let best = -1;
		for (let n = from; n <= to; n++) {
			for (const s of this.series) {
				if (s.stats && spiky(s.stats) && this.#host.frames.peak(s.name, n) > s.stats.over && (best < 0 || Math.abs(n - middle) < Math.abs(best - middle))) best = n;
			}
		}
		return best;
	}

	// update takes what the graph is now.
	update(graph) {
		this.graph = graph;
		this.title.textContent = graph.name;
		this.own.setAttribute("aria-pressed", String(graph.own));
		this.own.hidden = graph.series.length < 2;
		this.range.textContent = graph.range ? `range ${format(graph.range[0])} … ${format(graph.range[1])}` : "range";
		this.range.setAttribute("aria-pressed", String(graph.range !== null));
		this.canvas.setAttribute("aria-label", "graph " + graph.name + ": " + graph.series.join(", "));
		const key = graph.series.join("\n");
		if (key === this.#key && this.#rows.length) return;
		this.#key = key;
		this.#focus = 0;
		this.#rows = graph.series.map(name => this.#legendRow(name));
		const head = element("tr", {}, element("th"), element("th"), ...legendColumns.map(([text, title]) => element("th", { textContent: text, title: title ?? "", className: "n" })), element("th"));
		this.legend.replaceChildren(element("thead", {}, head), element("tbody", {}, ...this.#rows.map(r => r.row)));
		this.recolor();
	}

	#legendRow(name) {
		const cells = legendColumns.map(() => element("td", { className: "n", textContent: "–" }));
		const swatch = element("i", { className: "swatch" });
		const label = element("td", { className: "name", title: name }, element("bdi", { textContent: name }));
		const remove = element("button", { type: "button", className: "x", textContent: "×", title: "remove " + name, ariaLabel: "remove " + name,
			onclick: () => this.#host.change(this.graph.name, g => { g.series = g.series.filter(s => s !== name); }) });
		const row = element("tr", {}, element("td", {}, swatch), label, ...cells, element("td", {}, remove));
		row.onpointerenter = () => { this.#focus = this.#rows.findIndex(r => r.name === name); this.#host.redraw(); };
		return { name, row, cells, swatch, shown: [] };
	}

	// recolor takes the colors of the palette anew.
	recolor() {
		const palette = this.#host.palette;
		this.series = this.graph.series.map((name, i) => ({ name, ...lookOf(palette, i), stats: null, high: -Infinity }));
		for (const [i, r] of this.#rows.entries()) {
			r.swatch.style.borderTopColor = this.series[i].color;
			r.swatch.style.borderTopStyle = i < 8 ? "solid" : i < 16 ? "dashed" : "dotted";
		}
	}

	draw() {
		const host = this.#host;
		if (!this.visible || !this.plot.resize()) return;
		for (const s of this.series) {
			s.stats = host.stats.get(s.name) ?? null;
			s.high = host.highs.get(s.name)?.value ?? -Infinity;
		}
		this.plot.draw(host.frames, this.series, host.view, host.palette, { own: this.graph.own && this.series.length > 1, range: this.graph.range, focus: this.#focus });
	}

	// value writes the value of a frame, and its extremes if there were several.
	#value(name, at) {
		const { frames } = this.#host, most = frames.value(partOf(name, "max"), at);
		return Number.isNaN(most) ? format(frames.known(name, at)) : format(frames.value(partOf(name, "min"), at)) + " … " + format(most);
	}

	// write fills the legend in.
	write() {
		if (!this.visible) return;
		const host = this.#host, view = host.view;
		const at = view.cursor >= 0 ? view.cursor : view.marked;
		for (const r of this.#rows) {
			const s = host.stats.get(r.name), unit = host.kinds.get(r.name) === "timer" ? " ms" : "";
			const known = s && s.count > 0;
			const texts = [this.#value(r.name, at) + unit, known ? format(s.mean) : "–", known ? format(s.p99) : "–", known ? format(s.high) : "–",
				known ? s.spikes === 0 ? "0" : `${s.spikes} · ${s.longest}` : "–"];
			for (const [i, text] of texts.entries()) {
				if (r.shown[i] === text) continue;
				r.cells[i].textContent = r.shown[i] = text;
				if (i === 4) r.cells[i].classList.toggle("warn", known && spiky(s));
			}
			r.row.classList.toggle("absent", !host.kinds.has(r.name) && host.kinds.size > 0);
		}
		const marks = [];
		if (view.high) {
			for (const s of this.series) {
				const h = host.highs.get(s.name);
				if (h && this.plot.above.has(s.name) && marks.length < 3) marks.push(`▲ ${format(h.value)} at ${h.at}`);
			}
		}
		const text = marks.length ? "high water " + marks.join(", ") : "";
		if (this.over.textContent !== text) this.over.textContent = text;
	}
}
