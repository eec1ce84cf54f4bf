// The stream of frames: which counters it has, and what comes of it.

const head = 2; // a row begins with the number of the frame and its time

// What a timer has besides its time, in the order of a row.
export const parts = ["calls", "own", "min", "max"];
export const partOf = (timer, part) => timer + "\n" + part;

export class FrameStream {
	#server;
	#frames;
	#wanted = "";
	#running = null; // { stop: AbortController }
	#retry = 0;
	missed = 0; // frames that the server left out
	fresh = 0; // rows that have come since somebody set it to 0
	liveFrom = Infinity; // the first frame that came when it was pushed, not from what was kept
	onRows = () => {};
	onTrouble = () => {};

	constructor(server, frames) {
		this.#server = server;
		this.#frames = frames;
	}

	// want asks for these counters, and for all parts of these timers, from now on.
	want(names, detail) {
		names = [...new Set(names)].slice(0, 3000);
		detail = [...new Set(detail)].slice(0, 1000);
		const wanted = JSON.stringify([names, detail]);
		if (wanted === this.#wanted) return;
		this.#wanted = wanted;
		clearTimeout(this.#retry);
		const old = this.#running;
		this.#running = null;
		if (names.length === 0) { // what has come stays, to come back to
			old?.stop.abort();
			return;
		}
		const keys = [...names];
		for (const d of detail) for (const p of parts) keys.push(partOf(d, p));
		this.#frames.keep(keys);
		this.#run(names, detail, keys, old);
	}

	async #run(names, detail, keys, old) {
		const stream = { stop: new AbortController() };
		this.#running = stream;
		const frames = this.#frames;
		const from = Math.max(0, frames.next - 600);
		const rows = new Rows(head + keys.length);
		let first = true, version = -1, columns = [], began = 0;
		try {
			const body = { names, detail, from };
			// What both streams want stays watched: the old one ends when this one has begun.
			for await (const chunk of this.#server.stream("api/frames", body, stream.stop.signal)) {
				if (old) old.stop.abort();
				old = null;
				if (this.#running !== stream) break;
				if (first) {
					this.onTrouble("");
					began = performance.now();
				}
				rows.feed(chunk, row => {
					const number = row[0];
					if (first && number < from) frames.reset(); // another program than before
					const missed = frames.open(number);
					if (missed > 0 && !first) this.missed += missed;
					first = false;
					if (missed < 0) return;
					if (version !== frames.version) {
						version = frames.version;
						columns = keys.map(k => frames.columns.get(k));
					}
					const slot = number % frames.capacity;
					frames.at[slot] = row[1];
					for (let i = 0; i < columns.length; i++) {
						const v = row[head + i];
						if (v === v && columns[i]) columns[i][slot] = v;
					}
					if (this.liveFrom > number && performance.now() - began > 250) this.liveFrom = number;
					this.fresh++;
				});
				this.onRows();
			}
			if (this.#running === stream) throw new Error("the program has ended or does not serve any more");
		} catch (e) {
			if (this.#running !== stream) return;
			this.onTrouble(e.message);
			this.liveFrom = Infinity;
			this.#retry = setTimeout(() => { if (this.#running === stream) this.#run(names, detail, keys, null); }, 1000);
		} finally {
			if (old) old.stop.abort();
		}
	}
}

// Rows cuts a stream of bytes into rows of so many float64.
export class Rows {
	#bytes;
	#floats;
	#filled = 0;

	constructor(values) {
		this.#bytes = new Uint8Array(values * 8);
		this.#floats = new Float64Array(this.#bytes.buffer);
	}

	// feed calls use for each row that is whole. The row is overwritten by the next.
	feed(chunk, use) {
		const size = this.#bytes.length;
		for (let at = 0; at < chunk.length;) {
			const n = Math.min(size - this.#filled, chunk.length - at);
			this.#bytes.set(chunk.subarray(at, at + n), this.#filled);
			this.#filled += n;
			at += n;
			if (this.#filled === size) {
				this.#filled = 0;
				use(this.#floats);
			}
		}
	}
}
