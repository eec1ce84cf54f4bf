import * as pc from "playcanvas";
import { loader } from "/loader.js"; // of docs/engines/playcanvas.md
import { read, images, sounds } from "/engines/common.js";

// The transcoder of three.js is the same program.
const basis = "/npm/node_modules/three/examples/jsm/libs/basis/basis_transcoder";
const canvas = document.createElement("canvas");
const app = new pc.Application(canvas);
const load = loader(app, basis);
app.start();

// draw loads a texture and renders it, one texel for each pixel.
async function draw(url) {
	const texture = await load("texture", url), { width, height } = texture;
	const color = new pc.Texture(app.graphicsDevice, { width, height, format: pc.PIXELFORMAT_RGBA8, mipmaps: false });
	const target = new pc.RenderTarget({ colorBuffer: color, depth: false });
	const shader = pc.createShaderFromCode(app.graphicsDevice,
		"attribute vec2 position; varying vec2 at; void main() { at = position * 0.5 + 0.5; gl_Position = vec4(position, 0, 1); }",
		`varying vec2 at; uniform sampler2D map;
		void main() {
			vec4 c = texture2D(map, at);
			${pc.isSrgbPixelFormat(texture.format) ? "c.rgb = mix(1.055 * pow(c.rgb, vec3(1.0 / 2.4)) - 0.055, c.rgb * 12.92, lessThanEqual(c.rgb, vec3(0.0031308)));" : ""}
			gl_FragColor = c;
		}`,
		"copy" + pc.isSrgbPixelFormat(texture.format), { position: pc.SEMANTIC_POSITION });
	app.graphicsDevice.scope.resolve("map").setValue(texture);
	app.graphicsDevice.setBlendState(pc.BlendState.NOBLEND);
	pc.drawQuadWithShader(app.graphicsDevice, target, shader);
	const data = await color.read(0, 0, width, height, { renderTarget: target });
	target.destroy();
	color.destroy();
	return { width, height, data };
}

// models loads all models, with every texture.
async function models(list) {
	const wrong = [];
	let seen = 0, textures = 0;
	for (const url of list.flatMap(a => a.outputs).filter(o => o.endsWith(".glb"))) {
		seen++;
		try {
			const resource = await load("container", url);
			for (const [i, t] of (resource.textures ?? []).entries()) {
				textures++;
				if (!(t.resource?.width > 0)) wrong.push(`${url}: texture ${i} is empty`);
			}
			if (resource.renders.length === 0) wrong.push(`${url}: empty`);
		} catch (e) {
			wrong.push(`${url}: ${e?.message ?? e}`);
		}
	}
	if (seen < 5 || textures < 5) wrong.push(`${seen} models and ${textures} textures seen`);
	return wrong;
}

window.check = async dir => {
	const list = await read(dir);
	return [...await images(list, draw, 6), ...await models(list), ...await sounds(list, 0.3, url => load("audio", url))].join("\n");
};
document.body.dataset.ready = true;
