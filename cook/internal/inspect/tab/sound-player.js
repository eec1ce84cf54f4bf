// Plays the sides of an asset in step, of which one is heard: changing over is a change
// of gains, so there is no gap and the position stays.

const fade = .002; // seconds in which about two thirds of a change of gain are done
const ahead = .02; // seconds by which changes are scheduled before they happen

// decode makes an AudioBuffer of a file without a context that sounds, which pages may
// only start after a click.
export async function decode(bytes, rate) {
	const offline = new OfflineAudioContext(1, 1, rate);
	return offline.decodeAudioData(bytes);
}

// rateFor returns the rate at which sounds of some rates are played: the highest, so that
// the usual case of one rate is not resampled.
export function rateFor(rates) {
	const most = Math.max(...rates);
	return most >= 8000 && most <= 96000 ? most : 48000;
}

export class Player {
	#context = null;
	#master = null;
	#rate;
	#buffers = new Map(); // side -> AudioBuffer
	#nodes = new Map(); // side -> { node, gain }
	#offset = 0; // seconds, where playing began or will begin
	#began = 0; // the context's time of that
	#heard = "";
	#volume = 1;
	#loop = null; // { start, end } in seconds
	#changed;
	duration = 0;
	playing = false;

	// rate is that of all buffers; changed is called when playing begins, ends or waits.
	constructor(rate, changed) {
		this.#rate = rate;
		this.#changed = changed;
	}

	get sides() { return [...this.#buffers.keys()]; }
	get heard() { return this.#heard; }
	// waiting reports that the browser wants a click before anything sounds.
	get waiting() { return this.playing && this.#context.state !== "running"; }

	// add takes the sound of a side. All sides get the length of the longest, so that
	// loops keep them in step.
	add(side, buffer) {
		this.duration = Math.max(this.duration, buffer.duration);
		this.#buffers.set(side, buffer);
		this.#heard ||= side;
		const length = Math.max(...[...this.#buffers.values()].map(b => b.length));
		for (const [name, b] of this.#buffers) {
			if (b.length === length) continue;
			const longer = new AudioBuffer({ length, numberOfChannels: b.numberOfChannels, sampleRate: b.sampleRate });
			for (let c = 0; c < b.numberOfChannels; c++) longer.copyToChannel(b.getChannelData(c), c);
			this.#buffers.set(name, longer);
		}
	}

	// position returns the second that is heard.
	get position() {
		if (!this.playing) return this.#offset;
		const at = this.#offset + Math.max(0, this.#context.currentTime - this.#began);
		if (!this.#loop) return Math.min(at, this.duration);
		const { start, end } = this.#loop;
		return at < end ? at : start + (at - start) % (end - start);
	}

	play() {
		if (this.playing || this.#buffers.size === 0) return;
		if (!this.#context) {
			this.#context = new AudioContext({ sampleRate: this.#rate, latencyHint: "interactive" });
			this.#context.onstatechange = () => this.#changed();
			this.#master = this.#context.createGain();
			this.#master.gain.value = this.#volume;
			this.#master.connect(this.#context.destination);
		}
		// Without a click the context stays suspended, and its clock still: what is
		// started now begins when it is resumed.
		this.#context.resume().catch(() => {});
		this.#start(this.#offset >= this.duration ? 0 : this.#offset);
	}

	#start(offset) {
		if (this.#loop && offset >= this.#loop.end) offset = this.#loop.start;
		offset = this.#whole(offset);
		const when = this.#whole(this.#context.currentTime + .01);
		for (const [side, buffer] of this.#buffers) {
			const node = new AudioBufferSourceNode(this.#context, { buffer });
			const gain = new GainNode(this.#context, { gain: side === this.#heard ? 1 : 0 });
			this.#repeat(node);
			node.connect(gain).connect(this.#master);
			node.start(when, offset);
			this.#nodes.set(side, { node, gain });
		}
		const [first] = this.#nodes.values();
		first.node.onended = () => {
			if (this.#nodes.values().next().value === first) this.#stop(this.duration);
		};
		this.#offset = offset;
		this.#began = when;
		this.playing = true;
		this.#changed();
	}

	// whole returns the time of a frame: between frames, browsers would interpolate.
	#whole(seconds) { return Math.round(seconds * this.#rate) / this.#rate; }

	#repeat(node) {
		node.loop = this.#loop !== null;
		if (this.#loop) {
			node.loopStart = this.#whole(this.#loop.start);
			node.loopEnd = this.#whole(this.#loop.end);
		}
	}

	#silence() {
		for (const { node, gain } of this.#nodes.values()) {
			node.onended = null;
			node.stop();
			node.disconnect();
			gain.disconnect();
		}
		this.#nodes.clear();
	}

	#stop(offset) {
		this.#silence();
		this.#offset = offset;
		this.playing = false;
		this.#changed();
	}

	pause() {
		if (this.playing) this.#stop(this.position);
	}

	seek(seconds) {
		const to = Math.min(Math.max(seconds, 0), this.duration);
		if (!this.playing) {
			this.#offset = to;
			this.#changed();
			return;
		}
		this.#silence();
		this.#start(to);
	}

	hear(side) {
		if (!this.#buffers.has(side)) return;
		this.#heard = side;
		// A little ahead, so that both sides begin to change in the same sample.
		const when = (this.#context?.currentTime ?? 0) + ahead;
		for (const [name, { gain }] of this.#nodes) gain.gain.setTargetAtTime(name === side ? 1 : 0, when, fade);
		this.#changed();
	}

	// loop repeats a part, null plays to the end.
	loop(part) {
		const at = this.position;
		this.#loop = part;
		if (!this.playing) return;
		this.#silence();
		this.#start(at);
	}

	set volume(v) {
		this.#volume = v;
		if (this.#master) this.#master.gain.setTargetAtTime(v, this.#context.currentTime, fade);
	}

	close() {
		this.#silence();
		this.playing = false;
		if (this.#context) this.#context.onstatechange = null;
		this.#context?.close().catch(() => {});
	}
}
