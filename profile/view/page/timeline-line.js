// The time line of one recording: an overview of all of it, rows of spans, values below.

import { el, sized } from "./timeline-dom.js";
import { Clock } from "./timeline-clock.js";
import { Gutter } from "./timeline-gutter.js";
import { Windows } from "./timeline-data.js";
import { Rows, laneHeight } from "./timeline-rows.js";
import { Values } from "./timeline-values.js";
import { Overview } from "./timeline-overview.js";
import { Frames } from "./timeline-frames.js";
import { spans } from "./timeline-draw.js";
import { axis, axisHeight, grid, over } from "./timeline-axis.js";
import { listen } from "./timeline-input.js";
import { Tip } from "./timeline-tip.js";
import { duration } from "./timeline-text.js";

const least = 16;      // nanoseconds that are seen at least
const unsure = 3e9;    // how late events of a live recording may come
export const liveSpan = 10e9; // of a live recording at first
const pollEach = 66;   // milliseconds
const infoEach = 1000;

// Line calls on.view after it moved, on.span and on.select when a span or a time is
// chosen, on.follow when it begins or ceases to follow the end.
export class Line {
	from = 0;
	to = 1;
	follow = false;
	hover = null;    // span, instant or null
	pointer = null;  // { x, y } of the pointer, y = -1 below the rows
	chosen = null;   // span
	selected = null; // { from, to }
	hit = null;      // span that a search found
	query = "";
	only = null;     // { name, detail } that sums are shown of, or null
	picking = false; // dragging selects
	dragged = false; // by the pointer, now
	#target = null;
	#frame = 0;
	#dirty = true;
	#shown = false;
	#timer = 0;
	#infoAt = -Infinity;
	#wholeAt = -Infinity;

