import * as THREE from "three";
import { loaders } from "/loader.js"; // of docs/engines/three.md
import { read, images, sounds } from "/engines/common.js";

const renderer = new THREE.WebGLRenderer({ antialias: false });
const load = loaders(renderer, "/npm/node_modules/three/examples/jsm/libs/basis/");

// draw loads a texture and renders it, one texel for each pixel.
async function draw(url) {
	const texture = await load.texture(url);
	const { width, height } = texture.image;
	const material = new THREE.ShaderMaterial({
		uniforms: { map: { value: texture } },
		vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy * 2.0, 0, 1); }",
		fragmentShader: `uniform sampler2D map; varying vec2 at;
			void main() {
				vec4 c = texture2D(map, at);
				${texture.colorSpace === THREE.SRGBColorSpace ? "c = sRGBTransferOETF(c);" : ""}
				gl_FragColor = c;
			}`,
		blending: THREE.NoBlending, depthTest: false,
	});
	const scene = new THREE.Scene();
	scene.add(new THREE.Mesh(new THREE.PlaneGeometry(), material));
	const target = new THREE.WebGLRenderTarget(width, height), data = new Uint8Array(width * height * 4);
	renderer.setRenderTarget(target);
	renderer.render(scene, new THREE.Camera());
	renderer.readRenderTargetPixels(target, 0, 0, width, height, data); // the first row of the texture comes first
	renderer.setRenderTarget(null);
	target.dispose();
	texture.dispose();
	return { width, height, data };
}

// models loads all models, with every texture and animation.
async function models(list) {
	const wrong = [];
	let seen = 0, textures = 0;
	for (const url of list.flatMap(a => a.outputs).filter(o => o.endsWith(".glb"))) {
		seen++;
		const gltf = await load.model(url);
		for (const i of (gltf.parser.json.textures ?? []).keys()) {
			textures++;
			const texture = await gltf.parser.getDependency("texture", i).catch(e => wrong.push(`${url}: texture ${i}: ${e}`));
			if (texture && !texture.image?.width) wrong.push(`${url}: texture ${i} is empty`);
		}
		const box = new THREE.Box3().setFromObject(gltf.scene);
		if (box.isEmpty()) wrong.push(`${url}: empty`);
	}
	if (seen < 5 || textures < 5) wrong.push(`${seen} models and ${textures} textures seen`);
	return wrong;
}

// light loads the cooked images of high dynamic range.
async function light(list) {
	const wrong = [];
	for (const url of list.filter(a => a.source.endsWith(".hdr")).flatMap(a => a.outputs)) {
		const texture = await load.texture(url);
		if (texture.type !== THREE.HalfFloatType && texture.type !== THREE.FloatType) wrong.push(`${url}: its texels are not floats`);
		renderer.initTexture(texture);
	}
	return wrong;
}

window.check = async dir => {
	const list = await read(dir);
	return [...await images(list, draw, 6), ...await light(list), ...await models(list), ...await sounds(list, 0.3, load.sound)].join("\n");
};
document.body.dataset.ready = true;
