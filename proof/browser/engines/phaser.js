import { preload } from "/loader.js"; // of docs/engines/phaser.md
import { checking, cooked, frames as compareFrames, game, images, joined, opusLoss, part, script, sliced, slices, sounds, sprites, strip } from "/engines/common.js";

await script("/npm/node_modules/phaser/dist/phaser.min.js"); // sets Phaser

// render loads outputs, calls create with the scene and returns the pixels. An output is a list of
// kind and URL, its key is its number; more URLs go to Phaser's own loader. create returns the size.
const render = (outputs, create) => new Promise((done, fail) => {
	new Phaser.Game({
		type: Phaser.WEBGL, width: 1, height: 1, transparent: true, pixelArt: true, banner: false,
		audio: { noAudio: outputs[0][0] !== "audioSprite" },
		scene: {
			preload() {
				this.load.on("loaderror", file => fail(new Error("refused " + file.url)));
				for (const [i, [kind, ...urls]] of outputs.entries()) {
					if (urls.length > 1) this.load[kind](String(i), ...urls);
					else preload(this, kind, String(i), ...urls);
				}
			},
			create() {
				const { width, height } = create(this);
				this.scale.resize(width, height);
				this.game.events.once("postrender", () => {
					const c = new OffscreenCanvas(width, height).getContext("2d");
					c.drawImage(this.game.canvas, 0, 0);
					const m = c.getImageData(0, 0, width, height);
					this.game.destroy(true);
					done(m);
				});
			},
		},
	});
});

const draw = url => render([["image", url]], scene => {
	const { width, height } = scene.textures.get("0").getSourceImage();
	scene.add.image(0, 0, "0").setOrigin(0);
	return { width, height };
});

// atlases draws all sprites in rows of four, and the nine-slice below them.
const atlases = (...urls) => async () => {
	const place = name => [Number(name.match(/\d+/)[0]) % 4 * 48, Math.floor(Number(name.match(/\d+/)[0]) / 4) * 48];
	const m = await render([["atlas", ...urls.map(url => cooked + url)]], scene => {
		for (const name of scene.textures.get("0").getFrameNames()) {
			if (name !== sliced.name) scene.add.image(...place(name), "0", name).setOrigin(0);
		}
		scene.add.nineslice(0, 192, "0", sliced.name, sliced.width, sliced.height).setOrigin(0);
		return { width: 192, height: 240 };
	});
	await sprites("sprite", (name, width, height) => part(m, ...place(name), width, height));
	await slices(() => part(m, 0, 192, sliced.width, sliced.height));
};

// animation draws all frames of an animation in a row.
async function animation() {
	let list;
	const m = await render([["atlas", "/cooked/kinds/spin.json"], ["json", "/cooked/kinds/spin.json"]], scene => {
		const { frames, animations, meta } = scene.cache.json.get("1");
		const a = scene.anims.create({ key: "spin", repeat: meta.plays - 1, frames: animations.spin.map(frame => ({ key: "0", frame, duration: frames[frame].duration })) });
		list = a.frames;
		for (const [i, { textureFrame }] of list.entries()) scene.add.image(32 * i, 0, "0", textureFrame).setOrigin(0);
		return { width: 32 * list.length, height: 32 };
	});
	await compareFrames(list.map(f => f.duration), (i, width, height) => part(m, 32 * i, 0, width, height));
}

async function effects(list) {
	let markers;
	await render([["audioSprite", "/cooked/kinds/ui.json"]], scene => {
		markers = scene.sound.addAudioSprite("0").markers;
		return { width: 1, height: 1 };
	});
	await joined(name => [markers[name].start, markers[name].duration], opusLoss)(list);
}

// The game is loaded at once.
const all = [];
const whole = game(url => /\.(webp|png|jpg)$/.test(url) ? all.push(["image", url]) : undefined);

checking([images(draw, 1), strip(draw), atlases("/kinds/menu.json"), animation, sounds(opusLoss), effects, async () => {
	await whole();
	if (all.length) await render(all, () => ({ width: 1, height: 1 }));
}], [images(draw, 1), strip(draw), atlases("/kinds/menu.png", "/kinds/menu.json"), sounds(0)]);
