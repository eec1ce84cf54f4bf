// Memory: a tree of what is held beside a map of it, the groups over time, and tables of
// groups, pools, sizes, changes, single allocations and the Go heap.

import { Heap } from "./memory-heap.js";
import { Changes, Groups, Pools } from "./memory-tables.js";
import { Icicle } from "./memory-icicle.js";
import { List } from "./memory-list.js";
import { OverTime } from "./memory-time.js";
import { Tree } from "./memory-tree.js";
import { bytes, count, el, field } from "./format.js";

export const tab = {
	id: "memory", title: "Memory",
	shown: info => info.memory || info.snapshots?.length > 0,
	mount: (root, app) => new Memory(root, app),
};

const orders = ["worker,scope,pool", "group,name,scope", "asset,scope,pool", "worker,group,scope,name", "group,worker,asset", "pool,asset", "scope,group"];
const filters = [["worker", "thread"], ["group", "group"], ["name", "pool"], ["scope", "scope or asset"]];
const panels = [["list", "Allocations", "a"], ["groups", "Groups", "g"], ["pools", "Pools and sizes", "p"], ["changes", "Changes", "d"], ["heap", "Go heap", "h"]];
const interval = 1000; // of samples of what runs

class Memory {
	#app; #root; #tree; #icicle; #time; #list; #tables = {}; #bits = {}; #timer = 0; #asked = null; #paused = false; #summary = null; #turn = 0; #took = 0;

