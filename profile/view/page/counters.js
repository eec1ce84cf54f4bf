// Counters as graphs and a table.

import { CounterTable } from "./countertable.js";
import { CounterTree } from "./countertree.js";
import { FrameStream } from "./frames.js";
import { GraphCard, element, lookOf } from "./graph.js";
import { Graphs } from "./graphs.js";
import { Latency } from "./latency.js";
import { Overview } from "./overview.js";
import { Frames, summarize } from "./series.js";

export const tab = { id: "counters", title: "Counters", shown: info => info.counters, mount: (root, app) => new CountersTab(root, app) };

// graphsOf returns the graphs of a page, which there are before the tab is.
export function graphsOf(app) { return app.graphs ??= new Graphs(app.state); }

const lengths = [120, 300, 600, 1200, 3000, 10_000, 30_000, 100_000];

class CountersTab {
	frames = new Frames();
	view = { from: 0, to: 600, until: 0, cursor: -1, marked: -1, ema: false, sma: false, window: 20, spikes: true, high: true };
	stats = new Map(); // name -> summary of the frames shown
	highs = new Map(); // name -> { value, at }: the greatest since the page watches
	kinds = new Map();
	#app;
	#graphs;
	#cards = new Map();
	#selected = "";
	#length = 600;
	#end = -1; // the frame after the last that is shown while paused, or -1
	#pinned = -1; // the marked frame while paused
	#scratch = new Float64Array(1024);
	#statsAt = 0; // which name is next
	#statsRest = 0; // no statistics before that time
	#statsFor = new Map(); // name -> "from to" that they are of
	#highFrom = 0;
	#asked = false; // a frame of the browser has been asked for
	#hovered = NaN; // where the pointer is, as a part of the frames shown
	#drawRest = 0;
	#wrote = 0;
	#tabled = 0;
	#shown = false;
	#poll = 0;
	#count = -1;

