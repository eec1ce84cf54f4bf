// The list of single allocations: the server sorts and cuts, the page has the rows in sight.

import { bytes, count, el } from "./format.js";

const height = 22, page = 200, tallest = 8e6; // browsers have a limit to the height of an element
const columns = [["address", "address"], ["bytes", "size", "n"], ["rounding", "rounding", "n"], ["group", "pool"], ["scope", "scope"], ["site", "allocated at"], ["worker", "thread"], ["type", "type"], ["lifetime", "lifetime"]];

export class List {
	#memory; #head; #scroll; #body; #says; #search; #change; #csv; #again; #pages = new Map(); #count = 0; #turn = 0; #typing = 0; #wanted = "";

	constructor(memory) {
		this.#memory = memory;
		this.#search = el("input", { type: "search", placeholder: "name, call site or 0xADDRESS", ariaLabel: "Search the allocations", value: memory.get("q") });
		this.#search.oninput = () => { memory.set("q", this.#search.value); clearTimeout(this.#typing); this.#typing = setTimeout(() => this.load(), 250); };
		this.#change = el("select", { ariaLabel: "Which allocations", onchange: () => { memory.set("change", this.#change.value); this.load(); } });
		for (const [value, text] of [["", "all"], ["leaks", "leaks"], ["new", "new"], ["gone", "gone"], ["changed", "changed"]]) this.#change.append(el("option", { value, textContent: text }));
		this.#says = el("span", { className: "dim", role: "status" });
		this.#csv = el("a", { className: "button", textContent: "CSV", title: "All that are listed" });
		this.#again = el("button", { type: "button", textContent: "List anew", title: "Of what runs: as it is now (r)", onclick: () => this.load(true) });
		this.#head = el("div", { className: "row head", role: "row" });
		this.#body = el("div", { className: "rows", role: "rowgroup" });
		this.#scroll = el("div", { className: "scroll", role: "table", tabIndex: 0, ariaLabel: "Allocations" }, this.#head, this.#body);
		this.#scroll.onscroll = () => this.#window();
		this.root = el("div", { className: "list" }, el("div", { className: "bar" }, this.#change, this.#search, this.#csv, this.#again, this.#says), this.#scroll);
		new ResizeObserver(() => this.#window()).observe(this.#scroll);
	}

	focus() { this.#scroll.focus(); }

	#query() {
		const m = this.#memory;
		return { ...m.query(), change: m.base ? m.get("change") : "", sort: m.get("sort", "bytes"), reverse: m.get("back"), q: m.get("q") };
	}

	load(fresh = false) {
		if (!this.root.isConnected) return;
		this.#change.hidden = !this.#memory.base;
		this.#again.hidden = !this.#memory.live;
		this.#change.value = this.#memory.get("change");
		this.#turn++;
		this.#pages.clear();
		this.#wanted = fresh ? "1" : "";
		this.#csv.href = this.#memory.app.server.url("api/memory/allocations.csv", this.#query());
		this.#header();
		this.#scroll.scrollTop = 0;
		this.#ask(0);
	}

	#header() {
		const m = this.#memory, sort = m.get("sort", "bytes"), back = m.get("back");
		this.#head.replaceChildren(...columns.map(([id, text, kind = ""]) => {
			const sorted = id === sort;
			return el("span", { role: "columnheader", className: kind, ariaSort: sorted ? (back ? "ascending" : "descending") : "none" }, el("button", {
				type: "button", textContent: text + (sorted ? (back ? " ▴" : " ▾") : ""),
				onclick: () => { m.set("back", sorted && !back ? "1" : ""); m.set("sort", id); this.load(); },
			}));
		}));
	}

	async #ask(number) {
		if (this.#pages.has(number)) return;
		const turn = this.#turn;
		this.#pages.set(number, null);
		try {
			const fresh = this.#wanted;
			this.#wanted = "";
			const a = await this.#memory.app.server.get("api/memory/allocations", { ...this.#query(), fresh, offset: number * page, limit: page });
			if (turn !== this.#turn) return;
			this.#count = a.count;
			this.#pages.set(number, a.rows);
			this.#says.textContent = `${count(a.count)} with ${bytes(a.bytes)}` + (this.#memory.live ? `, listed at ${new Date(a.at / 1e6).toLocaleTimeString()}` : "");
			this.#body.style.height = Math.min(tallest, a.count * height) + "px";
			if (this.#pages.size > 50) this.#pages.delete(this.#pages.keys().next().value);
			this.#window();
		} catch (e) {
			if (turn !== this.#turn) return;
			this.#pages.delete(number);
			this.#count = 0;
			this.#says.textContent = e.message;
			this.#body.replaceChildren();
		}
	}

	// #window makes the rows in sight. Where the list is taller than an element can be, the
	// scroll bar is a share of it.
	#window() {
		const whole = this.#count * height, sight = Math.max(1, this.#scroll.clientHeight - height), top = this.#scroll.scrollTop;
		const squeezed = whole > tallest;
		const virtual = squeezed ? top / Math.max(1, tallest - sight) * (whole - sight) : top;
		const first = Math.max(0, Math.floor(virtual / height)), last = Math.min(this.#count, first + Math.ceil(sight / height) + 2);
		const rows = [];
		for (let i = first; i < last; i++) {
			const of = this.#pages.get(Math.floor(i / page));
			if (of === undefined) this.#ask(Math.floor(i / page));
			const row = this.#row(i, of?.[i % page]);
			row.style.top = top + (i * height - virtual) + "px";
			rows.push(row);
		}
		this.#body.replaceChildren(...rows);
	}

	#row(i, a) {
		const row = el("div", { className: "row", role: "row", ariaRowIndex: String(i + 1) });
		if (!a) { row.append(el("span", { className: "dim", textContent: "…" })); return row; }
		for (const [id, , kind = ""] of columns) {
			const n = id === "bytes" ? a.bytes : a.capacity - a.bytes;
			const text = kind === "n" ? bytes(n) : id === "group" ? a.group + (a.name ? "/" + a.name : "") : a[id] ?? "";
			row.append(el("span", { role: "cell", className: kind + (id === "address" ? " mono" : ""), textContent: text, title: kind === "n" ? count(n) + " bytes" : text }));
		}
		return row;
	}
}
