// How long frames take from the program to the screen.

import { format } from "./series.js";

export class Latency {
	#frames;
	#stream;
	#seen = -1; // the newest frame that was drawn
	#from = 0;
	#to = 0;
	#took = new Float64Array(1000);
	#sorted = new Float64Array(1000);
	#count = 0;
	#offset = 0; // of the program's clock from this one's
	#bestTrip = Infinity;
	#channel = new MessageChannel();
	#text = "";
	#textAt = 0;
	#drawn = 0;
	#second = 0;
	#rate = 0;

	constructor(frames, stream) {
		this.#frames = frames;
		this.#stream = stream;
		// A message that is posted while drawing comes after what was drawn has been painted.
		this.#channel.port1.onmessage = () => this.#painted(performance.timeOrigin + performance.now());
	}

	// clock takes an answer of the server that has its time: the quickest is nearest.
	clock(server, began, ended) {
		const trip = ended - began;
		this.#bestTrip *= 1.05; // clocks drift
		if (trip > this.#bestTrip) return;
		this.#bestTrip = trip;
		const offset = server - (performance.timeOrigin + (began + ended) / 2);
		this.#offset = Math.abs(offset) < trip ? 0 : offset; // the same clock, as far as one can tell
	}

	// drawn says that all frames there are have been drawn.
	drawn() {
		const now = performance.now();
		this.#drawn++;
		if (now - this.#second > 1000) {
			this.#rate = this.#drawn * 1000 / (now - this.#second);
			this.#drawn = 0;
			this.#second = now;
		}
		const next = this.#frames.next;
		if (next === this.#seen + 1) return;
		this.#from = Math.max(this.#seen + 1, this.#stream.liveFrom, this.#frames.first);
		this.#to = next;
		this.#seen = next - 1;
		if (!document.hidden) this.#channel.port2.postMessage(0);
	}

	#painted(now) {
		for (let n = this.#from; n < this.#to; n++) {
			const took = now + this.#offset - this.#frames.time(n);
			if (took >= 0 && took < 60_000) this.#took[this.#count++ % this.#took.length] = took;
		}
		this.#from = this.#to;
	}

	// text says it; numbers are also in the element's data for tests to read.
	text() {
		const now = performance.now();
		if (now - this.#textAt < 500) return this.#text;
		this.#textAt = now;
		const n = Math.min(this.#count, this.#took.length);
		const missed = this.#stream.missed;
		const lost = missed ? `${missed} frames dropped` : "nothing dropped";
		if (n === 0) return this.#text = lost;
		this.#sorted.set(this.#took);
		const order = this.#sorted.subarray(0, n).sort();
		const p = q => order[Math.max(0, Math.ceil(n * q) - 1)];
		const data = document.body.dataset;
		data.latencyP50 = String(p(.5));
		data.latencyP99 = String(p(.99));
		data.latencyCount = String(this.#count);
		data.drawsPerSecond = String(this.#rate);
		data.missed = String(missed);
		return this.#text = `latency ${format(p(.5))} ms, p99 ${format(p(.99))} · ${Math.round(this.#rate)} draws/s · ${lost}`;
	}
}
