import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { HDRLoader } from "three/addons/loaders/HDRLoader.js";
import { LUTCubeLoader } from "three/addons/loaders/LUTCubeLoader.js";
import { LUTPass } from "three/addons/postprocessing/LUTPass.js";
import { MSDFTextGeometry } from "three-msdf-text-utils";
import { loaders } from "/loader.js"; // of docs/engines/three.md
import { checking, cube, difference, font, game, gameModels, images, judge, models, opusLoss, sounds, text } from "/engines/common.js";

const renderer = new THREE.WebGLRenderer({ antialias: false });
renderer.setClearColor(0, 0);
const load = loaders(renderer, "/npm/node_modules/three/examples/jsm/libs/basis/");

// render returns the pixels of a scene. The first row is the lowest.
function render(scene, camera, width, height, samples = 0, type = THREE.UnsignedByteType) {
	const target = new THREE.WebGLRenderTarget(width, height, { samples, type });
	const data = new (type === THREE.FloatType ? Float32Array : Uint8Array)(width * height * 4);
	renderer.setRenderTarget(target);
	renderer.clear();
	renderer.render(scene, camera);
	renderer.readRenderTargetPixels(target, 0, 0, width, height, data);
	renderer.setRenderTarget(null);
	target.dispose();
	return { width, height, data };
}

// shade renders a shader: color is GLSL for the color of the point uvs, from 0 to 1, and at, from -1 to 1.
function shade(texture, sampler, color, width, height, type) {
	const material = new THREE.ShaderMaterial({
		uniforms: { map: { value: texture } },
		vertexShader: "varying vec2 uvs; void main() { uvs = uv; gl_Position = vec4(position.xy * 2.0, 0, 1); }",
		fragmentShader: `uniform ${sampler} map; varying vec2 uvs;
			void main() {
				vec2 at = uvs * 2.0 - 1.0;
				vec4 c = ${color};
				${texture.colorSpace === THREE.SRGBColorSpace ? "c = sRGBTransferOETF(c);" : ""}
				gl_FragColor = c;
			}`,
		blending: THREE.NoBlending, depthTest: false,
	});
	const scene = new THREE.Scene();
	scene.add(new THREE.Mesh(new THREE.PlaneGeometry(), material));
	return render(scene, new THREE.Camera(), width, height, 0, type);
}

// loadTexture loads a texture of any output.
async function loadTexture(url) {
	if (url.endsWith(".ktx2")) return load.texture(url);
	if (url.endsWith(".hdr")) return new HDRLoader().loadAsync(url);
	const texture = await new THREE.TextureLoader().loadAsync(url);
	texture.flipY = false; // like KTX2Loader
	return texture;
}

// draw loads a texture and renders it, one texel for each pixel. The first row of the texture comes first.
async function draw(url) {
	const texture = await loadTexture(url), { width, height } = texture.image;
	// Heights have one channel, which three.js shows as red: it ignores the file's swizzle.
	const color = texture.format === THREE.RedFormat ? "vec4(texture2D(map, uvs).rrr, 1)" : "texture2D(map, uvs)";
	const m = shade(texture, "sampler2D", color, width, height);
	texture.dispose();
	return m;
}

// light compares the cooked images of high dynamic range with their sources, as a shader reads both. The
// sample is a small sun, which blocks store less exactly than a sky.
async function light(list) {
	for (const { source, outputs } of list.filter(a => a.source.endsWith(".hdr"))) {
		await judge("hdr", outputs[0], outputs[0].endsWith(".ktx2") ? 6 : 1, async () => {
			const want = await new HDRLoader().loadAsync(source), got = await loadTexture(outputs[0]);
			const { width, height } = want.image;
			if (got.type !== THREE.HalfFloatType || got.image.width !== width || got.image.height !== height) return "other texels";
			const color = flip => `vec4(texture2D(map, vec2(uvs.x, ${flip ? "1.0 - uvs.y" : "uvs.y"})).rgb, 1)`;
			const a = shade(want, "sampler2D", color(want.flipY), width, height, THREE.FloatType).data;
			const b = shade(got, "sampler2D", color(got.flipY), width, height, THREE.FloatType).data;
			let off = 0, sum = 0;
			for (let i = 0; i < a.length; i++) if (i % 4 < 3) off += Math.abs(a[i] - b[i]), sum += a[i];
			return sum > 0 ? 100 * off / sum : "black";
		});
	}
}

