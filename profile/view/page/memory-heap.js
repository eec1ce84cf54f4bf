// The Go heap: what call stacks hold and have allocated, as a tree from the allocating line to
// its callers. The server reads the heap only when somebody asks for it here.

import { bytes, change, count, el, grew } from "./format.js";

const most = 200; // rows shown below a row; the rest is one row
const widest = 1000; // rows of the table
const columns = [["bytes", "in use"], ["objects", "objects"], ["allocated", "allocated"], ["allocations", "allocations"], ["freed", "freed"]];
const compared = [["bytes", "growth"], ["objects", "objects"], ["allocated", "allocated since"], ["allocations", "allocations"], ["freed", "freed again"]];
const says = {
	bytes: "Bytes of the objects in use", objects: "Objects in use", allocated: "Bytes allocated since the program started", allocations: "Objects allocated since the program started", freed: "Bytes allocated and freed since the program started",
};
const saysCompared = {
	bytes: "Change of the bytes in use", objects: "Change of the objects in use", allocated: "Bytes allocated between the two moments", allocations: "Objects allocated between the two moments", freed: "Bytes allocated less growth: what was allocated and freed again, or replaced what was freed",
};

// short is a function without the path of its package, and place its file and line.
const short = f => f.function.slice(f.function.lastIndexOf("/") + 1) || "(unknown function)";
const place = f => f.file ? f.file.split("/").slice(-2).join("/") + ":" + f.line : "";

export class Heap {
	#memory; #says; #search; #collect; #again; #table; #data = null; #key = ""; #turn = 0; #order = "bytes"; #back = false; #open = new Set(); #typing = 0;

