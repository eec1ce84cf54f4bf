// What the server answered about windows of a recording, and the asking.

import { colorOf } from "./timeline-color.js";

const deepest = 255;      // lanes of a row
const mostSpans = 600000; // in all answers that are kept, 24 bytes each
const mostAnswers = 12;
const budget = 80000;     // spans of an answer, above which it is made less wide

// Answer is one window of a recording: the spans of all rows in flat arrays, those of a
// lane (a depth of a row) beside each other and in the order of time.
export class Answer {
	constructor(json, { from, to, px, sure }) {
		this.from = from;
		this.to = to;
		this.sure = sure; // what comes later of a live recording may have more by now
		this.px = px;     // nanoseconds for each pixel that it was made for
		this.names = json.names?.length ? json.names : [""];
		this.colors = Uint8Array.from(this.names, colorOf);
		this.widths = new Float32Array(this.names.length); // of the names as text, 0 if not yet known
		this.dropped = json.dropped ?? 0;
		let n = 0;
		const rows = (json.rows ?? []).map(r => ({ ...r, spans: r.spans ?? [] }));
		for (const r of rows) n += Math.floor(r.spans.length / 6);
		this.size = n;
		this.start = new Float64Array(n);
		this.dur = new Float64Array(n);
		this.name = new Uint32Array(n);
		this.detail = new Uint32Array(n);
		this.count = new Uint32Array(n);
		this.joined = false;
		this.rows = new Map();
		let at = 0;
		for (const r of rows) at = this.#row(r, at);
		this.open = table(json.open, 5, ([row, start, name, detail, depth]) => ({ row, start, name: this.#known(name), detail: this.#known(detail), depth: Math.min(depth, deepest) }));
		this.instants = table(json.instants, 4, ([row, time, name, detail]) => ({ row, time, name: this.#known(name), detail: this.#known(detail) })).sort((a, b) => a.time - b.time);
		this.flows = table(json.flows, 4, ([fromRow, from, toRow, to]) => ({ fromRow, from, toRow, to }));
		for (const o of this.open) {
			const row = this.rows.get(o.row);
			if (row) row.depth = Math.max(row.depth, o.depth + 1);
			else this.rows.set(o.row, { name: "", depth: o.depth + 1, lanes: new Int32Array([at]) });
		}
	}

	#known(name) { return name < this.names.length ? name : 0; }

	#row(r, at) {
		const s = r.spans, n = Math.floor(s.length / 6);
		const depthOf = i => Math.min(Math.max(0, s[i * 6 + 4]), deepest);
		let lanes = 0;
		for (let i = 0; i < n; i++) lanes = Math.max(lanes, depthOf(i) + 1);
		const bounds = new Int32Array(lanes + 1);
		for (let i = 0; i < n; i++) bounds[depthOf(i) + 1]++;
		bounds[0] = at;
		for (let d = 0; d < lanes; d++) bounds[d + 1] += bounds[d];
		const place = bounds.slice();
		for (let i = 0; i < n; i++) {
			const k = i * 6, to = place[depthOf(i)]++;
			this.start[to] = s[k];
			this.dur[to] = s[k + 1];
			this.name[to] = this.#known(s[k + 2]);
			this.detail[to] = this.#known(s[k + 3]);
			this.count[to] = s[k + 5];
			if (s[k + 5] > 1) this.joined = true;
		}
		for (let d = 0; d < lanes; d++) this.#order(bounds[d], bounds[d + 1]);
		this.rows.set(r.row, { name: r.name, depth: Math.min(Math.max(r.depth ?? 0, lanes), deepest + 1), lanes: bounds });
		return at + n;
	}

	// order sorts the spans lo..hi by their start, if they are not.
	#order(lo, hi) {
		let i = lo + 1;
		while (i < hi && this.start[i - 1] <= this.start[i]) i++;
		if (i >= hi) return;
		const order = Uint32Array.from({ length: hi - lo }, (_, i) => lo + i).sort((a, b) => this.start[a] - this.start[b]);
		for (const array of [this.start, this.dur, this.name, this.detail, this.count]) array.set(Array.from(order, i => array[i]), lo);
	}

	// first returns the number of the first span of a lane that ends after t, or the end.
	first(lo, hi, t) {
		const start = this.start, end = lo;
		while (lo < hi) {
			const m = (lo + hi) >> 1;
			if (start[m] <= t) lo = m + 1;
			else hi = m;
		}
		return lo > end && start[lo - 1] + this.dur[lo - 1] > t ? lo - 1 : lo;
	}

	// span returns a span as an object.
	span(row, depth, i) {
		return {
			row, depth, start: this.start[i], dur: this.dur[i], count: this.count[i],
			name: this.names[this.name[i]], detail: this.names[this.detail[i]],
		};
	}

	// depthOf returns the depth of a span of which the server has not said it, or undefined.
	depthOf(span) {
		const lanes = (this.rows.get(span.row)?.lanes.length ?? 1) - 1;
		for (let d = 0; d < lanes; d++) {
			const s = this.at(span.row, d, span.start, 0);
			if (s?.start === span.start && s.dur === span.dur && s.name === span.name) return d;
		}
	}

	// at returns the span of a lane that is nearest to t and not more than slack away.
	at(row, depth, t, slack) {
		const r = this.rows.get(row);
		if (!r || depth + 1 >= r.lanes.length) return null;
		const lo = r.lanes[depth], hi = r.lanes[depth + 1];
		let best = -1, least = slack;
		for (let i = Math.max(lo, this.first(lo, hi, t) - 1); i < hi && this.start[i] <= t + slack; i++) {
			const away = t < this.start[i] ? this.start[i] - t : Math.max(0, t - this.start[i] - this.dur[i]);
			if (away <= least) { least = away; best = i; }
		}
		return best < 0 ? null : this.span(row, depth, best);
	}
}

function table(flat, width, make) {
	const rows = [];
	for (let i = 0; i + width <= (flat?.length ?? 0); i += width) rows.push(make(flat.slice(i, i + width)));
	return rows;
}

// Windows keeps answers and asks for more: one request is under way and one waits.
export class Windows {
	whole = null; // all of the recording
	#held = [];   // the last used is the last
	#next = null;
	#wholeNext = null;
	#busy = null;
	#timer = 0;
	#density = 0; // spans for each pixel of the last answer

	constructor(server, rec, changed, failed) {
		this.server = server;
		this.rec = rec;
		this.changed = changed;
		this.failed = failed;
	}

	// best returns what shows from..to best, and reports whether it is as good as can be.
	best(from, to, px) {
		let best = null, good = 0;
		for (const a of this.whole ? [this.whole, ...this.#held] : this.#held) {
			const seen = Math.max(0, Math.min(to, a.to) - Math.max(from, a.from)) / (to - from);
			const sharp = a.joined ? Math.min(1, px / a.px) : 1;
			// an answer that is far finer than needed is slow to draw
			const score = seen * 4 + sharp - (a.px < px / 8 ? 0.5 : 0);
			if (seen > 0 && score >= good) { good = score; best = a; }
		}
		return best;
	}

	// want asks for a window unless what is held will do. An answer is made wider than what
	// is seen, so that there is something to move to. Sure is the time from which on a live
	// recording may get more; again asks whatever is held.
	want(from, to, px, { end, sure, again }) {
		const wide = to - from, lo = Math.max(0, from), hi = Math.min(end, to);
		// the server joins more where there is too much for an answer: better it is less wide
		const margin = this.#density * 3 * wide / px > budget ? 0.25 : 1;
		const i = this.#held.findLastIndex(a =>
			a.from <= Math.max(0, lo - wide * margin / 2) && a.sure >= Math.min(sure - (end - sure) / 3, hi + wide * margin / 2) && (a.px <= px * 1.05 || (!a.joined && a.px < px * 100)));
		if (i >= 0 && !again) {
			this.#held.push(...this.#held.splice(i, 1));
			this.#next = null;
			return;
		}
		const ask = { from: Math.max(0, Math.floor(from - wide * margin)), to: Math.ceil(Math.min(end, to + wide * margin)), px };
		ask.sure = Math.min(ask.to, sure);
		if (ask.to <= ask.from) return;
		if (this.#busy && !this.#busy.whole && this.whole && (this.#busy.to < from || this.#busy.from > to || this.#busy.px > px * 16 || this.#busy.px < px / 16)) this.#busy.stop.abort();
		if (this.#busy && this.#busy.from === ask.from && this.#busy.to === ask.to && this.#busy.px === ask.px) return;
		this.#next = ask;
		this.#pump();
	}

	// wantWhole asks for all of the recording, for so many pixels.
	wantWhole(end, width) {
		end = Math.ceil(end);
		if (!(end > 0)) return;
		this.#wholeNext = { from: 0, to: end, sure: end, px: end / width, whole: true };
		this.#pump();
	}

	get busy() { return this.#busy !== null; }

	stop() {
		this.#next = this.#wholeNext = null;
		this.#busy?.stop.abort();
		clearTimeout(this.#timer);
		this.#timer = 0;
	}

	async #pump() {
		if (this.#busy || this.#timer) return;
		let last = null;
		while (this.#next || this.#wholeNext) {
			const ask = this.#wholeNext && (last === "view" || !this.#next || !this.whole) ? this.#wholeNext : this.#next;
			if (ask.whole) this.#wholeNext = null;
			else this.#next = null;
			last = ask.whole ? "whole" : "view";
			ask.stop = new AbortController();
			this.#busy = ask;
			try {
				const width = Math.max(1, Math.round((ask.to - ask.from) / ask.px));
				const json = await this.server.get("api/timeline", { rec: this.rec, from: ask.from, to: ask.to, width }, ask.stop.signal);
				const answer = new Answer(json, ask);
				this.#busy = null;
				if (!ask.whole) this.#density = answer.size / width;
				this.#keep(answer, ask.whole);
				this.changed(answer);
			} catch (e) {
				this.#busy = null;
				if (e.name === "AbortError") continue;
				this.failed(e);
				this.#timer = setTimeout(() => { this.#timer = 0; this.#pump(); this.changed(null); }, 2000);
				return;
			}
		}
	}

	#keep(answer, whole) {
		if (whole) {
			this.whole = answer;
			return;
		}
		this.#held = this.#held.filter(a => !(a.from >= answer.from && a.to <= answer.to && a.px >= answer.px * 0.9));
		this.#held.push(answer);
		let size = 0;
		for (const a of this.#held) size += a.size;
		while (this.#held.length > 1 && (size > mostSpans || this.#held.length > mostAnswers)) size -= this.#held.shift().size;
	}
}
