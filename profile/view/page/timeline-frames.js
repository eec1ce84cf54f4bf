// The frames of a recording: a strip with all of them, and a ruler with the frames in view.

import { el, sized } from "./timeline-dom.js";
import { font } from "./timeline-draw.js";
import { count, duration, exact, moment } from "./timeline-text.js";

const pause = 250;     // milliseconds between requests, at least
const eachWhole = 1000; // milliseconds between requests for all frames of a live recording
const wide = 6;        // pixels of a bar that is hit only inside
const near = 2;        // pixels beside a narrow bar that still hit it
const ruler = 15;      // height in pixels
const highest = 4;     // limits at the upper edge of the strip, at most

// limitText returns a limit in nanoseconds as text.
export const limitText = limit => `${count(limit / 1e6)} ms`;

// Bars holds the frames of a time, at most one for each pixel, and requests them.
class Bars {
	answer = null; // { from, to, px, limit, total, gone, above, list }
	#busy = null;
	#next = 0; // time of the next request, at the earliest

	constructor(line) { this.line = line; }

	stop() { this.#busy?.abort(); }

	async ask(from, to, px, limit, each) {
		const now = performance.now();
		if (this.#busy || now < this.#next || !(to > from)) return false;
		this.#next = now + each;
		const { line } = this, stop = this.#busy = new AbortController();
		try {
			const width = Math.max(1, Math.round((to - from) / px));
			const got = await line.app.server.get("api/framestrip", { rec: line.rec, from, to, width, limit }, stop.signal);
			const list = [];
			for (let i = 0; i + 4 <= got.frames.length; i += 4) {
				const [number, start, dur, joined] = got.frames.slice(i, i + 4);
				list.push({ number, start, dur, count: joined });
			}
			list.sort((a, b) => b.dur - a.dur); // a longer frame is drawn below the frames inside of it
			this.answer = { from, to, px, limit, total: got.total, gone: got.gone, above: got.above, list };
			return true;
		} catch (e) {
			if (e.name !== "AbortError") {
				line.on.failed(line, e);
				this.#next = now + 2000;
			}
			return false;
		} finally { this.#busy = null; }
	}

	// hit returns the frame at x, where at(t) is the place of a time.
	hit(x, at) {
		let inside = null, beside = null;
		for (const f of this.answer?.list ?? []) {
			const x0 = at(f.start), x1 = at(f.start + f.dur);
			if (x1 - x0 >= wide) {
				if (x >= x0 && x < x1) inside = f; // the shortest is the last
			} else if (!beside && x >= x0 - near && x <= x1 + near) beside = f;
		}
		return beside && (!inside || beside.dur < inside.dur) ? beside : inside;
	}
}

// Frames draws the frames of a line. It has no height without frames.
export class Frames {
	limit = 0;       // nanoseconds
	selected = null; // frame
	#whole;
	#view;
	#hover = null;

	constructor(line) {
		this.line = line;
		this.#whole = new Bars(line);
		this.#view = new Bars(line);
		this.strip = el("canvas", { className: "tl-strip", role: "img" });
		this.ruler = el("canvas", { className: "tl-ruler", "aria-hidden": "true" });
		this.what = el("div", { className: "tl-what" });
		this.tip = el("div", { className: "tl-tip", hidden: true });
		this.root = el("div", { className: "tl-top tl-frames", hidden: true }, this.what, el("div", {}, this.strip, this.ruler));
		this.#listen(this.strip, this.#whole, t => this.#place(t));
		this.#listen(this.ruler, this.#view, t => line.x(t));
	}

	get total() { return this.#whole.answer?.total ?? 0; }

	#place(t) { return t / Math.max(this.line.end, 1) * this.strip.clientWidth; }

	#listen(canvas, bars, at) {
		const show = e => {
			this.#hover = e ? bars.hit(e.offsetX, at) : null;
			canvas.style.cursor = this.#hover ? "pointer" : "";
			this.#point(canvas, e);
			this.#paint();
		};
		canvas.addEventListener("pointermove", show);
		canvas.addEventListener("pointerleave", () => show(null));
		canvas.addEventListener("click", e => {
			const frame = bars.hit(e.offsetX, at);
			if (frame) this.line.on.frame(this.line, frame);
		});
	}

	#point(canvas, e) {
		const f = this.#hover, { tip, line } = this;
		tip.hidden = !f;
		if (!f) return;
		const dim = text => el("div", { className: "dim", textContent: text });
		tip.replaceChildren(el("b", { textContent: `frame ${count(f.number)}` }), el("div", { textContent: `${duration(f.dur)} (${exact(f.dur)})` }), dim(`from ${moment(f.start)}`));
		if (f.count > 1) tip.append(dim(`the longest of ${count(f.count)} frames that begin in this pixel`));
		const x = canvas.offsetLeft + e.offsetX;
		const left = x + 14 + tip.offsetWidth > line.root.clientWidth ? Math.max(0, x - tip.offsetWidth - 10) : x + 14;
		tip.style.transform = `translate(${left}px, ${this.root.offsetTop + this.root.offsetHeight + 4}px)`;
	}

	stop() {
		this.#whole.stop();
		this.#view.stop();
		this.tip.hidden = true;
	}

	draw() {
		this.#askWhole();
		if (this.root.hidden) return;
		this.#askView();
		this.#paint();
	}

	async #askWhole() {
		const { line } = this, a = this.#whole.answer;
		if (!line.windows.whole) return; // the first picture has none
		const end = Math.ceil(line.end), px = end / line.overview.width;
		if (a && a.limit === this.limit && (a.total === 0 ? !line.info.live : end <= a.to * 1.01 + 1e8 && a.px <= px * 1.05)) return;
		const same = a?.limit === this.limit && a.to !== end;
		if (!await this.#whole.ask(0, end, px, Math.round(this.limit), same ? eachWhole : pause)) return;
		const now = this.#whole.answer;
		if (this.root.hidden !== (now.total === 0)) {
			this.root.hidden = now.total === 0;
			line.on.frames(line);
		}
		line.draw();
	}

	async #askView() {
		const { line } = this, { from, to } = line.aim, a = this.#view.answer;
		const px = (to - from) / line.width, lo = Math.max(0, Math.floor(from)), hi = Math.ceil(Math.min(line.end, to));
		const stale = !a || a.from > lo || a.to < hi || a.px > px * 1.05 || a.px < px / 20 || a.total !== this.total;
		if (!stale) return;
		const half = Math.ceil((to - from) / 2);
		if (await this.#view.ask(Math.max(0, lo - half), Math.min(Math.ceil(line.end), hi + half), px, 0, pause)) {
			line.draw();
			setTimeout(() => line.draw(), pause); // for what was moved meanwhile
		}
	}

	#paint() {
		if (this.root.hidden) return;
		const { palette } = this.line.app;
		this.#paintStrip(palette);
		this.#paintRuler(palette);
		const a = this.#whole.answer;
		let text = `${count(a.total)} ${a.total === 1 ? "frame" : "frames"}\n${count(a.above)} above ${limitText(a.limit)}`;
		if (a.gone > 0) text += `\nonly the last ${count(a.total - a.gone)} are kept`;
		if (this.what.textContent === text) return;
		this.what.textContent = this.what.title = text;
		this.strip.setAttribute("aria-label", text.replaceAll("\n", ", "));
	}

