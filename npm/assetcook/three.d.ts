import type { AudioLoader, CompressedTexture, LoadingManager, WebGLRenderer } from 'three'
import type { GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import type { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js'
import type { Manifest } from './index.js'

export interface Loaders {
	/** Finds the files that models name in the manifest. */
	manager: LoadingManager
	ktx2: KTX2Loader
	gltf: GLTFLoader
	audio: AudioLoader
	/** Loads the texture of a source, such as "textures/crate.png". */
	texture(name: string): Promise<CompressedTexture>
	/** Loads the model of a source, with its textures. */
	model(name: string): Promise<GLTF>
	/** Loads the sound of a source, for THREE.Audio.setBuffer. */
	sound(name: string): Promise<AudioBuffer>
}

/**
 * Returns loaders for cooked files. transcoder is the URL of the directory of three's files
 * basis_transcoder.js and basis_transcoder.wasm, or the URL of each.
 */
export function loaders(manifest: Manifest, renderer: WebGLRenderer, transcoder: string | { js: string; wasm: string }): Loaders
