// How long a recording is. Of a live one the server says it now and then, and what has
// passed since is added as long as it grows.

const most = 2e9; // nanoseconds that it may be ahead of the server

export class Clock {
	#dur;
	#at = performance.now();
	#rate; // nanoseconds for each millisecond

	constructor(info) {
		this.#dur = info.dur;
		this.#rate = info.live ? 1e6 : 0;
	}

	get end() { return this.#dur + (performance.now() - this.#at) * this.#rate; }

	// update takes over what the server says now; before is what it said last.
	update(info, before) {
		const ahead = this.end - info.dur;
		const grows = info.live && info.dur > before.dur;
		// a little ahead it goes on from where it is, so that the view does not jump back
		this.#dur = grows && ahead > 0 && ahead < most ? this.end : info.dur;
		this.#at = performance.now();
		this.#rate = grows ? 1e6 : 0;
	}
}
