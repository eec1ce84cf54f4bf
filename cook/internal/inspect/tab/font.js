// Shows a cooked font: text set from its atlas as a game would, beside the same text by
// the browser from the source; the atlas with its glyphs; what is missing.

import { Atlas } from "./font-atlas.js";
import { rgb, TextPainter } from "./font-draw.js";
import { code, fromBMFont, fromJSON, layout, missing } from "./font-metrics.js";

function make(name, props = {}, ...children) {
	const e = Object.assign(document.createElement(name), props);
	e.append(...children);
	return e;
}

const sample = "The quick brown fox jumps over the lazy dog. AVATAR Toffee 0123456789";
const longest = 2000; // characters of text
const largest = 64 << 20; // bytes of a file that is read whole

// whole reads a file that is not too large for it.
async function whole(api, side, file) {
	if (file.size > largest) throw new Error(`${file.path} has ${file.size} bytes, ${largest} at most are read`);
	return api.bytes({ side, path: file.path, from: 0, to: file.size });
}

// picture gets a page of the atlas as three bytes for each pixel. Distances are in the colors,
// which may be the same; pictures of glyphs in the alpha, if there is any.
async function picture(api, side, path, distances) {
	const { head: { width, height }, buffer, at } = await api.get("picture", { side, path, level: 0 });
	const from = new Uint8Array(buffer, at, 4 * width * height), values = new Uint8Array(3 * width * height);
	let alpha = false;
	for (let i = 3; !distances && !alpha && i < from.length; i += 4) alpha = from[i] < 255;
	for (let i = 0, to = 0; i < from.length; i += 4) {
		for (let c = 0; c < 3; c++) values[to++] = from[i + (alpha ? 3 : distances ? c : 0)];
	}
	return { width, height, values };
}

// opened reads the metrics and the pages.
async function opened(asset, api) {
	const files = [asset.output, ...asset.outputs].filter(f => f);
	const json = files.find(f => /\.json$/i.test(f.path)), fnt = files.find(f => /\.fnt$/i.test(f.path));
	if (!json && !fnt) throw new Error("the asset has no metrics, .json or .fnt, among its outputs");
	const text = new TextDecoder().decode(await whole(api, "output", json ?? fnt));
	if (json) {
		const atlas = files.find(f => /\.(ktx2|png|dds)$/i.test(f.path));
		if (!atlas) throw new Error("the asset has no atlas among its outputs");
		return { font: fromJSON(text), pages: [await picture(api, "output", atlas.path, true)] };
	}
	const font = fromBMFont(text);
	// Pages are outputs of the font, or assets of their own, which a copied font may name as they were.
	const uri = path => path.split("/").map(encodeURIComponent).join("/");
	const beside = (of, name) => decodeURIComponent(new URL(uri(name), "http://a/" + uri(of.path)).pathname.slice(1));
	const pages = await Promise.all(font.pages.map(async name => {
		const places = [["output", beside(fnt, name)], ["source", beside(asset.source, name)]];
		let first = null;
		for (const [side, path] of places) {
			try {
				return await picture(api, side, path, font.range > 0);
			} catch (e) {
				first ??= e;
			}
		}
		throw new Error(`the page ${name} of the font cannot be shown: ${first.message}`);
	}));
	return { font, pages };
}

let faces = 0; // opened so far; each has a name of its own

class View {
	#root;
	#api;
	#asset;
	#font;
	#pages;
	#painter = null;
	#controls = {};
	#atlas;
	#face = null; // the source as a FontFace
	#watch = new ResizeObserver(() => this.#draw());
	#frame = 0;
	#closed = false;

	constructor(root, asset, api) {
		this.#root = root;
		this.#asset = asset;
		this.#api = api;
	}

