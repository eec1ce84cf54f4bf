// The tree of counters, by the slashes in their names.

import { element } from "./graph.js";
import { format } from "./series.js";
import { VirtualList } from "./virtual.js";

const rowHeight = 22;
const mostGraphed = 32; // counters of a branch that is dropped on a graph

export class CounterTree {
	#host;
	#root = new Branch("", "");
	#open = new Set();
	#rows = []; // nodes to be seen
	#at = 0;
	#values = new Map(); // name -> row of the server
	#names = [];

	// host has graph(names), add(names), kinds, search(text), uses(name).
	constructor(host) {
		this.#host = host;
		this.search = element("input", { type: "search", placeholder: "search counters", ariaLabel: "Search counters" });
		this.count = element("span", { className: "dim" });
		this.box = element("div", { className: "tree", tabIndex: 0, role: "tree", ariaLabel: "Counters" });
		const sizer = element("div", { className: "sizer" });
		this.box.append(sizer);
		this.el = element("div", { className: "side counterside" }, element("div", { className: "bar" }, this.search, this.count), this.box);
		this.list = new VirtualList(this.box, sizer, rowHeight, () => this.#make(), (row, i) => this.#fill(row, i));
		this.search.oninput = () => {
			host.search(this.search.value);
			this.#at = 0;
			this.box.scrollTop = 0;
			this.rows();
		};
		this.search.onkeydown = e => {
			if (e.key === "ArrowDown" || e.key === "Enter") {
				e.preventDefault();
				this.box.focus();
			} else if (e.key === "Escape") {
				this.search.value = "";
				this.search.oninput();
			}
		};
		this.box.onkeydown = e => this.#key(e);
		this.box.onfocus = () => this.list.draw(undefined, true);
		this.box.onblur = () => this.list.draw(undefined, true);
	}

	// set takes all counters.
	set(rows) {
		this.#values = new Map(rows.map(r => [r.name, r]));
		this.#names = rows.map(r => r.name);
		this.#root = new Branch("", "");
		for (const name of this.#names) {
			const parts = name.split("/");
			let node = this.#root, path = "";
			for (const part of parts.slice(0, -1)) {
				path += part + "/";
				let next = node.branches.get(part);
				if (!next) {
					next = new Branch(part, path);
					node.branches.set(part, next);
				}
				next.count++;
				node = next;
			}
			node.leaves.push({ label: parts[parts.length - 1], path: name, leaf: true, level: 0 });
		}
		if (this.#open.size === 0) this.#openFirst();
		this.rows();
	}

	// A small tree is open at first.
	#openFirst() {
		if (this.#names.length > 60) return;
		const visit = node => {
			for (const b of node.branches.values()) {
				this.#open.add(b.path);
				visit(b);
			}
		};
		visit(this.#root);
	}

	// values takes new values of some.
	values(rows) {
		for (const r of rows) this.#values.set(r.name, r);
		this.list.draw(undefined, true);
	}

	// seen returns the names of the counters that are to be seen.
	seen() {
		const [from, to] = this.list.shown;
		return this.#rows.slice(from, to).filter(n => n.leaf).map(n => n.path);
	}

	rows() {
		const text = this.search.value.trim().toLowerCase();
		this.#rows = [];
		if (text) {
			const words = text.split(/\s+/);
			for (const name of this.#names) {
				const low = name.toLowerCase();
				if (words.every(w => low.includes(w))) this.#rows.push({ label: name, path: name, leaf: true, level: 0 });
			}
		} else {
			const visit = (node, level) => {
				for (const b of node.order()) {
					b.level = level;
					this.#rows.push(b);
					if (this.#open.has(b.path)) visit(b, level + 1);
				}
				for (const l of node.leaves) {
					l.level = level;
					this.#rows.push(l);
				}
			};
			visit(this.#root, 0);
		}
		const total = this.#names.length;
		this.count.textContent = text ? `${this.#rows.length} of ${total}` : String(total);
		this.#at = Math.min(this.#at, Math.max(0, this.#rows.length - 1));
		this.list.draw(this.#rows.length, true);
	}

	#make() {
		const row = element("div", { className: "treerow", draggable: true });
		row.role = "treeitem";
		row.parts = { twist: element("span", { className: "twist" }), swatch: element("i", { className: "swatch" }), label: element("bdi", { className: "label" }), value: element("span", { className: "value" }) };
		row.append(row.parts.twist, row.parts.swatch, row.parts.label, row.parts.value);
		row.onclick = e => {
			this.#at = row.index;
			this.#act(e.shiftKey);
		};
		row.ondragstart = e => {
			e.dataTransfer.setData("text/x-counters", JSON.stringify(this.#under(this.#rows[row.index])));
			e.dataTransfer.effectAllowed = "copy";
		};
		return row;
	}

	#fill(row, i) {
		const node = this.#rows[i], { twist, swatch, label, value } = row.parts;
		row.index = i;
		row.id = "counter-" + i;
		row.ariaLevel = String(node.level + 1);
		row.ariaSelected = String(i === this.#at);
		row.classList.toggle("leaf", !!node.leaf);
		row.style.paddingLeft = 6 + node.level * 14 + "px";
		row.title = node.leaf ? node.path + "\nclick: a graph; Shift+click: add to the selected graph; or drag" : node.path;
		if (!node.leaf) row.ariaExpanded = String(this.#open.has(node.path));
		else row.removeAttribute("aria-expanded");
		twist.textContent = node.leaf ? "" : this.#open.has(node.path) ? "▾" : "▸";
		label.textContent = node.label;
		const color = node.leaf ? this.#host.uses(node.path) : "";
		swatch.style.background = color || "transparent";
		if (!node.leaf) value.textContent = String(node.count);
		else {
			const v = this.#values.get(node.path);
			value.textContent = v ? v.value === null ? "–" : format(v.value) + (v.kind === "timer" ? " ms" : "") : "";
		}
		if (i === this.#at) this.box.setAttribute("aria-activedescendant", row.id);
	}

	#under(node) {
		if (node.leaf) return [node.path];
		return this.#names.filter(n => n.startsWith(node.path)).slice(0, mostGraphed);
	}

	// act opens a branch or closes it, and graphs a counter.
	#act(add) {
		const node = this.#rows[this.#at];
		if (!node) return;
		if (node.leaf) {
			if (add) this.#host.addToSelected([node.path]);
			else this.#host.graph(node.path);
		} else if (add) this.#host.addToSelected(this.#under(node));
		else this.#toggle(node);
		this.list.draw(undefined, true);
	}

	#toggle(node) {
		if (!this.#open.delete(node.path)) this.#open.add(node.path);
		this.rows();
	}

	#key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const node = this.#rows[this.#at], page = Math.max(1, Math.floor(this.box.clientHeight / rowHeight) - 1);
		const go = to => { this.#at = Math.max(0, Math.min(this.#rows.length - 1, to)); };
		switch (e.key) {
		case "ArrowDown": go(this.#at + 1); break;
		case "ArrowUp": go(this.#at - 1); break;
		case "PageDown": go(this.#at + page); break;
		case "PageUp": go(this.#at - page); break;
		case "Home": go(0); break;
		case "End": go(this.#rows.length - 1); break;
		case "ArrowRight":
			if (node && !node.leaf && !this.#open.has(node.path)) this.#toggle(node);
			else go(this.#at + 1);
			break;
		case "ArrowLeft":
			if (node && !node.leaf && this.#open.has(node.path)) this.#toggle(node);
			else if (node) {
				let to = this.#at;
				while (to > 0 && this.#rows[to].level >= node.level) to--;
				go(to);
			}
			break;
		case "Enter": case " ": this.#act(e.shiftKey); break;
		default: return;
		}
		e.preventDefault();
		e.stopPropagation(); // the keys of the page are others
		this.list.reveal(this.#at);
		this.list.draw(undefined, true);
	}
}

// Part 2 comes before part 10.
const natural = new Intl.Collator("en", { numeric: true });
const byLabel = (a, b) => natural.compare(a.label, b.label);

class Branch {
	leaf = false;
	level = 0;
	count = 0; // counters below
	branches = new Map(); // label -> Branch
	leaves = [];
	#sorted = null;

	constructor(label, path) {
		this.label = label;
		this.path = path;
	}

	// order returns the branches in order, and brings the leaves into it; it is known once
	// the branch has been opened.
	order() {
		if (!this.#sorted) {
			this.#sorted = [...this.branches.values()].sort(byLabel);
			this.leaves.sort(byLabel);
		}
		return this.#sorted;
	}
}
