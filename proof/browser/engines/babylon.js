import * as BABYLON from "@babylonjs/core";
import { loaders } from "/loader.js"; // of docs/engines/babylon.md
import { checking, game, gameModels, images, judge, models, opusLoss, sounds } from "/engines/common.js";

const canvas = document.createElement("canvas");
const engine = new BABYLON.Engine(canvas, false);
const scene = new BABYLON.Scene(engine);
scene.clearColor = new BABYLON.Color4(0, 0, 0, 0);
const load = await loaders(scene, "/npm/node_modules/three/examples/jsm/libs/basis/basis_transcoder");

// target makes a texture to draw on.
const target = (width, height) => new BABYLON.RenderTargetTexture("target", { width, height }, scene, { generateMipMaps: false });

// pixels returns the pixels of a target, and disposes of it. The first row is the lowest.
async function pixels(target) {
	const { width, height } = target.getSize(), data = new Uint8Array((await target.readPixels()).buffer);
	target.dispose();
	return { width, height, data };
}

// The effect copies a texture, one texel for each pixel.
const effects = new BABYLON.EffectRenderer(engine);
const copy = new BABYLON.EffectWrapper({
	engine, name: "copy", samplerNames: ["map"], uniformNames: ["scale"],
	fragmentShader: "varying vec2 vUV; uniform sampler2D map; void main() { gl_FragColor = texture2D(map, vUV); }",
});

// draw loads a texture and renders it. The first row of the texture comes first.
async function draw(url) {
	const texture = await load.texture(url), { width, height } = texture.getSize(), to = target(width, height);
	copy.onApplyObservable.clear();
	copy.onApplyObservable.add(() => copy.effect.setFloat2("scale", 1, 1).setTexture("map", texture));
	await new Promise(done => copy.effect.executeWhenCompiled(done));
	effects.render(copy, to);
	texture.dispose();
	return pixels(to);
}

// light compares the cooked images of high dynamic range with their sources: all faces of the cube.
async function light(list) {
	for (const { source, outputs } of list.filter(a => a.source.endsWith(".hdr"))) {
		await judge("hdr", outputs[0], 0, async () => {
			const [want, got] = [await load.light(source), await load.light(outputs[0])];
			let off = 0, sum = 0;
			for (let face = 0; face < 6; face++) {
				const [a, b] = [await want.readPixels(face), await got.readPixels(face)];
				if (a.length !== b.length) return "other texels";
				for (let i = 0; i < a.length; i++) off += Math.abs(a[i] - b[i]), sum += a[i];
			}
			return sum > 0 ? 100 * off / sum : "the source is black";
		});
	}
}

// loadModel loads a model with every texture.
async function loadModel(url) {
	const model = await load.model(url);
	for (const t of model.textures) {
		if (!(t.isReady() && t.getSize().width > 0)) throw new Error(`${t.name} is empty`);
	}
	if (model.meshes.length === 0) throw new Error("empty");
	return model;
}

new BABYLON.HemisphericLight("sky", new BABYLON.Vector3(0.2, 1, 0.3), scene).intensity = 2;
const eye = new BABYLON.FreeCamera("eye", BABYLON.Vector3.Zero(), scene);
eye.mode = BABYLON.Camera.ORTHOGRAPHIC_CAMERA;

// frame renders a model at a time. The camera sees the box of another one.
async function frame(model, time, other) {
	model.addAllToScene();
	for (const group of model.animationGroups) {
		group.start(true);
		group.pause();
		group.goToFrame(time * 60);
	}
	if (!other.sphere) {
		const { min, max } = scene.getWorldExtends();
		other.sphere = { center: min.add(max).scale(0.5), r: max.subtract(min).length() / 2 };
	}
	const { center, r } = other.sphere;
	eye.position = center.add(new BABYLON.Vector3(0.6, 0.7, 1).normalize().scale(3 * r));
	eye.setTarget(center);
	Object.assign(eye, { orthoLeft: -r, orthoRight: r, orthoBottom: -r, orthoTop: r, minZ: 0.1 * r, maxZ: 6 * r });
	const to = target(128, 128);
	to.renderList = null; // all meshes
	to.activeCamera = eye;
	scene.customRenderTargets = [to];
	await scene.whenReadyAsync();
	while (!to.isReadyForRendering()) await new Promise(requestAnimationFrame);
	scene.render();
	scene.customRenderTargets = [];
	model.removeAllFromScene();
	return pixels(to);
}

const allModels = within => list => models(list, loadModel, frame, within);

checking([images(draw, 6), light, allModels(5), gameModels(loadModel, frame, 5), sounds(opusLoss, load.sound), game(url => /\.ktx2$/.test(url) ? load.texture(url).then(t => t.dispose()) : /\.(opus|wav|ogg)$/.test(url) ? load.sound(url) : undefined)],
	[images(draw, 1), light, allModels(1), sounds(0, load.sound)]);
