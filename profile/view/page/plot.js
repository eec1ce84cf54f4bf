// Draws series of frames on a canvas.

import { bins, ema, format, sma, spiky } from "./series.js";

// What surrounds the plot, in CSS pixels.
export const gutter = 58, lane = 12, foot = 17;

// Shared by all plots: none of them draws while another one does.
let values = new Float64Array(1024), low = new Float64Array(1024), high = new Float64Array(1024);

function room(count) {
	if (values.length >= count) return;
	values = new Float64Array(count * 2);
	low = new Float64Array(count * 2);
	high = new Float64Array(count * 2);
}

// ticks returns the distance of about count round numbers over a range.
export function step(range, count) {
	const raw = range / Math.max(count, 1);
	const power = 10 ** Math.floor(Math.log10(raw));
	for (const f of [1, 2, 5]) if (raw <= f * power) return f * power;
	return 10 * power;
}

export class Plot {
	#canvas;
	#ctx;
	width = 0;
	height = 0;
	above = new Set(); // series whose high water is above the scale

	constructor(canvas) {
		this.#canvas = canvas;
		this.#ctx = canvas.getContext("2d", { alpha: false });
	}

	// resize takes the size of the canvas's box; it reports whether there is anything to see.
	resize() {
		const box = this.#canvas.getBoundingClientRect();
		const ratio = devicePixelRatio || 1;
		this.width = box.width;
		this.height = box.height;
		const w = Math.round(box.width * ratio), h = Math.round(box.height * ratio);
		if (this.#canvas.width !== w || this.#canvas.height !== h) {
			this.#canvas.width = w;
			this.#canvas.height = h;
		}
		this.#ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		return w > 0 && h > 0;
	}

	get inner() { return Math.max(1, this.width - gutter - 8); }

	// frameAt returns the frame below a place.
	frameAt(x, view) { return Math.floor(view.from + (x - gutter) / this.inner * (view.to - view.from)); }
	x(frame, view) { return gutter + (frame + .5 - view.from) / (view.to - view.from) * this.inner; }

	// draw draws series, each { name, color, dash, stats, high }, of frames in a view:
	// { from, to, cursor, marked, ema, sma, window, spikes, high }.
	draw(frames, series, view, palette, scale) {
		const ctx = this.#ctx, { width, height } = this;
		const top = lane + 2, bottom = height - foot, tall = Math.max(1, bottom - top);
		ctx.fillStyle = palette.ground;
		ctx.fillRect(0, 0, width, height);
		ctx.font = "11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
		ctx.textBaseline = "middle";
		const count = view.to - view.from;
		const size = Math.max(1, Math.floor(count / this.inner));
		const averages = view.ema || view.sma;
		const lead = averages ? Math.min(8 * view.window, Math.max(0, view.from - frames.first)) : 0;
		room(count + lead + 1);

		// The scale: of all series, or of each.
		const scales = series.map(s => this.#extent(frames, s.name, view));
		let shared = { low: Infinity, high: -Infinity };
		for (const e of scales) {
			shared.low = Math.min(shared.low, e.low);
			shared.high = Math.max(shared.high, e.high);
		}
		shared = scale.range ? { low: scale.range[0], high: scale.range[1] } : padded(shared, tall);
		const axis = scale.own && !scale.range ? scale.focus : -1;
		const scaleOf = i => scale.own && !scale.range ? padded(scales[i], tall) : shared;
		const shown = axis >= 0 && axis < scales.length ? scaleOf(axis) : shared;
		this.#axes(ctx, view, shown, palette, axis >= 0 ? series[axis]?.color : palette.dim, top, bottom);

		this.above.clear();
		ctx.save();
		ctx.beginPath();
		ctx.rect(gutter, top - 2, this.inner, tall + 4);
		ctx.clip();
		for (const [i, s] of series.entries()) {
			const e = scaleOf(i), factor = tall / (e.high - e.low);
			const y = v => bottom - (v - e.low) * factor;
			ctx.strokeStyle = s.color;
			ctx.setLineDash(s.dash);
			if (view.high && s.high > e.high) this.above.add(s.name);
			else if (view.high && s.high > -Infinity) this.#level(ctx, y(s.high), s.color);
			frames.copy(s.name, view.from, view.to, values);
			ctx.lineWidth = 1; // wider lines take several times as long without a graphics card
			ctx.globalAlpha = averages ? .45 : 1;
			this.#line(ctx, bins(values, count, view.from, size, low, high), size, view, y);
			ctx.globalAlpha = 1;
			if (view.sma) this.#average(ctx, frames, s, view, lead, sma, size, y, [6, 3]);
			if (view.ema) this.#average(ctx, frames, s, view, lead, ema, size, y, []);
		}
		ctx.setLineDash([]);
		ctx.restore();
		if (view.spikes) this.#spikes(ctx, frames, series, view, palette);
		this.#cursor(ctx, frames, series, scaleOf, view, palette, top, bottom, tall);
	}

	#extent(frames, name, view) {
		const c = frames.columns.get(name);
		const e = { low: Infinity, high: -Infinity };
		if (!c) return e;
		const to = Math.min(view.to, frames.next);
		for (let n = Math.max(view.from, frames.first); n < to; n++) {
			const v = c[n % frames.capacity];
			if (v < e.low && v > -Infinity) e.low = v;
			if (v > e.high && v < Infinity) e.high = v;
		}
		return e;
	}

