// What the pages of all engines share: the list of cooked files, the source images as the browser
// decodes them, and comparisons with them.

// script loads a script that is no module.
export const script = url => new Promise((done, fail) => {
	const s = document.createElement("script");
	[s.src, s.onload, s.onerror] = [url, done, fail];
	document.head.append(s);
});

// read returns the outputs of each source, by the manifest.
export async function read(dir) {
	const { assets } = await (await fetch(dir + "/manifest.json")).json();
	return assets.map(a => ({ source: "/assets/" + a.source, outputs: (a.outputs ?? []).map(o => dir + "/" + o.path) }));
}

// source returns the pixels of a source image, not premultiplied.
export async function source(url) {
	const bitmap = await createImageBitmap(await (await fetch(url)).blob(), { premultiplyAlpha: "none", colorSpaceConversion: "none" });
	const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), c = canvas.getContext("2d");
	c.drawImage(bitmap, 0, 0);
	return c.getImageData(0, 0, bitmap.width, bitmap.height);
}

// scaled returns an image whose sides are multiples of 4, which UASTC textures in models must have.
function scaled(m) {
	const width = (m.width + 3) & ~3, height = (m.height + 3) & ~3;
	const from = new OffscreenCanvas(m.width, m.height), to = new OffscreenCanvas(width, height);
	from.getContext("2d").putImageData(m, 0, 0);
	const c = to.getContext("2d");
	c.drawImage(from, 0, 0, width, height);
	return c.getImageData(0, 0, width, height);
}

// difference returns the mean absolute difference of two images, from 0 to 255, in colors that are
// multiplied by alpha.
export function difference(want, got) {
	if (want.width !== got.width || want.height !== got.height) want = scaled(want);
	if (want.width !== got.width || want.height !== got.height) {
		return `${got.width}x${got.height} pixels, want ${want.width}x${want.height}`;
	}
	let sum = 0;
	for (let i = 0; i < want.data.length; i += 4) {
		const a = want.data[i + 3] / 255, b = got.data[i + 3] / 255;
		for (let k = 0; k < 3; k++) sum += Math.abs(want.data[i + k] * a - got.data[i + k] * b);
		sum += Math.abs(a - b) * 255;
	}
	return sum / want.data.length;
}

// images compares all source images that the browser decodes with the images that draw makes of
// their cooked files.
export async function images(list, draw, most) {
	const wrong = [];
	let seen = 0;
	for (const { source: url, outputs } of list) {
		if (!/textures\/.*\.(png|jpg|gif|bmp|webp)$/.test(url)) continue;
		seen++;
		try {
			const off = difference(await source(url), await draw(outputs[0]));
			if (!(off <= most)) wrong.push(`${outputs[0]}: ${off}`);
		} catch (e) {
			wrong.push(`${outputs[0]}: ${e?.message ?? e}`);
		}
	}
	if (seen < 20) wrong.push(`${seen} images seen`);
	return wrong;
}

// sounds compares the cooked sounds with their sources, as the browser decodes them. load, if any,
// must load them, too.
export async function sounds(list, most, load) {
	const wrong = [];
	let seen = 0;
	const decode = async url => new OfflineAudioContext(1, 1, 48000).decodeAudioData(await (await fetch(url)).arrayBuffer());
	for (const { source: url, outputs } of list) {
		if (!/audio\/.*\.wav$/.test(url)) continue;
		seen++;
		try {
			await load?.(outputs[0]);
			const [want, got] = [await decode(url), await decode(outputs[0])];
			if (Math.abs(want.duration - got.duration) > 0.001) wrong.push(`${outputs[0]} lasts ${got.duration} s, want ${want.duration}`);
			const [a, b] = [want.getChannelData(0), got.getChannelData(0)];
			let error = 0, power = 0;
			for (let i = 0; i < Math.min(a.length, b.length); i++) error += (a[i] - b[i]) ** 2, power += a[i] ** 2;
			const ratio = Math.sqrt(error / power);
			if (!(ratio <= most)) wrong.push(`${outputs[0]}: the error is ${ratio} of the sound`);
		} catch (e) {
			wrong.push(`${outputs[0]}: ${e?.message ?? e}`);
		}
	}
	if (seen < 5) wrong.push(`${seen} sounds seen`);
	return wrong;
}
