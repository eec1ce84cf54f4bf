// Run by node beside the modules.
import assert from "node:assert/strict";
import { code, fromBMFont, fromJSON, layout, missing, pair } from "./font-metrics.js";

const text = JSON.stringify({
	atlas: { width: 64, height: 32, size: 16, range: 4 },
	metrics: { units_per_em: 1000, ascender: .75, descender: -.25, line_gap: .5 },
	glyphs: [
		{ rune: 32, advance: .25 },
		{ rune: 65, advance: 1, plane: [0, 0, 1, 1], atlas: [0, 16, 16, 0] },
		{ rune: 66, advance: .5, plane: [0, 0, .5, 1], atlas: [16, 16, 24, 0] },
	],
	kerning: [[65, 66, -.125]],
});

// The recipe's form.
const font = fromJSON(text);
assert.deepEqual([font.size, font.range, font.ascender, font.descender, font.lineGap], [16, 4, .75, -.25, .5]);
assert.deepEqual([...font.glyphs.keys()], [32, 65, 66]);
assert.deepEqual(font.glyphs.get(32), { rune: 32, page: 0, advance: .25, plane: null, atlas: null });
assert.equal(font.kerning.get(pair(65, 66)), -.125);

// Text: kerning, lines, what is missing.
{
	const at = (s, o = {}) => layout(font, s, { size: 100, width: 1000, kerned: true, ...o });
	assert.deepEqual(at("ABA").quads.map(q => q.x), [0, 87.5, 137.5]);
	assert.deepEqual(at("ABA", { kerned: false }).quads.map(q => q.x), [0, 100, 150]);
	assert.deepEqual(at("A\nB").quads.map(q => [q.x, q.y]), [[0, 75], [0, 225]]);
	assert.deepEqual(at("AAB", { width: 150 }).quads.map(q => q.x), [0, 0, 87.5], "kerning after a break");
	assert.equal(at("A\nB").height, 300);
	assert.deepEqual(at("AxéB").missing, [0x78, 0xe9]);
	assert.deepEqual(at("AxéB").quads.map(q => q.x), [0, 87.5], "what is missing takes no room");
	const texts = (s, width) => at(s, { width }).lines.map(l => l.text);
	assert.deepEqual(texts("AA BB", 300), ["AA ", "BB"]);
	assert.deepEqual(texts("AAAAA", 250), ["AA", "AA", "A"], "a word wider than the line");
	assert.deepEqual(texts("A AAAA", 250), ["A ", "AA", "AA"]);
	assert.deepEqual(texts("AB", 1), ["A", "B"], "a line has one glyph at least");
	assert.deepEqual(texts("", 1), [""]);
	for (const q of at("B ABAB AAB BABA", { width: 260 }).quads) assert.ok(q.x >= 0 && q.x <= 260, String(q.x));
}

// The text form of BMFont.
{
	const f = fromBMFont([
		'info face="A font" size=-8 bold=0', "common lineHeight=10 base=6 scaleW=32 scaleH=32 pages=2",
		'page id=0 file="one two.png"', 'page id=1 file="b.png"', "chars count=3",
		"char id=-1 x=0 y=0 width=1 height=1 xoffset=0 yoffset=0 xadvance=1 page=0",
		"char id=65 x=4 y=8 width=4 height=6 xoffset=1 yoffset=2 xadvance=6 page=1 chnl=15",
		"char id=32 x=0 y=0 width=0 height=0 xoffset=0 yoffset=0 xadvance=4 page=0 chnl=15",
		"kerning first=65 second=32 amount=-2",
	].join("\r\n"));
	assert.deepEqual([f.size, f.range, f.ascender, f.descender, f.lineGap], [8, 0, .75, -.5, 0]);
	assert.deepEqual(f.pages, ["one two.png", "b.png"]);
	assert.deepEqual([...f.glyphs.keys()], [65, 32]);
	assert.deepEqual(f.glyphs.get(65), { rune: 65, page: 1, advance: .75, plane: [.125, -.25, .625, .5], atlas: [4, 14, 8, 8] });
	assert.equal(f.glyphs.get(32).plane, null);
	assert.equal(f.kerning.get(pair(65, 32)), -.25);
}