	#axes(ctx, view, scale, palette, color, top, bottom) {
		const { width, inner } = this;
		ctx.lineWidth = 1;
		ctx.strokeStyle = palette.line;
		ctx.beginPath();
		const by = step(scale.high - scale.low, (bottom - top) / 34);
		ctx.textAlign = "right";
		ctx.fillStyle = color;
		for (let v = Math.ceil(scale.low / by - 1e-9) * by; v <= scale.high + by * 1e-9; v += by) {
			const y = Math.round(bottom - (v - scale.low) / (scale.high - scale.low) * (bottom - top)) + .5;
			ctx.moveTo(gutter, y);
			ctx.lineTo(gutter + inner, y);
			ctx.fillText(format(Math.abs(v) < by * 1e-6 ? 0 : v), gutter - 6, y);
		}
		const every = Math.max(1, step(view.to - view.from, inner / 110));
		ctx.textAlign = "center";
		ctx.fillStyle = palette.dim;
		for (let n = Math.ceil(Math.max(0, view.from) / every) * every; n < view.to; n += every) {
			const x = Math.round(this.x(n, view)) + .5;
			ctx.moveTo(x, top);
			ctx.lineTo(x, bottom);
			if (x > gutter + 8 && x < width - 24) ctx.fillText(String(n), x, bottom + 9);
		}
		ctx.globalAlpha = .6;
		ctx.stroke();
		ctx.globalAlpha = 1;
	}

	#level(ctx, y, color) {
		ctx.save();
		ctx.strokeStyle = color;
		ctx.globalAlpha = .8;
		ctx.lineWidth = 1;
		ctx.setLineDash([2, 4]);
		ctx.beginPath();
		ctx.moveTo(gutter, Math.round(y) + .5);
		ctx.lineTo(gutter + this.inner, Math.round(y) + .5);
		ctx.stroke();
		ctx.restore();
	}

	// line strokes bins of size frames; of one frame each they are points.
	#line(ctx, count, size, view, y) {
		ctx.beginPath();
		let frame = view.from, down = false;
		for (let b = 0; b < count; b++) {
			const end = Math.min(view.to, frame + size - frame % size);
			if (low[b] > high[b]) {
				down = false; // nothing is known here
			} else {
				const x = gutter + ((frame + end) / 2 - view.from) / (view.to - view.from) * this.inner;
				if (!down) {
					ctx.moveTo(x, y(low[b]));
					if (low[b] === high[b] && (b + 1 >= count || low[b + 1] > high[b + 1])) ctx.lineTo(x + 1, y(low[b])); // a single point
				} else ctx.lineTo(x, y(low[b]));
				if (high[b] > low[b]) ctx.lineTo(x, y(high[b]));
				down = true;
			}
			frame = end;
		}
		ctx.stroke();
	}

	#average(ctx, frames, s, view, lead, average, size, y, dash) {
		const count = view.to - view.from + lead;
		frames.copy(s.name, view.from - lead, view.to, values);
		average(values, count, view.window);
		ctx.lineWidth = 2;
		ctx.setLineDash(dash);
		const shown = lead ? values.subarray(lead, count) : values;
		this.#line(ctx, bins(shown, count - lead, view.from, size, low, high), size, view, y);
		ctx.setLineDash(s.dash);
	}

	// spikes marks what is above a series' threshold in the lane above the plot: short for
	// one frame, tall and with its length for a run.
	#spikes(ctx, frames, series, view, palette) {
		ctx.textAlign = "left";
		const one = this.inner / (view.to - view.from);
		let free = gutter; // where the next length may stand
		for (const s of series) {
			const c = frames.columns.get(s.name);
			if (!c || !s.stats || !spiky(s.stats)) continue;
			ctx.fillStyle = s.color;
			const to = Math.min(view.to, frames.next), over = s.stats.over;
			let run = 0;
			for (let n = Math.max(view.from, frames.first); n <= to; n++) {
				if (n < to && c[n % frames.capacity] > over) {
					run++;
					continue;
				}
				if (run === 0) continue;
				const x = this.x(n - run, view) - one / 2, wide = Math.max(2, run * one);
				const tall = run > 1 ? lane - 3 : 4;
				ctx.fillRect(x, lane - tall, wide, tall);
				if (run > 2 && x + wide + 2 > free && x + wide < this.width - 26) {
					ctx.fillStyle = palette.dim;
					ctx.fillText("×" + run, x + wide + 2, lane / 2);
					ctx.fillStyle = s.color;
					free = x + wide + 30;
				}
				run = 0;
			}
		}
	}

	#cursor(ctx, frames, series, scaleOf, view, palette, top, bottom, tall) {
		const mark = (frame, color, dash) => {
			const x = Math.round(this.x(frame, view)) + .5;
			ctx.strokeStyle = color;
			ctx.lineWidth = 1;
			ctx.setLineDash(dash);
			ctx.beginPath();
			ctx.moveTo(x, top - 2);
			ctx.lineTo(x, bottom);
			ctx.stroke();
			ctx.setLineDash([]);
			return x;
		};
		if (view.marked >= view.from && view.marked < view.to) {
			const x = mark(view.marked, palette.accent, []);
			ctx.fillStyle = palette.accent;
			ctx.beginPath();
			ctx.moveTo(x - 5, bottom + 5);
			ctx.lineTo(x + 5, bottom + 5);
			ctx.lineTo(x, bottom - 1);
			ctx.fill();
		}
		const at = view.cursor >= 0 ? view.cursor : view.marked;
		if (view.cursor >= view.from && view.cursor < view.to) mark(view.cursor, palette.text, [3, 3]);
		if (at < view.from || at >= view.to) return;
		for (const [i, s] of series.entries()) {
			const v = frames.value(s.name, at), e = scaleOf(i);
			if (!Number.isFinite(v) || v < e.low || v > e.high) continue;
			ctx.fillStyle = s.color;
			ctx.beginPath();
			ctx.arc(this.x(at, view), bottom - (v - e.low) / (e.high - e.low) * tall, 3, 0, 2 * Math.PI);
			ctx.fill();
		}
	}
}

// padded makes an extent one that is round, so that it does not change with each frame.
function padded(e, tall) {
	let { low, high } = e;
	if (low > high) return { low: 0, high: 1 };
	if (low >= 0 && low <= high * .6) low = 0;
	if (high <= 0 && high >= low * .6) high = 0;
	if (low === high) return low === 0 ? { low: 0, high: 1 } : { low: low - Math.abs(low) * .1, high: high + Math.abs(high) * .1 };
	const by = step(high - low, Math.max(2, tall / 24));
	const room = (high - low) * .04;
	return { low: low === 0 ? 0 : Math.floor((low - room) / by) * by, high: high === 0 ? 0 : Math.ceil((high + room) / by) * by };
}
