// The npm package babylonjs has in one file what the modules of @babylonjs/core have in thousands.
import { script } from "/engines/common.js";

await script("/npm/node_modules/babylonjs/babylon.js");
await script("/npm/node_modules/babylonjs-loaders/babylonjs.loaders.min.js");
export const {
	Camera, Color4, CreateAudioEngineAsync, CreateSoundAsync, EffectRenderer, EffectWrapper, Engine, EXRCubeTexture, FreeCamera, HDRCubeTexture,
	HemisphericLight, KhronosTextureContainer2, LoadAssetContainerAsync, PBRMaterial, RenderTargetTexture, Scene, Texture, Tools, Vector3,
} = BABYLON;
