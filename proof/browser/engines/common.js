// What the pages of all engines share: the list of cooked files, the sources as the browser decodes
// them, and comparisons with them.

// script loads a script that is no module.
export const script = url => new Promise((done, fail) => {
	const s = document.createElement("script");
	[s.src, s.onload, s.onerror] = [url, done, fail];
	document.head.append(s);
});

// read returns the outputs of each source, by the manifest.
export async function read(dir, sources = "/assets/") {
	const { assets } = await (await fetch(dir + "/manifest.json")).json();
	return assets.map(a => ({ source: sources + encodeURI(a.source), outputs: (a.outputs ?? []).map(o => dir + "/" + encodeURI(o.path)) }));
}

// cooked is the URL of the outputs that are tested.
export let cooked;

// wrong lists faults. kinds has the number of compared files of each kind, and the allowed difference.
const wrong = [];
let kinds;

// judge counts a file of a kind, whose difference compare returns: at most within, or it is a fault.
export async function judge(kind, name, within, compare) {
	(kinds[kind] ??= { files: 0, within }).files++;
	try {
		const off = await compare();
		if (!(off <= within)) wrong.push(`${name}: ${off}`);
	} catch (e) {
		wrong.push(`${name}: ${e?.message ?? e}`);
	}
}

// run runs tests of the outputs in a directory one after the other, and returns their kinds.
async function run(dir, tests) {
	[cooked, kinds] = [dir, {}];
	const list = await read(dir);
	for (const test of tests) {
		try {
			await test(list);
		} catch (e) {
			wrong.push(`${dir}: ${e?.stack ?? e}`);
		}
	}
	return kinds;
}

// checking makes window.check, which runs tests of the outputs for the engine, and tests of the outputs
// without an engine, and returns the results of both as JSON.
export function checking(tests, anyTests) {
	window.check = async () => {
		const kinds = await run("/cooked", tests), any = await run("/any/cooked", anyTests);
		return JSON.stringify({ wrong: wrong.join("\n"), kinds, any });
	};
	document.body.dataset.ready = true;
}

// source returns the pixels of a source image, not premultiplied.
export async function source(url) {
	const bitmap = await createImageBitmap(await (await fetch(url)).blob(), { premultiplyAlpha: "none", colorSpaceConversion: "none" });
	const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), c = canvas.getContext("2d");
	c.drawImage(bitmap, 0, 0);
	return c.getImageData(0, 0, bitmap.width, bitmap.height);
}

// part returns a rectangle of an image.
export function part(m, left, top, width, height) {
	const data = new Uint8ClampedArray(width * height * 4);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const [sx, sy] = [x + left, y + top];
			if (sx < 0 || sy < 0 || sx >= m.width || sy >= m.height) continue;
			const i = (sy * m.width + sx) * 4;
			data.set(m.data.subarray(i, i + 4), (y * width + x) * 4);
		}
	}
	return { width, height, data };
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
export const images = (draw, within) => async list => {
	for (const { source: url, outputs } of list) {
		if (!/textures\/.*\.(png|jpg|gif|bmp|webp)$/.test(url)) continue;
		await judge("image", outputs[0], within, async () => difference(await source(url), await draw(outputs[0])));
	}
};

// strip compares the image that holds a table of colors.
export const strip = draw => list => judge("lut", "warm_lut.png", 0, async () =>
	difference(await source("/assets/kinds/warm_lut.png"), await draw(list.find(a => a.source.endsWith("/warm_lut.png")).outputs[0])));

// sprites compares the sprites of an atlas with their sources. draw makes an image of one, with a width
// and a height.
export async function sprites(kind, draw) {
	for (let i = 0; i < 16; i++) {
		const name = `sprites/${String(i).padStart(2, "0")}.png`, want = await source("/assets/kinds/" + name);
		await judge(kind, `${kind} ${name}`, 1, async () => difference(want, await draw(name, want.width, want.height)));
	}
}

