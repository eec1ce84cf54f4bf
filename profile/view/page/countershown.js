// Which frames are shown and what is drawn of them: the buttons, the keys, and the part of
// the URL that has it.

import { element } from "./graph.js";

const lengths = [120, 300, 600, 1200, 3000, 10_000, 30_000, 100_000];
const drawn = ["ema", "sma", "spikes", "high"];

export class Shown {
	// What is drawn: frames from to to (exclusive), of which those before until are known.
	view = { from: 0, to: 600, until: 0, cursor: -1, marked: -1, ema: false, sma: false, window: 20, spikes: true, high: true };
	length = 600;
	#end = -1; // the frame after the last that is shown while paused, or -1
	#pinned = -1; // the marked frame while paused
	#hovered = NaN; // where the pointer is, as a part of the frames shown
	#frames;
	#state;
	#changed;

	// changed is called when something else is to be drawn.
	constructor(frames, state, changed) {
		this.#frames = frames;
		this.#state = state;
		this.#changed = changed;
		this.bar = this.#toolbar();
	}

	get paused() { return this.#end >= 0; }
	get present() { return this.paused && this.#pinned >= 0 ? this.#pinned : this.#frames.next - 1; }

	#toolbar() {
		const button = (text, title, run) => element("button", { type: "button", textContent: text, title, onclick: run });
		this.pauseButton = button("Pause", "Space", () => this.pause(!this.paused));
		this.lengthBox = element("select", { title: "frames shown (+ and -)", ariaLabel: "frames shown", onchange: () => this.setLength(Number(this.lengthBox.value)) });
		for (const n of lengths) this.lengthBox.append(element("option", { value: n, textContent: n.toLocaleString("en-US") + " frames" }));
		const toggle = (text, key, title) => {
			const b = button(text, title, () => {
				this.view[key] = !this.view[key];
				this.save();
			});
			b.key = key;
			return b;
		};
		this.toggles = [toggle("EMA", "ema", "exponential moving average, which begins at the first value"), toggle("SMA", "sma", "mean of the last frames"),
			toggle("spikes", "spikes", "frames above twice the median"), toggle("high water", "high", "the greatest value since the page watches")];
		this.slider = element("input", { type: "range", min: 2, max: 240, title: "window of the averages", ariaLabel: "window of the averages in frames", oninput: () => {
			this.view.window = Number(this.slider.value);
			this.save();
		} });
		this.windowText = element("span", { className: "dim windowtext" });
		this.where = element("span", { className: "where" });
		return element("div", { className: "bar toolbar" }, this.pauseButton, this.lengthBox, this.toggles[0], this.toggles[1], this.slider, this.windowText, this.toggles[2], this.toggles[3], this.where);
	}

	// keys registers keys by key(name, text, run).
	keys(key) {
		key(" ", "pause, go on", () => this.pause(!this.paused));
		key("ArrowLeft", "a frame back; 10 with Shift", e => this.mark(this.present - (e.shiftKey ? 10 : 1)));
		key("ArrowRight", "a frame on; 10 with Shift", e => this.mark(this.present + (e.shiftKey ? 10 : 1)));
		key("PageUp", "a page of frames back", () => this.scrollTo(this.view.until - Math.round(this.length * .9)));
		key("PageDown", "a page of frames on", () => this.scrollTo(this.view.until + Math.round(this.length * .9)));
		key("Home", "the oldest frame", () => this.mark(this.#frames.first));
		key("End", "the newest frame, and go on", () => this.pause(false));
		key("+", "fewer frames", () => this.zoom(.5));
		key("-", "more frames", () => this.zoom(2));
		key("e", "exponential moving average", () => this.toggles[0].click());
		key("s", "simple moving average", () => this.toggles[1].click());
	}

	load() {
		const state = this.#state, view = this.view, number = (key, otherwise) => {
			const v = state.get(key);
			return v !== "" && Number.isFinite(Number(v)) ? Math.floor(Number(v)) : otherwise;
		};
		this.length = Math.max(10, Math.min(100_000, number("c.frames", 600)));
		this.#end = number("c.end", -1) || -1;
		this.#pinned = this.#end < 0 ? -1 : number("c.at", this.#end - 1);
		const on = state.get("c.show", "spikes high").split(" ");
		for (const key of drawn) view[key] = on.includes(key);
		view.window = Math.max(2, Math.min(240, number("c.window", 20)));
		this.#tools();
	}

	// save writes the URL and has it drawn.
	save() {
		const state = this.#state, view = this.view;
		state.set("c.frames", this.length === 600 ? "" : this.length);
		state.set("c.end", this.#end < 0 ? "" : this.#end);
		state.set("c.at", this.#pinned < 0 ? "" : this.#pinned);
		const on = drawn.filter(k => view[k]).join(" ");
		state.set("c.show", on === "spikes high" ? "" : on || "none");
		state.set("c.window", view.window === 20 ? "" : view.window);
		this.#tools();
		this.#changed();
	}

	#tools() {
		this.pauseButton.textContent = this.paused ? "Go on" : "Pause";
		this.pauseButton.setAttribute("aria-pressed", String(this.paused));
		if (!lengths.includes(this.length)) {
			this.lengthBox.custom?.remove();
			this.lengthBox.custom = element("option", { value: this.length, textContent: this.length + " frames" });
			this.lengthBox.prepend(this.lengthBox.custom);
		}
		this.lengthBox.value = String(this.length);
		for (const b of this.toggles) b.setAttribute("aria-pressed", String(this.view[b.key]));
		this.slider.value = String(this.view.window);
		this.slider.disabled = !this.view.ema && !this.view.sma;
		this.windowText.textContent = this.view.window + " frames";
	}

	pause(on) {
		this.#end = on ? Math.max(this.#frames.next, 1) : -1;
		this.#pinned = on ? this.#frames.next - 1 : -1;
		this.save();
	}

	// scrollTo pauses with frames up to one shown; at the newest it goes on.
	scrollTo(to) {
		const frames = this.#frames, least = Math.min(frames.next, frames.first + this.length);
		if (to >= frames.next) this.#end = this.#pinned = -1;
		else {
			this.#end = Math.max(least, to);
			if (this.#pinned < 0) this.#pinned = this.#end - 1;
		}
		this.save();
	}

	// mark pauses at a frame.
	mark(frame) {
		const frames = this.#frames;
		if (!Number.isFinite(frame) || frames.length === 0) return;
		frame = Math.max(frames.first, Math.min(frames.next - 1, frame));
		if (!this.paused) this.#end = frames.next;
		this.#pinned = frame;
		if (frame < this.#end - this.length || frame >= this.#end) this.#end = Math.min(frames.next, frame + Math.ceil(this.length / 2));
		this.save();
	}

	// hover takes where the pointer is, NaN if it is elsewhere.
	hover(part) { this.#hovered = part; }

	zoom(by) { this.setLength(Math.round(this.length * by)); }

	setLength(n) {
		this.length = Math.max(10, Math.min(100_000, n));
		this.save();
	}

	// update makes the view that of the frames there are.
	update() {
		const { view } = this, frames = this.#frames;
		const to = this.paused ? Math.min(this.#end, Math.max(frames.next, 1)) : frames.next;
		view.from = Math.max(0, to - this.length);
		view.to = view.from + this.length;
		view.until = Math.min(to, frames.next);
		view.cursor = this.#hovered >= 0 && this.#hovered < 1 ? Math.floor(view.from + this.#hovered * this.length) : -1;
		view.marked = this.paused ? this.#pinned : frames.next - 1;
		if (view.marked < frames.first) view.marked = -1;
	}

	// write says which frame is marked.
	write() {
		const { view } = this, frames = this.#frames, t = frames.time(view.marked);
		let text = "";
		if (frames.length > 0 && this.paused && this.#end <= frames.first) text = `frame ${this.#end - 1} is not kept; press End to go on`;
		else if (frames.length > 0 && view.marked >= 0) {
			text = `frame ${view.marked}` + (Number.isNaN(t) ? "" : " · " + new Date(t).toISOString().slice(11, 23) + "Z") + (this.paused ? ` · ${frames.next - 1 - view.marked} behind` : "");
		}
		if (this.where.textContent !== text) this.where.textContent = text;
	}
}
