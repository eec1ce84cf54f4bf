// Shows a sound: the source above what was cooked of it, on one scale of time, and plays
// either in step with the other.

import { decode, Player, rateFor } from "./sound-player.js";
import { draw, heightOf, peaksOf } from "./sound-wave.js";
import { clock, rows } from "./sound-text.js";

function make(name, props = {}, ...children) {
	const e = Object.assign(document.createElement(name), props);
	e.append(...children);
	return e;
}

const titles = { source: "Source", output: "Cooked" };

// fetched gets a side: { side, head, wave, clip, error }, where wave is null for sounds
// whose peaks are computed from the decoded clip.
async function fetched(side, file, api) {
	try {
		const { head, buffer, at } = await api.get("sound", { side, path: file.path });
		const { columns } = head.peaks, { channels } = head.format;
		const clip = at + 8 * columns * channels;
		const wave = columns ? { peaks: new Float32Array(buffer, at, 2 * columns * channels), columns, channels } : null;
		return { side, file, head, wave, clip: head.clip.bytes ? buffer.slice(clip, clip + head.clip.bytes) : null, error: "" };
	} catch (e) {
		return { side, file, head: null, wave: null, clip: null, error: e.message };
	}
}

class View {
	#root;
	#api;
	#player;
	#sides = [];
	#shown = new Map(); // side -> { box, canvas, cursor }
	#controls = {};
	#loop = null; // the loop points, in seconds
	#frame = 0;
	#timer = 0;
	#watch = new ResizeObserver(() => this.#draw());
	#closed = false;

	constructor(root, api) {
		this.#root = root;
		this.#api = api;
	}