// frames compares the frames of an animated GIF with the frames that the browser decodes. durations
// has the duration of each frame in milliseconds. draw makes an image of a frame.
export async function frames(durations, draw) {
	const data = await (await fetch("/assets/kinds/spin.gif")).arrayBuffer();
	const decoder = new ImageDecoder({ data, type: "image/gif", colorSpaceConversion: "none" });
	await Promise.all([decoder.completed, decoder.tracks.ready]);
	const count = decoder.tracks.selectedTrack.frameCount;
	if (count < 2 || count !== durations.length) throw new Error(`${durations.length} frames, want ${count}`);
	for (let i = 0; i < count; i++) {
		const { image } = await decoder.decode({ frameIndex: i });
		const { displayWidth: width, displayHeight: height } = image, milliseconds = image.duration / 1000;
		const c = new OffscreenCanvas(width, height).getContext("2d");
		c.drawImage(image, 0, 0);
		image.close();
		await judge("frame", `spin.gif ${i}`, 1, async () => durations[i] === milliseconds
			? difference(c.getImageData(0, 0, width, height), await draw(i, width, height))
			: `${durations[i]} ms, want ${milliseconds}`);
	}
}

// The nine-patch of the atlas, as draw shows it with these sides, is compared with its parts.
export const sliced = { name: "sprites/panel.9.png", width: 40, height: 30 };
export const slices = draw => judge("slices", sliced.name, 1, async () => {
	const { width, height } = sliced, from = await source("/assets/kinds/sprites/panel.9.png");
	const data = new Uint8ClampedArray(width * height * 4);
	const slice = (at, side) => at < 4 ? at : at >= side - 4 ? 12 - (side - at) : 6; // the middle has one color
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const i = ((slice(y, height) + 1) * from.width + slice(x, width) + 1) * 4; // inside of the border
			data.set(from.data.subarray(i, i + 4), (y * width + x) * 4);
		}
	}
	return difference({ width, height, data }, await draw());
});

// font compares a text, drawn in white with a cooked font of 48 pixels, with the text that the browser
// draws with the source. Both are cut to the pixels that they cover.
export const text = "PEBBLE 123";
export const font = (draw, within) => judge("font", "pebble.ttf", within, async () => {
	const face = new FontFace("source", "url(/assets/kinds/pebble.ttf)");
	document.fonts.add(await face.load());
	const c = new OffscreenCanvas(512, 128).getContext("2d");
	c.font = "48px source";
	c.fillStyle = "white";
	c.fillText(text, 20, 90);
	const want = inked(c.getImageData(0, 0, 512, 128)), got = inked(await draw());
	if (Math.abs(want.width - got.width) > 3 || Math.abs(want.height - got.height) > 3) {
		return `the text covers ${got.width}x${got.height} pixels, want ${want.width}x${want.height}`;
	}
	return difference(want, part(got, 0, 0, want.width, want.height));
});