	async open() {
		this.#root.append(make("p", { className: "dim", textContent: "Reading the font …" }));
		try {
			({ font: this.#font, pages: this.#pages } = await opened(this.#asset, this.#api));
		} catch (e) {
			if (!this.#closed) this.#root.replaceChildren(make("p", { className: "bad", textContent: e.message }));
			this.#root.dataset.ready = "true";
			return;
		}
		await this.#openSource();
		if (this.#closed) return;
		this.#build();
		this.#draw();
		this.#watch.observe(this.#root);
		this.#root.dataset.ready = "true";
	}

	// openSource lets the browser draw with the source, if that is a font which it takes.
	async #openSource() {
		const { source } = this.#asset;
		if (!source || !/\.(ttf|otf)$/i.test(source.path)) return;
		try {
			const face = new FontFace(`inspected${++faces}`, await whole(this.#api, "source", source));
			await face.load();
			if (this.#closed) return;
			document.fonts.add(face);
			this.#face = face;
		} catch { /* the cooked side is shown alone */ }
	}

	#build() {
		const { state } = this.#api, c = this.#controls, font = this.#font;
		const glyphs = [...font.glyphs.values()].sort((a, b) => a.rune - b.rune);
		this.#root.dataset.glyphs = glyphs.length;
		c.text = make("textarea", { rows: 2, maxLength: longest, spellcheck: false, value: state.get("font.text", this.#sample(glyphs)).slice(0, longest) });
		c.size = make("input", { type: "range", min: 6, max: 256, value: state.get("font.size", font.range ? 40 : Math.min(256, 4 * font.size)) });
		c.sizeText = make("output", { className: "mono" });
		c.kerned = make("input", { type: "checkbox", checked: state.get("font.kerning", "1") === "1" });
		c.text.oninput = () => (state.set("font.text", c.text.value), this.#draw());
		c.size.oninput = () => (state.set("font.size", c.size.value), this.#draw());
		c.kerned.onchange = () => (state.set("font.kerning", c.kerned.checked ? "1" : ""), this.#draw());
		c.absent = make("p", { className: "warn absent" });
		c.absent.role = "status";
		c.cooked = make("canvas", { className: "cooked" });
		c.source = this.#face && make("canvas", { className: "source" });
		const bar = make("div", { className: "controls" }, make("label", { className: "text" }, "Text ", c.text),
			make("label", {}, "Size ", c.size, c.sizeText), make("label", {}, c.kerned, " Kerning"));
		const samples = make("div", { className: "samples" }, make("figure", {}, make("figcaption", { textContent: "Cooked, from the atlas" }), c.cooked));
		if (c.source) samples.prepend(make("figure", {}, make("figcaption", { textContent: "Source, by the browser" }), c.source));
		this.#root.replaceChildren(bar, c.absent, samples, this.#facts(glyphs), this.#missing(), ...this.#buildAtlas(glyphs));
		try {
			this.#painter = new TextPainter(c.cooked, this.#pages, font.range > 0);
			c.cooked.addEventListener("webglcontextlost", e => e.preventDefault());
			c.cooked.addEventListener("webglcontextrestored", () => {
				this.#painter.restore();
				this.#draw();
			});
		} catch (e) {
			c.cooked.replaceWith(make("p", { className: "bad", textContent: e.message }));
		}
	}

	// sample returns text that the font has glyphs for.
	#sample(glyphs) {
		if ([...sample].filter(ch => this.#font.glyphs.has(ch.codePointAt(0))).length > sample.length / 2) return sample;
		return String.fromCodePoint(...glyphs.slice(0, 80).map(g => g.rune).filter(r => r >= 0 && r <= 0x10ffff));
	}

	#buildAtlas(glyphs) {
		const { state } = this.#api, c = this.#controls;
		const said = make("p", { className: "glyph mono", textContent: "Point at a glyph, or go from one to the next by arrow keys." });
		said.role = "status";
		this.#atlas = new Atlas(g => { said.textContent = this.#describe(g); });
		const drawn = glyphs.filter(g => g.atlas);
		const zoom = make("input", { type: "range", min: -2, max: 4, step: 1, value: state.get("font.zoom", this.#pages[0].width < 256 ? 2 : 0) });
		const page = make("select", {}, ...this.#pages.map((_, i) => make("option", { value: i, textContent: String(i + 1) })));
		const scale = () => this.#atlas.scale(2 ** zoom.value);
		const show = () => {
			this.#atlas.show(this.#pages[page.value], drawn.filter(g => g.page === Number(page.value)));
			scale();
		};
		zoom.oninput = () => (state.set("font.zoom", zoom.value), scale());
		page.onchange = show;
		show();
		const bar = make("div", { className: "controls" }, make("h3", { textContent: "Atlas" }), make("label", {}, "Zoom ", zoom));
		if (this.#pages.length > 1) bar.append(make("label", {}, "Page ", page));
		c.said = said;
		return [bar, said, this.#atlas.element];
	}

	#describe(g) {
		const em = v => String(+v.toFixed(4));
		const [l, b, r, t] = g.atlas, name = g.rune > 32 && g.rune <= 0x10ffff ? ` ${String.fromCodePoint(g.rune)}` : "";
		let pairs = 0;
		for (const key of this.#font.kerning.keys()) if (Math.floor(key / 0x110000) === g.rune || key % 0x110000 === g.rune) pairs++;
		return `${code(g.rune)}${name} · advance ${em(g.advance)} em · box ${g.plane?.map(em).join(", ") ?? "none"} em · ` +
			`atlas ${l}, ${t}, ${r - l} × ${b - t} px · ${pairs} kerning pairs`;
	}

	#facts(glyphs) {
		const f = this.#font, em = v => `${+v.toFixed(4)} em`;
		const drawn = glyphs.filter(g => g.atlas);
		const used = drawn.reduce((sum, { atlas: [l, b, r, t] }) => sum + (r - l) * (b - t), 0);
		const all = this.#pages.reduce((sum, p) => sum + p.width * p.height, 0);
		const facts = [
			["Glyphs", `${glyphs.length}, of which ${drawn.length} are drawn`],
			["Kerning pairs", String(f.kerning.size)],
			["Atlas", `${this.#pages.map(p => `${p.width} × ${p.height}`).join(", ")} px, ${(100 * used / Math.max(1, all)).toFixed(0)} % filled`],
			["Resolution", f.range ? `${f.size} px per em, distances over ${f.range} px${f.multi ? " in three channels" : ""}` : `${f.size} px per em, no distances`],
			["Line", `${em(f.ascender - f.descender + f.lineGap)}: ascender ${em(f.ascender)}, descender ${em(f.descender)}, gap ${em(f.lineGap)}`],
		];
		const rows = facts.map(([name, text]) => {
			const row = make("tr", {}, make("th", { textContent: name, scope: "row" }), make("td", { textContent: text }));
			row.dataset.row = name;
			return row;
		});
		return make("table", {}, make("tbody", {}, ...rows));
	}

	// missing lists runes that the rule asks for and the font lacks.
	#missing() {
		const ranges = missing(this.#asset.options?.charset, this.#font.glyphs);
		const count = ranges.reduce((sum, [a, b]) => sum + b - a + 1, 0);
		this.#root.dataset.missing = count;
		if (count === 0) return "";
		const shown = ranges.slice(0, 200).map(([a, b]) => a === b ? code(a) : `${code(a)} to ${code(b)}`);
		if (ranges.length > shown.length) shown.push("…");
		return make("p", { className: "warn missing", textContent: `${count} code points of charset have no glyph: ${shown.join(", ")}` });
	}

	#draw() {
		cancelAnimationFrame(this.#frame);
		this.#frame = requestAnimationFrame(() => this.#paint());
	}

	#paint() {
		const c = this.#controls, font = this.#font, { palette } = this.#api;
		if (this.#closed || !c.text) return;
		const ratio = devicePixelRatio || 1, size = Number(c.size.value);
		c.sizeText.value = `${size} px`;
		const width = Math.max(50, c.cooked.clientWidth || c.source?.clientWidth || 0);
		const placed = layout(font, c.text.value, { size: size * ratio, width: width * ratio, kerned: c.kerned.checked });
		c.absent.textContent = placed.missing.length ? `No glyph for ${placed.missing.slice(0, 50).map(code).join(", ")}${placed.missing.length > 50 ? " …" : ""}` : "";
		// Canvases end where browsers would fail; what is below is not drawn.
		const height = Math.min(4096, Math.max(1, Math.ceil(placed.height)));
		for (const canvas of [c.cooked, c.source].filter(e => e)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = height;
			canvas.style.height = height / ratio + "px";
		}
		c.cooked.dataset.quads = placed.quads.filter(q => q.glyph.plane).length;
		this.#painter?.draw(placed.quads, {
			size: size * ratio, reach: font.range ? Math.max(1, font.range * size * ratio / font.size) : 0,
			color: rgb(palette.text), ground: rgb(palette.ground),
		});
		if (!c.source) return;
		const ctx = c.source.getContext("2d", { alpha: false });
		ctx.fillStyle = palette.ground;
		ctx.fillRect(0, 0, c.source.width, c.source.height);
		ctx.fillStyle = palette.text;
		ctx.font = `${size * ratio}px ${this.#face.family}`;
		ctx.fontKerning = c.kerned.checked ? "normal" : "none";
		for (const { text, y } of placed.lines) ctx.fillText(text, 0, y);
	}

	themed() { if (this.#controls.text) this.#draw(); }

	close() {
		this.#closed = true;
		cancelAnimationFrame(this.#frame);
		this.#watch.disconnect();
		this.#painter?.close();
		if (this.#face) document.fonts.delete(this.#face);
		this.#root.replaceChildren();
		for (const key of ["ready", "glyphs", "missing"]) delete this.#root.dataset[key];
	}
}

export async function mount(root, asset, api) {
	const view = new View(root, asset, api);
	api.onTheme(() => view.themed());
	await view.open();
	return view;
}