	constructor(memory) {
		this.#memory = memory;
		this.#search = el("input", { type: "search", placeholder: "function or file", ariaLabel: "Search the call stacks" });
		this.#search.oninput = () => { clearTimeout(this.#typing); this.#typing = setTimeout(() => this.#draw(), 200); };
		this.#collect = el("button", { type: "button", textContent: "Collect garbage", title: "Run a garbage collection, then read the heap: as it is now", onclick: () => this.#collectGarbage() });
		this.#again = el("button", { type: "button", textContent: "Read again", title: "The heap as of the latest garbage collection (r)", onclick: () => this.load(true) });
		this.#says = el("span", { className: "dim", role: "status" });
		this.#table = el("div", { className: "scroll" });
		this.root = el("div", { className: "go-heap" }, el("div", { className: "bar" }, this.#collect, this.#again, this.#search, this.#says), this.#table);
	}

	// load reads the heap if another one is to be shown, or anew.
	async load(anew = false) {
		const { snap, base, app } = this.#memory, key = snap + " " + base;
		this.#collect.hidden = !app.info.heap;
		this.#again.hidden = !this.#memory.live;
		if (key === this.#key && !anew) return;
		const turn = ++this.#turn;
		try {
			const data = await app.server.get("api/memory/heap", { snap, base });
			if (turn !== this.#turn) return;
			if (key !== this.#key) this.#order = "bytes";
			this.#key = key;
			this.#data = { ...data, frames: data.frames ?? [], stacks: (data.stacks ?? []).map(s => ({ ...s, calls: s.calls ?? [] })), two: base !== "" };
		} catch (e) {
			if (turn !== this.#turn) return;
			this.#key = "";
			this.#data = null;
			this.#says.textContent = e.message;
			this.#table.replaceChildren();
			return;
		}
		this.#draw();
	}

	async #collectGarbage() {
		try {
			await this.#memory.app.server.post("api/memory/collect", {});
			await this.load(true);
		} catch (e) {
			this.#says.textContent = e.message;
		}
	}

	// #group sums stacks by the frame at a depth. A stack that ends there has no caller.
	#group(stacks, depth) {
		const groups = new Map();
		for (const s of stacks) {
			if (depth > 0 && depth >= s.calls.length) continue;
			const at = s.calls[depth] ?? -1;
			let g = groups.get(at);
			if (!g) groups.set(at, g = { frame: this.#data.frames[at] ?? { function: "", file: "", line: 0 }, at, stacks: [], bytes: 0, objects: 0, allocated: 0, allocations: 0 });
			g.stacks.push(s);
			g.bytes += s.inuse_bytes;
			g.objects += s.inuse_objects;
			g.allocated += s.allocated_bytes;
			g.allocations += s.allocated_objects;
		}
		for (const g of groups.values()) g.freed = g.allocated - g.bytes;
		const name = g => short(g.frame) + place(g.frame);
		const sign = this.#back ? -1 : 1;
		return [...groups.values()].sort((a, b) => sign * (this.#order === "name" ? (name(a) < name(b) ? -1 : 1) : b[this.#order] - a[this.#order] || b.allocated - a.allocated));
	}

	#draw() {
		if (!this.#data) return;
		const { two, rate, frames, at } = this.#data, text = this.#search.value.toLowerCase();
		const fits = frames.map(f => (f.function + " " + f.file + ":" + f.line).toLowerCase().includes(text));
		const stacks = text ? this.#data.stacks.filter(s => s.calls.some(c => fits[c])) : this.#data.stacks;
		const sum = stacks.reduce((t, s) => ({ bytes: t.bytes + s.inuse_bytes, allocated: t.allocated + s.allocated_bytes }), { bytes: 0, allocated: 0 });
		const sample = rate === 1 ? "" : rate > 1 ? `; a sample, one in ${bytes(rate)}` : "; nothing is sampled, as MemProfileRate is 0";
		this.#says.textContent = (two ? `${change(sum.bytes, bytes)} in use, ${bytes(sum.allocated - sum.bytes)} freed again` : `${bytes(sum.bytes)} in use`) +
			`; as of the latest garbage collection before ${new Date(at / 1e6).toLocaleTimeString()}${sample}`;
		const rows = [];
		const walk = (stacks, depth, key) => {
			const groups = this.#group(stacks, depth);
			for (const [i, g] of groups.entries()) {
				if (i >= most || rows.length >= widest) {
					rows.push({ more: groups.length - i, depth });
					return;
				}
				const own = key + "/" + g.at, inner = g.stacks.some(s => s.calls.length > depth + 1);
				rows.push({ ...g, depth, key: own, inner });
				if (inner && this.#open.has(own)) walk(g.stacks, depth + 1, own);
			}
		};
		walk(stacks, 0, "");
		const titles = two ? compared : columns, tips = two ? saysCompared : says;
		const head = [["name", "allocated by › called from"], ...titles].map(([id, text]) => el("th", { className: id === "name" ? "" : "n", ariaSort: id !== this.#order ? "none" : this.#back ? "ascending" : "descending" },
			el("button", { type: "button", title: tips[id] ?? "Sort by name", textContent: text + (id === this.#order ? (this.#back ? " ▴" : " ▾") : ""), onclick: () => { this.#back = this.#order === id && !this.#back; this.#order = id; this.#draw(); } })));
		const body = rows.map(r => this.#row(r, two));
		if (!rows.length) body.push(el("tr", {}, el("td", { colSpan: 6, className: "dim", textContent: text ? "no call stack has this in a name" : two ? "nothing was allocated or freed" : "nothing was sampled yet" })));
		this.#table.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)));
	}

	#row(r, two) {
		const name = el("td", {});
		name.style.paddingLeft = `${.4 + r.depth * 1.1}rem`;
		if (r.more) {
			name.append(el("span", { className: "dim", textContent: `${count(r.more)} more with less` }));
			return el("tr", {}, name, ...columns.map(() => el("td", {})));
		}
		const open = this.#open.has(r.key);
		const title = `${r.frame.function}\n${r.frame.file}:${r.frame.line}`;
		const text = el("span", { title }, short(r.frame) + " ", el("span", { className: "dim", textContent: place(r.frame) }));
		if (r.inner) {
			const twist = el("button", { type: "button", className: "twist", ariaExpanded: String(open), ariaLabel: "Callers of " + short(r.frame), textContent: open ? "▾" : "▸", onclick: () => this.#toggle(r, open) });
			twist.dataset.key = r.key;
			name.append(twist, text);
		} else name.append(el("span", { className: "twist" }), text);
		const n = (text, title, kind = "") => el("td", { className: "n " + kind, textContent: text, title });
		const size = b => two ? n(change(b, bytes), change(b, count) + " bytes", grew(b)) : n(bytes(b), count(b) + " bytes");
		const plain = b => n(bytes(b), count(b) + " bytes");
		return el("tr", {}, name, size(r.bytes), n(two ? change(r.objects, count) : count(r.objects), "objects", two ? grew(r.objects) : ""), plain(r.allocated), n(count(r.allocations), "objects"), plain(r.freed));
	}

	// #toggle opens a row, and the callers above it as long as there is only one.
	#toggle(row, open) {
		if (open) this.#open.delete(row.key);
		for (let { stacks, key, depth } = row; !open;) {
			this.#open.add(key);
			const next = this.#group(stacks, ++depth);
			if (next.length !== 1) break;
			key += "/" + next[0].at;
			stacks = next[0].stacks;
		}
		this.#draw();
		[...this.#table.querySelectorAll("button.twist")].find(b => b.dataset.key === row.key)?.focus();
	}
}