// inked returns the rectangle of an image that has all pixels of at least half the full alpha.
function inked(m) {
	let [left, top, right, bottom] = [m.width, m.height, 0, 0];
	for (let i = 3; i < m.data.length; i += 4) {
		if (m.data[i] < 128) continue;
		const x = (i >> 2) % m.width, y = Math.floor((i >> 2) / m.width);
		[left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
	}
	return part(m, left, top, Math.max(right - left, 0), Math.max(bottom - top, 0));
}

// The faces of a cube map in their order, with their places in the source, in sides of a face, and
// the direction of the point (x, y) of the face, from -1 to 1, y down.
export const cubeFaces = [
	[2, 1, "vec3(1.0, -at.y, -at.x)"], [0, 1, "vec3(-1.0, -at.y, at.x)"], [1, 0, "vec3(at.x, 1.0, at.y)"],
	[1, 2, "vec3(at.x, -1.0, -at.y)"], [1, 1, "vec3(at.x, -at.y, 1.0)"], [3, 1, "vec3(-at.x, -at.y, -1.0)"],
];

// cube compares the faces that draw makes, by the directions above, with a cross of faces.
export async function cube(draw, within) {
	const from = await source("/assets/kinds/cross.png"), side = from.width / 4;
	for (const [x, y, direction] of cubeFaces) {
		await judge("cube", "cross.png " + direction, within, async () =>
			difference(part(from, x * side, y * side, side, side), await draw(direction, side)));
	}
}

const decode = async url => new OfflineAudioContext(1, 1, 48000).decodeAudioData(await (await fetch(url)).arrayBuffer());

// soundError returns the power of the difference of two sounds as a percentage of the first.
export function soundError(a, b) {
	let error = 0, power = 0;
	for (let i = 0; i < a.length; i++) error += (a[i] - (b[i] ?? 0)) ** 2, power += a[i] ** 2;
	return 100 * Math.sqrt(error / power);
}

// sounds compares the cooked sounds with their sources, as the browser decodes them. load, if any,
// must load them, too.
export const sounds = (within, load) => async list => {
	for (const { source: url, outputs } of list) {
		if (!/audio\/.*\.wav$/.test(url)) continue;
		await judge("sound", outputs[0], within, async () => {
			await load?.(outputs[0]);
			const [want, got] = [await decode(url), await decode(outputs[0])];
			if (Math.abs(want.duration - got.duration) > 0.001) return `lasts ${got.duration} s, want ${want.duration}`;
			return soundError(want.getChannelData(0), got.getChannelData(0));
		});
	}
};

const joinedNames = ["bump", "coin", "countdown_beep", "finish_fanfare", "skid"];

// joined compares the sounds in a joined file with their sources. take returns the samples of one, or
// its start and duration in seconds.
export const joined = (take, within) => async list => {
	const file = list.find(a => a.source.endsWith("/ui.sounds")).outputs.find(url => !url.endsWith(".json"));
	const all = await decode(file);
	for (const name of joinedNames) {
		await judge("joined", `${file}: ${name}`, within, async () => {
			const want = await decode(`/assets/audio/${name}.wav`);
			let got = await take(name);
			if (Array.isArray(got)) {
				const [start, duration] = got;
				if (Math.abs(duration - want.duration) > 0.001) return `lasts ${duration} s, want ${want.duration}`;
				got = all.getChannelData(0).subarray(Math.round(start * 48000));
			}
			return soundError(want.getChannelData(0), got);
		});
	}
};

// opusLoss is the allowed difference of Opus, which keeps how a sound is heard, not its samples.
// resampled is the allowed difference of two filters that change the rate: cook's and the browser's.
export const opusLoss = 30, resampled = 10;

// models loads all models with load, and compares frames of those whose source the engine loads, too.
// frame renders a model at a time of its animation, and its camera sees the whole of another model.
// Differences are percentages of the light in the frame.
export async function models(list, load, frame, within) {
	let seen = 0;
	for (const { source: url, outputs } of list) {
		const cooked = outputs.find(o => o.endsWith(".glb"));
		if (!cooked) continue;
		seen++;
		if (!/\.(gltf|glb)$/.test(url)) {
			await load(cooked, true).catch(e => wrong.push(`${cooked}: ${e?.message ?? e}`));
			continue;
		}
		const moving = url.endsWith("/worm.gltf");
		await judge(moving ? "moving" : "model", cooked, within, async () => {
			const [want, got] = [await load(url, false), await load(cooked, true)];
			const before = await frame(want, 0, want), after = await frame(want, 0.5, want);
			const empty = { width: after.width, height: after.height, data: new Uint8ClampedArray(after.data.length) };
			const light = difference(empty, after) / 100;
			if (!(light > 0.05)) return `the frame of the source is empty: ${light}`;
			if (moving && !(difference(before, after) / light > 20)) return "the source does not move";
			return difference(after, await frame(got, 0.5, want)) / light;
		});
	}
	if (seen < 6) wrong.push(`${seen} models seen`);
}

// gameModels compares the models of the cooked game as models does, if it was prepared.
export const gameModels = (load, frame, within) => async () => {
	if (await (await fetch("/game")).json()) await models(await read("/game/cooked", "/game/assets/"), load, frame, within);
};

// game loads all files of the cooked game, if it was prepared. load takes a URL, and returns undefined
// for a file that is not for the engine.
export const game = load => async () => {
	const there = await (await fetch("/game")).json();
	if (!there) return;
	let seen = 0;
	for (const url of (await read("/game/cooked")).flatMap(a => a.outputs)) {
		try {
			const loaded = load(url);
			if (loaded === undefined) continue;
			await loaded;
			seen++;
		} catch (e) {
			wrong.push(`${url}: ${e?.message ?? e}`);
		}
	}
	if (seen < 30) wrong.push(`${seen} files of the game seen`);
};