	async open(asset) {
		this.#root.append(make("p", { className: "dim", textContent: "Reading the sound …" }));
		const files = [["source", asset.source], ["output", asset.output]].filter(([, file]) => file);
		this.#sides = await Promise.all(files.map(([side, file]) => fetched(side, file, this.#api)));
		if (this.#closed) return;
		await this.#decode();
		if (this.#closed) return;
		this.#build();
		this.#draw();
		this.#root.dataset.ready = "true";
	}

	async #decode() {
		const known = this.#sides.filter(s => s.head);
		const rate = rateFor(known.map(s => s.head.format.rate));
		this.#player = new Player(rate, () => this.#changed());
		await Promise.all(known.filter(s => s.clip).map(async s => {
			try {
				s.buffer = await decode(s.clip, rate);
				s.wave ??= peaksOf(s.buffer);
			} catch (e) {
				s.error = `This browser does not play the sound: ${e.message}`;
			}
			s.clip = null;
		}));
		for (const s of known) {
			if (s.buffer) this.#player.add(s.side, s.buffer);
			s.buffer = null;
		}
		const looped = known.findLast(s => s.head.format.loops.length);
		if (looped) {
			const { loops: [{ start, end }], rate } = looped.head.format;
			this.#loop = { start: start / rate, end: Math.min(end / rate, this.#player.duration) };
			if (this.#loop.start >= this.#loop.end) this.#loop = null;
		}
	}

	get #total() {
		return Math.max(1e-3, this.#player.duration, ...this.#sides.map(s => s.head?.format.seconds ?? 0));
	}

	#build() {
		const { state } = this.#api;
		const c = this.#controls;
		const button = (textContent, title, onclick) => make("button", { type: "button", textContent, title, onclick });
		c.play = button("Play", "play or pause (Space)", () => this.#toggle());
		c.hear = new Map(this.#player.sides.map(side =>
			[side, button(titles[side], "hear this side (X switches)", () => this.#hear(side))]));
		c.loop = button("Loop", "", () => this.#toggleLoop());
		c.loop.title = (this.#loop ? `repeat ${clock(this.#loop.start)} to ${clock(this.#loop.end)}` : "repeat all") + " (L)";
		c.volume = make("input", { type: "range", min: 0, max: 100, value: state.get("sound.volume", 80) });
		c.volume.oninput = () => {
			this.#player.volume = (c.volume.value / 100) ** 2;
			state.set("sound.volume", c.volume.value);
		};
		c.time = make("output", { className: "time mono" });
		c.waits = make("span", { className: "warn" });
		c.waits.role = "status";
		const heard = make("span", { className: "switch" }, ...c.hear.values());
		heard.role = "group";
		heard.ariaLabel = "Side that is heard";
		const bar = make("div", { className: "controls" }, c.play, heard, c.loop,
			make("label", {}, "Volume ", c.volume), c.time, c.waits);
		this.#root.replaceChildren(bar, ...this.#sides.map(s => this.#side(s)), this.#table());
		if (this.#player.sides.length === 0) bar.remove();
		this.#player.volume = (c.volume.value / 100) ** 2;
		this.#player.hear(state.get("sound.side", "output"));
		this.#repeat(state.get("sound.loop", "") === "1");
		this.#root.addEventListener("keydown", this.#press);
		this.#watch.observe(this.#root);
		this.#changed();
	}

	#side(s) {
		const box = make("section", { className: "track " + s.side });
		box.append(make("h3", {}, titles[s.side], " ", make("span", { className: "dim path", textContent: s.file.path })));
		const why = s.error || (s.wave ? "" : s.head.peaks.why);
		if (why) box.append(make("p", { className: "bad", textContent: why }));
		else if (s.head.clip.why) box.append(make("p", { className: "warn", textContent: s.head.clip.why }));
		if (!s.wave) return box;
		const canvas = make("canvas"), cursor = make("div", { className: "cursor" });
		canvas.dataset.columns = s.wave.columns;
		canvas.dataset.channels = s.wave.channels;
		canvas.style.height = heightOf(s.wave.channels) + "px";
		const wave = make("div", { className: "wave", tabIndex: 0 }, canvas, cursor);
		wave.role = "slider";
		wave.ariaLabel = `Position in the ${s.side === "source" ? "source" : "cooked sound"}`;
		wave.ariaValueMin = 0;
		wave.ariaValueMax = this.#total.toFixed(3);
		const seek = e => {
			const place = canvas.getBoundingClientRect();
			this.#player.seek((e.clientX - place.left) / place.width * this.#total);
		};
		wave.onpointerdown = e => {
			if (e.button !== 0) return;
			wave.setPointerCapture(e.pointerId);
			seek(e);
		};
		wave.onpointermove = e => wave.hasPointerCapture(e.pointerId) && !this.#player.playing && seek(e);
		box.append(wave);
		this.#shown.set(s.side, { canvas, cursor, wave });
		return box;
	}

	#table() {
		const known = this.#sides.filter(s => s.head);
		const two = known.length === 2;
		const head = make("tr", {}, make("th"), ...known.map(s => make("th", { textContent: titles[s.side] })));
		if (two) head.append(make("th", { textContent: "Difference" }));
		const lines = known.length ? rows.map(({ name, text, difference }) => {
			const line = make("tr", {}, make("th", { textContent: name, scope: "row" }));
			for (const s of known) {
				const cell = make("td", { textContent: text(s.head) });
				cell.dataset.side = s.side;
				line.append(cell);
			}
			if (two) line.append(make("td", { className: "difference", textContent: difference?.(known[0].head, known[1].head) ?? "" }));
			line.dataset.row = name;
			return line;
		}) : [];
		return make("div", { className: "numbers" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
	}

	#draw() {
		const { palette } = this.#api;
		for (const s of this.#sides) {
			const shown = this.#shown.get(s.side);
			if (!shown) continue;
			const { format } = s.head;
			draw(shown.canvas, s.wave, {
				palette, total: this.#total, seconds: format.seconds, color: palette.series[s.side === "source" ? 0 : 1],
				loops: format.loops.map(l => ({ start: l.start / format.rate, end: l.end / format.rate })),
			});
		}
		this.#point();
	}

	themed() { if (this.#player) this.#draw(); }

	// point puts the cursors where the sound is.
	#point() {
		const at = this.#player.position, total = this.#total;
		for (const { cursor, wave, canvas } of this.#shown.values()) {
			cursor.style.transform = `translateX(${at / total * canvas.clientWidth}px)`;
			wave.ariaValueNow = at.toFixed(3);
			wave.ariaValueText = clock(at);
		}
		this.#controls.time.value = `${clock(at)} / ${clock(this.#player.duration)}`;
	}

	#changed() {
		const { play, hear, waits } = this.#controls;
		if (!play) return;
		play.textContent = this.#player.playing ? "Pause" : "Play";
		for (const [side, b] of hear) b.ariaPressed = String(side === this.#player.heard);
		// A context needs a moment to start even where nothing keeps it from that.
		clearTimeout(this.#timer);
		if (!this.#player.waiting) waits.textContent = "";
		else this.#timer = setTimeout(() => { waits.textContent = "The browser waits for a click before it plays sound."; }, 500);
		this.#root.dataset.playing = String(this.#player.playing && !this.#player.waiting);
		this.#point();
		cancelAnimationFrame(this.#frame);
		if (this.#player.playing && !this.#player.waiting) this.#frame = requestAnimationFrame(this.#step);
	}

	#step = () => {
		this.#point();
		this.#frame = requestAnimationFrame(this.#step); // none come while the page is hidden
	};

	#toggle() {
		if (this.#player.waiting || !this.#player.playing) {
			this.#player.pause();
			this.#player.play();
		} else this.#player.pause();
	}

	#hear(side) {
		this.#player.hear(side);
		this.#api.state.set("sound.side", this.#player.heard);
	}

	#repeat(on) {
		this.#controls.loop.ariaPressed = String(on);
		this.#player.loop(on ? this.#loop ?? { start: 0, end: this.#player.duration } : null);
	}

	#toggleLoop() {
		const on = this.#controls.loop.ariaPressed !== "true";
		this.#repeat(on);
		this.#api.state.set("sound.loop", on ? "1" : "");
	}

	#press = e => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, select, textarea")) return;
		const p = this.#player, little = e.shiftKey ? .01 : .05;
		const keys = {
			" ": e.target.matches("button") ? null : () => this.#toggle(),
			ArrowLeft: () => p.seek(p.position - little * p.duration),
			ArrowRight: () => p.seek(p.position + little * p.duration),
			Home: () => p.seek(0),
			End: () => p.seek(p.duration),
			x: () => this.#hear(p.sides.find(s => s !== p.heard) ?? p.heard),
			l: () => this.#toggleLoop(),
		};
		const run = Object.hasOwn(keys, e.key) && keys[e.key];
		if (!run) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	};

	close() {
		this.#closed = true;
		cancelAnimationFrame(this.#frame);
		clearTimeout(this.#timer);
		this.#watch.disconnect();
		this.#player?.close();
		this.#root.removeEventListener("keydown", this.#press);
		this.#root.replaceChildren();
		delete this.#root.dataset.ready;
		delete this.#root.dataset.playing;
	}
}

export async function mount(root, asset, api) {
	const view = new View(root, api);
	api.onTheme(() => view.themed());
	await view.open(asset);
	return view;
}
