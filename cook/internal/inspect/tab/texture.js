// A texture: its source beside what was cooked, pixel for pixel, or what they differ by.

import { bytes, count, el } from "../../format.js";
import { ending } from "./names.js";

const pictures = ["png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "tga", "qoi", "hdr", "exr", "psd"];

export async function mount(root, asset, api) {
	const view = new Texture(root, asset, api);
	await view.open();
	return view;
}

class Texture {
	#root; #asset; #api;
	#info = null;
	#pix = { source: null, output: null }; // { width, height, data }
	#panes = [];
	#zoom = 0; // screen pixels for a texel; 0 fits
	#x = 0.5; // of the picture, in the middle of each pane
	#y = 0.5;
	#turn = 0;
	#stop = new AbortController();

	constructor(root, asset, api) {
		this.#root = root;
		this.#asset = asset;
		this.#api = api;
		const s = api.state;
		const choice = (key, label, options) => {
			const select = el("select", { ariaLabel: label, title: label });
			for (const [value, textContent] of options) select.append(el("option", { value, textContent }));
			select.value = s.get("tex." + key) || options[0][0];
			select.onchange = () => { s.set("tex." + key, select.value === options[0][0] ? "" : select.value); this.#paint(); };
			return select;
		};
		this.show = choice("show", "what is shown", [["both", "side by side"], ["output", "cooked alone"], ["difference", "difference"]]);
		this.channel = choice("channel", "channels", [["rgb", "colors"], ["rgba", "colors over checks"], ["r", "red"], ["g", "green"], ["b", "blue"], ["a", "alpha"]]);
		this.gain = choice("gain", "difference times", [["1", "×1"], ["4", "×4"], ["16", "×16"], ["64", "×64"]]);
		this.normal = el("input", { type: "checkbox", onchange: () => this.#paint() });
		this.normalLabel = el("label", { title: "compute blue from red and green, as for normal maps" }, this.normal, " normals");
		this.level = el("input", { type: "range", min: 0, max: 0, value: 0, step: 1, ariaLabel: "mip level", oninput: () => this.#load() });
		this.levelText = el("span", { className: "leveltext" });
		this.picture = el("input", { type: "number", min: 0, value: 0, ariaLabel: "face or layer", oninput: () => this.#load() });
		this.pictureLabel = el("label", {}, "picture ", this.picture);
		const zoom = (text, hint, f) => el("button", { type: "button", textContent: text, title: hint, onclick: f });
		this.zoomText = el("span", { className: "zoomtext dim" });
		const bar = el("div", { className: "bar" }, this.show, this.channel, this.gain, this.normalLabel, el("label", {}, "mip ", this.level), this.levelText, this.pictureLabel,
			zoom("Fit", "fit (0)", () => this.#scale(0)), zoom("1:1", "one texel for a pixel (1)", () => this.#scale(1)), zoom("−", "smaller (-)", () => this.#by(.5)), zoom("+", "larger (+)", () => this.#by(2)), this.zoomText);
		this.facts = el("div", { className: "texfacts" });
		this.chosen = el("div", { className: "texfacts dim" });
		this.stage = el("div", { className: "stage", tabIndex: 0, role: "group", ariaLabel: "pictures; arrows move, + and - zoom, m and n change the mip level" });
		this.under = el("div", { className: "under mono", role: "status" });
		root.append(bar, this.facts, this.chosen, this.stage, this.under);
		this.stage.onkeydown = e => this.#press(e);
		this.observer = new ResizeObserver(() => this.#draw());
		this.observer.observe(this.stage);
	}

	close() {
		this.#stop.abort();
		this.observer.disconnect();
	}

	async open() {
		const { head } = await this.#api.get("texture", { side: "output", path: this.#asset.output.path }, this.#stop.signal);
		this.#info = head;
		this.level.max = head.levels.length - 1;
		this.level.disabled = head.levels.length < 2;
		this.picture.max = head.pictures - 1;
		this.pictureLabel.hidden = head.pictures < 2;
		this.normal.checked = head.format === "bc5" && !head.swizzle;
		this.normalLabel.hidden = head.channels !== "rg";
		const [w, h] = [head.levels[0].width, head.levels[0].height];
		const bits = 8 * head.levels[0].bytes / head.pictures / (w * h);
		this.described = `${head.format}${head.srgb ? " sRGB" : ""}${head.float ? " float" : ""} · ${count(w)} × ${count(h)}${head.pictures > 1 ? ` · ${head.pictures} ${head.kind}` : ""}` +
			` · ${head.levels.length} ${head.levels.length === 1 ? "level" : "levels"} · ${Number(bits.toFixed(2))} bits a texel · ${bytes(this.#asset.output.size)}` +
			(head.swizzle ? ` · read as ${head.swizzle}` : "") + (head.premultiplied ? " · alpha premultiplied" : "");
		this.facts.textContent = this.described;
		this.compared = pictures.includes(ending(this.#asset.source.path)) && head.pictures === 1;
		if (this.compared) this.#likeness();
		this.#choice();
		const level = Math.min(Number(this.#api.state.get("tex.mip", "0")) || 0, head.levels.length - 1);
		this.level.value = level;
		await this.#load();
	}

	async #likeness() {
		try {
			const { head } = await this.#api.get("likeness", { side: "output", path: this.#asset.output.path }, this.#stop.signal);
			const told = [head.note ?? (head.psnr === null ? "the same pixels as the source" : `PSNR ${head.psnr.toFixed(2)} dB`)];
			if (head.angle !== undefined) told.push(`normals off by ${head.angle.toFixed(2)}° on average`);
			if (head.coverage !== undefined) told.push(`coverage of levels off by ${(100 * head.coverage).toFixed(1)} % at most`);
			if (head.role) told.unshift(`role ${head.role}`);
			this.facts.textContent = [this.described, ...told].join(" · ");
			this.facts.title = head.role_why ?? "";
			if (!head.note) this.#root.dataset.psnr = head.psnr ?? "Infinity";
		} catch (e) {
			if (!this.#stop.signal.aborted) this.facts.textContent = `${this.described} · ${e.message}`;
		}
	}

	// choice tells why the format was chosen.
	async #choice() {
		try {
			const told = await this.#api.explain();
			if (this.#stop.signal.aborted || !told) return;
			const option = told.choices.options?.find(o => o.key === "format");
			const by = option ? `format = ${option.value} (${option.from})` : "";
			this.chosen.textContent = [...told.makes ?? [], by].filter(Boolean).join(" · ");
		} catch { /* the tab Why says what is wrong */ }
	}

	async #load() {
		const turn = ++this.#turn;
		const level = Number(this.level.value);
		this.#api.state.set("tex.mip", level || "");
		const { width, height } = this.#info.levels[level];
		this.levelText.textContent = `${level}: ${width} × ${height}`;
		const ask = async (side, path, more) => {
			const { head, buffer, at } = await this.#api.get("picture", { side, path, ...more }, this.#stop.signal);
			return { ...head, data: new Uint8ClampedArray(buffer, at) };
		};
		const picture = Math.min(Math.max(0, Math.trunc(Number(this.picture.value))), this.#info.pictures - 1);
		const [output, source] = await Promise.allSettled([
			ask("output", this.#asset.output.path, { level, picture }),
			this.compared ? ask("source", this.#asset.source.path, { width, height }) : Promise.reject(new Error("the source is no picture, or makes several")),
		]);
		if (turn !== this.#turn || this.#stop.signal.aborted) return;
		this.#pix = { output: output.value ?? output.reason, source: source.value ?? source.reason };
		this.#paint();
		this.#root.dataset.level = level;
	}

	// paint makes the pictures that are shown.
	#paint() {
		const { source, output } = this.#pix;
		this.gain.hidden = this.show.value !== "difference";
		const panes = [];
		const usable = p => p && p.data;
		const pane = (name, title, pix) => panes.push({ name, title, pix, canvas: usable(pix) ? this.#canvas(pix) : null });
		if (this.show.value === "difference") {
			if (usable(source) && usable(output) && source.width === output.width && source.height === output.height) {
				pane("difference", "difference of source and cooked", difference(source, output, Number(this.gain.value)));
			} else pane("difference", "difference", new Error(usable(source) ? "the sizes differ" : source?.message ?? "no source"));
		} else {
			if (this.show.value === "both" && this.compared) {
				const of = usable(source) ? (source.scaled ? `source, scaled from ${source.of_width} × ${source.of_height}` : "source") + (source.bits !== 8 ? `, ${source.bits} bits` : "") : "source";
				pane("source", of, source);
			}
			pane("output", "cooked", output);
		}
		this.#panes = panes.map(p => {
			const screen = el("canvas", { className: "screen" });
			const figure = el("figure", {}, el("figcaption", { className: "dim", textContent: p.title }), p.canvas ? screen : el("p", { className: "bad", textContent: p.pix?.message ?? "" }));
			figure.dataset.side = p.name;
			if (p.canvas) this.#grab(screen);
			return { ...p, screen, figure };
		});
		this.stage.replaceChildren(...this.#panes.map(p => p.figure));
		this.#draw();
		this.#root.dataset.ready = "true";
	}

	// canvas returns pixels as the chosen channels show them.
	#canvas({ width, height, data }) {
		const image = new ImageData(width, height), to = image.data;
		const channel = this.channel.value, normal = this.normal.checked && !this.normalLabel.hidden;
		const one = { r: 0, g: 1, b: 2, a: 3 }[channel];
		for (let i = 0; i < to.length; i += 4) {
			let r = data[i], g = data[i + 1], b = data[i + 2];
			if (normal) {
				const x = r / 127.5 - 1, y = g / 127.5 - 1;
				b = 127.5 * (1 + Math.sqrt(Math.max(0, 1 - x * x - y * y)));
			}
			if (one === 2) r = g = b;
			else if (one !== undefined) r = g = b = data[i + one];
			to[i] = r; to[i + 1] = g; to[i + 2] = b;
			to[i + 3] = channel === "rgba" ? data[i + 3] : 255;
		}
		const canvas = new OffscreenCanvas(width, height);
		canvas.getContext("2d").putImageData(image, 0, 0);
		return canvas;
	}

	#factor(p) {
		const box = p.screen.getBoundingClientRect();
		return this.#zoom || Math.min(box.width / p.canvas.width, box.height / p.canvas.height, 64);
	}

	#draw() {
		const ratio = devicePixelRatio || 1;
		for (const p of this.#panes) {
			if (!p.canvas) continue;
			const box = p.screen.getBoundingClientRect();
			const w = Math.max(1, Math.round(box.width * ratio)), h = Math.max(1, Math.round(box.height * ratio));
			if (p.screen.width !== w || p.screen.height !== h) { p.screen.width = w; p.screen.height = h; }
			const g = p.screen.getContext("2d");
			const f = this.#factor(p) * (this.#zoom ? 1 : ratio);
			const left = Math.round(w / 2 - this.#x * p.canvas.width * f), top = Math.round(h / 2 - this.#y * p.canvas.height * f);
			g.clearRect(0, 0, w, h);
			if (this.channel.value === "rgba") checks(g, left, top, p.canvas.width * f, p.canvas.height * f, w, h);
			g.imageSmoothingEnabled = f < 1;
			g.imageSmoothingQuality = "high";
			g.drawImage(p.canvas, left, top, p.canvas.width * f, p.canvas.height * f);
			Object.assign(p, { left, top, f });
			Object.assign(p.screen.dataset, { left, top, scale: f });
			this.zoomText.textContent = `${Math.round(100 * f)} %`;
		}
	}

	#scale(zoom) {
		this.#zoom = zoom;
		if (!zoom) this.#x = this.#y = .5;
		this.#draw();
	}

	#by(factor) {
		const p = this.#panes.find(p => p.canvas);
		if (p) this.#scale(Math.min(64, Math.max(1 / 64, p.f * factor)));
	}

	#move(dx, dy) {
		const p = this.#panes.find(p => p.canvas);
		if (!p) return;
		this.#x = Math.min(1, Math.max(0, this.#x - dx / (p.canvas.width * p.f)));
		this.#y = Math.min(1, Math.max(0, this.#y - dy / (p.canvas.height * p.f)));
		if (!this.#zoom) this.#zoom = p.f;
		this.#draw();
	}

	#grab(screen) {
		const ratio = devicePixelRatio || 1;
		screen.onpointerdown = e => { screen.setPointerCapture(e.pointerId); this.stage.focus({ preventScroll: true }); };
		screen.onpointermove = e => {
			if (e.buttons & 1) this.#move(e.movementX * ratio, e.movementY * ratio);
			this.#point(screen, e.offsetX * ratio, e.offsetY * ratio);
		};
		screen.onpointerleave = () => { this.under.textContent = ""; };
		screen.addEventListener("wheel", e => {
			e.preventDefault();
			const p = this.#panes.find(p => p.screen === screen);
			const x = (e.offsetX * ratio - p.left) / p.f, y = (e.offsetY * ratio - p.top) / p.f;
			this.#by(e.deltaY < 0 ? 2 ** .25 : 2 ** -.25);
			// what was under the pointer stays there
			this.#x = x / p.canvas.width - (e.offsetX * ratio - screen.width / 2) / (p.f * p.canvas.width);
			this.#y = y / p.canvas.height - (e.offsetY * ratio - screen.height / 2) / (p.f * p.canvas.height);
			this.#draw();
		}, { passive: false });
	}

	// point tells what is under the pointer, in both pictures.
	#point(screen, x, y) {
		const p = this.#panes.find(p => p.screen === screen);
		const column = Math.floor((x - p.left) / p.f), row = Math.floor((y - p.top) / p.f);
		if (column < 0 || row < 0 || column >= p.canvas.width || row >= p.canvas.height) {
			this.under.textContent = "";
			return;
		}
		const at = ({ width, height, data }) => {
			if (!data || column >= width || row >= height) return "–";
			return [...data.subarray(4 * (row * width + column), 4 * (row * width + column) + 4)].join(" ");
		};
		this.under.textContent = `${column}, ${row}   source ${at(this.#pix.source ?? {})}   cooked ${at(this.#pix.output ?? {})}`;
	}

	#press(e) {
		const far = e.shiftKey ? 200 : 40;
		const run = {
			ArrowLeft: () => this.#move(far, 0), ArrowRight: () => this.#move(-far, 0), ArrowUp: () => this.#move(0, far), ArrowDown: () => this.#move(0, -far),
			"+": () => this.#by(2), "=": () => this.#by(2), "-": () => this.#by(.5), 0: () => this.#scale(0), 1: () => this.#scale(1),
			m: () => this.#step(1), n: () => this.#step(-1),
		}[e.key];
		if (!run || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	}

	#step(by) {
		this.level.value = Number(this.level.value) + by;
		this.#load();
	}
}

// difference returns what two pictures differ by, times gain.
function difference(a, b, gain) {
	const data = new Uint8ClampedArray(a.data.length);
	for (let i = 0; i < data.length; i++) data[i] = Math.abs(a.data[i] - b.data[i]) * gain;
	return { width: a.width, height: a.height, data };
}

// checks draws squares where a picture is, which show where it is transparent.
function checks(g, left, top, width, height, w, h) {
	const side = 8;
	const x0 = Math.max(0, left), y0 = Math.max(0, top), x1 = Math.min(w, left + width), y1 = Math.min(h, top + height);
	g.fillStyle = "#999";
	g.fillRect(x0, y0, Math.max(0, x1 - x0), Math.max(0, y1 - y0));
	g.fillStyle = "#666";
	for (let y = y0; y < y1; y += side) {
		for (let x = x0 + ((y - y0) / side & 1) * side; x < x1; x += 2 * side) g.fillRect(x, y, Math.min(side, x1 - x), Math.min(side, y1 - y));
	}
}
