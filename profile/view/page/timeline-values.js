// Graphs of the values of a recording below its rows, along the same time.

import { bytes } from "./format.js";
import { el, sized } from "./timeline-dom.js";
import { font } from "./timeline-draw.js";

const height = 46;
const pause = 250;     // milliseconds between requests, at least
const most = 6;        // graphs
const mostNames = 500; // in the menu

export class Values {
	names = [];   // all that there are
	levels = [];  // those that are bytes of memory, allocated less freed
	chosen = [];  // those that are drawn
	#answer = null; // { from, to, px, names, series: Float64Arrays of time and value }
	#busy = null;
	#next = 0; // when it may be asked again

	constructor(line) {
		this.line = line;
		this.canvas = el("canvas", { className: "tl-graphs", role: "img" });
		this.side = el("div", { className: "tl-what" });
		this.root = el("div", { className: "tl-values", hidden: true }, this.side, this.canvas);
		this.canvas.addEventListener("pointermove", e => {
			line.pointer = { x: e.offsetX, y: -1 };
			line.redraw();
			this.draw();
		});
		this.canvas.addEventListener("pointerleave", () => {
			line.pointer = null;
			line.redraw();
			this.draw();
		});
	}

	// menu fills the menu in which values are chosen.
	async menu(root, list, off) {
		const { state } = this.line.app;
		const names = this.names.length ? this.names : await this.#load();
		root.hidden = names.length === 0 || off;
		if (names.length === 0) return;
		const kept = state.all("value");
		const chosen = kept.length ? kept.filter(n => names.includes(n)) : [...new Set([...this.levels.slice(0, 1), ...names])].slice(0, 2);
		const boxes = names.slice(0, mostNames).map(n => {
			const box = el("input", { type: "checkbox", checked: chosen.includes(n), value: n });
			box.onchange = () => {
				const now = boxes.filter(b => b.checked).map(b => b.value);
				state.setAll("value", now.length ? now : ["-"]);
				this.choose(now);
			};
			return box;
		});
		list.replaceChildren(...boxes.map(b => el("label", {}, b, " " + b.value)));
		this.choose(chosen);
	}

	async #load() {
		try {
			const got = await this.line.app.server.get("api/values", { rec: this.line.rec, from: 0, to: Math.ceil(this.line.end), width: 1 });
			this.names = got.names ?? [];
			this.levels = got.levels ?? [];
		} catch (e) { this.line.on.failed(this.line, e); }
		return this.names;
	}

	choose(names) {
		this.chosen = names.slice(0, most);
		this.root.hidden = this.chosen.length === 0;
		this.canvas.style.height = `${this.chosen.length * height}px`;
		this.canvas.setAttribute("aria-label", `Graphs of ${this.chosen.join(", ")}`);
		this.side.replaceChildren(...this.chosen.map(() => el("div")));
		this.line.draw();
	}

	stop() { this.#busy?.abort(); }

	draw() {
		if (this.chosen.length === 0) return;
		this.#ask();
		const { ctx, w, h } = sized(this.canvas);
		const { line } = this, palette = line.app.palette;
		ctx.fillStyle = palette.ground;
		ctx.fillRect(0, 0, w, h);
		ctx.font = font;
		for (const [i, name] of this.chosen.entries()) this.#graph(ctx, w, i * height, i, name, palette);
	}

	#graph(ctx, w, top, i, name, palette) {
		const { line } = this, a = this.#answer;
		ctx.fillStyle = palette.line;
		ctx.fillRect(0, top, w, 1);
		const series = a?.series[a.names.indexOf(name)];
		let least = Infinity, greatest = -Infinity, here = NaN, last = NaN;
		const n = series?.length ?? 0;
		for (let k = 0; k + 1 < n; k += 2) {
			const end = k + 2 < n ? series[k + 2] : Infinity;
			if (end < line.from || series[k] > line.to || Number.isNaN(series[k + 1])) continue;
			least = Math.min(least, series[k + 1]);
			greatest = Math.max(greatest, series[k + 1]);
			last = series[k + 1];
			if (line.pointer && series[k] <= line.time(line.pointer.x)) here = series[k + 1];
		}
		const level = this.levels.includes(name);
		const text = least > greatest ? `${name}\n–` : level ? `${name}\n${bytes(Number.isNaN(here) ? last : here)}\npeak ${bytes(greatest)}` : `${name}\n${short(least)} … ${short(greatest)}${Number.isNaN(here) ? "" : "\n" + short(here)}`;
		const side = this.side.children[i];
		if (side.textContent !== text) {
			side.textContent = text;
			side.title = text;
		}
		if (least > greatest) return;
		// the scale holds 0 if that is not far away
		if (least > 0 && (level || least < greatest / 2)) least = 0;
		const size = greatest - least || 1;
		const y = v => top + height - 5 - (v - least) / size * (height - 11);
		ctx.save();
		ctx.beginPath();
		ctx.rect(0, top, w, height);
		ctx.clip();
		ctx.beginPath();
		let begun = false, before = 0;
		for (let k = 0; k + 1 < n; k += 2) {
			if ((k + 2 < n && series[k + 2] < line.from) || Number.isNaN(series[k + 1])) continue;
			const x = Math.max(-10, line.x(series[k]));
			if (!begun) ctx.moveTo(x, y(series[k + 1]));
			else {
				ctx.lineTo(Math.min(x, w + 10), before); // a value holds until the next
				ctx.lineTo(Math.min(x, w + 10), y(series[k + 1]));
			}
			begun = true;
			before = y(series[k + 1]);
			if (x > w) break;
		}
		ctx.lineTo(Math.min(w + 10, line.x(line.end)), before);
		ctx.strokeStyle = palette.series[i % palette.series.length];
		ctx.lineWidth = 1.5;
		ctx.stroke();
		if (line.pointer) {
			ctx.fillStyle = palette.text;
			ctx.globalAlpha = 0.35;
			ctx.fillRect(Math.round(line.pointer.x), top, 1, height);
		}
		ctx.restore();
	}

	async #ask() {
		const { line } = this, { from, to } = line.aim;
		const px = (to - from) / line.width, a = this.#answer;
		const lo = Math.max(0, from), hi = Math.min(line.end, to);
		if (a && a.from <= lo && a.to >= hi && a.px <= px * 1.5 && a.px > px / 20 && this.chosen.every(n => a.names.includes(n))) return;
		const now = performance.now();
		if (this.#busy || now < this.#next) return;
		this.#next = now + pause;
		const stop = this.#busy = new AbortController();
		const names = [...this.chosen];
		const ask = { from: Math.max(0, Math.floor(from - (to - from) / 2)), to: Math.ceil(Math.min(line.end, to + (to - from) / 2)) };
		try {
			const width = Math.max(1, Math.round((ask.to - ask.from) / px));
			const got = await line.app.server.get("api/values", { rec: line.rec, ...ask, width, names }, stop.signal);
			this.#answer = { ...ask, px, names, series: got.series.map(s => Float64Array.from(s, v => v ?? NaN)) };
		} catch (e) {
			if (e.name !== "AbortError") {
				line.on.failed(line, e);
				this.#next = now + 2000;
			}
			return;
		} finally { this.#busy = null; }
		line.draw();
		setTimeout(() => line.draw(), pause); // for what was moved meanwhile
	}
}

function short(v) {
	const size = Math.abs(v);
	for (const [unit, scale] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (size >= scale * 10) return (v / scale).toPrecision(4) + unit;
	return String(Number(v.toPrecision(5)));
}
