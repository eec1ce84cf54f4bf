// Statistics of the series that are shown, brought up to date a few at a time.

import { partOf } from "./frames.js";
import { summarize } from "./series.js";

export class Statistics {
	of = new Map(); // name -> summary of the frames shown
	highs = new Map(); // name -> { value, at }: the greatest since the page watches
	#frames;
	#for = new Map(); // name -> "from to" that the summary is of
	#next = 0; // which name is next
	#rest = 0; // nothing before that time
	#highFrom = 0; // the frame after the last that highs have
	#values = new Float64Array(1024);
	#least = new Float64Array(1024);
	#most = new Float64Array(1024);

	constructor(frames) { this.#frames = frames; }

	// keep forgets all other names.
	keep(names) {
		const keep = new Set(names);
		for (const map of [this.of, this.highs, this.#for]) for (const name of map.keys()) if (!keep.has(name)) map.delete(name);
		for (const name of keep) if (!this.highs.has(name)) this.highs.set(name, { value: -Infinity, at: -1, from: 0 });
	}

	// highWater takes the frames that are new.
	highWater() {
		const frames = this.#frames;
		if (frames.next < this.#highFrom) { // another program
			for (const h of this.highs.values()) Object.assign(h, { value: -Infinity, at: -1, from: 0 });
		}
		for (const [name, h] of this.highs) {
			if (!frames.columns.has(name)) continue;
			for (let n = Math.max(frames.first, h.from); n < frames.next; n++) {
				const v = frames.peak(name, n);
				if (v > h.value) {
					h.value = v;
					h.at = n;
				}
			}
			h.from = frames.next;
		}
		this.#highFrom = frames.next;
	}

	// summarize describes frames of a name.
	summarize(name, from, to, into = {}) {
		const frames = this.#frames, count = Math.max(0, to - from);
		if (this.#values.length < count) {
			this.#values = new Float64Array(count * 2);
			this.#least = new Float64Array(count * 2);
			this.#most = new Float64Array(count * 2);
		}
		frames.copy(name, from, to, this.#values);
		if (!frames.columns.has(partOf(name, "max"))) return summarize(this.#values, count, into);
		frames.copy(partOf(name, "min"), from, to, this.#least);
		frames.copy(partOf(name, "max"), from, to, this.#most);
		return summarize(this.#values, count, into, this.#least, this.#most);
	}

	// update takes some milliseconds for summaries that are not of the frames shown, and
	// reports whether some are left. Those of frames that run are a little old: they change
	// with each frame.
	update(view, paused, budget) {
		const names = [...this.highs.keys()], began = performance.now(), frames = this.#frames;
		if (names.length === 0 || began < this.#rest) return names.length > 0;
		const from = Math.max(view.from, frames.first), key = from + " " + view.until;
		let left = names.length;
		for (; left > 0; left--) {
			const name = names[this.#next++ % names.length];
			if (this.#for.get(name) === key) continue;
			let s = this.of.get(name);
			if (!s) this.of.set(name, s = {});
			this.summarize(name, from, view.until, s);
			this.#for.set(name, key);
			if (performance.now() - began > budget) break;
		}
		const took = performance.now() - began;
		this.#rest = paused ? 0 : began + Math.max(took * 8, left > 1 ? 0 : 100);
		return left > 1;
	}
}
