// A model: what is drawn of its source beside what is drawn of what was cooked, both turned
// by one camera, and what its levels of detail consist of.

import { bytes, count, el } from "../../format.js";
import { Camera } from "./mesh-camera.js";
import { Screen } from "./mesh-draw.js";

const drawable = /\.(glb|gltf|obj)$/i;

export async function mount(root, asset, api) {
	const view = new Mesh(root, asset, api);
	await view.open();
	return view;
}

class Mesh {
	#root; #asset; #api;
	#camera = new Camera();
	#panes = []; // { side, title, canvas, caption, screen, levels, bytes, shown }
	#stop = new AbortController();
	#frame = 0;
	#last = 0; // when the turntable has moved
	#visible = true;
	#pointers = new Map();
	#colors = null;
	#center = [0, 0, 0];
	#scale = 1;

	constructor(root, asset, api) {
		this.#root = root;
		this.#asset = asset;
		this.#api = api;
		const s = api.state;
		const check = (key, text, hint) => {
			const input = el("input", { type: "checkbox", checked: s.get("mesh." + key) === "1", onchange: () => { s.set("mesh." + key, input.checked ? "1" : ""); this.#dirty(); } });
			return [input, el("label", { title: hint }, input, " " + text)];
		};
		const choice = (key, label, options, changed) => {
			const select = el("select", { ariaLabel: label, title: label });
			for (const [value, textContent] of options) select.append(el("option", { value, textContent }));
			select.value = s.get("mesh." + key) || options[0][0];
			if (select.selectedIndex < 0) select.selectedIndex = 0;
			select.onchange = () => { s.set("mesh." + key, select.selectedIndex ? select.value : ""); changed(); };
			return select;
		};
		const button = (text, hint, onclick) => el("button", { type: "button", textContent: text, title: hint, ariaLabel: hint, onclick });
		let wire, lines;
		[this.wire, wire] = check("wire", "wire", "edges of triangles (w)");
		[this.lines, lines] = check("lines", "normals", "normals as lines (v)");
		this.shading = choice("shade", "shading", [["file", "shaded as in the file"], ["flat", "flat"], ["smooth", "smooth"]], () => this.#dirty());
		this.color = choice("color", "colors", [["material", "colors of materials"], ["part", "a color for each part"], ["normal", "normals as colors"]], () => this.#recolor());
		this.level = el("input", { type: "range", min: 0, max: 0, value: 0, step: 1, ariaLabel: "level of detail of the cooked model", oninput: () => this.#choose(Number(this.level.value)) });
		this.levelText = el("span", { className: "leveltext" });
		this.levelLabel = el("label", { title: "level of detail of the cooked model (m, n)" }, "detail ", this.level);
		this.turning = !matchMedia("(prefers-reduced-motion: reduce)").matches;
		this.turn = button("Turn", "turn slowly (Space)", () => this.#spin(!this.turning));
		const bar = el("div", { className: "bar" }, this.turn, wire, lines, this.shading, this.color, this.levelLabel, this.levelText,
			button("Fit", "whole model (0)", () => this.#home()), button("−", "further away (-)", () => this.#zoom(1 / 1.25)), button("+", "closer (+)", () => this.#zoom(1.25)));
		this.stage = el("div", { className: "stage", tabIndex: 0, role: "group",
			ariaLabel: "models; arrows turn, with shift they move, + and - zoom, 0 fits, space turns slowly, m and n change the detail, w shows edges, v normals" });
		this.table = el("div", { className: "levels" });
		root.append(bar, this.stage, this.table);
		this.stage.onkeydown = e => this.#press(e);
		this.sizes = new ResizeObserver(() => this.#dirty());
		this.sizes.observe(this.stage);
		this.sight = new IntersectionObserver(entries => { this.#visible = entries.at(-1).isIntersecting; this.#dirty(); });
		this.sight.observe(this.stage);
		document.addEventListener("visibilitychange", () => this.#dirty(), { signal: this.#stop.signal });
		api.onTheme(() => { this.#colors = null; this.#recolor(); });
		this.#spin(this.turning);
	}

	close() {
		this.#stop.abort();
		cancelAnimationFrame(this.#frame);
		this.sizes.disconnect();
		this.sight.disconnect();
		for (const p of this.#panes) p.screen?.close();
		this.#panes = [];
	}

	async open() {
		const { source, output } = this.#asset;
		const sides = [["source", source, "Source"], ["output", output, "Cooked"]].filter(([, file]) => file);
		await Promise.all(sides.map(([side, file, title]) => this.#pane(side, file, title)));
		if (this.#stop.signal.aborted) return;
		this.#frameAll();
		const cooked = this.#of("output");
		const last = (cooked?.levels?.length ?? 1) - 1;
		this.level.max = last;
		this.level.disabled = last < 1;
		this.#choose(Math.min(Number(this.#api.state.get("mesh.level", "0")) || 0, last));
		this.#root.dataset.ready = "true";
	}

	#of(side) { return this.#panes.find(p => p.side === side); }

	// pane asks for one side and shows it, or why it cannot.
	async #pane(side, file, title) {
		const caption = el("figcaption", {}, el("b", { textContent: title }));
		const canvas = el("canvas", { ariaLabel: title + " model", role: "img" });
		const figure = el("figure", {}, caption, canvas);
		figure.dataset.side = canvas.dataset.side = side;
		const p = { side, title, caption, canvas, screen: null, levels: null, bytes: 0, shown: null };
		this.#panes.push(p);
		if (side === "source") this.stage.prepend(figure);
		else this.stage.append(figure);
		try {
			if (!drawable.test(file.path)) throw new Error("this is no model that can be drawn (glb, gltf, obj)");
			const { head, buffer, at } = await this.#api.get("mesh", { side, path: file.path }, this.#stop.signal);
			p.levels = levelsOf(head, buffer, at);
			p.bytes = head.bytes;
			if (this.#stop.signal.aborted) return;
			p.screen = new Screen(canvas, () => this.#dirty());
			this.#grab(canvas);
		} catch (e) {
			if (this.#stop.signal.aborted) return;
			canvas.remove();
			figure.append(el("p", { className: "bad", textContent: e.message }));
		}
	}

	// frameAll lets the camera see the full models of all panes, in one scale.
	#frameAll() {
		const low = [Infinity, Infinity, Infinity], high = low.map(x => -x);
		for (const p of this.#panes) {
			const l = p.levels?.[0];
			if (!l || l.triangles === 0) continue;
			for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], l.low[k]); high[k] = Math.max(high[k], l.high[k]); }
		}
		if (!(low[0] <= high[0])) return;
		this.#center = low.map((x, k) => x / 2 + high[k] / 2);
		this.#scale = 1 / (Math.hypot(...low.map((x, k) => high[k] / 2 - x / 2)) || 1);
	}

	// choose shows a level of the cooked model.
	#choose(level) {
		this.level.value = level;
		this.#api.state.set("mesh.level", level || "");
		for (const p of this.#panes) {
			const shown = p.levels?.[p.side === "output" ? level : 0];
			if (!shown) continue;
			if (p.shown !== shown) p.screen?.load({ ...shown, colors: this.#tints(shown) });
			p.shown = shown;
			Object.assign(p.canvas.dataset, { level: p.side === "output" ? level : 0, vertices: shown.vertices, triangles: shown.triangles });
			this.#root.dataset[p.side + "Vertices"] = shown.vertices;
			this.#root.dataset[p.side + "Triangles"] = shown.triangles;
		}
		this.#tell(level);
		this.#dirty();
	}

	// tell writes what is shown, and what of it remains.
	#tell(level) {
		const source = this.#of("source")?.levels?.[0], cooked = this.#of("output")?.levels;
		const full = source ?? cooked?.[0];
		const share = n => full?.triangles ? `${Math.round(1000 * n / full.triangles) / 10} %` : "";
		for (const p of this.#panes) {
			if (!p.shown) continue;
			const n = p.shown;
			const notes = [`${count(n.triangles)} triangles`, `${count(n.vertices)} vertices`, bytes(p.bytes)];
			if (p.side === "output" && source?.triangles) notes.splice(1, 0, share(n.triangles));
			if (n.clipped) notes.push(`${n.clipped < 2 ** 40 ? count(n.clipped) : "too many"} triangles more are not drawn`);
			if (n.undrawn) notes.push(`${count(n.undrawn)} parts of points or lines are not drawn`);
			if (n.triangles === 0) notes.push("nothing to draw");
			p.caption.replaceChildren(el("b", { textContent: p.title }), el("span", { className: "dim", textContent: " " + notes.join(" · ") }));
		}
		this.levelText.textContent = cooked?.length > 1 ? `${level} of ${cooked.length - 1}` : "";
		this.levelLabel.hidden = !(cooked?.length > 1);
		if (!full) return this.table.replaceChildren();
		const cell = (text, n = true) => el("td", { className: n ? "n" : "", textContent: text });
		const row = (name, l, size, chosen) => el("tr", { className: chosen ? "chosen" : "" }, cell(name, false),
			cell(count(l.triangles)), cell(share(l.triangles)), cell(count(l.vertices)), cell(full.vertices ? `${Math.round(1000 * l.vertices / full.vertices) / 10} %` : ""), cell(count(l.parts.length)), cell(size));
		const of = source ? "of source" : "of all";
		const head = el("tr", {}, ...["", "triangles", of, "vertices", of, "parts", "files"].map((textContent, i) => el("th", { className: i ? "n" : "", textContent, scope: "col" })));
		const rows = source ? [row("source", source, bytes(this.#of("source").bytes), false)] : [];
		cooked?.forEach((l, i) => rows.push(row(cooked.length > 1 ? `cooked, detail ${i}` : "cooked", l, i ? "" : bytes(this.#of("output").bytes), cooked.length > 1 && i === level)));
		this.table.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
	}

	// tints returns a color for each vertex.
	#tints(level) {
		const tints = new Uint8Array(4 * level.vertices), series = this.#ink().series;
		let at = 0;
		level.parts.forEach((part, i) => {
			const color = this.color.value === "part" ? series[i % series.length].map(x => x ** 2.2) : part.color.slice(0, 3).map(x => .85 * x);
			const of = [...color.map(x => Math.round(255 * Math.min(1, Math.max(0, x)))), part.made ? 0 : 255];
			for (const end = at + 4 * part.vertices; at < end; at += 4) tints.set(of, at);
		});
		return tints;
	}

	#recolor() {
		for (const p of this.#panes) if (p.shown) p.screen?.recolor(this.#tints(p.shown));
		this.#dirty();
	}

	// ink returns the colors of the page as numbers from 0 to 1.
	#ink() {
		if (this.#colors) return this.#colors;
		const g = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
		const numbers = css => {
			g.fillStyle = css;
			g.fillRect(0, 0, 1, 1);
			return [...g.getImageData(0, 0, 1, 1).data.subarray(0, 3)].map(x => x / 255);
		};
		const p = this.#api.palette;
		return this.#colors = { ground: numbers(p.panel), ink: numbers(p.text), spike: numbers(p.warn), series: p.series.map(numbers) };
	}

	// dirty has the panes drawn once, and on as long as they turn.
	#dirty() {
		if (this.#frame || this.#stop.signal.aborted || !this.#visible || document.hidden) return;
		this.#frame = requestAnimationFrame(now => {
			this.#frame = 0;
			if (this.turning) {
				this.#camera.orbit(Math.min(100, now - (this.#last || now)) * .0004, 0);
				this.#last = now;
			}
			const look = { ...this.#ink(), center: this.#center, scale: this.#scale, wire: this.wire.checked, lines: this.lines.checked,
				shading: ["file", "flat", "smooth"].indexOf(this.shading.value), normals: this.color.value === "normal" };
			for (const p of this.#panes) p.screen?.draw(this.#camera, look);
			if (this.turning && this.#panes.some(p => p.screen)) this.#dirty();
		});
	}

	#spin(on) {
		this.turning = on;
		this.#last = 0;
		this.turn.setAttribute("aria-pressed", String(on));
		this.#root.dataset.turning = on;
		this.#dirty();
	}

	#orbit(dx, dy) { this.#spin(false); this.#camera.orbit(dx, dy); this.#dirty(); }
	#pan(dx, dy) { this.#spin(false); this.#camera.pan(dx, dy); this.#dirty(); }
	#zoom(factor) { this.#camera.zoom(factor); this.#dirty(); }
	#home() { this.#camera.reset(); this.#dirty(); }

	// grab lets a canvas be dragged: one pointer turns, with shift or another button it moves;
	// two fingers move and zoom.
	#grab(canvas) {
		canvas.oncontextmenu = e => e.preventDefault();
		canvas.onpointerdown = e => {
			canvas.setPointerCapture(e.pointerId);
			this.stage.focus({ preventScroll: true });
			this.#pointers.set(e.pointerId, e);
			this.#spin(false);
		};
		canvas.onpointerup = canvas.onpointercancel = e => this.#pointers.delete(e.pointerId);
		canvas.onpointermove = e => {
			const was = this.#pointers.get(e.pointerId);
			if (!was) return;
			this.#pointers.set(e.pointerId, e);
			const size = Math.max(1, Math.min(canvas.clientWidth, canvas.clientHeight));
			const dx = (e.clientX - was.clientX) / size, dy = (e.clientY - was.clientY) / size;
			if (this.#pointers.size === 2) {
				const other = [...this.#pointers.values()].find(p => p.pointerId !== e.pointerId);
				const far = p => Math.max(1, Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY));
				this.#camera.zoom(far(e) / far(was));
				this.#pan(dx / 3, -dy / 3);
			} else if (e.shiftKey || e.buttons & 6) this.#pan(.65 * dx, -.65 * dy);
			else this.#orbit(4 * dx, 4 * dy);
		};
		canvas.ondblclick = () => this.#home();
		canvas.addEventListener("wheel", e => {
			e.preventDefault();
			this.#zoom(2 ** (-Math.sign(e.deltaY) / 4));
		}, { passive: false });
	}

	#press(e) {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const move = e.shiftKey ? (x, y) => this.#pan(.04 * x, .04 * y) : (x, y) => this.#orbit(.12 * x, -.12 * y);
		const toggle = box => box.click();
		const step = by => { if (!this.level.disabled) this.#choose(Math.min(Number(this.level.max), Math.max(0, Number(this.level.value) + by))); };
		const run = {
			ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, 1), ArrowDown: () => move(0, -1),
			"+": () => this.#zoom(1.25), "=": () => this.#zoom(1.25), "-": () => this.#zoom(1 / 1.25), 0: () => this.#home(), " ": () => this.#spin(!this.turning),
			w: () => toggle(this.wire), v: () => toggle(this.lines), m: () => step(1), n: () => step(-1),
		}[e.key];
		if (!run) return;
		e.preventDefault();
		e.stopPropagation();
		run();
	}
}

// levelsOf returns the levels of an answer, with arrays of their numbers.
function levelsOf(head, buffer, at) {
	return head.levels.map(level => {
		const positions = new Float32Array(buffer, at, 3 * level.vertices);
		const normals = new Float32Array(buffer, at += 12 * level.vertices, 3 * level.vertices);
		const indices = new Uint32Array(buffer, at += 12 * level.vertices, 3 * level.triangles);
		at += 12 * level.triangles;
		return { ...level, positions, normals, indices };
	});
}
