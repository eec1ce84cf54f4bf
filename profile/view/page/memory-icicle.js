// The map: each node as a box below its parent, as wide as what it holds or, of two
// snapshots, by how much it grew or shrank.

import { bytes, canvasOf, change, count, el, fitted, hue, pathKey, step } from "./format.js";

const row = 20;

export class Icicle {
	#memory; #node = null; #canvas; #boxes = []; #over = null;

	constructor(memory) {
		this.#memory = memory;
		this.#canvas = el("canvas", { role: "img", ariaLabel: "Map of what is held; the tree has the same" });
		this.root = el("div", { className: "icicle" }, this.#canvas);
		this.#canvas.onclick = e => { const b = this.#find(e); if (b) memory.choose(b.path.length && pathKey(b.path) === pathKey(memory.path) ? b.path.slice(0, -1) : b.path); };
		this.#canvas.onmousemove = e => { const b = this.#find(e); if (b !== this.#over) { this.#over = b; this.#canvas.title = b ? this.#says(b.node) : ""; this.draw(); } };
		this.#canvas.onmouseleave = () => { this.#over = null; this.draw(); };
	}

	set(node) { this.#node = node; this.draw(); }

	// size is the size that a node holds, or the peak if the program holds nothing any more.
	#size(n) { return this.#node.bytes > 0 || n.was ? n.bytes : n.peak ?? 0; }
	#weight(n) { return Math.abs(n.was ? n.bytes - n.was.bytes : this.#size(n)); }

	#says(n) {
		const name = n.more ? `${count(n.more)} more` : n.name;
		return n.was ? `${name}\n${change(n.bytes - n.was.bytes, bytes)} to ${bytes(n.bytes)}` : `${name}\n${bytes(this.#size(n))} ${this.#node.bytes > 0 ? "in " + count(n.count) : "at most"}`;
	}

	#find(e) { return this.#boxes.findLast(b => e.offsetX >= b.x && e.offsetX < b.x + b.w && e.offsetY >= b.y && e.offsetY < b.y + row) ?? null; }

	// The chosen node takes the whole width, below those above it.
	draw() {
		if (!this.#node || !this.#canvas.isConnected) return;
		const { g, width, height } = canvasOf(this.#canvas);
		const colors = this.#memory.app.palette, path = this.#memory.path;
		this.#boxes = [];
		let node = this.#node, y = 0;
		const above = [];
		for (let i = 0; ; i++) {
			above.push([node, path.slice(0, i)]);
			const next = i < path.length ? node.children?.find(c => step(c) === path[i]) : null;
			if (!next) break;
			node = next;
		}
		for (const [n, p] of above.slice(-3)) {
			this.#box(g, colors, n, p, 0, y, width, true);
			y += row;
		}
		this.#below(g, colors, node, above.at(-1)[1], 0, y, width, height);
	}

	#below(g, colors, node, path, x, y, width, height) {
		const children = node.children ?? [];
		if (y + row > height || children.length === 0) return;
		let whole = 0;
		for (const c of children) whole += this.#weight(c);
		whole = Math.max(whole, this.#weight(node));
		if (whole <= 0) return;
		const narrow = { name: "", more: 0, bytes: 0, count: 0, peak: 0 };
		let wide = 0;
		for (const c of [...children].sort((a, b) => !!a.more - !!b.more || this.#weight(b) - this.#weight(a))) {
			const w = width * this.#weight(c) / whole;
			if (w < 1 || c.more) { // one box for what is too narrow and for what the server left out, which are last
				narrow.more += c.more || 1;
				narrow.bytes += c.bytes;
				narrow.count += c.count;
				narrow.peak += c.peak ?? 0;
				if (c.was) narrow.was = { bytes: (narrow.was?.bytes ?? 0) + c.was.bytes };
				wide += w;
				continue;
			}
			const p = c.more ? path : [...path, step(c)];
			this.#box(g, colors, c, p, x, y, w, false);
			if (!c.more) this.#below(g, colors, c, p, x, y + row, w, height);
			x += w;
		}
		if (wide >= 1) this.#box(g, colors, narrow, path, x, y, wide, false);
	}

	#box(g, colors, node, path, x, y, w, above) {
		this.#boxes.push({ node, path, x, y, w });
		const grown = node.was ? node.bytes - node.was.bytes : 0;
		const color = node.more ? colors.dim : node.was ? (grown > 0 ? colors.bad : grown < 0 ? colors.good : colors.dim) : path.length ? colors.series[hue(node.name)] : colors.dim;
		const over = this.#over && this.#over.node === node;
		g.globalAlpha = over ? 0.42 : above ? 0.16 : w > 6 ? 0.28 : 0.45;
		g.fillStyle = color;
		g.fillRect(x, y, Math.max(1, w - 1), row - 1);
		g.globalAlpha = 1;
		if (w > 6) g.fillRect(x, y, 2, row - 1);
		if (w < 24) return;
		g.fillStyle = colors.text;
		const name = node.more ? `${count(node.more)} more` : node.name;
		const size = node.was ? change(grown, bytes) : bytes(this.#size(node));
		const left = fitted(g, name, w - 10);
		g.fillText(left, x + 6, y + row / 2);
		const at = x + 6 + g.measureText(left).width + 8;
		if (left === name && at + g.measureText(size).width < x + w - 4) g.fillText(size, at, y + row / 2);
	}
}
