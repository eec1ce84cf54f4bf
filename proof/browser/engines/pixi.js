import * as PIXI from "pixi.js";
import { texture as load } from "/loader.js"; // of docs/engines/pixi.md
import { read, images, sounds } from "/engines/common.js";

const app = new PIXI.Application();
await app.init({ width: 16, height: 16, backgroundAlpha: 0, preference: "webgl", antialias: false });
PIXI.TextureSource.defaultOptions.scaleMode = "nearest";

// draw loads an image and renders it as a sprite.
async function draw(url) {
	const texture = await load(url), { width, height } = texture;
	const { pixels } = app.renderer.extract.pixels({ target: new PIXI.Sprite(texture), frame: new PIXI.Rectangle(0, 0, width, height), resolution: 1 });
	await PIXI.Assets.unload(url);
	for (let i = 0; i < pixels.length; i++) { // they are multiplied by alpha
		if (i % 4 < 3 && pixels[i | 3] > 0) pixels[i] = pixels[i] * 255 / pixels[i | 3];
	}
	return { width, height, data: pixels };
}

window.check = async dir => {
	const list = await read(dir);
	return [...await images(list, draw, 1), ...await sounds(list, 0.3)].join("\n");
};
document.body.dataset.ready = true;
