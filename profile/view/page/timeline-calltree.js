// The call tree as a table: a row opens to show the paths below it, the longest total first.

import { el } from "./timeline-dom.js";
import { colors, colorOf } from "./timeline-color.js";
import { count, duration, exact, percent } from "./timeline-text.js";

const mostRows = 2000;
const openFrom = 0.4; // share of its parent from which on a path is open at first

export class CallTree {
	#tree = null;
	#open = new Set();
	#found = "";
	#body = el("tbody");
	#foot = el("caption");

	constructor(app, calls) {
		this.app = app;
		this.calls = calls;
		const head = ["path", "count", "total", "own", "share"].map((text, i) => el("th", { scope: "col", className: i ? "n" : "", textContent: text }));
		const table = el("table", { className: "tl-table tl-calltree", role: "treegrid", "aria-label": "Call tree" }, this.#foot, el("thead", {}, el("tr", {}, ...head)), this.#body);
		this.root = el("div", { className: "tl-scrolled", hidden: true, tabIndex: -1 }, table);
		this.#body.addEventListener("click", e => this.#toggle(e.target.closest("tr")));
		this.#body.addEventListener("keydown", e => this.#key(e));
	}

	set(tree) {
		if (tree !== this.#tree) {
			this.#tree = tree;
			this.#open = new Set();
			for (let n = tree.root; n; n = n.children.find(c => c.total >= openFrom * n.total)) this.#open.add(n);
			this.#found = "";
		}
		const { matches } = this.calls, found = `${this.calls.line.query}\n${this.calls.question.name}`;
		if (matches && found !== this.#found) {
			for (const n of tree.list) if (matches(n)) for (let up = n.under; up && !this.#open.has(up); up = up.under) this.#open.add(up);
		}
		this.#found = found;
		this.#show();
	}

	close() { this.#tree = null; }

	#show(at = null) {
		const rows = [], todo = [...this.#tree.root.children].reverse().map(node => ({ node, level: 1 }));
		while (todo.length && rows.length < mostRows) {
			const { node, level } = todo.pop();
			rows.push(this.#row(node, level));
			if (this.#open.has(node)) for (const c of node.children.toReversed()) todo.push({ node: c, level: level + 1 });
		}
		this.#foot.textContent = todo.length ? `the first ${mostRows} rows` : "";
		this.#body.replaceChildren(...rows);
		const row = rows.find(r => r.node === at) ?? rows[0];
		if (row) row.tabIndex = 0;
		if (at) row?.focus();
	}

	#row(node, level) {
		const open = this.#open.has(node), { total } = this.#tree.root, { matches } = this.calls;
		const row = el("tr", { role: "row", tabIndex: -1, "aria-level": level });
		row.node = node;
		row.level = level;
		if (node.children.length) row.setAttribute("aria-expanded", String(open));
		if (matches?.(node)) row.classList.add("tl-found");
		const mark = el("i", { className: "tl-mark" });
		if (!node.merged) mark.style.background = colors(this.app.palette).fill[colorOf(node.name)];
		const twist = el("span", { className: "tl-twist", textContent: node.children.length ? (open ? "▾" : "▸") : "" });
		const name = el("td", { title: node.title }, el("div", {}, twist, mark, el("span", { className: "tl-end" }, el("bdi", { textContent: node.title }))));
		name.firstChild.style.paddingLeft = `${0.7 * Math.min(level - 1, 30)}rem`;
		const n = (text, hint = "") => el("td", { className: "n", textContent: text, title: hint });
		const own = n(duration(node.own), exact(node.own)), share = n(percent(node.total / (total || 1)), "total time of all spans in the selection");
		share.classList.add("tl-share");
		share.style.setProperty("--share", `${100 * node.total / (total || 1)}%`);
		row.append(name, n(count(node.count)), n(duration(node.total), exact(node.total)), own, share);
		return row;
	}

	#toggle(row) {
		if (!row?.node) return;
		const { node } = row;
		if (!node.merged) this.calls.choose(node.name);
		if (this.#open.has(node)) this.#open.delete(node);
		else if (node.children.length) this.#open.add(node);
		this.#show(node);
	}

	#key(e) {
		const row = e.target.closest("tr");
		if (!row?.node || e.ctrlKey || e.metaKey || e.altKey) return;
		const open = row.getAttribute("aria-expanded");
		let to = null;
		switch (e.key) {
		case "ArrowUp": to = row.previousElementSibling; break;
		case "ArrowDown": to = row.nextElementSibling; break;
		case "ArrowRight":
			if (open === "false") this.#toggle(row);
			else if (open) to = row.nextElementSibling;
			break;
		case "ArrowLeft":
			if (open === "true") this.#toggle(row);
			else for (to = row.previousElementSibling; to && to.level >= row.level; to = to.previousElementSibling);
			break;
		case "Enter": case " ": this.#toggle(row); break;
		default: return;
		}
		e.preventDefault();
		e.stopPropagation();
		if (!to) return;
		row.tabIndex = -1;
		to.tabIndex = 0;
		to.focus();
	}
}
