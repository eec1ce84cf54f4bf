// The flame graph: each call path as a box below that of its caller, as wide as its total
// time. The chosen path takes the whole width, below those around it.

import { el } from "./timeline-dom.js";
import { colors, colorOf } from "./timeline-color.js";
import { count, duration, percent } from "./timeline-text.js";
import { pathOf } from "./timeline-paths.js";

const rowHeight = 20;
const textFrom = 26; // pixels that a box has at least if there is text in it

export class Flame {
	#tree = null;
	#zoomed = null;
	#at = null; // node of the box that Tab reaches
	#boxes = [];

	constructor(app, calls) {
		this.app = app;
		this.calls = calls;
		this.area = el("div", { className: "tl-flame-area" });
		this.tip = el("div", { className: "tl-tip tl-flame-tip", hidden: true });
		this.reading = el("div", { className: "tl-reading dim" });
		this.root = el("div", { className: "tl-flame", role: "group", "aria-label": "Flame graph", hidden: true }, this.reading, this.area, this.tip);
		this.area.addEventListener("click", e => { const b = boxOf(e); if (b) this.zoom(b.node === this.#zoomed && b.node.under ? b.node.under : b.node, true); });
		this.area.addEventListener("pointermove", e => { if (e.pointerType === "mouse") this.#tell(boxOf(e), e.clientX, e.clientY); });
		this.area.addEventListener("pointerleave", () => this.#tell(null));
		this.area.addEventListener("focusin", e => { const b = boxOf(e); if (b) this.#reach(b); });
		this.area.addEventListener("focusout", () => this.#tell(null));
		this.area.addEventListener("keydown", e => this.#key(e));
		this.root.addEventListener("scroll", () => this.#tell(null), { passive: true });
		new ResizeObserver(() => this.#draw()).observe(this.root);
	}

	set(tree) {
		this.#tree = tree;
		this.#zoomed = nodeAt(tree.root, this.app.state.get("path"));
		this.#draw();
	}

	close() {
		this.#tree = null;
		this.#tell(null);
	}

	zoom(node) {
		this.#zoomed = this.#at = node;
		this.app.state.set("path", node.under ? JSON.stringify(pathOf(node)) : "", true);
		if (node.under && !node.merged) this.calls.choose(node.name);
		this.root.scrollTop = 0;
		this.#draw();
	}

	// draw makes the boxes; what is narrower than a pixel becomes one box of all such neighbors.
	#draw() {
		const width = this.area.clientWidth;
		if (!this.#tree || !width) return;
		const focused = this.area.contains(document.activeElement);
		this.#tell(null);
		this.#boxes = [];
		const above = [];
		for (let n = this.#zoomed.under; n; n = n.under) above.unshift(n);
		this.reading.textContent = this.#reads(this.#zoomed).join(", ");
		const c = colors(this.app.palette), matches = this.calls.matches, { total } = this.#zoomed;
		for (const [level, n] of above.entries()) this.#box(c, matches, n, level, 0, 1, width, true);
		const todo = [{ node: this.#zoomed, level: above.length, x: 0 }];
		let deepest = above.length;
		while (todo.length) {
			const { node, level, x } = todo.pop();
			this.#box(c, matches, node, level, x, node === this.#zoomed ? 1 : node.total / total, width, false);
			deepest = Math.max(deepest, level);
			let left = x, narrow = { name: "", title: "", count: 0, total: 0, own: 0, under: node, children: [], narrow: 0 };
			for (const child of node.children) {
				if (child.total / total * width >= 1) {
					todo.push({ node: child, level: level + 1, x: left });
					left += child.total / total;
				} else {
					narrow.narrow++;
					narrow.count += child.count;
					narrow.total += child.total;
				}
			}
			if (narrow.total / total * width >= 1) {
				this.#box(c, matches, narrow, level + 1, left, narrow.total / total, width, false);
				deepest = Math.max(deepest, level + 1);
			}
		}
		this.area.style.height = `${(deepest + 1) * rowHeight}px`;
		this.area.replaceChildren(...this.#boxes);
		const at = this.#boxes.find(b => b.node === this.#at) ?? this.#boxes.find(b => b.node === this.#zoomed);
		this.#at = at.node;
		at.tabIndex = 0;
		if (focused) at.focus({ preventScroll: true });
	}

	#box(c, matches, node, level, x, share, width, above) {
		const box = el("button", { type: "button", className: "tl-box", tabIndex: -1 });
		box.node = node;
		box.level = level;
		box.style.cssText = `left:${100 * x}%;width:${100 * share}%;top:${level * rowHeight}px`;
		if (node.narrow || node.merged || !node.under) box.classList.add("tl-plain");
		else {
			const k = colorOf(node.name);
			box.style.background = matches && !matches(node) ? c.passed : above ? c.joined[k] : c.fill[k];
			box.style.color = matches && !matches(node) ? this.app.palette.text : c.ink;
			if (matches?.(node)) box.classList.add("tl-found");
		}
		const room = share * width, part = percent(node.total / (this.#tree.root.total || 1));
		const title = this.#title(node);
		if (room >= textFrom) box.append(el("bdi", { textContent: room > 7 * (title.length + part.length) + 16 ? `${title}  ${part}` : title }));
		box.setAttribute("aria-label", `${title}, ${duration(node.total)}, ${part}`);
		this.#boxes.push(box);
	}

	#title(node) { return node.narrow ? `${count(node.narrow)} narrow ones` : node.title; }

	// reads returns what is told of a node besides its path.
	#reads(node) {
		const whole = this.#tree.root;
		const reads = [node.under ? `count ${count(node.count)}` : this.calls.question.row < 0 ? "all rows" : "one row", `total ${duration(node.total)}`];
		if (!node.under) return reads;
		reads[1] += `, ${percent(node.total / (whole.total || 1))} of all`;
		if (!node.narrow) reads.push(`own ${duration(node.own)}, ${percent(node.own / (node.total || 1))} of the total`);
		return reads;
	}

	// reach makes a box that which Tab reaches, and tells of it.
	#reach(box) {
		for (const b of this.#boxes) if (b.tabIndex === 0) b.tabIndex = -1;
		box.tabIndex = 0;
		this.#at = box.node;
		const r = box.getBoundingClientRect();
		if (box.matches(":focus-visible")) this.#tell(box, Math.max(r.left, this.root.getBoundingClientRect().left), r.bottom - 10);
	}

	#key(e) {
		const box = boxOf(e);
		if (!box || e.ctrlKey || e.metaKey || e.altKey) return;
		const row = this.#boxes.filter(b => b.level === box.level).sort((a, b) => a.offsetLeft - b.offsetLeft);
		let to = null;
		switch (e.key) {
		case "ArrowLeft": to = row[row.indexOf(box) - 1]; break;
		case "ArrowRight": to = row[row.indexOf(box) + 1]; break;
		case "ArrowUp": to = this.#boxes.find(b => b.node === box.node.under); break;
		case "ArrowDown": to = this.#boxes.filter(b => b.node.under === box.node).sort((a, b) => b.node.total - a.node.total)[0]; break;
		case "Backspace": if (this.#zoomed.under) this.zoom(this.#zoomed.under); break;
		default: return;
		}
		e.preventDefault();
		e.stopPropagation();
		if (!to) return;
		to.focus();
		to.scrollIntoView({ block: "nearest" });
	}

	#tell(box, x = 0, y = 0) {
		const { tip } = this;
		tip.hidden = !box;
		if (!box) return;
		const { node } = box;
		if (tip.node !== node) {
			tip.node = node;
			const path = pathOf(node), last = this.#title(node);
			path.pop();
			if (node.narrow) path.splice(0, path.length, ...pathOf(node.under));
			tip.replaceChildren(
				...(path.length ? [el("div", { className: "dim", textContent: path.map(n => n || "(unnamed)").join(" › ") + " ›" })] : []),
				el("b", { textContent: last }),
				...this.#reads(node).map(textContent => el("div", { textContent })),
				...(node.under?.under ? [el("div", { className: "dim", textContent: `${percent(node.total / (node.under.total || 1))} of ${node.under.title}` })] : []));
		}
		const w = tip.offsetWidth, h = tip.offsetHeight;
		const left = Math.max(2, Math.min(x + 12, innerWidth - w - 4)), top = y + 18 + h > innerHeight ? Math.max(2, y - h - 24) : y + 18;
		tip.style.transform = `translate(${left}px, ${top}px)`;
	}
}

const boxOf = e => e.target.closest?.(".tl-box") ?? null;

// nodeAt returns the node of a path in the URL, or as much of the path as there is.
function nodeAt(root, text) {
	let path = [], node = root;
	try { path = JSON.parse(text || "[]"); } catch { /* not ours */ }
	for (const name of Array.isArray(path) ? path : []) {
		const next = node.children.find(c => c.name === name);
		if (!next) break;
		node = next;
	}
	return node;
}