	#color(f, palette) {
		if (f.number === this.selected?.number) return palette.accent;
		if (f.number === this.#hover?.number) return palette.text;
		return f.dur > this.limit ? palette.bad : palette.series[2];
	}

	#paintStrip(palette) {
		const { line } = this, { ctx, w, h } = sized(this.strip);
		ctx.fillStyle = palette.panel;
		ctx.fillRect(0, 0, w, h);
		const { list } = this.#whole.answer;
		const top = Math.max(Math.min(list[0]?.dur ?? 0, this.limit * highest || Infinity), this.limit * 1.25, 1);
		for (const f of list) {
			const x0 = Math.round(this.#place(f.start)), x1 = Math.round(this.#place(f.start + f.dur));
			const size = Math.max(1, Math.min(1, f.dur / top) * (h - 2));
			ctx.fillStyle = this.#color(f, palette);
			ctx.fillRect(x0, h - size, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)), size);
		}
		const x0 = Math.max(0, this.#place(line.from)), x1 = Math.min(w, this.#place(line.to));
		ctx.fillStyle = palette.ground;
		ctx.globalAlpha = 0.45;
		ctx.fillRect(0, 0, x0, h);
		ctx.fillRect(x1, 0, w - x1, h);
		ctx.globalAlpha = 1;
		ctx.fillStyle = palette.warn;
		if (this.limit > 0) ctx.fillRect(0, Math.round(h - this.limit / top * (h - 2)), w, 1);
		// what is selected or pointed at may be narrower than a pixel
		for (const f of [this.selected, this.#hover]) {
			if (!f) continue;
			const x = Math.round(this.#place(f.start));
			ctx.fillStyle = this.#color(f, palette);
			ctx.beginPath();
			ctx.moveTo(x - 4, 0);
			ctx.lineTo(x + 5, 0);
			ctx.lineTo(x + 0.5, 6);
			ctx.fill();
		}
	}

	// The ruler has numbers where there is room.
	#paintRuler(palette) {
		const { line } = this, { ctx, w } = sized(this.ruler);
		ctx.fillStyle = palette.panel;
		ctx.fillRect(0, 0, w, ruler);
		ctx.font = font;
		ctx.textBaseline = "middle";
		for (const f of this.#view.answer?.list ?? []) {
			const x0 = Math.max(-2, Math.round(line.x(f.start))), x1 = Math.min(w + 2, Math.round(line.x(f.start + f.dur)));
			if (x1 < 0 || x0 > w) continue;
			const size = Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0));
			ctx.fillStyle = this.#color(f, palette);
			ctx.fillRect(x0, 1, size, ruler - 2);
			const text = count(f.number);
			if (size < 24 || ctx.measureText(text).width + 8 > size) continue;
			ctx.fillStyle = palette.ground;
			ctx.fillText(text, Math.max(x0, 0) + 4, ruler / 2 + 0.5);
		}
	}
}
