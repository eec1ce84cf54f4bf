// Reads the metrics of a font into one form, whose lengths are in em with y upward:
//
//	{ size, range, multi, ascender, descender, lineGap, charset, pages,
//	  glyphs: Map of rune -> { rune, advance, plane, atlas, page },
//	  kerning: Map of pair(first, second) -> em }
//
// plane and atlas are [left, bottom, right, top], in em from the pen and in pixels of the
// atlas downward; they are null for what has nothing to draw. range is 0 for pictures of
// glyphs instead of distances, which with multi are the median of red, green and blue. pages are
// names of files; metrics in JSON need none: there is one atlas beside them.

export const pair = (first, second) => first * 0x110000 + second;

const most = 1 << 18; // glyphs and pairs

function number(v, what) {
	if (typeof v !== "number" || !Number.isFinite(v)) throw new Error(`the metrics are damaged: ${what} is no number`);
	return v;
}

function box(v, what) {
	if (v === undefined) return null;
	if (!Array.isArray(v) || v.length !== 4) throw new Error(`the metrics are damaged: ${what} is no box`);
	return v.map(n => number(n, what));
}

const isRune = v => Number.isInteger(v) && v >= 0 && v <= 0x10ffff;

function runeOf(v) {
	if (!isRune(v)) throw new Error("the metrics are damaged: a rune is none");
	return v;
}

function list(v, what) {
	if (!Array.isArray(v)) throw new Error(`the metrics are damaged: there are no ${what}`);
	if (v.length > most) throw new Error(`${v.length} ${what}, ${most} at most are shown`);
	return v;
}

// isMulti reports whether a type of distances has channels.
const isMulti = type => type === "msdf" || type === "mtsdf";

// fromJSON reads what the font recipe writes, in any of its layouts.
export function fromJSON(text) {
	let m;
	try {
		m = JSON.parse(text);
	} catch {
		throw new Error("the metrics are damaged: they are no JSON");
	}
	if (m?.chars) return { ...fromTags(tagsOfJSON(m)), pages: [null] };
	if (m?.atlas?.yOrigin) return fromAtlasGen(m);
	const glyphs = new Map(), kerning = new Map();
	for (const g of list(m?.glyphs, "glyphs")) {
		const rune = runeOf(g?.rune);
		glyphs.set(rune, {
			rune, page: 0, advance: number(g.advance, "an advance"),
			plane: box(g.plane, "a plane"), atlas: box(g.atlas, "a place in the atlas"),
		});
	}
	for (const k of list(m.kerning, "kerning pairs")) {
		kerning.set(pair(runeOf(k?.[0]), runeOf(k[1])), number(k[2], "kerning"));
	}
	return {
		glyphs, kerning, pages: [null],
		size: Math.max(1, number(m.atlas?.size, "the size")), range: number(m.atlas.range, "the range"), multi: isMulti(m.atlas.type),
		ascender: number(m.metrics?.ascender, "the ascender"), descender: number(m.metrics.descender, "the descender"),
		lineGap: number(m.metrics.line_gap, "the line gap"),
	};
}

// fromAtlasGen reads the layout of msdf-atlas-gen, in which y grows upward in the atlas too.
function fromAtlasGen(m) {
	const glyphs = new Map(), kerning = new Map(), height = number(m.atlas.height, "the height");
	const sides = b => b && ["left", "bottom", "right", "top"].map(k => number(b[k], "a box"));
	for (const g of list(m.glyphs, "glyphs")) {
		const rune = runeOf(g?.unicode), plane = sides(g.planeBounds), at = sides(g.atlasBounds);
		glyphs.set(rune, {
			rune, page: 0, advance: number(g.advance, "an advance"), plane: plane ?? null,
			atlas: at ? [at[0], height - at[1], at[2], height - at[3]] : null,
		});
	}
	for (const k of list(m.kerning, "kerning pairs")) kerning.set(pair(runeOf(k?.unicode1), runeOf(k.unicode2)), number(k.advance, "kerning"));
	const ascender = number(m.metrics?.ascender, "the ascender"), descender = number(m.metrics.descender, "the descender");
	return {
		glyphs, kerning, pages: [null], ascender, descender,
		size: Math.max(1, number(m.atlas.size, "the size")), range: number(m.atlas.distanceRange, "the range"), multi: isMulti(m.atlas.type),
		lineGap: number(m.metrics.lineHeight, "the line height") - ascender + descender,
	};
}

// tagsOfJSON are those of a BMFont file in JSON: pairs of a name and an object of values.
function* tagsOfJSON(m) {
	for (const name of ["info", "common", "distanceField"]) yield [name, Object(m[name])];
	for (const values of list(m.chars, "glyphs")) yield ["char", Object(values)];
	for (const values of list(m.kernings, "kerning pairs")) yield ["kerning", Object(values)];
}

// tagsOfText are those of a BMFont file in lines.
function* tagsOfText(text) {
	for (const line of text.split("\n")) {
		const [, kind = ""] = /^\s*(\w+)/.exec(line) ?? [];
		yield [kind, Object.fromEntries([...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)].map(([, k, quoted, bare]) => [k, quoted ?? bare]))];
	}
}