	constructor(app, rec, on) {
		this.app = app;
		this.rec = rec;
		this.on = on;
		this.info = app.info.recordings[rec];
		this.clock = new Clock(this.info);
		this.rows = new Rows();
		this.rows.grow(this.info.workers ?? []);
		this.windows = new Windows(app.server, rec, a => this.#answered(a), e => on.failed(this, e));
		this.canvas = el("canvas", { className: "tl-main", role: "img", "aria-label": `Time line of ${this.info.name}` });
		this.overlay = el("canvas", { className: "tl-over", "aria-hidden": "true" });
		this.gutter = new Gutter(this);
		this.space = el("div");
		this.scroller = el("div", {
			className: "tl-scroll", tabIndex: 0, role: "group",
			"aria-label": `Rows of ${this.info.name}: arrows move, W and S zoom, Shift with arrows goes from span to span, ? has all keys`,
		}, el("div", { className: "tl-stick" }, this.canvas, this.overlay, this.gutter.root), this.space);
		this.tip = new Tip(this);
		this.overview = new Overview(this);
		this.frames = new Frames(this);
		this.values = new Values(this);
		this.root = el("div", { className: "tl-line" }, this.overview.root, this.frames.root, this.scroller, this.values.root, this.tip.root, this.frames.tip);
		this.scroller.addEventListener("scroll", () => this.draw());
		new ResizeObserver(() => this.draw()).observe(this.root);
		listen(this);
		this.to = Math.max(this.end, least);
	}

	// end is how long the recording is, as far as is known.
	get end() { return this.clock.end; }
	get width() { return Math.max(1, this.canvas.clientWidth); }
	get scale() { return this.width / (this.to - this.from); }
	time(x) { return this.from + x / this.scale; }
	x(t) { return (t - this.from) * this.scale; }

	show() {
		this.#shown = true;
		if (this.info.live && !this.#timer) this.#timer = setInterval(() => this.#poll(), pollEach);
		this.draw();
	}

	hide() {
		this.#shown = false;
		clearInterval(this.#timer);
		this.#timer = 0;
		this.windows.stop();
		this.values.stop();
		this.frames.stop();
		this.tip.hide();
	}

	// go shows from..to, at once or moving there. From a jump the browser's Back leads back.
	go(from, to, smooth = true, jump = false) {
		const size = Math.min(Math.max(to - from, least), this.#most);
		if (!(size > 0)) return;
		if (size !== to - from) from = (from + to - size) / 2;
		const first = Math.min(-size * 0.02, this.end - size);
		from = Math.min(Math.max(from, first), Math.max(this.end - size * 0.98, first));
		this.#target = { from, to: from + size };
		if (!smooth || matchMedia("(prefers-reduced-motion: reduce)").matches) this.#arrive();
		this.draw();
		this.on.view(this, this.#target ?? this, jump);
	}

	// a live recording has room for what it will have soon
	get #most() { return Math.max(this.end * 1.04, least, this.info.live ? liveSpan : 0); }

	get aim() { return this.#target ?? this; }

	#arrive() {
		if (!this.#target) return;
		this.from = this.#target.from;
		this.to = this.#target.to;
		this.#target = null;
	}

	zoom(factor, at = (this.aim.from + this.aim.to) / 2, smooth = false) {
		const { from, to } = this.aim;
		const size = Math.min(Math.max((to - from) * factor, least), this.#most);
		const share = (at - from) / (to - from);
		this.#unfollow(at, to);
		this.go(at - size * share, at + size * (1 - share), smooth);
	}

	pan(by, smooth = false) {
		const { from, to } = this.aim;
		if (by < 0) this.setFollow(false);
		this.go(from + by, to + by, smooth);
	}

	// zooming into the past ends following
	#unfollow(at, to) { if (this.follow && at < to - (to - this.from) * 0.25) this.setFollow(false); }

	all() { this.go(0, this.end, true, true); }

	// fit shows a part with something of what is around it.
	fit(from, to) {
		const around = Math.max(2, (to - from) * 0.12);
		this.setFollow(false);
		this.go(from - around, to + around, true, true);
	}

	// reveal brings a span into view.
	reveal(span, zoomed) {
		const { from, to } = this.aim;
		const size = to - from;
		if (zoomed || span.dur > size || span.dur * this.width < size * 4) this.fit(span.start - span.dur, span.start + span.dur * 2);
		else if (span.start < from + size * 0.05 || span.start + span.dur > to - size * 0.05) {
			this.setFollow(false);
			this.go(span.start + span.dur / 2 - size / 2, span.start + span.dur / 2 + size / 2, true, true);
		}
		const r = this.rows.get(span.row);
		if (!r) return;
		const y = r.top + (span.depth ?? 0) * laneHeight, seen = this.scroller.clientHeight - axisHeight;
		if (y < this.scroller.scrollTop || y + 30 > this.scroller.scrollTop + seen) this.scroller.scrollTop = Math.max(0, y - seen / 3);
	}

	fold(row) {
		this.rows.fold(row);
		this.on.folded(this);
		this.draw();
	}

	setFollow(on) {
		on &&= this.info.live;
		if (this.follow === on) return;
		this.follow = on;
		this.on.follow(this);
		this.draw();
	}

	// hitAt returns what is at a place of the canvas: a span, an instant or null.
	hitAt(x, y) {
		if (y < axisHeight) return null;
		const at = this.rows.at(y - axisHeight + this.scroller.scrollTop);
		const t = this.time(x), slack = 3 / this.scale;
		const best = this.windows.best(this.from, this.to, 1 / this.scale);
		if (!at || !best) return null;
		const { r, depth } = at;
		const above = y - axisHeight + this.scroller.scrollTop - r.top < 7;
		if (above) {
			const i = best.instants.find(i => i.row === r.row && Math.abs(i.time - t) <= slack);
			if (i) return { instant: true, row: i.row, start: i.time, dur: 0, count: 1, depth: 0, name: best.names[i.name], detail: best.names[i.detail] };
		}
		for (const a of [best, this.windows.whole]) {
			if (!a || t < a.from || t > a.to) continue;
			const span = a.at(r.row, depth, t, slack);
			if (span) return span;
			const o = a.open.find(o => o.row === r.row && o.depth === depth && o.start <= t && t <= this.end);
			if (o) return { open: true, row: o.row, start: o.start, dur: Math.max(0, this.end - o.start), count: 1, depth, name: a.names[o.name], detail: a.names[o.detail] };
		}
		return null;
	}

	// neighbor returns a span beside, around or inside one.
	neighbor(span, where) {
		const a = this.windows.best(this.from, this.to, 1 / this.scale);
		const r = a?.rows.get(span.row);
		if (!r) return null;
		if (where === "up") return span.depth > 0 ? a.at(span.row, span.depth - 1, span.start + span.dur / 2, span.dur) : null;
		if (where === "down") return a.at(span.row, span.depth + 1, span.start + span.dur / 2, span.dur / 2);
		const lo = r.lanes[span.depth], hi = r.lanes[span.depth + 1];
		if (hi === undefined) return null;
		let i = a.first(lo, hi, span.start);
		if (where === "left") i--;
		else if (i < hi && a.start[i] <= span.start) i++;
		return i >= lo && i < hi ? a.span(span.row, span.depth, i) : null;
	}

	draw() {
		this.#dirty = true;
		this.redraw();
	}

	// redraw draws what lies over the rows: pointer, selection.
	redraw() {
		if (this.#shown) this.#frame ||= requestAnimationFrame(() => this.#paint());
	}

	#answered(answer) {
		if (answer) {
			this.on.answered(this, answer);
			this.rows.grow([], answer);
			if (answer === this.windows.whole) this.overview.stale = true;
		}
		this.draw();
	}

	#poll() {
		if (document.hidden) return;
		const now = performance.now();
		if (now - this.#infoAt > infoEach) {
			this.#infoAt = now;
			this.#refresh();
		}
		if (this.follow) {
			const { from, to } = this.aim;
			this.#target = null;
			this.to = this.end;
			this.from = this.to - (to - from);
			this.on.view(this, this);
		}
		if (this.to > this.end - unsure && !this.windows.busy) this.#want(true);
		this.draw();
	}

	async #refresh() {
		try {
			const r = (await this.app.server.get("api/info")).recordings?.[this.rec];
			if (!r) return;
			this.clock.update(r, this.info);
			this.info = r;
			this.rows.grow(r.workers ?? []);
			if (!r.live) {
				clearInterval(this.#timer);
				this.#timer = 0;
				this.setFollow(false);
				this.on.follow(this);
			}
		} catch (e) { this.on.failed(this, e); }
	}

	#want(again) {
		const sure = this.info.live ? this.end - unsure : this.end;
		const { from, to } = this.aim;
		this.windows.want(from, to, (to - from) / this.width, { end: this.end, sure, again });
		const whole = this.windows.whole, now = performance.now();
		if ((!whole || this.end > whole.to * 1.01 + 1e8) && now - this.#wholeAt > 1000) {
			this.#wholeAt = now;
			const rows = this.rows.list.length;
			this.windows.wantWhole(this.end, this.overview.width / (rows > 96 ? 4 : rows > 32 ? 2 : 1));
		}
	}

	#paint() {
		this.#frame = 0;
		if (!this.root.isConnected || this.canvas.clientWidth === 0) return;
		if (this.#target) {
			const t = this.#target, size = t.to - t.from;
			const near = v => Math.abs(v) < size / this.width;
			if (near(t.from - this.from) && near(t.to - this.to)) this.#arrive();
			else {
				// between sizes that differ by far each frame goes a part of the ratio
				const k = 0.3, now = this.to - this.from;
				const next = now * (size / now) ** k;
				const share = Math.abs(now - size) > 1 ? (now - next) / (now - size) : k;
				this.from += (t.from - this.from) * share;
				this.to = this.from + next;
			}
			this.draw();
		}
		if (this.#dirty) {
			this.#dirty = false;
			this.#want(false);
			this.#rows();
			this.overview.draw();
			this.frames.draw();
			this.values.draw();
			this.tip.update();
		}
		over(this);
	}

	#rows() {
		const { ctx, w, h } = sized(this.canvas);
		const palette = this.app.palette;
		const total = axisHeight + this.rows.height;
		const space = Math.max(0, total - this.scroller.clientHeight);
		if (this.space.offsetHeight !== space) this.space.style.height = `${space}px`;
		const px = 1 / this.scale;
		const scene = {
			ctx, w, h: h - axisHeight, from: this.from, scale: this.scale, rows: this.rows, scroll: this.scroller.scrollTop,
			palette, answer: this.windows.best(this.from, this.to, px), whole: this.windows.whole, end: this.end, query: this.query, only: this.only, chosen: this.chosen,
		};
		for (const s of [this.chosen, this.hit]) if (s && s.depth === undefined) s.depth = scene.answer?.depthOf(s);
		ctx.fillStyle = palette.ground;
		ctx.fillRect(0, 0, w, h);
		ctx.save();
		ctx.translate(0, axisHeight);
		ctx.beginPath();
		ctx.rect(0, 0, w, h - axisHeight);
		ctx.clip();
		grid(scene, this);
		spans(scene);
		ctx.restore();
		axis(ctx, this, w, h, palette);
		if (!scene.answer) {
			ctx.fillStyle = palette.dim;
			ctx.fillText("reading the recording …", 12, axisHeight + 20);
		}
		this.gutter.draw(this.scroller.scrollTop, h);
		this.canvas.setAttribute("aria-label", `Time line of ${this.info.name}, ${duration(this.to - this.from)} are seen`);
	}
}
