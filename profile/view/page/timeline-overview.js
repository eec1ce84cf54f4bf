// The strip that shows all of a recording, with what is seen as a frame to move.

import { el, sized } from "./timeline-dom.js";
import { colors } from "./timeline-color.js";
import { duration, count } from "./timeline-text.js";

const grip = 6; // pixels beside an edge that move it alone

export class Overview {
	stale = true;
	#image = document.createElement("canvas");
	#key = "";

	constructor(line) {
		this.line = line;
		this.canvas = el("canvas", { className: "tl-overview", "aria-label": "All of the recording", role: "img" });
		this.what = el("div", { className: "tl-what" });
		this.root = el("div", { className: "tl-top" }, this.what, this.canvas);
		this.#listen();
	}

	get width() { return Math.max(100, this.canvas.clientWidth); }

	draw() {
		const { line } = this;
		const { ctx, w, h } = sized(this.canvas);
		const palette = line.app.palette, end = Math.max(line.end, 1);
		const key = [this.canvas.width, this.canvas.height, palette.ground, Math.round(end / 1e8), line.query].join();
		if (this.stale || key !== this.#key) {
			this.stale = false;
			this.#key = key;
			this.#render(end, w, h, palette);
		}
		ctx.drawImage(this.#image, 0, 0, w, h);
		const x0 = Math.max(0, line.from / end * w), x1 = Math.min(w, line.to / end * w);
		ctx.fillStyle = palette.ground;
		ctx.globalAlpha = 0.5;
		ctx.fillRect(0, 0, x0, h);
		ctx.fillRect(x1, 0, w - x1, h);
		ctx.globalAlpha = 1;
		if (line.selected) {
			ctx.fillStyle = palette.accent;
			ctx.globalAlpha = 0.3;
			const a = line.selected.from / end * w;
			ctx.fillRect(a, 0, Math.max(2, (line.selected.to - line.selected.from) / end * w), h);
			ctx.globalAlpha = 1;
		}
		ctx.strokeStyle = palette.accent;
		ctx.lineWidth = 2;
		ctx.strokeRect(x0 + 1, 1, Math.max(1, x1 - x0 - 2), h - 2);
		ctx.fillStyle = palette.accent;
		for (const x of [x0, x1]) ctx.fillRect(Math.round(x) - 2, h / 2 - 8, 4, 16);
		const r = line.info;
		const text = `${r.name}\n${duration(end)} · ${count(r.events ?? 0)} events`;
		if (this.what.textContent !== text) this.what.textContent = text;
	}

	#render(end, w, h, palette) {
		this.#image.width = this.canvas.width;
		this.#image.height = this.canvas.height;
		const ctx = this.#image.getContext("2d");
		ctx.scale(this.canvas.width / w, this.canvas.height / h);
		ctx.fillStyle = palette.panel;
		ctx.fillRect(0, 0, w, h);
		const a = this.line.windows.whole;
		if (!a) return;
		const c = colors(palette);
		// the outermost lane of each row, as high as there is room; rows may share a pixel
		const rows = this.line.rows.list, each = (h - 8) / Math.max(1, rows.length);
		for (const [n, r] of rows.entries()) {
			const lanes = a.rows.get(r.row)?.lanes;
			if (!lanes || lanes.length < 2) continue;
			const y = 4 + n * each;
			let last = -1;
			for (let i = lanes[0]; i < lanes[1]; i++) {
				const x0 = Math.max(last, Math.round(a.start[i] / end * w)), x1 = Math.max(x0 + 1, Math.round((a.start[i] + a.dur[i]) / end * w));
				if (x0 >= w || x1 <= last) continue;
				last = x1;
				ctx.fillStyle = c.fill[a.colors[a.name[i]]];
				ctx.fillRect(x0, y, x1 - x0, Math.max(1, each - 0.6));
			}
		}
	}

	#listen() {
		const { canvas, line } = this;
		let drag = null;
		const time = e => {
			const box = canvas.getBoundingClientRect();
			return (e.clientX - box.left) / box.width * line.end;
		};
		const edge = e => {
			const slack = grip / this.width * line.end, t = time(e);
			if (line.to - line.from > slack * 4) {
				if (Math.abs(t - line.from) < slack) return "from";
				if (Math.abs(t - line.to) < slack) return "to";
			}
			return t >= line.from && t <= line.to ? "in" : "";
		};
		canvas.addEventListener("pointerdown", e => {
			if (e.button !== 0) return;
			canvas.setPointerCapture(e.pointerId);
			line.setFollow(false);
			const where = edge(e), t = time(e);
			// beside the frame a click moves it there, dragging draws a new one
			drag = { where: where || "new", t, from: line.from, to: line.to, moved: false };
			e.preventDefault();
		});
		canvas.addEventListener("pointermove", e => {
			if (!drag) {
				canvas.style.cursor = { from: "ew-resize", to: "ew-resize", in: "grab" }[edge(e)] ?? "crosshair";
				return;
			}
			const t = time(e);
			drag.moved ||= Math.abs(t - drag.t) / line.end * this.width > 2;
			if (!drag.moved) return;
			if (drag.where === "in") line.go(drag.from + t - drag.t, drag.to + t - drag.t, false);
			else {
				const other = drag.where === "from" ? drag.to : drag.where === "to" ? drag.from : drag.t;
				line.go(Math.min(t, other), Math.max(t, other), false);
			}
		});
		const end = e => {
			if (drag && !drag.moved && drag.where === "new") {
				const half = (line.to - line.from) / 2;
				line.go(time(e) - half, time(e) + half);
			}
			drag = null;
		};
		canvas.addEventListener("pointerup", end);
		canvas.addEventListener("pointercancel", () => { drag = null; });
		canvas.addEventListener("dblclick", () => line.all());
		canvas.addEventListener("wheel", e => {
			e.preventDefault();
			line.zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) * 0.002), time(e));
		}, { passive: false });
	}
}
