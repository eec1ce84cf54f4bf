// Shows a model and a texture of the sample project, and loads them again when they change.
import * as THREE from "three";
import js from "three/addons/libs/basis/basis_transcoder.js?url";
import wasm from "three/addons/libs/basis/basis_transcoder.wasm?url";
import { loaders } from "assetcook/three";
import { onChange, openAssets } from "virtual:assetcook";

const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(640, 320);
document.body.append(renderer.domElement);
const camera = new THREE.PerspectiveCamera(40, 2, 0.1, 100);
camera.position.set(0, 1, 6);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0x20242c);
scene.add(new THREE.HemisphereLight(0xffffff, 0x808080, 3));

const assets = await openAssets();
const load = loaders(assets, renderer, { js, wasm });

// The texture is on a plane on the left. Its rows begin at the top.
const plane = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.MeshBasicMaterial());
plane.position.set(-1.5, 1, 0);
scene.add(plane);
async function showTexture() {
	const texture = await load.texture("textures/props/crate.png");
	texture.repeat.y = -1;
	texture.offset.y = 1;
	plane.material.map?.dispose();
	plane.material.map = texture;
	plane.material.needsUpdate = true;
}

// The model is on the right, two units high.
let model;
async function showModel() {
	const { scene: next } = await load.model("models/cone.gltf");
	const box = new THREE.Box3().setFromObject(next), size = box.getSize(new THREE.Vector3());
	next.scale.setScalar(2 / Math.max(size.x, size.y, size.z));
	next.position.copy(box.getCenter(new THREE.Vector3())).multiply(next.scale).negate().add(new THREE.Vector3(1.5, 1, 0));
	if (model) scene.remove(model);
	scene.add(model = next);
}

async function show() {
	await Promise.all([showTexture(), showModel()]);
	renderer.render(scene, camera);
	document.body.dataset.shown = Number(document.body.dataset.shown ?? 0) + 1;
}

// A file whose source cannot be cooked has no URL: the last picture stays.
onChange((path, url) => url && /^(models|textures\/props)\//.test(path) && show());
await show();
document.body.dataset.ready = true;
