// All frames that are kept, as a strip to scrub through.

import { element } from "./graph.js";

export class Overview {
	#host;
	#ctx;
	#drawn = 0;
	#low = new Float64Array(1024);
	#high = new Float64Array(1024);

	constructor(host) {
		this.#host = host;
		this.canvas = element("canvas", { className: "overview", tabIndex: 0, role: "slider", ariaLabel: "frames kept; the part that is shown" });
		this.#ctx = this.canvas.getContext("2d", { alpha: false });
		const scrub = e => {
			const box = this.canvas.getBoundingClientRect(), { frames, view } = host;
			const frame = frames.first + (e.clientX - box.left) / box.width * frames.length;
			host.scrollTo(Math.round(frame + (view.to - view.from) / 2));
		};
		this.canvas.onpointerdown = e => {
			this.canvas.setPointerCapture(e.pointerId);
			scrub(e);
		};
		this.canvas.onpointermove = e => { if (this.canvas.hasPointerCapture(e.pointerId)) scrub(e); };
	}

	// draw draws the first series of the selected graph; often only while one scrubs.
	draw(time) {
		const { frames, view, palette } = this.#host;
		const rest = frames.length > 5000 ? 500 : 150;
		if (time - this.#drawn < rest && !this.canvas.matches(":active")) return;
		this.#drawn = time;
		const box = this.canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
		const w = Math.round(box.width * ratio), h = Math.round(box.height * ratio);
		if (w === 0) return;
		if (this.canvas.width !== w || this.canvas.height !== h) {
			this.canvas.width = w;
			this.canvas.height = h;
		}
		const ctx = this.#ctx, n = frames.length;
		ctx.fillStyle = palette.panel;
		ctx.fillRect(0, 0, w, h);
		const x = frame => (frame - frames.first) / Math.max(1, n) * w;
		const name = this.#host.selected?.series[0];
		if (name && n > 0) {
			const size = Math.max(1, Math.floor(n / w)), most = Math.ceil(n / size) + 2;
			if (this.#low.length < most) {
				this.#low = new Float64Array(most * 2);
				this.#high = new Float64Array(most * 2);
			}
			const count = frames.columns.has(name) ? frames.bins(name, frames.first, n, size, this.#low, this.#high) : 0;
			let least = Infinity, greatest = -Infinity;
			for (let b = 0; b < count; b++) {
				least = Math.min(least, this.#low[b]);
				greatest = Math.max(greatest, this.#high[b]);
			}
			if (least > 0 && least < greatest * .6) least = 0;
			const y = v => h - 2 - (v - least) / (greatest - least || 1) * (h - 4);
			ctx.strokeStyle = palette.dim;
			ctx.lineWidth = ratio;
			ctx.beginPath();
			let frame = frames.first, down = false;
			for (let b = 0; b < count; b++) {
				const end = frame + size - frame % size;
				if (this.#low[b] <= this.#high[b]) {
					const at = x(Math.min(frames.next, (frame + end) / 2));
					if (!down) ctx.moveTo(at, y(this.#low[b]));
					else ctx.lineTo(at, y(this.#low[b]));
					if (this.#high[b] > this.#low[b]) ctx.lineTo(at, y(this.#high[b]));
					down = true;
				} else down = false;
				frame = end;
			}
			ctx.stroke();
		}
		const from = Math.max(0, x(view.from)), to = Math.min(w, x(view.to));
		ctx.fillStyle = palette.accent;
		ctx.globalAlpha = .16;
		ctx.fillRect(from, 0, Math.max(2, to - from), h);
		ctx.globalAlpha = 1;
		ctx.fillRect(from, 0, 2 * ratio, h);
		ctx.fillRect(Math.max(from, to - 2 * ratio), 0, 2 * ratio, h);
		if (view.marked >= 0) ctx.fillRect(x(view.marked), 0, ratio, h);
		this.canvas.ariaValueMin = String(frames.first);
		this.canvas.ariaValueMax = String(Math.max(frames.first, frames.next - 1));
		this.canvas.ariaValueNow = String(Math.max(frames.first, view.marked));
		this.canvas.title = `${n.toLocaleString("en-US")} frames are kept, at most ${frames.limit.toLocaleString("en-US")}; drag to look back`;
	}
}
