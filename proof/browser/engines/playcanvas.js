import * as pc from "playcanvas";
import { loader } from "/loader.js"; // of docs/engines/playcanvas.md
import { checking, cube, game, gameModels, images, judge, models, opusLoss, sounds } from "/engines/common.js";

// The transcoder of three.js is the same program.
const basis = "/npm/node_modules/three/examples/jsm/libs/basis/basis_transcoder";
const canvas = document.createElement("canvas");
const app = new pc.Application(canvas);
const load = loader(app, basis);
app.timeScale = 0; // frames have times of their own
app.start();

// target makes a texture to draw on.
function target(width, height, depth) {
	const colorBuffer = new pc.Texture(app.graphicsDevice, { width, height, format: pc.PIXELFORMAT_RGBA8, mipmaps: false });
	return new pc.RenderTarget({ colorBuffer, depth });
}

// pixels returns the pixels of a target, and destroys it.
async function pixels(target) {
	const { width, height } = target, data = await target.colorBuffer.read(0, 0, width, height, { renderTarget: target });
	target.colorBuffer.destroy();
	target.destroy();
	return { width, height, data };
}

// shade renders a shader: color is GLSL for the color of the point uvs, from 0 to 1, and at, from -1 to 1.
function shade(texture, sampler, color, width, height) {
	const srgb = pc.isSrgbPixelFormat(texture.format), to = target(width, height, false);
	const shader = pc.createShaderFromCode(app.graphicsDevice,
		"attribute vec2 position; varying vec2 uvs; void main() { uvs = position * 0.5 + 0.5; gl_Position = vec4(position, 0, 1); }",
		`varying vec2 uvs; uniform ${sampler} map;
		void main() {
			vec2 at = uvs * 2.0 - 1.0;
			vec4 c = ${color};
			${srgb ? "c.rgb = mix(1.055 * pow(c.rgb, vec3(1.0 / 2.4)) - 0.055, c.rgb * 12.92, lessThanEqual(c.rgb, vec3(0.0031308)));" : ""}
			gl_FragColor = c;
		}`,
		"copy" + srgb + color, { position: pc.SEMANTIC_POSITION });
	app.graphicsDevice.scope.resolve("map").setValue(texture);
	app.graphicsDevice.setBlendState(pc.BlendState.NOBLEND);
	pc.drawQuadWithShader(app.graphicsDevice, to, shader);
	return pixels(to);
}

// draw loads a texture and renders it, one texel for each pixel.
async function draw(url) {
	const texture = await load("texture", url);
	return shade(texture, "sampler2D", "texture2D(map, uvs)", texture.width, texture.height);
}

const sky = async () => {
	const texture = await load("texture", "/cooked/kinds/cross.png.ktx2");
	await cube((direction, side) => shade(texture, "samplerCube", `textureCube(map, ${direction})`, side, side), 6);
};

// light compares the cooked images of high dynamic range with their sources.
async function light(list) {
	for (const { source, outputs } of list.filter(a => a.source.endsWith(".hdr"))) {
		await judge("hdr", outputs[0], 0, async () => {
			const [want, got] = [await load("texture", source), await load("texture", outputs[0])].map(t => t._levels[0]);
			return want.length > 0 && want.length === got.length ? want.reduce((n, v, i) => n + (v !== got[i]), 0) : "other texels";
		});
	}
}

// loadModel loads a model with every texture.
async function loadModel(url) {
	const model = await load("container", url);
	for (const [i, t] of (model.textures ?? []).entries()) {
		if (!(t.resource?.width > 0)) throw new Error(`texture ${i} is empty`);
	}
	if (model.renders.length === 0) throw new Error("empty");
	return model;
}

const sun = new pc.Entity(), eye = new pc.Entity();
sun.addComponent("light", { type: "directional", intensity: 1 });
sun.setEulerAngles(40, 30, 0);
eye.addComponent("camera", { projection: pc.PROJECTION_ORTHOGRAPHIC, clearColor: new pc.Color(0, 0, 0, 0), enabled: false });
app.root.addChild(sun);
app.root.addChild(eye);
app.scene.ambientLight = new pc.Color(0.4, 0.4, 0.4);

// frame renders a model at a time. The camera sees the box of another one.
async function frame(model, time, other) {
	const entity = model.instantiateRenderEntity();
	app.root.addChild(entity);
	if (model.animations.length) {
		entity.addComponent("anim", { activate: true });
		entity.anim.assignAnimation("only", model.animations[0].resource);
		entity.anim.baseLayer.play("only");
	}
	if (!other.box) {
		other.box = new pc.BoundingBox();
		const parts = entity.findComponents("render").flatMap(r => r.meshInstances);
		for (const [i, p] of parts.entries()) i ? other.box.add(p.aabb) : other.box.copy(p.aabb);
	}
	const { center, halfExtents } = other.box, r = halfExtents.length();
	eye.setPosition(center.clone().add(new pc.Vec3(0.6, 0.7, 1).normalize().mulScalar(3 * r)));
	eye.lookAt(center);
	Object.assign(eye.camera, { orthoHeight: r, nearClip: 0.1 * r, farClip: 6 * r, renderTarget: target(128, 128, true), enabled: true });
	app.update(time);
	app.render();
	eye.camera.enabled = false;
	entity.destroy();
	return pixels(eye.camera.renderTarget);
}

const allModels = within => list => models(list, loadModel, frame, within);
const sound = url => load("audio", url);

checking([images(draw, 6), light, sky, allModels(5), gameModels(loadModel, frame, 5), sounds(opusLoss, sound), game(url => /\.ktx2$/.test(url) ? load("texture", url).then(t => t.destroy()) : /\.(opus|wav|ogg)$/.test(url) ? sound(url) : undefined)],
	[images(draw, 1), light, allModels(1), sounds(0, sound)]);