// tagsOfXML are those of a BMFont file in XML, in which nothing has text.
function* tagsOfXML(text) {
	if (!/<\/font>\s*$/.test(text)) throw new Error("the font is damaged: its XML has no end");
	const entities = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
	const plain = s => s.replace(/&(\w+);/g, (all, name) => entities[name] ?? all);
	for (const [, kind, values] of text.matchAll(/<(\w+)((?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g)) {
		yield [kind, Object.fromEntries([...values.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, k, a, b]) => [k, plain(a ?? b)]))];
	}
}

// fromBMFont reads BMFont files as text or XML.
export function fromBMFont(text) {
	const font = /^\s*</.test(text) ? fromTags(tagsOfXML(text)) : /^\s*info /.test(text) ? fromTags(tagsOfText(text)) : null;
	if (!font) throw new Error("the binary form of BMFont files is not shown, but text and XML");
	if (font.pages.length === 0) throw new Error("the font names no page");
	return font;
}

function fromTags(tags) {
	const font = { glyphs: new Map(), kerning: new Map(), pages: [], range: 0, multi: false, lineGap: 0 };
	let common = {}, size = 0;
	for (const [kind, values] of tags) {
		const n = key => number(Number(values[key]), `${key} of ${kind}`);
		switch (kind) {
		case "info": size = Math.abs(n("size")) || 1; break;
		case "common": common = { line: n("lineHeight"), base: n("base") }; break;
		case "page":
			if (font.pages.length < 64) font.pages.push(values.file ?? "");
			break;
		case "char": {
			if (!isRune(n("id"))) break; // -1 is drawn for what is missing
			const [x, y, w, h] = ["x", "y", "width", "height"].map(n);
			const left = n("xoffset") / size, top = ((common.base ?? 0) - n("yoffset")) / size;
			const drawn = w > 0 && h > 0;
			font.glyphs.set(n("id"), {
				rune: n("id"), advance: n("xadvance") / size, page: Number(values.page) || 0,
				plane: drawn ? [left, top - h / size, left + w / size, top] : null,
				atlas: drawn ? [x, y + h, x + w, y] : null,
			});
			break;
		}
		case "distanceField":
			font.range = values.fieldType === "none" ? 0 : n("distanceRange");
			font.multi = isMulti(values.fieldType);
			break;
		case "kerning": font.kerning.set(pair(n("first"), n("second")), n("amount") / size); break;
		}
		if (font.glyphs.size > most || font.kerning.size > most) throw new Error(`more than ${most} glyphs or kerning pairs`);
	}
	return { ...font, size, ascender: (common.base ?? size) / size, descender: ((common.base ?? size) - (common.line ?? size)) / size };
}

export const code = rune => "U+" + rune.toString(16).toUpperCase().padStart(4, "0");

// missing returns ranges [from, to] of the runes of the option charset that have no glyph.
export function missing(charset, glyphs) {
	const ranges = [];
	let left = 4 << 20; // looks, more than Unicode has runes
	for (const [, a, b] of String(charset ?? "").matchAll(/U\+([0-9a-f]{1,6})(?:-(?:U\+)?([0-9a-f]{1,6}))?/gi)) {
		const from = parseInt(a, 16), to = Math.min(b ? parseInt(b, 16) : from, 0x10ffff);
		for (let r = from; r <= to && left > 0; r++, left--) {
			if (glyphs.has(r)) continue;
			const last = ranges.at(-1);
			if (last && last[1] === r - 1) last[1] = r;
			else ranges.push([r, r]);
		}
	}
	return ranges;
}

// layout places a text: { quads: [{ glyph, x, y }], lines: [{ text, y }], height, missing },
// in pixels, y downward to the pen. Lines wider than width break after a space, if they
// have one.
export function layout(font, text, { size, width, kerned }) {
	const tall = (font.ascender - font.descender + font.lineGap) * size;
	const quads = [], lines = [], absent = new Set();
	let x = 0, y = font.ascender * size, before = -1;
	let line = { text: "", y, first: 0 };
	let space = null; // where the line may break: { length, quads, x }
	const end = () => {
		lines.push({ text: line.text, y });
		y += tall;
		x = 0;
		before = -1;
		space = null;
		line = { text: "", y, first: quads.length };
	};
	for (const char of text) {
		if (char === "\n") {
			end();
			continue;
		}
		const rune = char.codePointAt(0), glyph = font.glyphs.get(rune);
		if (!glyph) {
			absent.add(rune);
			continue;
		}
		if (kerned && before >= 0) x += (font.kerning.get(pair(before, rune)) ?? 0) * size;
		quads.push({ glyph, x, y });
		line.text += char;
		x += glyph.advance * size;
		before = rune;
		if (char === " ") space = { length: line.text.length, quads: quads.length, x };
		else if (x > width && quads.length - line.first > 1) {
			const at = space ?? { length: line.text.length - char.length, quads: quads.length - 1, x: quads.at(-1).x };
			const rest = line.text.slice(at.length), right = x, last = before;
			line.text = line.text.slice(0, at.length);
			end();
			for (const q of quads.slice(at.quads)) {
				q.x -= at.x;
				q.y = y;
			}
			line = { text: rest, y, first: at.quads };
			x = right - at.x;
			before = last;
		}
	}
	end();
	return { quads, lines, height: lines.length * tall, missing: [...absent].sort((a, b) => a - b) };
}
