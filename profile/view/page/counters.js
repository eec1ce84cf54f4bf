// Counters as graphs and a table.

import { Shown } from "./countershown.js";
import { Statistics } from "./counterstats.js";
import { CounterTable } from "./countertable.js";
import { CounterTree } from "./countertree.js";
import { FrameStream, partOf } from "./frames.js";
import { GraphCard, element, lookOf } from "./graph.js";
import { Graphs } from "./graphs.js";
import { Latency } from "./latency.js";
import { Overview } from "./overview.js";
import { Frames } from "./series.js";

export const tab = { id: "counters", title: "Counters", shown: info => info.counters, mount: (root, app) => new CountersTab(root, app) };

// graphsOf returns the graphs of a page, which there are before the tab is.
export function graphsOf(app) { return app.graphs ??= new Graphs(app.state); }

class CountersTab {
	frames = new Frames();
	kinds = new Map();
	spans = new Set(); // names with several values in some frames
	#app;
	#graphs;
	#statistics;
	#cards = new Map();
	#selected = "";
	#asked = false; // a frame of the browser has been asked for
	#drawRest = 0;
	#last = 0;
	#wrote = 0;
	#tabled = 0;
	#visible = false; // the tab is
	#poll = 0;
	#count = -1;

	constructor(root, app) {
		this.#app = app;
		this.#graphs = graphsOf(app);
		this.#statistics = new Statistics(this.frames);
		this.shown = new Shown(this.frames, app.state, () => {
			this.#tabled = 0; // it shows other frames
			this.redraw();
		});
		this.tableButton = element("button", { type: "button", textContent: "Table", title: "t", onclick: () => this.toggleTable() });
		this.shown.where.before(this.tableButton);
		this.stream = new FrameStream(app.server, this.frames);
		// Of a graph that is paused only the strip above changes.
		this.stream.onRows = () => { if (!this.shown.paused || performance.now() - this.#wrote > 500) this.redraw(); };
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
		const pane = element("div", { className: "pane" }, this.shown.bar, this.overview.canvas, this.hiddenBar, this.board, this.table.el);
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

	get view() { return this.shown.view; }
	get stats() { return this.#statistics.of; }
	summarize(name, from, to) { return this.#statistics.summarize(name, from, to); }
	get highs() { return this.#statistics.highs; }

	#keys() {
		const key = (k, text, run) => this.#app.key(k, text, run, "counters");
		this.shown.keys(key);
		key("n", "the next spike of the selected graph", () => this.#nextSpike(1));
		key("p", "the spike before", () => this.#nextSpike(-1));
		key("t", "table", () => this.toggleTable());
	}

	#load() {
		this.shown.load();
		this.tree.search.value = this.#app.state.get("c.q");
		this.table.el.hidden = this.#app.state.get("c.table") === "";
		this.#tools();
	}

	#tools() { this.tableButton.setAttribute("aria-pressed", String(!this.table.el.hidden)); }

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
		const names = this.#visible ? this.shownNames() : [];
		const extremes = names.filter(n => this.spans.has(n)).flatMap(n => [partOf(n, "min"), partOf(n, "max")]);
		const detail = this.table.el.hidden ? [] : this.table.names.filter(n => this.kinds.get(n) === "timer");
		this.stream.want([...names, ...extremes], names.length ? detail : []);
		this.#statistics.keep(names);
	}

	// --- time

	mark(frame) { this.shown.mark(frame); }
	scrollTo(frame) { this.shown.scrollTo(frame); }
	zoom(by) { this.shown.zoom(by); }
	hover(part) {
		this.shown.hover(part);
		this.redraw(true);
	}

	#nextSpike(direction) {
		const g = this.selected, { frames } = this;
		if (!g) return;
		for (let n = this.shown.present + direction; n >= frames.first && n < frames.next; n += direction) {
			if (g.series.some(s => frames.peak(s, n) > (this.stats.get(s)?.over ?? Infinity))) return this.mark(n);
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
		if (this.#asked || !this.#visible) return;
		this.#asked = true;
		requestAnimationFrame(time => this.#draw(time));
	}

	#draw(time) {
		this.#asked = false;
		if (!this.#visible) return;
		if (time < this.#drawRest) { // many frames are shown: leave time for others
			this.redraw();
			return;
		}
		const began = performance.now(), { view, paused } = this.shown;
		this.shown.update();
		this.#statistics.highWater();
		const more = this.#statistics.update(view, paused, 3);
		for (const card of this.#cards.values()) card.draw();
		if (!paused) this.latency.drawn();
		const tableEvery = this.shown.length > 3000 ? 2000 : 500;
		if (time - this.#wrote > 150 || view.cursor >= 0 || paused) {
			this.#wrote = time;
			for (const card of this.#cards.values()) card.write();
			this.overview.draw(time);
			this.shown.write();
			this.#app.status("latency", this.latency.text());
		}
		if (time - this.#tabled > tableEvery) {
			this.#tabled = time;
			this.table.update();
		}
		clearTimeout(this.#last); // what was not written or tabled, if no more frames come
		if (this.#wrote < time || this.#tabled < time) this.#last = setTimeout(() => this.redraw(), tableEvery + 50);
		const took = performance.now() - began;
		this.#drawRest = took > 8 ? time + 2 * took : 0;
		if (more && paused) this.redraw();
	}

	// --- the tree and its values

	#polling() {
		clearTimeout(this.#poll);
		if (this.#visible && !document.hidden) this.#ask();
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
				this.spans = new Set(got.names.filter(n => n.spans).map(n => n.name));
				this.tree.set(got.names);
				this.#watch();
				this.redraw();
			} else this.tree.values(got.names);
		} catch {
			this.#count = -1; // perhaps of another program when it comes back
		}
		clearTimeout(this.#poll);
		if (this.#visible && !document.hidden) this.#poll = setTimeout(() => this.#ask(), 1000);
	}

	// --- the tab

	show() {
		this.#visible = true;
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
		this.#visible = false;
		this.#watch();
		this.#polling();
		this.#app.status("latency", "");
	}
}

