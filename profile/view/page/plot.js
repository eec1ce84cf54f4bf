// Draws series of frames on a canvas.

import { bins, ema, format, sma, spiky } from "./series.js";

// What surrounds the plot, in CSS pixels.
export const gutter = 58, lane = 12, foot = 17;

// Shared by all plots: none of them draws while another one does.
let values = new Float64Array(1024), low = new Float64Array(1024), high = new Float64Array(1024);

const roomy = (array, count) => array.length >= count ? array : new Float64Array(count * 2);

// step returns the distance of about count round numbers over a range.
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
	// { from, to, until, cursor, marked, ema, sma, window, spikes, high }, where until is
	// the frame after the last that is known.
	draw(frames, series, view, palette, scale) {
		const ctx = this.#ctx, { width, height } = this;
		const top = lane + 2, bottom = height - foot, tall = Math.max(1, bottom - top);
		ctx.fillStyle = palette.ground;
		ctx.fillRect(0, 0, width, height);
		ctx.font = "11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
		ctx.textBaseline = "middle";
		// Frames that are shown and kept, in bins of which each is a pixel or more.
		const from = Math.max(view.from, frames.first), to = view.until, count = Math.max(0, to - from);
		const size = Math.max(1, Math.floor((view.to - view.from) / this.inner));
		const averages = view.ema || view.sma;
		const lead = averages ? Math.min(8 * view.window, from - frames.first) : 0;
		const most = Math.ceil(count / size) + 2, average = series.length * most; // where bins of averages are
		low = roomy(low, average + most);
		high = roomy(high, average + most);
		if (averages) values = roomy(values, count + lead + 1);
		const span = { from, to, count, size, lead, most, average };

		// The scale: of all series, or of each.
		const scales = series.map((s, i) => this.#extent(frames, s.name, span, i * most));
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
			ctx.lineWidth = 1; // wider lines take several times as long without a graphics card
			ctx.globalAlpha = averages ? .45 : 1;
			this.#line(ctx, i * most, span, view, y);
			ctx.globalAlpha = 1;
			if (view.sma) this.#average(ctx, frames, s, view, span, sma, y, [6, 3]);
			if (view.ema) this.#average(ctx, frames, s, view, span, ema, y, []);
		}
		ctx.setLineDash([]);
		ctx.restore();
		if (view.spikes) this.#spikes(ctx, frames, series, span, view, palette);
		this.#cursor(ctx, frames, series, scaleOf, view, palette, top, bottom, tall);
	}

	// extent fills the bins of a series and returns its least and greatest value.
	#extent(frames, name, span, at) {
		const e = { low: Infinity, high: -Infinity };
		if (!frames.columns.has(name) || span.count === 0) {
			low.fill(Infinity, at, at + span.most);
			high.fill(-Infinity, at, at + span.most);
			return e;
		}
		const n = frames.bins(name, span.from, span.count, span.size, low, high, at);
		for (let b = at; b < at + n; b++) {
			if (low[b] < e.low && low[b] > -Infinity) e.low = low[b];
			if (high[b] > e.high && high[b] < Infinity) e.high = high[b];
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

	// line strokes the bins from index at on. Bins of one frame are points. A bin without a value
	// keeps the level before it.
	#line(ctx, at, span, view, y) {
		ctx.beginPath();
		const scale = this.inner / (view.to - view.from), last = span.to - 1;
		let down = false, level = 0;
		for (let b = at, frame = span.from; frame < span.to; b++) {
			const end = Math.min(span.to, frame + span.size - frame % span.size);
			const x = gutter + ((frame + end) / 2 - view.from) * scale;
			if (low[b] > high[b]) {
				if (down) ctx.lineTo(x, level);
			} else {
				level = y(high[b]);
				if (!down) {
					ctx.moveTo(x, y(low[b]));
					if (low[b] === high[b] && end > last) ctx.lineTo(x + 1, level); // a single point
				} else ctx.lineTo(x, y(low[b]));
				if (high[b] > low[b]) ctx.lineTo(x, level);
				down = true;
			}
			frame = end;
		}
		ctx.stroke();
	}

	#average(ctx, frames, s, view, span, average, y, dash) {
		const count = span.count + span.lead;
		frames.copy(s.name, span.from - span.lead, span.to, values);
		average(values, count, view.window);
		ctx.lineWidth = 2;
		ctx.setLineDash(dash);
		bins(values, span.lead, span.count, span.from, span.size, low, high, span.average);
		this.#line(ctx, span.average, span, view, y);
		ctx.setLineDash(s.dash);
	}

	// spikes marks what is above a series' threshold in the lane above the plot: short for
	// one frame, tall and with its length for a run.
	#spikes(ctx, frames, series, span, view, palette) {
		ctx.textAlign = "left";
		const one = this.inner / (view.to - view.from);
		let free = gutter; // where the next length may stand
		for (const [i, s] of series.entries()) {
			if (!frames.columns.has(s.name) || !s.stats || !spiky(s.stats)) continue;
			ctx.fillStyle = s.color;
			const over = s.stats.over;
			let run = 0;
			const mark = end => {
				const x = this.x(end - run, view) - one / 2, wide = Math.max(2, run * one);
				const tall = run > 1 ? lane - 3 : 4;
				ctx.fillRect(x, lane - tall, wide, tall);
				if (run > 2 && x + wide + 2 > free && x + wide < this.width - 26) {
					ctx.fillStyle = palette.dim;
					ctx.fillText("×" + run, x + wide + 2, lane / 2);
					ctx.fillStyle = s.color;
					free = x + wide + 30;
				}
				run = 0;
			};
			for (let b = i * span.most, frame = span.from; frame < span.to; b++) {
				const end = Math.min(span.to, frame + span.size - frame % span.size);
				if (!(high[b] > over)) {
					if (run) mark(frame);
				} else for (let n = frame; n < end; n++) {
					if (frames.peak(s.name, n) > over) run++;
					else if (run) mark(n);
				}
				frame = end;
			}
			if (run) mark(span.to);
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
