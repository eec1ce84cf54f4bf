import { preload } from "/loader.js"; // of docs/engines/phaser.md
import { read, images, sounds, script } from "/engines/common.js";

await script("/npm/node_modules/phaser/dist/phaser.min.js"); // sets Phaser

// draw loads an image and renders it with WebGL.
const draw = url => new Promise((done, fail) => {
	new Phaser.Game({
		type: Phaser.WEBGL, width: 1, height: 1, transparent: true, pixelArt: true, banner: false, audio: { noAudio: true },
		scene: {
			preload() {
				this.load.on("loaderror", file => fail(new Error("refused " + file.url)));
				preload(this, "image", "m", url);
			},
			create() {
				const { width, height } = this.textures.get("m").getSourceImage();
				this.scale.resize(width, height);
				this.add.image(0, 0, "m").setOrigin(0);
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

window.check = async dir => {
	const list = await read(dir);
	return [...await images(list, draw, 1), ...await sounds(list, 0.3)].join("\n");
};
document.body.dataset.ready = true;