	constructor(root, app) {
		this.#app = app;
		this.#root = root;
		this.snapshots = app.info.snapshots ?? [];
		root.classList.add("memory");
		this.#build();
		const key = (k, text, run) => app.key(k, text, run, "memory");
		key("s", "take a snapshot", () => this.take());
		key("c", "compare with the latest snapshot, or no more", () => this.compare());
		key("r", "list the allocations anew", () => this.load(true));
		key("o", "next order of levels", () => this.nextOrder());
		key(" ", "pause, or follow what runs", () => this.pause());
		key("t", "to the tree (arrows, Enter, Home, End)", () => this.#tree.focus());
		key("l", "to the list", () => { this.panel("list"); this.#list.focus(); });
		key("Escape", "choose all again", () => this.choose([]));
		for (const [id, title, k] of panels) key(k, title.toLowerCase(), () => this.panel(id));
	}

	// What the URL says.
	get(key, otherwise) { return this.#app.state.get("m." + key, otherwise); }
	set(key, value, push) { this.#app.state.set("m." + key, value, push); }
	get live() { return this.snap === "live"; }
	get snap() { return this.get("snap", this.#app.info.memory ? "live" : this.snapshots.at(-1)?.id ?? ""); }
	get base() { return this.get("base", this.#pair) === "-" ? "" : this.get("base", this.#pair); }
	set base(id) { this.set("base", id === "" && this.#pair ? "-" : id, true); }
	// Two files and nothing else are compared, unless the URL says otherwise.
	get #pair() { return !this.#app.info.memory && this.snapshots.length === 2 ? this.snapshots[0].id : ""; }
	get by() { return this.get("by", orders[0]); }
	get order() { return this.get("order", this.base ? "growth" : this.#spent ? "peak" : "bytes"); }
	// If a program has freed all its memory, such as a finished cook, the page shows the peaks.
	get empty() { return this.get("empty", this.#spent ? "1" : "") === "1"; }
	get #spent() { return this.base === "" && this.#summary?.snap === this.snap && this.#summary.usage.bytes === 0 && this.#summary.groups.some(g => g.peak > 0); }
	get #hasHeap() { return this.#app.info.heap || this.snapshots.some(s => s.heap); }
	// A program without pools has only its Go heap.
	get #panel() { return this.get("panel", this.#hasHeap && this.#summary?.groups.length === 0 ? "heap" : this.base ? "changes" : "list"); }
	get path() { return this.#app.state.all("m.path"); }
	get app() { return this.#app; }

	// query is the selection, as the server takes it.
	query(path = this.path) {
		const q = { snap: this.snap, base: this.base, by: this.by, path, empty: this.empty ? "1" : "" };
		for (const [f] of filters) q[f] = this.get(f);
		return q;
	}

	#build() {
		const b = this.#bits;
		const change = () => { this.choose([], false); this.load(); };
		const select = (key, label) => {
			b[key] = el("select", { ariaLabel: label, title: label, onchange: () => { key === "base" ? this.base = b.base.value : this.set(key, b[key].value, true); key === "snap" || key === "base" ? this.load(true) : change(); } });
			return b[key];
		};
		b.take = el("button", { type: "button", textContent: "Snapshot", title: "Keep what is held now (s)", onclick: () => this.take() });
		b.pause = el("button", { type: "button", textContent: "Pause", title: "Stop following (Space)", onclick: () => this.pause() });
		b.empty = el("button", { type: "button", textContent: "Empty ones", title: "Also what holds nothing any more, with its peak" });
		b.empty.onclick = () => { this.set("empty", this.empty ? "0" : "1"); this.load(); };
		b.save = el("a", { textContent: "File", title: "The snapshot as a file that this page and programs read", className: "button" });
		b.csv = el("a", { textContent: "CSV", title: "The rows of the tree", className: "button" });
		const bar = el("div", { className: "bar" },
			field("Show", select("snap", "Snapshot that is shown")), field("against", select("base", "Earlier snapshot to compare with")), b.take, b.pause, b.save, b.csv,
			field("by", select("by", "Order of the levels of the tree (o)")), b.empty);
		for (const [f, label] of filters) {
			const first = f === "worker";
			b[f] = el("input", { type: first ? "search" : "text", placeholder: label, ariaLabel: "Filter: " + label, title: "Only what has this in the name of its " + label, className: "filter" });
			b[f].oninput = () => { this.set(f, b[f].value); clearTimeout(b.typing); b.typing = setTimeout(change, 250); };
			bar.append(b[f]);
		}
		b.tiles = el("div", { className: "tiles" });
		this.#time = new OverTime(this.#app);
		const top = el("div", { className: "top" }, b.tiles, this.#time.root);
		this.#tree = new Tree(this);
		this.#icicle = new Icicle(this);
		this.#list = new List(this);
		this.#tables = { groups: new Groups(this), pools: new Pools(this), changes: new Changes(this), heap: new Heap(this) };
		b.panels = el("nav", { role: "tablist", ariaLabel: "Tables" });
		for (const [id, title, k] of panels) b.panels.append(el("button", { type: "button", role: "tab", id: "m-" + id, textContent: title, title: `${title} (${k})`, onclick: () => this.panel(id) }));
		b.panel = el("div", { className: "panel" });
		b.chosen = el("div", { className: "chosen mono" });
		this.#root.append(bar, top, el("div", { className: "halves" }, this.#tree.root, el("div", { className: "right" }, this.#icicle.root, b.chosen, b.panels, b.panel)));
		new ResizeObserver(() => { this.#icicle.draw(); this.#time.draw(); }).observe(this.#root);
	}

	show() {
		this.#fill();
		this.load();
		this.#time.draw();
		clearInterval(this.#timer);
		if (this.#app.info.memory) this.#timer = setInterval(() => this.#sample(), interval);
	}

	hide() {
		clearInterval(this.#timer);
		this.#asked?.abort();
	}

	// #fill shows the state in the controls.
	#fill() {
		const b = this.#bits;
		const options = (select, list, value) => {
			if (!list.some(([v]) => v === value)) list.push([value, value]);
			select.replaceChildren(...list.map(([value, textContent]) => el("option", { value, textContent })));
			select.value = value;
		};
		const known = this.snapshots.map(s => [s.id, s.file ? s.name : `${s.name}, ${new Date(s.at / 1e6).toLocaleTimeString()}`]);
		options(b.snap, this.#app.info.memory ? [["live", "now (live)"], ...known] : known, this.snap);
		options(b.base, [["", "nothing"], ...(this.#app.info.memory ? [["live", "now (live)"]] : []), ...known], this.base);
		options(b.by, orders.map(o => [o, o.replaceAll(",", " › ")]), this.by);
		for (const [f] of filters) if (document.activeElement !== b[f]) b[f].value = this.get(f);
		b.empty.ariaPressed = String(this.empty);
		b.take.hidden = !this.#app.info.memory;
		b.pause.hidden = !this.#app.info.memory || !this.live;
		b.pause.textContent = this.#paused ? "Follow" : "Pause";
		b.save.href = this.#app.server.url("api/memory/file", { snap: this.snap });
		b.csv.href = this.#app.server.url("api/memory/rows.csv", { snap: this.snap });
		const open = this.#panel;
		this.#root.classList.toggle("of-heap", open === "heap");
		document.getElementById("m-heap").hidden = !this.#hasHeap;
		for (const [id] of panels) document.getElementById("m-" + id)?.setAttribute("aria-selected", String(id === open));
		this.#time.root.hidden = !this.#app.info.memory;
		const view = open === "list" ? this.#list : this.#tables[open] ?? this.#tables.groups;
		if (b.panel.firstChild !== view.root) b.panel.replaceChildren(view.root);
	}

	// load asks for all that is shown.
	async load(fresh = false) {
		this.#fill();
		if (await this.#loadTree()) {
			this.#list.load(fresh);
			if (this.#panel === "heap") this.#tables.heap.load(fresh);
			if (this.base) this.#tables.changes.load(fresh);
			else this.#tables.changes.none();
		}
	}

	async #loadTree() {
		this.#asked?.abort();
		const asked = this.#asked = new AbortController();
		const began = performance.now();
		try {
			const tree = () => this.#app.server.get("api/memory", { ...this.query([]), order: this.order, reverse: this.get("reverse") }, asked.signal);
			const { snap, base } = this, spent = this.#spent;
			let [node, summary] = await Promise.all([tree(), this.#app.server.get("api/memory/summary", { snap, base }, asked.signal)]);
			this.#summary = { ...summary, snap };
			if (spent !== this.#spent) node = await tree();
			this.#fill();
			this.#took = performance.now() - began;
			this.#app.status("memory", "");
			this.#tree.set(node);
			this.#icicle.set(node);
			this.#tiles();
			this.#tables.groups.set(summary, this.base !== "");
			this.#tables.pools.set(summary);
			this.#chosen();
			return true;
		} catch (e) {
			if (e.name === "AbortError") return false;
			this.#app.status("memory", e.message, "bad");
			if (/no snapshot/.test(e.message)) this.#forget();
			return false;
		}
	}

	// #forget leaves a snapshot that is not there any more.
	async #forget() {
		this.snapshots = (await this.#app.server.get("api/info")).snapshots;
		for (const key of ["snap", "base"]) if (!this.snapshots.some(s => s.id === this.get(key)) && this.get(key) !== "live") this.set(key, "");
		this.load(true);
	}

	// more returns what the server left out of the tree. What runs is not followed any more,
	// as the next tree would be without it.
	async more(path, skip) {
		if (this.live && !this.#paused) this.pause();
		return this.#app.server.get("api/memory", { ...this.query(path), order: this.order, reverse: this.get("reverse"), skip });
	}

	async #sample() {
		if (document.hidden) return;
		try {
			this.#time.add(await this.#app.server.get("api/memory/groups"));
			// A large tree is asked for less often.
			if (this.live && !this.#paused && ++this.#turn * interval > 20 * this.#took + interval) {
				this.#turn = 0;
				await this.#loadTree();
			}
		} catch (e) {
			this.#app.status("memory", e.message, "bad");
		}
	}

	#tiles() {
		const s = this.#summary, u = s.usage, was = s.was;
		const tile = (name, value, old, title, kind = "") => {
			const t = el("div", { className: "tile " + kind, title }, el("span", { className: "dim", textContent: name }), el("b", { textContent: value }));
			if (old !== undefined) t.append(el("span", { className: "dim", textContent: "was " + old }));
			return t;
		};
		const old = (f, show = bytes) => was ? show(was[f]) : undefined;
		const share = (a, b) => b > 0 ? ` (${Math.round(100 * a / b)}%)` : "";
		const tiles = [
			tile("held", bytes(u.bytes), old("bytes"), "Bytes in slices and accounts"),
			tile("allocations", count(u.count), old("count", count), "Slices and accounts"),
		];
		const most = s.groups.reduce((sum, g) => sum + (g.name.includes("/") ? 0 : g.peak), 0);
		if (!u.peak && u.bytes === 0 && most > 0) tiles.push(tile("peak", "≤ " + bytes(most), undefined, "The peaks of the groups together; what was held at once is less or as much"));
		if (u.peak) tiles.push(tile("peak", bytes(u.peak), old("peak"), "The most bytes at once"));
		tiles.push(
			tile("from the system", bytes(u.held), old("held"), "What the pools have, with rounding and what is kept"),
			tile("rounding", bytes(u.rounding) + share(u.rounding, u.held), old("rounding"), "Internal fragmentation: what slices were given more than they asked for"),
			tile("kept", bytes(u.warm) + share(u.warm, u.held), old("warm"), "External fragmentation: given back and kept for reuse"),
			tile("tables", bytes(u.tables), old("tables"), "What the tracker itself takes"));
		if (s.untracked) tiles.push(tile("untracked", count(s.untracked), undefined, "Allocations in no row, as Options.Live is too small", "warn"));
		if (s.coarse) tiles.push(tile("coarse", count(s.coarse), undefined, "Scopes entered as the one around them, as Options.Scopes is too small", "warn"));
		if (s.unprotected) tiles.push(tile("unprotected", count(s.unprotected), undefined, "Slices of which accesses outside do not fault", "warn"));
		this.#bits.tiles.replaceChildren(...tiles);
	}

	#chosen() {
		const text = this.path.map(s => s.slice(s.indexOf(":") + 1)).join(" › ");
		this.#bits.chosen.textContent = text ? "below " + text : "all";
		this.#bits.chosen.title = text;
	}

	// choose limits map and list to the part of the tree at a path.
	choose(path, load = true) {
		this.#app.state.setAll("m.path", path);
		this.#tree.chosen(path);
		this.#icicle.draw();
		this.#chosen();
		if (load) this.#list.load();
	}

	panel(id) {
		this.set("panel", id);
		this.#fill();
		if (id === "list") this.#list.load();
		if (id === "heap") this.#tables.heap.load();
	}

	sort(order) {
		this.set("reverse", this.order === order && !this.get("reverse") ? "1" : "");
		this.set("order", order);
		this.#loadTree();
	}

	nextOrder() {
		this.set("by", orders[(orders.indexOf(this.by) + 1) % orders.length]);
		this.choose([], false);
		this.load();
	}

	pause() {
		this.#paused = !this.#paused;
		this.#fill();
	}

	async take() {
		if (!this.#app.info.memory) return;
		try {
			const taken = await this.#app.server.post("api/memory/snapshot", {});
			this.snapshots = (await this.#app.server.get("api/info")).snapshots;
			this.#time.mark(taken.name);
			this.#note(taken.gone.length ? `took ${taken.name}; the oldest, ${taken.gone.join(", ")}, went` : `took ${taken.name}`);
			if (taken.gone.length && this.base !== "live" && !this.snapshots.some(s => s.id === this.base)) this.base = "";
			this.#fill();
		} catch (e) {
			this.#app.status("memory", e.message, "bad");
		}
	}

	// #note says something in the header for some seconds.
	#note(text) {
		this.#app.status("memory note", text);
		clearTimeout(this.#bits.noted);
		this.#bits.noted = setTimeout(() => this.#app.status("memory note", ""), 6000);
	}

	compare() {
		const latest = this.snapshots.findLast(s => s.id !== this.snap);
		if (this.base === "" && !latest) {
			this.#note("take a snapshot first (s), to compare with");
			return;
		}
		this.base = this.base ? "" : latest.id;
		this.set("order", "");
		this.set("panel", "");
		this.load(true);
	}
}
