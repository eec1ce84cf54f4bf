// The groups over time, stacked: what this page saw while it was open.

import { bytes, canvasOf, el, fitted } from "./format.js";

const kept = 900; // samples
const shown = 7; // groups with a color of their own

export class OverTime {
	#app; #canvas; #samples = []; #marks = []; #over = -1;

	constructor(app) {
		this.#app = app;
		this.#canvas = el("canvas", { role: "img", ariaLabel: "Bytes of the groups over time" });
		this.root = el("div", { className: "over-time" }, this.#canvas);
		this.#canvas.onmousemove = e => { this.#over = e.offsetX; this.draw(); };
		this.#canvas.onmouseleave = () => { this.#over = -1; this.draw(); };
	}

	add({ at, groups }) {
		// A group holds what its parts hold: only the rest is its own.
		const own = new Map((groups ?? []).map(g => [g.name, g.bytes]));
		for (const g of groups ?? []) {
			const parent = g.parents?.split(" < ")[0];
			if (parent && own.has(parent)) own.set(parent, own.get(parent) - g.bytes);
		}
		this.#samples.push({ at, own });
		if (this.#samples.length > kept) this.#samples.shift();
		this.draw();
	}

	mark(name) { this.#marks.push({ at: Date.now() * 1e6, name }); this.draw(); }

	draw() {
		if (!this.#canvas.isConnected) return;
		const { g, width, height } = canvasOf(this.#canvas);
		const colors = this.#app.palette, list = this.#samples;
		g.fillStyle = colors.dim;
		if (list.length < 2) { g.fillText("groups over time: sampled while this is open", 6, height / 2); return; }
		const peaks = new Map();
		let most = 1;
		for (const s of list) {
			let sum = 0;
			for (const [name, n] of s.own) { const m = Math.max(0, n); sum += m; peaks.set(name, Math.max(peaks.get(name) ?? 0, m)); }
			most = Math.max(most, sum);
		}
		const names = [...peaks].filter(p => p[1] > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(p => p[0]);
		const own = names.slice(0, shown), rest = names.slice(shown);
		const value = (s, name) => name === null ? rest.reduce((sum, n) => sum + Math.max(0, s.own.get(n) ?? 0), 0) : Math.max(0, s.own.get(name) ?? 0);
		const layers = rest.length ? [...own, null] : own;
		const legend = 160, right = width - legend, begin = list[0].at, end = Math.max(list.at(-1).at, begin + 30e9);
		const x = at => (at - begin) / (end - begin) * right, y = n => height - 1 - n / (most * 1.05) * (height - 4);
		const below = list.map(() => 0);
		for (const [i, name] of layers.entries()) {
			g.beginPath();
			list.forEach((s, k) => g.lineTo(x(s.at), y(below[k])));
			for (let k = list.length - 1; k >= 0; k--) { below[k] += value(list[k], name); g.lineTo(x(list[k].at), y(below[k])); }
			g.fillStyle = colors.series[i % 8];
			g.globalAlpha = 0.6;
			g.fill();
			g.globalAlpha = 1;
		}
		g.fillStyle = g.strokeStyle = colors.line;
		g.fillRect(right, 0, 1, height);
		g.fillStyle = g.strokeStyle = colors.text;
		g.fillText(bytes(most), 4, 9);
		for (const m of this.#marks) {
			if (m.at < begin) continue;
			g.fillRect(x(m.at), 0, 1, height);
			g.fillText(fitted(g, m.name, 120), x(m.at) + 4, 24);
		}
		let at = list.length - 1;
		if (this.#over >= 0 && this.#over <= right) {
			at = list.reduce((best, s, i) => Math.abs(x(s.at) - this.#over) < Math.abs(x(list[best].at) - this.#over) ? i : best, 0);
			g.fillStyle = colors.text;
			g.fillRect(x(list[at].at), 0, 1, height);
		}
		// The legend has the order of the layers, and the figures of the moment under the pointer.
		layers.toReversed().forEach((name, i) => {
			const line = 8 + i * 13;
			if (line > height) return;
			g.fillStyle = colors.series[(layers.length - 1 - i) % 8];
			g.fillRect(right + 8, line - 4, 8, 8);
			g.fillStyle = colors.text;
			const size = bytes(value(list[at], name)), w = g.measureText(size).width;
			g.fillText(size, width - w - 8, line);
			g.fillText(fitted(g, name ?? `${rest.length} others`, legend - 38 - w), right + 20, line);
		});
	}
}
