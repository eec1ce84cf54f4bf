/// <reference types="assetcook/virtual" />
// Uses every declaration of the npm package.
import { type Asset, type Change, type Manifest, onChange as follow, openManifest, readAssets } from "assetcook";
import { loader } from "assetcook/pixi";
import { loaders } from "assetcook/three";
import assetcook from "assetcook/vite";
import { WebGLRenderer } from "three";
import { onChange, openAssets } from "virtual:assetcook";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [assetcook({ dir: "a", out: "b", target: "mobile", flags: ["-strict"], program: "cook" })] });

const manifest: Manifest = await openManifest("/cooked/manifest.json", { target: "mobile" });
const asset: Asset = manifest.asset("a.png") ?? manifest.assets()[0];
const size: number = asset.outputs[0].size + asset.source.length;
const url: string = manifest.output("a.png")?.url ?? manifest.url("a.png") + manifest.resolve("a.ktx2");

const load = loaders(await openAssets(), new WebGLRenderer(), { js: "a", wasm: "b" });
(await load.texture("a.png")).mipmaps?.length;
(await load.model("a.gltf")).scene.children.length;
(await load.sound("a.wav")).duration + load.manager.resolveURL("a").length;
const sheet: { textures: object } = await loader(manifest)<{ textures: object }>("a.sprites");

const stop: () => void = onChange((path, url, change: Change) => void [path.length, url?.length, change.removed]);
(await follow("http://127.0.0.1:7357", manifest, async path => void path.length))();
for (const a of await readAssets(async path => JSON.parse(path))) a.outputs?.[0].path.length;
// @ts-expect-error A source is a string.
manifest.url(1);
void [size, url, sheet, stop];
