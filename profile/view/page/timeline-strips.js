// Boxes of a pixel or two. There may be tens of thousands: each lane with some has two
// rows of pixels, for spans and for joined spans, that are drawn stretched to its height.

const rows = 128; // of pixels in one go

const canvas = document.createElement("canvas");
const places = { n: 0, y: new Float32Array(rows / 2), h: new Float32Array(rows / 2) };
let pixels = null; // Uint32Array of image
let image = null;

// begin makes room for w pixels across.
export function begin(w) {
	w = Math.max(1, Math.ceil(w));
	if (canvas.width !== w || !image) {
		canvas.width = w;
		canvas.height = rows;
		image = new ImageData(w, rows);
		pixels = new Uint32Array(image.data.buffer);
	}
	places.n = 0;
}

// lane returns where the pixels of the next lane begin, those of joined ones after width.
export function lane(ctx, y, h) {
	if (places.n === places.y.length) flush(ctx);
	const at = places.n * 2 * canvas.width;
	pixels.fill(0, at, at + 2 * canvas.width);
	places.y[places.n] = y;
	places.h[places.n++] = h;
	return at;
}

export const width = () => canvas.width;
export const buffer = () => pixels;

// flush draws the lanes so far.
export function flush(ctx) {
	if (places.n === 0) return;
	const w = canvas.width;
	canvas.getContext("2d", { willReadFrequently: true }).putImageData(image, 0, 0, 0, 0, w, places.n * 2);
	const smooth = ctx.imageSmoothingEnabled;
	ctx.imageSmoothingEnabled = false;
	for (let i = 0; i < places.n; i++) {
		const y = places.y[i], h = places.h[i];
		ctx.drawImage(canvas, 0, i * 2, w, 1, 0, y, w, h);
		ctx.drawImage(canvas, 0, i * 2 + 1, w, 1, 0, y + 2, w, h - 4);
	}
	ctx.imageSmoothingEnabled = smooth;
	places.n = 0;
}
