// Values of frames, kept in rings, and what is computed of them. There is no DOM here.

import { partOf } from "./frames.js";

// Frames keeps the values of some names for the last frames, up to a number of frames and
// of bytes. A value that is not known is NaN. Frame n is at index n % capacity of each column.
export class Frames {
	#most;
	#bytes;
	first = 0; // the oldest frame that is kept
	next = 0; // the frame after the newest
	capacity = 1024;
	at = new Float64Array(1024).fill(NaN); // times in Unix ms
	columns = new Map(); // name -> Float64Array
	version = 0; // changes when columns are other arrays than before

	constructor(most = 100_000, bytes = 96 << 20) {
		this.#most = most;
		this.#bytes = bytes;
	}

	get length() { return this.next - this.first; }

	// limit is how many frames are kept of as many columns as there are.
	get limit() { return Math.max(600, Math.min(this.#most, Math.floor(this.#bytes / 8 / (this.columns.size + 1)))); }

	reset() {
		this.first = this.next = 0;
		this.at.fill(NaN);
		for (const c of this.columns.values()) c.fill(NaN);
	}

	// keep makes these the names of columns; those that were there keep their values.
	keep(names) {
		const wanted = new Set(names);
		for (const name of this.columns.keys()) if (!wanted.has(name)) this.columns.delete(name);
		for (const name of wanted) if (!this.columns.has(name)) this.columns.set(name, new Float64Array(this.capacity).fill(NaN));
		this.version++;
		if (this.capacity > this.limit) this.#resize(this.limit);
	}

	#resize(capacity) {
		const from = Math.max(this.first, this.next - capacity);
		const move = old => {
			const now = new Float64Array(capacity).fill(NaN);
			for (let n = from; n < this.next; n++) now[n % capacity] = old[n % this.capacity];
			return now;
		};
		this.at = move(this.at);
		for (const [name, c] of this.columns) this.columns.set(name, move(c));
		this.first = from;
		this.capacity = capacity;
		this.version++;
	}

	// open makes room for a frame, and returns how many frames before it were never seen;
	// -1 if it is too old to be kept.
	open(number) {
		if (this.next === 0 && this.first === 0) this.first = this.next = number;
		if (number < this.first) return -1;
		if (number < this.next) return 0;
		const missed = number - this.next;
		if (missed >= this.limit) {
			this.at.fill(NaN);
			for (const c of this.columns.values()) c.fill(NaN);
			this.first = this.next = number;
		}
		while (this.next <= number) {
			if (this.length === this.capacity) {
				const limit = this.limit;
				if (this.capacity < limit) this.#resize(Math.min(limit, this.capacity * 2));
				else this.first++;
			}
			const slot = this.next % this.capacity;
			this.at[slot] = NaN;
			for (const c of this.columns.values()) c[slot] = NaN;
			this.next++;
		}
		return missed;
	}

	value(name, number) {
		const c = this.columns.get(name);
		return c && number >= this.first && number < this.next ? c[number % this.capacity] : NaN;
	}

	// peak is the greatest value of a frame.
	peak(name, number) {
		const greatest = this.value(partOf(name, "max"), number);
		return Number.isNaN(greatest) ? this.value(name, number) : greatest;
	}

	// known is the value of a frame or, if it has none, the last value before it.
	known(name, number) {
		const c = this.columns.get(name);
		let n = Math.min(number, this.next - 1);
		while (c && n >= this.first && Number.isNaN(c[n % this.capacity])) n--;
		return c && n >= this.first ? c[n % this.capacity] : NaN;
	}

	// bins finds the extremes of count frames from number from on; see the function.
	bins(name, from, count, size, low, high, at = 0) {
		const column = part => this.columns.get(part);
		return bins(column(name), from % this.capacity, count, from, size, low, high, at, column(partOf(name, "min")), column(partOf(name, "max")));
	}

	time(number) { return number >= this.first && number < this.next ? this.at[number % this.capacity] : NaN; }

	// frameAt returns the frame at or after a time, next if there is none.
	frameAt(time) {
		let low = this.first, high = this.next;
		while (low < high) {
			const mid = Math.floor((low + high) / 2);
			if (this.at[mid % this.capacity] >= time) high = mid;
			else low = mid + 1;
		}
		return low;
	}

	// copy copies the values of frames from to to (exclusive), which are kept, into out.
	copy(name, from, to, out) {
		const c = this.columns.get(name);
		for (let n = from, i = 0, slot = from % this.capacity; n < to; n++, i++) {
			out[i] = c ? c[slot] : NaN;
			if (++slot === this.capacity) slot = 0;
		}
	}
}

let sorted = new Float64Array(1024);

// summarize describes the first count values as counters.Summarize does in Go:
//
//	percentile p: the least value that at least p percent do not exceed
//	a spike: a value greater than twice the median, or than 0 if that is negative
//	a run: spikes in a row; NaN between them does not end it
//
// Numbers in least and greatest are the extremes of frames with several values; values has the
// last of these. into is filled and returned.
export function summarize(values, count, into = {}, least = null, greatest = null) {
	if (sorted.length < count) sorted = new Float64Array(count * 2);
	let n = 0;
	for (let i = 0; i < count; i++) if (!Number.isNaN(values[i])) sorted[n++] = values[i];
	const order = sorted.subarray(0, n).sort();
	const percentile = p => n === 0 ? 0 : order[Math.floor((n * p + 99) / 100) - 1];
	into.count = n;
	into.min = n ? order[0] : 0;
	into.p50 = percentile(50);
	into.p95 = percentile(95);
	into.p99 = percentile(99);
	into.over = Math.max(2 * into.p50, 0);
	into.last = into.sum = into.high = into.highAt = into.spikes = into.longest = into.longestAt = 0;
	let run = 0, runAt = 0, seen = false;
	for (let i = 0; i < count; i++) {
		const v = values[i];
		if (Number.isNaN(v)) continue;
		const peak = greatest?.[i] > v ? greatest[i] : v;
		if (least?.[i] < into.min) into.min = least[i];
		if (peak > into.over) {
			into.spikes++;
			if (run++ === 0) runAt = i;
			if (run > into.longest) {
				into.longest = run;
				into.longestAt = runAt;
			}
		} else run = 0;
		if (!seen || peak > into.high) {
			into.high = peak;
			into.highAt = i;
		}
		seen = true;
		into.last = v;
		into.sum += v;
	}
	into.mean = n ? into.sum / n : 0;
	return into;
}

// spiky reports whether the spikes of a summary are to be marked. Where more than a quarter
// of the frames are spikes, as of a level that is above and below 0, they are none.
export function spiky(s) { return s.spikes > 0 && s.spikes * 4 <= s.count; }

// ema replaces count values by their exponential moving average, which begins at the
// first of them instead of climbing up from 0. A new value weighs 2 / (window + 1): what
// it averages is then as old as in the mean of window values.
export function ema(values, count, window) {
	const factor = 2 / (window + 1);
	let average = NaN;
	for (let i = 0; i < count; i++) {
		const v = values[i];
		if (Number.isFinite(v)) average = Number.isNaN(average) ? v : average + factor * (v - average);
		values[i] = average;
	}
}

let leaving = new Float64Array(256);

// sma replaces count values by the mean of the last window frames of them.
export function sma(values, count, window) {
	if (leaving.length < window) leaving = new Float64Array(window);
	let sum = 0, n = 0;
	for (let i = 0; i < count; i++) {
		const slot = i % window;
		if (i >= window && Number.isFinite(leaving[slot])) {
			sum -= leaving[slot];
			n--;
		}
		const v = leaving[slot] = values[i];
		if (Number.isFinite(v)) {
			sum += v;
			n++;
		}
		values[i] = n ? sum / n : NaN;
	}
}

// bins finds the least and greatest of every size values in a row and writes them to low
// and high from index at on. The first of count values is at index start, that of frame
// from, and the last index is followed by the first. Bins begin at multiples of size, so
// that they do not change as frames go by. Numbers in bottom and top are the extremes of frames
// with several values. bins returns the number of bins.
export function bins(values, start, count, from, size, low, high, at = 0, bottom = null, top = null) {
	let b = at - 1, least = Infinity, greatest = -Infinity, edge = 0;
	for (let i = 0, slot = start; i < count; i++) {
		if (i >= edge) {
			if (b >= at) {
				low[b] = least;
				high[b] = greatest;
			}
			b++;
			least = Infinity;
			greatest = -Infinity;
			edge = i + size - (from + i) % size;
		}
		const v = values[slot];
		if (v < least) least = v;
		if (v > greatest) greatest = v;
		if (top) {
			if (bottom[slot] < least) least = bottom[slot];
			if (top[slot] > greatest) greatest = top[slot];
		}
		if (++slot === values.length) slot = 0;
	}
	if (b >= at) {
		low[b] = least;
		high[b] = greatest;
	}
	return b + 1 - at;
}

// format writes a number in about four digits.
export function format(v) {
	if (!Number.isFinite(v)) return Number.isNaN(v) ? "–" : String(v);
	const a = Math.abs(v);
	for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]]) if (a >= unit) return Number((v / unit).toPrecision(4)) + name;
	if (a >= 1e5) return Math.round(v / 1e3) + "k";
	if (a >= 1000 || a === 0) return String(Math.round(v * 10) / 10);
	return a < 1e-4 ? v.toExponential(1) : String(Number(v.toPrecision(a < 1 ? 3 : 4)));
}
