// Sets the variables of the code for hot reload in docs/engines, and runs this code. Then window.shown()
// names what the engine shows: the width of the texture and the name of the model, or the seconds of the
// sound.
import { script } from "/engines/common.js";

const basis = "/npm/node_modules/three/examples/jsm/libs/basis/";
const wait = promise => new Promise((done, fail) => promise(done, fail));

const engines = {
	async babylon() {
		const BABYLON = await import("@babylonjs/core"), { loaders } = await import("/loader.js");
		window.scene = new BABYLON.Scene(new BABYLON.Engine(document.createElement("canvas")));
		window.load = await loaders(scene, basis + "basis_transcoder");
		window.material = new BABYLON.PBRMaterial("material", scene);
		material.albedoTexture = await load.texture("/cooked/textures/paint.png.ktx2");
		window.model = await load.model("/cooked/models/coin.glb");
		model.addAllToScene();
		return () => `${material.albedoTexture.getSize().width} ${scene.rootNodes.length} ${scene.transformNodes.at(-1)?.name}`;
	},
	async playcanvas() {
		const pc = await import("playcanvas"), { loader } = await import("/loader.js");
		window.load = loader(new pc.Application(document.createElement("canvas")), basis + "basis_transcoder");
		window.material = new pc.StandardMaterial();
		material.diffuseMap = await load("texture", "/cooked/textures/paint.png.ktx2");
		return () => `${material.diffuseMap.width}`;
	},
	async phaser() {
		await script("/npm/node_modules/phaser/dist/phaser.min.js");
		const { preload } = await import("/loader.js");
		window.preload = preload;
		window.scene = await wait(done => new Phaser.Game({
			type: Phaser.CANVAS, banner: false, audio: { noAudio: true },
			scene: { preload() { preload(this, "image", "paint", "/cooked/textures/paint.webp"); }, create() { done(this); } },
		}));
		window.image = scene.add.image(0, 0, "paint");
		return () => `${image.frame.width}`;
	},
	async howler() {
		await script("/npm/node_modules/howler/dist/howler.min.js");
		window.load = (await import("/loader.js")).load;
		window.howl = await load("/cooked/audio/beep.opus");
		return () => howl.duration().toFixed(1);
	},
};

window.shown = await engines[new URLSearchParams(location.search).get("engine")]();
await import("/hotreload.js");
document.body.dataset.ready = true;
