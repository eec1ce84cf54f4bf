// Colors of spans: each name has one of a fixed set, the same in all recordings, with
// text of a contrast of at least 4.5 on it.

const hues = [255, 60, 160, 350, 300, 110, 25, 205, 280, 85, 185, 325, 230, 135, 5, 45];

let made = null;

// colors returns the colors of the theme: fill, the same for spans that are joined, and
// that of names that a search passes over.
export function colors(palette) {
	if (made?.palette === palette) return made;
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const fill = [], joined = [];
	for (const level of dark ? [0.54, 0.49] : [0.68, 0.61]) {
		for (const h of hues) {
			fill.push(plain(`oklch(${level} ${dark ? 0.11 : 0.115} ${h})`));
			joined.push(plain(`oklch(${dark ? level - 0.11 : level + 0.12} ${dark ? 0.07 : 0.075} ${h})`));
		}
	}
	made = { palette, dark, fill, joined, ink: dark ? "#ffffff" : "#0a0d12", passed: plain(dark ? "oklch(0.33 0.01 260)" : "oklch(0.87 0.01 260)") };
	made.fillRGBA = Uint32Array.from(fill, rgba);
	made.joinedRGBA = Uint32Array.from(joined, rgba);
	made.passedRGBA = rgba(made.passed);
	return made;
}

// rgba returns a color as a pixel of an ImageData.
function rgba(color) {
	const v = Number.parseInt(color.slice(1), 16);
	return new Uint32Array(Uint8Array.of(v >> 16, v >> 8, v, 255).buffer)[0];
}

// colorOf returns the number of the color of a name.
export function colorOf(name) {
	let h = 0x811c9dc5;
	for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
	h ^= h >>> 15;
	return (Math.imul(h, 0x2c1b3c6d) >>> 16) % (hues.length * 2);
}

// plain turns a color into one that canvases parse fast.
let probe = null;
function plain(color) {
	if (!probe) {
		const canvas = document.createElement("canvas");
		canvas.width = canvas.height = 1;
		probe = canvas.getContext("2d", { willReadFrequently: true });
	}
	probe.fillStyle = color;
	probe.fillRect(0, 0, 1, 1);
	const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
	return "#" + ((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1);
}