const sky = async () => {
	const texture = await load.texture("/cooked/kinds/cross.png.ktx2");
	await cube((direction, side) => shade(texture, "samplerCube", `textureCube(map, ${direction})`, side, side), 6);
};

// grade compares the pass for tables of colors with a source and with its cooked file.
const grade = () => judge("lut", "warm.cube", 1, async () => {
	const side = 64, colors = new Uint8Array(side * side * 4);
	for (let i = 0; i < side * side; i++) colors.set([i % side * 4, (i >> 6) * 4, i * 7 % 256, 255], i * 4);
	const texture = new THREE.DataTexture(colors, side, side);
	texture.needsUpdate = true;
	const graded = lut => {
		const pass = new LUTPass({ lut }), target = new THREE.WebGLRenderTarget(side, side), data = new Uint8Array(colors.length);
		pass.render(renderer, target, { texture });
		renderer.readRenderTargetPixels(target, 0, 0, side, side, data);
		return { width: side, height: side, data };
	};
	const want = graded((await new LUTCubeLoader().loadAsync("/assets/kinds/warm.cube")).texture3D);
	if (!(difference({ width: side, height: side, data: colors }, want) > 5)) return "the source changes no color";
	return difference(want, graded(await load.lut("/cooked/kinds/warm.cube.ktx2")));
});

// letters draws text with a cooked font.
const letters = () => font(async () => {
	const { font, map } = await load.font("/cooked/kinds/pebble.ttf.json");
	const geometry = new MSDFTextGeometry({ text, font, width: 1000, align: "left" });
	const material = new THREE.ShaderMaterial({
		uniforms: { map: { value: map } }, side: THREE.DoubleSide, transparent: true, depthTest: false,
		vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position.xy, 0, 1); }",
		fragmentShader: `uniform sampler2D map; varying vec2 at;
			void main() {
				float d = texture2D(map, at).r, w = fwidth(d) * 0.7;
				gl_FragColor = vec4(1, 1, 1, smoothstep(0.5 - w, 0.5 + w, d));
			}`,
	});
	const scene = new THREE.Scene();
	scene.add(new THREE.Mesh(geometry, material));
	geometry.computeBoundingBox();
	const { min } = geometry.boundingBox;
	const left = Math.floor(min.x) - 10, low = Math.floor(min.y) - 10, width = 512, height = 128;
	return render(scene, new THREE.OrthographicCamera(left, left + width, low + height, low, -1, 1), width, height); // y grows downward
}, 6);

// loadModel loads a model with every texture.
async function loadModel(url, cooked) {
	const gltf = cooked ? await load.model(url) : await new GLTFLoader().loadAsync(url);
	for (const i of (gltf.parser.json.textures ?? []).keys()) {
		const texture = await gltf.parser.getDependency("texture", i);
		if (!(texture?.image?.width > 0)) throw new Error(`texture ${i} is empty`);
	}
	return gltf;
}

// frame renders a model at a time. The camera sees the box of another one.
function frame(gltf, time, model) {
	if (gltf.animations.length) {
		const mixer = new THREE.AnimationMixer(gltf.scene);
		for (const clip of gltf.animations) mixer.clipAction(clip).play();
		mixer.setTime(time);
	}
	model.sphere ??= new THREE.Box3().setFromObject(model.scene).getBoundingSphere(new THREE.Sphere());
	const { center, radius: r } = model.sphere, scene = new THREE.Scene(), sun = new THREE.DirectionalLight(0xffffff, 2);
	sun.position.set(1, 2, 3);
	scene.add(gltf.scene, sun, new THREE.AmbientLight(0xffffff, 1));
	const camera = new THREE.OrthographicCamera(-r, r, r, -r, 0.1 * r, 6 * r);
	camera.position.copy(center).add(new THREE.Vector3(0.6, 0.7, 1).setLength(3 * r));
	camera.lookAt(center);
	return render(scene, camera, 128, 128, 4);
}

const allModels = within => list => models(list, loadModel, frame, within);

checking([images(draw, 6), light, sky, grade, letters, allModels(5), gameModels(loadModel, frame, 5), sounds(opusLoss, load.sound), game(url => /\.ktx2$/.test(url) ? load.texture(url).then(t => t.dispose()) : /\.(opus|wav|ogg)$/.test(url) ? load.sound(url) : undefined)],
	[images(draw, 1), light, allModels(1), sounds(0, load.sound)]);
