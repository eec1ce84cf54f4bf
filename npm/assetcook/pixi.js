// Loads cooked files with PixiJS.
import { Assets, ExtensionType, LoaderParserPriority, extensions } from 'pixi.js'

// loader returns a function that loads an asset by its source. PixiJS finds the files that sprite
// sheets and fonts name in the manifest.
export function loader(manifest) {
	const made = new Set() // URLs of sheets and fonts
	extensions.add({
		extension: { type: ExtensionType.LoadParser, priority: LoaderParserPriority.High, name: 'assetcook' },
		name: 'assetcook',
		id: 'assetcook',
		test: url => !made.has(url) && manifest.resolve(url) !== url,
		load: (url, asset, loader) => loader.load({ ...asset, src: manifest.resolve(url) }),
	})
	return name => {
		const outputs = manifest.asset(name)?.outputs ?? []
		if (outputs.length < 2) return Assets.load(manifest.url(name))
		// The sheet or font names the other outputs. PixiJS keeps it by its URL, although only an image
		// may have changed.
		const { url } = outputs.find(o => /\.(json|fnt|xml)$/.test(o.path)) ?? outputs[0]
		const versions = outputs.map(o => o.blake3.slice(0, 6)).join('')
		const all = `${url}${url.includes('?') ? '&' : '?'}outputs=${versions}`
		made.add(all)
		return Assets.load(all)
	}
}
