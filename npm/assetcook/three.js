// Loads cooked files with three.js.
import { AudioLoader, LoadingManager } from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'

// loaders returns the loaders of three.js, and functions that load an asset by its source. The
// manager finds the files that models name in the manifest. transcoder is the URL of the directory
// of three's files basis_transcoder.js and .wasm, or { js, wasm } with the URL of each.
export function loaders(manifest, renderer, transcoder) {
	const manager = new LoadingManager()
	manager.setURLModifier(url => {
		const part = /(?:^|\/)basis_transcoder\.(js|wasm)$/.exec(url)
		return part ? transcoder[part[1]] ?? url : manifest.resolve(url)
	})
	const directory = typeof transcoder === 'string' ? transcoder : './'
	const ktx2 = new KTX2Loader(manager).setTranscoderPath(directory).detectSupport(renderer)
	const gltf = new GLTFLoader(manager).setKTX2Loader(ktx2).setMeshoptDecoder(MeshoptDecoder)
	const audio = new AudioLoader(manager)
	return {
		manager, ktx2, gltf, audio,
		texture: name => ktx2.loadAsync(manifest.url(name)),
		model: name => gltf.loadAsync(manifest.url(name)),
		sound: name => audio.loadAsync(manifest.url(name)),
	}
}
