// The controls of frames: the limit, the frames above it one by one, the slowest frames.

import { Table, button, el } from "./timeline-dom.js";
import { limitText } from "./timeline-frames.js";
import { count, duration, exact, moment } from "./timeline-text.js";
import { frameFrom, frameLimit, limitFrom } from "./timeline-url.js";

// FrameBar calls on.frame with a frame to go to; on.line says in which recording.
export class FrameBar {
	selected = null; // { line, number, start, dur }
	#lines = [];
	#steps = Promise.resolve(); // each step begins at the frame of the step before

	constructor(app, on) {
		this.app = app;
		this.on = on;
		this.input = el("input", { type: "number", min: "0", step: "any", title: "frames that take longer are colored", "aria-label": "Limit of frames in milliseconds" });
		this.input.onchange = () => this.#setLimit(this.input.value);
		this.slowest = new Table("Slowest frames", [
			{ key: "number", title: "frame", number: true, by: f => f.number, text: f => count(f.number) },
			{ key: "start", title: "start", number: true, by: f => f.start, text: f => moment(f.start) },
			{ key: "dur", title: "duration", number: true, by: f => f.dur, text: f => duration(f.dur), hint: f => exact(f.dur) },
		], { sort: { key: "dur", down: true }, click: f => this.on.frame(this.on.line(), f) });
		this.list = el("details", {}, el("summary", { textContent: "Slowest frames" }), el("div", { className: "tl-menu" }, this.slowest.root));
		this.list.ontoggle = () => { if (this.list.open) this.#list(); };
		this.said = el("span", { className: "dim", role: "status" });
		this.root = el("span", { className: "tl-framebar", hidden: true }, el("label", {}, "Frames above ", this.input, " ms"),
			button("‹", "previous frame above the limit (,)", () => this.go(-1)), button("›", "next frame above the limit (.)", () => this.go(1)), this.said, this.list);
	}

	get limit() { return limitFrom(this.app.state.get("limit")) * 1e6; }

	// show takes the limit and the selected frame from the URL. A frame without a question is
	// gone to.
	show(lines) {
		const { state } = this.app;
		this.#lines = lines;
		this.input.value = limitFrom(state.get("limit"));
		for (const l of lines) l.frames.limit = this.limit;
		this.update();
		const number = frameFrom(state.get("frame")), line = state.get("asked") === "2" ? lines[1] : lines[0];
		if (number >= 0 && line && this.selected?.line === line && this.selected.number === number) return;
		this.#mark(null);
		if (number >= 0 && line) this.#restore(line, number);
	}

	async #restore(line, number) {
		const frame = await this.#ask(line, { number });
		const { state } = this.app;
		if (!frame || frameFrom(state.get("frame")) !== number || !this.#lines.includes(line)) return;
		if (state.get("ask")) this.#mark({ line, ...frame });
		else this.on.frame(line, frame);
	}

	update() { this.root.hidden = !this.#lines.some(l => l.frames.total > 0); }

	#setLimit(text) {
		const limit = limitFrom(text);
		this.input.value = limit;
		this.app.state.set("limit", limit === frameLimit ? "" : limit);
		for (const l of this.#lines) {
			l.frames.limit = this.limit;
			l.draw();
		}
	}

	#mark(selected) {
		this.selected = selected;
		for (const l of this.#lines) {
			l.frames.selected = l === selected?.line ? selected : null;
			l.draw();
		}
		this.said.textContent = selected ? `frame ${count(selected.number)}, ${duration(selected.dur)}` : "";
		if (this.list.open) this.slowest.set(this.slowest.rows, f => f.number === selected?.number);
	}

	// select marks a frame, and keeps it in the URL. The caller asks for its sums.
	select(line, { number, start, dur }) {
		this.#mark({ line, number, start, dur });
		this.app.state.set("frame", number, true);
	}

	// leave forgets the selected frame if the question q of a line is about another time.
	leave(line, q, push) {
		const s = this.selected;
		if (s && line === s.line && q.from === s.start && q.to === frameEnd(s)) return;
		if (s) this.#mark(null);
		if (push) this.app.state.set("frame", "");
	}

	// go selects the next frame above the limit, or the previous one.
	go(dir) { this.#steps = this.#steps.then(() => this.#step(dir)); }

	async #step(dir) {
		const line = this.on.line(), { from, to } = line.aim, s = this.selected;
		if (line.frames.total === 0) return;
		const where = s?.line === line ? { number: s.number } : { number: -1, at: dir > 0 ? Math.floor(from) : Math.ceil(to) };
		const frame = await this.#ask(line, { ...where, dir, limit: Math.round(this.limit) });
		if (frame) this.on.frame(line, frame);
		else if (frame === null) this.said.textContent = `no frame above ${limitText(this.limit)} ${dir > 0 ? "after" : "before"} this`;
	}

	async #list() {
		const line = this.on.line();
		try {
			this.slowest.set(await this.app.server.get("api/slowestframes", { rec: line.rec }), f => f.number === this.selected?.number);
		} catch (e) { this.said.textContent = e.message; }
	}

	async #ask(line, params) {
		try {
			return await this.app.server.get("api/frame", { rec: line.rec, ...params });
		} catch (e) { this.said.textContent = e.message; }
	}
}

// frameEnd returns the end of a frame for a question, in which 0 means all of the recording.
export const frameEnd = f => Math.max(1, f.start + f.dur);