// The layouts of other programs, which say the same of a glyph.
const others = {
	"msdf-atlas-gen": [fromJSON, JSON.stringify({
		atlas: { type: "mtsdf", distanceRange: 4, size: 8, width: 32, height: 64, yOrigin: "bottom" },
		metrics: { emSize: 1, lineHeight: 1.25, ascender: .75, descender: -.5 },
		glyphs: [{ unicode: 65, advance: .75, planeBounds: { left: .125, bottom: -.25, right: .625, top: .5 }, atlasBounds: { left: 4, bottom: 50, right: 8, top: 56 } }, { unicode: 32, advance: .5 }],
		kerning: [{ unicode1: 65, unicode2: 32, advance: -.25 }],
	})],
	"bmfont-json": [fromJSON, JSON.stringify({
		info: { face: "f", size: 8 }, common: { lineHeight: 10, base: 6 }, pages: ["f.png"], distanceField: { fieldType: "mtsdf", distanceRange: 4 },
		chars: [{ id: 65, x: 4, y: 8, width: 4, height: 6, xoffset: 1, yoffset: 2, xadvance: 6, page: 0 }, { id: 32, x: 0, y: 0, width: 0, height: 0, xoffset: 0, yoffset: 0, xadvance: 4, page: 0 }],
		kernings: [{ first: 65, second: 32, amount: -2 }],
	})],
	bmfont: [fromBMFont, `<?xml version="1.0"?>
<font><info face="f" size="8"/><common lineHeight="10" base='6'/><pages><page id="0" file="&lt;f&gt;.png"/></pages>
<distanceField fieldType="mtsdf" distanceRange="4"/><chars count="2">
<char id="65" x="4" y="8" width="4" height="6" xoffset="1" yoffset="2" xadvance="6" page="0" />
<char id="32" x="0" y="0" width="0" height="0" xoffset="0" yoffset="0" xadvance="4" page="0"></char></chars>
<kernings count="1"><kerning first="65" second="32" amount="-2"/></kernings></font>
`],
};
for (const [name, [read, of]] of Object.entries(others)) {
	const f = read(of);
	assert.deepEqual([f.size, f.range, f.multi, f.ascender, f.descender, f.lineGap], [8, 4, true, .75, -.5, 0], name);
	assert.deepEqual(f.pages, [name === "bmfont" ? "<f>.png" : null], name);
	assert.deepEqual(f.glyphs.get(65), { rune: 65, page: 0, advance: .75, plane: [.125, -.25, .625, .5], atlas: [4, 14, 8, 8] }, name);
	assert.equal(f.glyphs.get(32).plane, null, name);
	assert.equal(f.kerning.get(pair(65, 32)), -.25, name);
}
assert.equal(font.multi, false);

// What the rule asks for and the font lacks.
assert.deepEqual(missing(["U+20", "U+41-43", "u+e9"], font.glyphs), [[0x43, 0x43], [0xe9, 0xe9]]);
assert.deepEqual(missing("[\"U+40-44\"]", font.glyphs), [[0x40, 0x40], [0x43, 0x44]]);
assert.deepEqual(missing(undefined, font.glyphs), []);
{
	const all = missing(Array(10).fill("U+E000-10FFFF"), font.glyphs);
	assert.deepEqual(all[0], [0xe000, 0x10ffff]);
	assert.ok(all.reduce((sum, [a, b]) => sum + b - a + 1, 0) <= 4 << 20, "looks are bounded");
}
assert.equal(code(0x41), "U+0041");

// Damage is an error of one line, wherever a file is cut off or a value is of another kind.
const fails = (read, s) => {
	try {
		read(s);
	} catch (e) {
		assert.equal(e.constructor, Error, `${s}: ${e.stack}`);
		assert.match(e.message, /^[^\n]+$/);
		return true;
	}
	return false;
};
for (let n = 0; n < text.length; n++) assert.ok(fails(fromJSON, text.slice(0, n)), `cut at ${n}`);
for (const [name, [read, of]] of Object.entries(others)) {
	for (let n = 0; n < of.length - 1; n++) assert.ok(fails(read, of.slice(0, n)), `${name} cut at ${n}`);
}
const change = (value, path, to) => {
	const copy = structuredClone(value);
	path.slice(0, -1).reduce((v, k) => v[k], copy)[path.at(-1)] = to;
	return JSON.stringify(copy);
};
for (const path of [["atlas"], ["metrics"], ["glyphs"], ["kerning"], ["atlas", "size"], ["metrics", "ascender"], ["glyphs", 1], ["glyphs", 1, "rune"],
	["glyphs", 1, "advance"], ["glyphs", 1, "plane", 2], ["glyphs", 1, "atlas"], ["kerning", 0], ["kerning", 0, 1]]) {
	for (const to of [null, "x", true, -1.5]) {
		if (to === -1.5 && ["size", "ascender", "advance", 2].includes(path.at(-1))) continue;
		assert.ok(fails(fromJSON, change(JSON.parse(text), path, to)), `${path} = ${to}`);
	}
}
for (const s of ["", "BMF\x03", "<font/>", "info size=x", "info size=8", "info size=8\npage id=0 file=a\nchar id=65"]) assert.ok(fails(fromBMFont, s), s);
