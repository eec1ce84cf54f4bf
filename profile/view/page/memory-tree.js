// The tree: rows of a window into what is open, so that thousands of nodes cost no more
// than those in sight.

import { bytes, change, count, el, grew, pathKey, step } from "./format.js";

const height = 22; // of a row, as in view.css

export class Tree {
	#memory; #node = null; #open = new Set([pathKey([])]); #rows = []; #at = 0; #body; #head; #scroll;

	constructor(memory) {
		this.#memory = memory;
		this.#head = el("div", { className: "row head", role: "row" });
		this.#body = el("div", { className: "rows", role: "tree", tabIndex: 0, ariaLabel: "What is held" });
		this.#scroll = el("div", { className: "scroll" }, this.#body);
		this.root = el("div", { className: "tree" }, this.#head, this.#scroll);
		this.#scroll.onscroll = () => this.#window();
		this.#body.onkeydown = e => this.#key(e);
		this.#body.onclick = e => this.#click(e);
		new ResizeObserver(() => this.#window()).observe(this.#scroll);
	}

	focus() { this.#body.focus(); }

	set(node) {
		if (this.#node === null) {
			for (let i = 0; i <= this.#memory.path.length; i++) this.#open.add(pathKey(this.#memory.path.slice(0, i)));
			if (node.children?.length) this.#open.add(pathKey([step(node.children[0])]));
		}
		const before = this.#rows[this.#at]?.key;
		this.#node = node;
		this.#header();
		this.#flatten(before);
	}

	#header() {
		const titles = this.#memory.base ? [["name", ""], ["bytes", "now"], ["growth", "change"], ["count", "count"], ["", "change"], ["freed", "freed"]]
			: [["name", ""], ["", "share"], ["bytes", "size"], ["count", "count"], ["peak", "peak"]];
		this.#head.replaceChildren(...titles.map(([order, text]) => {
			if (order === "") return el("span", { className: "n dim", textContent: text });
			const sorted = this.#memory.order === order;
			const arrow = sorted ? (this.#memory.get("reverse") ? " ▴" : " ▾") : "";
			return el("button", { type: "button", className: order === "name" ? "" : "n", textContent: (order === "name" ? this.#memory.by.replaceAll(",", " › ") : text) + arrow, title: order === "freed" ? "Freed between the two moments, also what was allocated after the first" : "Sort by " + order, onclick: () => this.#memory.sort(order) });
		}));
		this.root.classList.toggle("two", this.#memory.base !== "");
	}

	#flatten(keep) {
		const rows = [];
		const walk = (node, path, key, depth, parent, place) => {
			const at = rows.length;
			rows.push({ node, path, key, depth, parent, place });
			if (!this.#open.has(key)) return;
			for (const [i, c] of (node.children ?? []).entries()) {
				const place = `${i + 1}/${node.children.length}`;
				if (c.more) rows.push({ node: c, path, key: key + "+", depth: depth + 1, parent: at, place, more: true });
				else { const p = [...path, step(c)]; walk(c, p, pathKey(p), depth + 1, at, place); }
			}
		};
		if (this.#node) walk(this.#node, [], pathKey([]), 0, -1, "1/1");
		this.#rows = rows;
		const found = keep === undefined ? rows.findIndex(r => r.key === pathKey(this.#memory.path)) : rows.findIndex(r => r.key === keep);
		this.#at = found >= 0 ? found : Math.min(this.#at, rows.length - 1);
		this.#body.style.height = rows.length * height + "px";
		this.#window();
	}

	// #window makes the rows that are in sight.
	#window() {
		const first = Math.max(0, Math.floor(this.#scroll.scrollTop / height) - 5);
		const last = Math.min(this.#rows.length, first + Math.ceil(this.#scroll.clientHeight / height) + 10);
		const list = [];
		for (let i = first; i < last; i++) list.push(this.#row(i));
		this.#body.replaceChildren(...list);
		if (this.#at >= first && this.#at < last) this.#body.setAttribute("aria-activedescendant", "m-row-" + this.#at);
		else this.#body.removeAttribute("aria-activedescendant");
	}

	#row(i) {
		const { node, key, depth, place, more } = this.#rows[i];
		const [position, size] = place.split("/");
		const inner = !more && node.children?.length > 0;
		const row = el("div", { className: "row", role: "treeitem", id: "m-row-" + i, ariaLevel: String(depth + 1), ariaPosInSet: position, ariaSetSize: size, ariaSelected: String(key === pathKey(this.#memory.path)) });
		if (inner) row.ariaExpanded = String(this.#open.has(key));
		if (i === this.#at) row.classList.add("at");
		row.style.top = i * height + "px";
		const text = more ? `… ${count(node.more)} more` : node.name;
		const name = el("span", { className: "name", title: more ? "Enter or click for these" : `${node.kind ?? ""} ${node.name}` }, el("span", { className: "twist", textContent: inner ? (this.#open.has(key) ? "▾" : "▸") : "" }), el("span", { className: "kind k-" + (node.kind || "all") }), text);
		name.style.paddingLeft = depth * 14 + "px";
		const n = (text, title, kind = "") => el("span", { className: "n " + kind, textContent: text, title });
		row.append(name);
		if (this.#memory.base) {
			const was = node.was ?? { bytes: 0, count: 0 };
			const grown = node.bytes - was.bytes, more = node.count - was.count;
			const freed = node.freed ?? 0;
			row.append(n(bytes(node.bytes), `${count(node.bytes)} bytes, was ${count(was.bytes)}`), n(change(grown, bytes), change(grown, count) + " bytes", grew(grown)), n(count(node.count), "allocations"), n(change(more, count), "allocations", grew(more)),
				n(freed ? bytes(freed) : "", `${count(freed)} bytes in ${count(node.frees ?? 0)} freed between the two moments, or moved to another row`));
			return row;
		}
		const share = this.#node.bytes > 0 ? node.bytes / this.#node.bytes : this.#node.peak > 0 ? (node.peak ?? 0) / this.#node.peak : 0;
		const bar = el("span", { className: "share", title: (100 * share).toFixed(1) + "%" }, el("i"));
		bar.firstChild.style.width = 100 * Math.max(0, Math.min(1, share)) + "%";
		const peak = node.peak === undefined ? "" : (node.bound ? "≤ " : "") + bytes(node.peak);
		row.append(bar, n(bytes(node.bytes), count(node.bytes) + " bytes"), n(count(node.count), "allocations"), n(peak, node.bound ? "At most: the peak of several rows together is not known" : "The most bytes at once", "dim"));
		return row;
	}

	// chosen marks what the list shows, and opens the way to it.
	chosen(path) {
		for (let i = 0; i < path.length; i++) this.#open.add(pathKey(path.slice(0, i)));
		this.#flatten(pathKey(path));
		this.#reveal();
	}

	#reveal() {
		const top = this.#at * height, s = this.#scroll;
		if (top < s.scrollTop) s.scrollTop = top;
		else if (top + height > s.scrollTop + s.clientHeight) s.scrollTop = top + height - s.clientHeight;
	}

	#move(to) {
		this.#at = Math.max(0, Math.min(this.#rows.length - 1, to));
		this.#reveal();
		this.#window();
	}

	#toggle(row, open) {
		if (open) this.#open.add(row.key);
		else this.#open.delete(row.key);
		this.#flatten(row.key);
	}

	#click(e) {
		const i = Number(e.target.closest(".row")?.id.slice("m-row-".length));
		const row = this.#rows[i];
		if (!row) return;
		this.#at = i;
		this.#body.focus({ preventScroll: true });
		if (row.more) this.#more(row);
		else if (e.target.classList.contains("twist") && row.node.children) this.#toggle(row, !this.#open.has(row.key));
		else this.#memory.choose(row.path);
	}

	// #more asks for the nodes that the server left out.
	async #more(row) {
		const parent = this.#rows[row.parent].node;
		const rest = parent.children.indexOf(row.node);
		const answer = await this.#memory.more(row.path, rest);
		const known = new Set(parent.children.map(step));
		parent.children.splice(rest, 1, ...(answer.children ?? []).filter(c => c.more || !known.has(step(c))));
		const at = this.#at; // where the first of them is now
		this.#flatten();
		this.#move(at);
	}

	#key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const row = this.#rows[this.#at];
		if (!row) return;
		const open = this.#open.has(row.key), inner = !row.more && row.node.children?.length > 0;
		const page = Math.max(1, Math.floor(this.#scroll.clientHeight / height) - 1);
		switch (e.key) {
		case "ArrowDown": this.#move(this.#at + 1); break;
		case "ArrowUp": this.#move(this.#at - 1); break;
		case "PageDown": this.#move(this.#at + page); break;
		case "PageUp": this.#move(this.#at - page); break;
		case "Home": this.#move(0); break;
		case "End": this.#move(this.#rows.length - 1); break;
		case "ArrowRight": if (inner && !open) this.#toggle(row, true); else if (inner) this.#move(this.#at + 1); break;
		case "ArrowLeft": if (inner && open) this.#toggle(row, false); else if (row.parent >= 0) this.#move(row.parent); break;
		case "Enter": row.more ? this.#more(row) : this.#memory.choose(row.path); break;
		case "*": for (const c of this.#rows[row.parent]?.node.children ?? []) if (!c.more) this.#open.add(pathKey([...this.#rows[row.parent].path, step(c)])); this.#flatten(row.key); break;
		default: return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
}