	constructor(root, app) {
		this.#app = app;
		this.#graphs = graphsOf(app);
		this.stream = new FrameStream(app.server, this.frames);
		// Of a graph that is paused only the strip above changes.
		this.stream.onRows = () => { if (this.#end < 0 || performance.now() - this.#wrote > 500) this.redraw(); };
		this.stream.onTrouble = text => app.status("counters", text && "no frames: " + text, "bad");
		this.latency = new Latency(this.frames, this.stream);
		this.tree = new CounterTree({
			graph: name => this.#graph(name),
			addToSelected: names => this.add(this.#selected || this.#graphs.list[0]?.name || this.#graphs.fresh(names[0]), names),
			search: text => app.state.set("c.q", text),
			uses: name => this.#colorOf(name),
		});
		this.table = new CounterTable(this);
		this.overview = new Overview(this);
		this.board = element("div", { className: "board" });
		this.hiddenBar = element("div", { className: "bar hiddenbar", hidden: true });
		this.empty = element("p", { className: "empty dim" });
		this.empty.append("Click a counter to graph it, drag it onto a graph to add it, or type ", element("code", { textContent: "graph add NAME COUNTER" }), " below. Press ? for keys.");
		const pane = element("div", { className: "pane" }, this.#toolbar(), this.overview.canvas, this.hiddenBar, this.board, this.table.el);
		root.append(element("div", { className: "columns counters" }, this.tree.el, pane));
		root.addEventListener("keydown", e => { if ((e.key === " " || e.key === "Enter") && e.target.closest("button, summary")) e.stopPropagation(); });
		this.#keys();
		this.#load();
		this.#graphs.onChange(() => this.#sync());
		this.board.addEventListener("dragover", e => { if (e.dataTransfer.types.includes("text/x-counters")) e.preventDefault(); });
		this.board.addEventListener("drop", e => {
			if (e.defaultPrevented) return;
			e.preventDefault();
			const names = JSON.parse(e.dataTransfer.getData("text/x-counters") || "[]");
			if (names.length) this.add(this.#graphs.fresh(names[0]), names);
		});
		this.seen = new IntersectionObserver(list => {
			for (const e of list) {
				const card = [...this.#cards.values()].find(c => c.el === e.target);
				if (card) card.visible = e.isIntersecting;
			}
			this.redraw();
		}, { root: pane });
		new ResizeObserver(() => this.redraw()).observe(pane);
		document.addEventListener("visibilitychange", () => this.#polling());
		this.#sync();
	}

	get palette() { return this.#app.palette; }

	#toolbar() {
		const button = (text, title, run) => element("button", { type: "button", textContent: text, title, onclick: run });
		this.pauseButton = button("Pause", "Space", () => this.pause(this.#end < 0));
		this.lengthBox = element("select", { title: "frames shown (+ and -)", ariaLabel: "frames shown", onchange: () => this.#setLength(Number(this.lengthBox.value)) });
		for (const n of lengths) this.lengthBox.append(element("option", { value: n, textContent: n.toLocaleString("en-US") + " frames" }));
		const toggle = (text, key, title) => {
			const b = button(text, title, () => {
				this.view[key] = !this.view[key];
				this.#save();
				this.redraw();
			});
			b.key = key;
			return b;
		};
		this.toggles = [toggle("EMA", "ema", "exponential moving average, which begins at the first value"), toggle("SMA", "sma", "mean of the last frames"),
			toggle("spikes", "spikes", "frames above twice the median"), toggle("high water", "high", "the greatest value since the page watches")];
		this.slider = element("input", { type: "range", min: 2, max: 240, title: "window of the averages", ariaLabel: "window of the averages in frames", oninput: () => {
			this.view.window = Number(this.slider.value);
			this.#save();
			this.redraw();
		} });
		this.windowText = element("span", { className: "dim windowtext" });
		this.where = element("span", { className: "where" });
		this.tableButton = button("Table", "t", () => this.toggleTable());
		return element("div", { className: "bar toolbar" }, this.pauseButton, this.lengthBox, this.toggles[0], this.toggles[1], this.slider, this.windowText, this.toggles[2], this.toggles[3], this.tableButton, this.where);
	}

	#keys() {
		const key = (k, text, run) => this.#app.key(k, text, run, "counters");
		key(" ", "pause, go on", () => this.pause(this.#end < 0));
		key("ArrowLeft", "a frame back; 10 with Shift", e => this.mark(this.#present() - (e.shiftKey ? 10 : 1)));
		key("ArrowRight", "a frame on; 10 with Shift", e => this.mark(this.#present() + (e.shiftKey ? 10 : 1)));
		key("PageUp", "a page of frames back", () => this.scrollTo(this.view.until - Math.round(this.#length * .9)));
		key("PageDown", "a page of frames on", () => this.scrollTo(this.view.until + Math.round(this.#length * .9)));
		key("Home", "the oldest frame", () => this.mark(this.frames.first));
		key("End", "the newest frame, and go on", () => this.pause(false));
		key("+", "fewer frames", () => this.zoom(.5));
		key("-", "more frames", () => this.zoom(2));
		key("n", "the next spike of the selected graph", () => this.#nextSpike(1));
		key("p", "the spike before", () => this.#nextSpike(-1));
		key("e", "exponential moving average", () => this.toggles[0].click());
		key("s", "simple moving average", () => this.toggles[1].click());
		key("t", "table", () => this.toggleTable());
	}

	// --- state in the URL

	#load() {
		const state = this.#app.state, view = this.view, number = (key, otherwise) => {
			const v = state.get(key);
			return v !== "" && Number.isFinite(Number(v)) ? Math.floor(Number(v)) : otherwise;
		};
		this.#length = Math.max(10, Math.min(100_000, number("c.frames", 600)));
		this.#end = number("c.end", -1);
		this.#pinned = number("c.at", -1);
		const on = state.get("c.show", "spikes high").split(" ");
		for (const key of ["ema", "sma", "spikes", "high"]) view[key] = on.includes(key);
		view.window = Math.max(2, Math.min(240, number("c.window", 20)));
		this.tree.search.value = state.get("c.q");
		this.table.el.hidden = state.get("c.table") === "";
		this.#tools();
	}

	#save() {
		this.#tabled = 0; // shows other frames
		const state = this.#app.state, view = this.view;
		state.set("c.frames", this.#length === 600 ? "" : this.#length);
		state.set("c.end", this.#end < 0 ? "" : this.#end);
		state.set("c.at", this.#pinned < 0 ? "" : this.#pinned);
		const on = ["ema", "sma", "spikes", "high"].filter(k => view[k]).join(" ");
		state.set("c.show", on === "spikes high" ? "" : on || "none");
		state.set("c.window", view.window === 20 ? "" : view.window);
		this.#tools();
	}

	#tools() {
		this.pauseButton.textContent = this.#end < 0 ? "Pause" : "Go on";
		this.pauseButton.setAttribute("aria-pressed", String(this.#end >= 0));
		if (!lengths.includes(this.#length)) {
			this.lengthBox.custom?.remove();
			this.lengthBox.custom = element("option", { value: this.#length, textContent: this.#length + " frames" });
			this.lengthBox.prepend(this.lengthBox.custom);
		}
		this.lengthBox.value = String(this.#length);
		for (const b of this.toggles) b.setAttribute("aria-pressed", String(this.view[b.key]));
		this.slider.value = String(this.view.window);
		this.slider.disabled = !this.view.ema && !this.view.sma;
		this.windowText.textContent = this.view.window + " frames";
		this.tableButton.setAttribute("aria-pressed", String(!this.table.el.hidden));
	}

	// --- what cards, the tree and the table ask for

	change(name, how) {
		const g = this.#graphs.of(name);
		if (!g) return;
		how(g);
		this.#graphs.changed();
	}
	remove(name) { this.#graphs.apply([{ do: "remove", graph: name }]); }
	add(name, names) { this.#graphs.apply([{ do: "add", graph: name, names }]); this.select(name); }
	say(text) { this.#app.say(text); }

	#graph(name) {
		const g = this.#graphs.list.find(g => g.series.length === 1 && g.series[0] === name);
		if (g?.hidden) return this.change(g.name, g => { g.hidden = false; });
		if (!g) return this.add(this.#graphs.fresh(name), [name]);
		this.select(g.name);
		this.#cards.get(g.name)?.el.scrollIntoView({ block: "nearest" });
	}

	select(name) {
		this.#selected = name;
		for (const [n, c] of this.#cards) c.el.classList.toggle("selected", n === name);
	}

	get selected() { return this.#graphs.list.find(g => g.name === this.#selected && !g.hidden) ?? this.#graphs.list.find(g => !g.hidden); }
	shownNames() { return [...new Set(this.#graphs.list.filter(g => !g.hidden).flatMap(g => g.series))]; }
	log(graph) {
		this.toggleTable(true);
		this.table.mode("frames", graph.series);
	}
	tableMode(mode) { this.#app.state.set("c.table", mode); }
	toggleTable(on = this.table.el.hidden) {
		this.table.el.hidden = !on;
		if (on) this.table.mode("sums");
		else this.#app.state.set("c.table", "");
		this.#tools();
		this.#watch();
		this.redraw();
	}

	#colorOf(name) {
		for (const g of this.#graphs.list) {
			const i = g.hidden ? -1 : g.series.indexOf(name);
			if (i >= 0) return lookOf(this.palette, i).color;
		}
		return "";
	}

	// sync makes the cards those of the graphs.
	#sync() {
		const wanted = this.#graphs.list.filter(g => !g.hidden);
		for (const [name, card] of this.#cards) {
			if (wanted.some(g => g.name === name)) continue;
			this.seen.unobserve(card.el);
			card.el.remove();
			this.#cards.delete(name);
		}
		let before = null;
		for (const g of wanted) {
			let card = this.#cards.get(g.name);
			if (card) card.update(g);
			else {
				card = new GraphCard(this, g);
				this.#cards.set(g.name, card);
				this.seen.observe(card.el);
			}
			const place = before ? before.nextSibling : this.board.firstChild;
			if (place !== card.el) this.board.insertBefore(card.el, place);
			before = card.el;
		}
		const hidden = this.#graphs.list.filter(g => g.hidden);
		this.hiddenBar.hidden = hidden.length === 0;
		this.hiddenBar.replaceChildren(element("span", { className: "dim", textContent: "hidden:" }), ...hidden.map(g =>
			element("button", { type: "button", textContent: g.name, title: "show again", onclick: () => this.change(g.name, g => { g.hidden = false; }) })));
		if (this.#graphs.list.length === 0) this.board.append(this.empty);
		else this.empty.remove();
		this.select(this.selected?.name ?? "");
		this.tree.list.draw(undefined, true);
		this.#watch();
		this.redraw();
	}

	// watch asks for what is looked at. A page that is in the background goes on, so that
	// one can look back when it is in front again.
	#watch() {
		const names = this.#shown ? this.shownNames() : [];
		const detail = this.table.el.hidden ? [] : this.table.names.filter(n => this.kinds.get(n) === "timer");
		this.stream.want(names, names.length ? detail : []);
		const keep = new Set(names);
		for (const map of [this.stats, this.highs, this.#statsFor]) for (const name of map.keys()) if (!keep.has(name)) map.delete(name);
	}

	// --- time

	#present() { return this.#end >= 0 && this.#pinned >= 0 ? this.#pinned : this.frames.next - 1; }

	pause(on) {
		this.#end = on ? Math.max(this.frames.next, 1) : -1;
		this.#pinned = on ? Math.min(this.frames.next - 1, this.#end - 1) : -1;
		this.#save();
		this.redraw();
	}

	// scrollTo pauses with frames up to one shown; at the newest it goes on.
	scrollTo(to) {
		const least = Math.min(this.frames.next, this.frames.first + Math.min(this.#length, 20));
		this.#end = Math.max(least, Math.min(to, this.frames.next));
		if (to >= this.frames.next) {
			this.#end = this.#pinned = -1;
		} else if (this.#pinned < 0) this.#pinned = this.#end - 1;
		this.#save();
		this.redraw();
	}

	// mark pauses at a frame.
	mark(frame) {
		const { frames } = this;
		if (!Number.isFinite(frame) || frames.length === 0) return;
		frame = Math.max(frames.first, Math.min(frames.next - 1, frame));
		if (this.#end < 0) this.#end = frames.next;
		this.#pinned = frame;
		if (frame < this.#end - this.#length || frame >= this.#end) this.#end = Math.min(frames.next, frame + Math.ceil(this.#length / 2));
		this.#save();
		this.redraw();
	}

	hover(part) {
		this.#hovered = part;
		this.redraw(true);
	}

	zoom(by) { this.#setLength(Math.round(this.#length * by)); }

	#setLength(n) {
		this.#length = Math.max(10, Math.min(100_000, n));
		this.#save();
		this.redraw();
	}

	#nextSpike(direction) {
		const g = this.selected, { frames } = this;
		if (!g) return;
		for (let n = this.#present() + direction; n >= frames.first && n < frames.next; n += direction) {
			if (g.series.some(s => frames.value(s, n) > (this.stats.get(s)?.over ?? Infinity))) return this.mark(n);
		}
		this.say("no more spikes");
	}

	// openTimeline shows what was recorded around a frame.
	async openTimeline(frame) {
		const time = this.frames.time(frame), before = this.frames.time(frame - 1);
		if (Number.isNaN(time)) return;
		try {
			const info = await this.#app.server.get("api/info");
			const recordings = info.recordings ?? [];
			const i = recordings.findIndex(r => time * 1e6 >= r.start && (r.live || time * 1e6 <= r.start + r.dur));
			if (i < 0) return;
			const took = Number.isNaN(before) ? 20 : Math.min(1000, time - before);
			const state = this.#app.state, end = time * 1e6 - recordings[i].start;
			state.set("rec", i);
			state.set("from", Math.max(0, Math.round(end - took * 3e6)));
			state.set("to", Math.round(end + took * 2e6));
			this.#app.open("timeline");
		} catch (e) {
			this.say(e.message);
		}
	}

	// --- drawing

	// redraw draws soon; now if what was drawn last took little.
	redraw(now = false) {
		if (now) this.#drawRest = 0;
		if (this.#asked || !this.#shown) return;
		this.#asked = true;
		requestAnimationFrame(time => this.#draw(time));
	}

	#draw(time) {
		this.#asked = false;
		if (!this.#shown) return;
		if (time < this.#drawRest) { // many frames are shown: leave time for others
			this.redraw();
			return;
		}
		const began = performance.now(), { view, frames } = this;
		const to = this.#end < 0 ? frames.next : Math.min(this.#end, Math.max(frames.next, 1));
		view.from = Math.max(0, to - this.#length);
		view.to = view.from + this.#length;
		view.until = Math.min(to, frames.next);
		view.cursor = this.#hovered >= 0 && this.#hovered < 1 ? Math.floor(view.from + this.#hovered * this.#length) : -1;
		view.marked = this.#end < 0 ? frames.next - 1 : this.#pinned;
		if (view.marked < frames.first) view.marked = -1;
		this.#highWater();
		const more = this.#statistics(3);
		for (const card of this.#cards.values()) card.draw();
		if (this.#end < 0) this.latency.drawn();
		if (time - this.#wrote > 150 || view.cursor >= 0 || this.#end >= 0) {
			this.#wrote = time;
			for (const card of this.#cards.values()) card.write();
			this.overview.draw(time);
			this.#whereText();
			this.#app.status("latency", this.latency.text());
		}
		if (time - this.#tabled > (this.#length > 3000 ? 2000 : 500)) {
			this.#tabled = time;
			this.table.update();
		}
		const took = performance.now() - began;
		this.#drawRest = took > 8 ? time + 2 * took : 0;
		if (more && this.#end >= 0) this.redraw();
	}

	#whereText() {
		const { view, frames } = this, t = frames.time(view.marked);
		const text = frames.length === 0 ? "" : `frame ${view.marked}` + (Number.isNaN(t) ? "" : " · " + new Date(t).toISOString().slice(11, 23) + "Z") + (this.#end >= 0 ? ` · ${frames.next - 1 - view.marked} behind` : "");
		if (this.where.textContent !== text) this.where.textContent = text;
	}

	#highWater() {
		const { frames } = this;
		if (frames.next < this.#highFrom) { // another program
			this.highs.clear();
			this.#highFrom = 0;
		}
		for (const name of this.shownNames()) {
			const c = frames.columns.get(name);
			if (!c) continue;
			let h = this.highs.get(name);
			let n = Math.max(frames.first, this.#highFrom);
			if (!h) {
				h = { value: -Infinity, at: -1 };
				this.highs.set(name, h);
				n = frames.first;
			}
			for (; n < frames.next; n++) {
				const v = c[n % frames.capacity];
				if (v > h.value) {
					h.value = v;
					h.at = n;
				}
			}
		}
		this.#highFrom = frames.next;
	}

	// statistics brings those of some series up to date, for so many milliseconds, and
	// reports whether some are not.
	#statistics(budget) {
		const { view, frames } = this, names = [...this.highs.keys()];
		const began = performance.now();
		if (names.length === 0 || began < this.#statsRest) return names.length > 0;
		const from = Math.max(view.from, frames.first), to = view.until, count = Math.max(0, to - from), key = from + " " + to;
		if (this.#scratch.length < count) this.#scratch = new Float64Array(count * 2);
		let left = names.length;
		for (; left > 0; left--) {
			const name = names[this.#statsAt++ % names.length];
			if (this.#statsFor.get(name) === key) continue;
			frames.copy(name, from, to, this.#scratch);
			let s = this.stats.get(name);
			if (!s) this.stats.set(name, s = {});
			summarize(this.#scratch, count, s);
			this.#statsFor.set(name, key);
			if (performance.now() - began > budget) break;
		}
		// Live ones are a little old: they change with each frame.
		const took = performance.now() - began;
		this.#statsRest = this.#end >= 0 ? 0 : began + Math.max(took * 8, left > 1 ? 0 : 100);
		return left > 1;
	}

	// --- the tree and its values

	#polling() {
		clearTimeout(this.#poll);
		if (this.#shown && !document.hidden) this.#ask();
	}

	async #ask() {
		const seen = this.#count < 0 ? [] : this.tree.seen();
		let length = 0;
		const names = seen.filter(n => (length += n.length * 1.5) < 12_000);
		try {
			const began = performance.now();
			let got = await this.#app.server.get("api/counters", { names: this.#count < 0 ? [] : names.length ? names : ["\n"] });
			this.latency.clock(got.now, began, performance.now());
			if (got.count !== this.#count) {
				if (this.#count >= 0) got = await this.#app.server.get("api/counters");
				this.#count = got.count;
				this.kinds = new Map(got.names.map(n => [n.name, n.kind]));
				this.tree.set(got.names);
				this.#watch();
				this.redraw();
			} else this.tree.values(got.names);
		} catch {
			this.#count = -1; // perhaps of another program when it comes back
		}
		clearTimeout(this.#poll);
		if (this.#shown && !document.hidden) this.#poll = setTimeout(() => this.#ask(), 1000);
	}

	// --- the tab

	show() {
		this.#shown = true;
		this.#graphs.load();
		this.#load();
		for (const card of this.#cards.values()) card.recolor();
		this.tree.rows();
		if (!this.table.el.hidden) this.table.mode(this.#app.state.get("c.table") === "frames" ? "frames" : "sums");
		this.#watch();
		this.#polling();
		this.redraw(true);
	}

	hide() {
		this.#shown = false;
		this.#watch();
		this.#polling();
		this.#app.status("latency", "");
	}
}

