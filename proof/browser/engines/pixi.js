import * as PIXI from "pixi.js";
import { sound } from "@pixi/sound";
import { texture as load, sheet, font as loadFont } from "/loader.js"; // of docs/engines/pixi.md
import { checking, cooked, difference, font, frames, game, images, joined, judge, opusLoss, resampled, slices, sliced, sounds, sprites, strip, text } from "/engines/common.js";

const app = new PIXI.Application();
await app.init({ width: 16, height: 16, backgroundAlpha: 0, preference: "webgl", antialias: false });
PIXI.TextureSource.defaultOptions.scaleMode = "nearest";

// render renders an object, and returns pixels that are not multiplied by alpha.
function render(object, width, height) {
	const target = new PIXI.Container();
	target.addChild(object);
	const { pixels } = app.renderer.extract.pixels({ target, frame: new PIXI.Rectangle(0, 0, width, height), resolution: 1 });
	for (let i = 0; i < pixels.length; i++) {
		if (i % 4 < 3 && pixels[i | 3] > 0) pixels[i] = pixels[i] * 255 / pixels[i | 3];
	}
	return { width, height, data: pixels };
}

// draw loads an image and renders it as a sprite.
async function draw(url) {
	const texture = await load(url), m = render(new PIXI.Sprite(texture), texture.width, texture.height);
	await PIXI.Assets.unload(url);
	return m;
}

async function turnedAtlas() {
	const url = cooked + "/kinds/turned.json", turned = await sheet(url);
	if (!Object.values(turned).some(t => t.rotate)) throw new Error("no sprite is turned");
	await sprites("turned", (name, width, height) => render(new PIXI.Sprite(turned[name]), width, height));
	await PIXI.Assets.unload(url);
}

async function atlas() {
	const url = cooked + "/kinds/menu.json", menu = await sheet(url);
	await sprites("sprite", (name, width, height) => render(new PIXI.Sprite(menu[name]), width, height));
	const { name, width, height } = sliced;
	await slices(() => render(new PIXI.NineSliceSprite({ texture: menu[name], width, height }), width, height));
	await PIXI.Assets.unload(url); // its sprites have the same names without an engine
}

async function animation() {
	const url = cooked + "/kinds/spin.json", sheet = await PIXI.Assets.load(url);
	const spin = new PIXI.AnimatedSprite(sheet.data.animations.spin.map(name => ({ texture: sheet.textures[name], time: sheet.data.frames[name].duration })));
	const durations = sheet.data.animations.spin.map(name => sheet.data.frames[name].duration);
	await frames(durations, (i, width, height) => {
		spin.gotoAndStop(i);
		return render(spin, width, height);
	});
	await PIXI.Assets.unload(url);
}

const letters = () => font(async () => {
	const { fontFamily } = await loadFont("/cooked/kinds/pebble.ttf.fnt");
	const t = new PIXI.BitmapText({ text, style: { fontFamily, fontSize: 48, fill: "white" } });
	t.position.set(20, 20);
	return render(t, 512, 128);
}, 6);

// bitmaps compares a text set with a .fnt file, whose page is cooked, with the same text set
// with the source.
const bitmaps = () => judge("font", "pebble.fnt", 0, async () => {
	const set = async url => {
		const { fontFamily } = await loadFont(url);
		const m = render(new PIXI.BitmapText({ text, style: { fontFamily, fontSize: 28, fill: "white" } }), 300, 40);
		await PIXI.Assets.unload(url);
		return m;
	};
	const want = await set("/assets/fonts/pebble.fnt"), got = await set(cooked + "/fonts/pebble.fnt");
	if (!want.data.some((v, i) => i % 4 === 3 && v > 128)) return "the source draws no text";
	return difference(want, got);
});

// Joined sounds are sprites of @pixi/sound.
const effects = within => async list => {
	const url = cooked + "/kinds/ui.json", { src, sprite } = await (await fetch(url)).json(), places = {};
	for (const [name, [start, duration]] of Object.entries(sprite)) places[name] = { start: start / 1000, end: (start + duration) / 1000 };
	const ui = await new Promise((done, fail) => sound.add(url, {
		url: new URL(src[0], new URL(url, location)).href, sprites: places, preload: true, loaded: (e, s) => e ? fail(e) : done(s),
	}));
	await joined(name => [ui.sprites[name].start, ui.sprites[name].duration], within)(list);
};

checking([images(draw, 1), strip(draw), turnedAtlas, atlas, animation, letters, bitmaps, sounds(opusLoss), effects(opusLoss),
	game(url => /\.(webp|png|jpg)$/.test(url) ? draw(url) : undefined)],
	[images(draw, 1), strip(draw), atlas, bitmaps, sounds(0), effects(resampled)]);
