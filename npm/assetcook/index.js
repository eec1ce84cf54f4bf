// Finds cooked files by the names of their sources, and follows their changes.

// readTries is how often a manifest is read again because a cook has replaced a part of it meanwhile.
const readTries = 20

// readAssets returns the assets of a manifest of any size. load returns the parsed content of a file
// by its path in the output directory.
export async function readAssets(load, name = 'manifest.json') {
	for (let tries = 1; ; tries++) {
		const root = await load(name)
		if (root.assetcook !== 2) throw new Error(`${name} has format ${root.assetcook}, and this version of assetcook reads 2`)
		try {
			const parts = await Promise.all((root.parts ?? []).map(part => load(part.path)))
			return [root, ...parts].flatMap(part => part.assets ?? [])
		} catch (error) {
			if (tries === readTries) throw error
		}
	}
}

// fetchJSON is the default way to load a file of the manifest.
async function fetchJSON(url) {
	const response = await fetch(url, { cache: 'no-cache' })
	if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`)
	return response.json()
}

// openManifest reads the manifest at a URL. See index.d.ts for the options.
export async function openManifest(url, options) {
	const manifest = new Manifest(url, options)
	await manifest.refresh()
	return manifest
}

// A Manifest maps names to the URLs of cooked files.
class Manifest {
	#page // base of relative URLs
	#url
	#directory // URL of the output directory
	#options
	#sources = new Map() // assets by source and by ID
	#outputs = new Map() // outputs by their path

	constructor(url, options = {}) {
		this.#page = globalThis.document?.baseURI ?? globalThis.location?.href
		this.#url = new URL(url, this.#page)
		this.#directory = new URL('.', this.#url)
		this.#options = { load: fetchJSON, ...options }
	}

	// refresh reads the manifest again.
	async refresh() {
		const { load, target } = this.#options
		const name = this.#url.pathname.slice(this.#directory.pathname.length)
		const assets = await readAssets(path => load(this.#urlOf(path)), decodeURIComponent(name))
		const sources = new Map(), outputs = new Map()
		for (const asset of assets) {
			if (target !== undefined && (asset.target ?? '') !== target) continue
			const found = { ...asset, outputs: (asset.outputs ?? []).map(o => ({ ...o, url: this.#versionedURL(o) })) }
			for (const key of [asset.source, asset.id]) {
				if (key !== undefined && !sources.has(key)) sources.set(key, found)
			}
			for (const o of found.outputs) {
				for (const key of [o.path, o.name]) if (key !== undefined) outputs.set(key, o)
			}
		}
		this.#sources = sources
		this.#outputs = outputs
	}

	#urlOf(path) {
		return new URL(path.split('/').map(encodeURIComponent).join('/'), this.#directory).href
	}

	// #versionedURL returns a URL that changes with the content of the file.
	#versionedURL(output) {
		const named = output.name !== undefined || output.path.includes(output.blake3.slice(0, 8))
		return this.#urlOf(output.path) + (named ? '' : '?v=' + output.blake3.slice(0, 12))
	}

	// assets returns all assets.
	assets() {
		return [...new Set(this.#sources.values())]
	}

	// asset returns the asset of a source or an ID, undefined if there is none.
	asset(name) {
		return this.#sources.get(name)
	}

	// output returns an output by its path, or the first output of a source or an ID.
	output(name) {
		return this.#sources.get(name)?.outputs[0] ?? this.#outputs.get(name)
	}

	// url returns the URL of an output. It throws an error if there is no such output.
	url(name) {
		const output = this.output(name)
		if (output) return output.url
		throw new Error(`${this.#url.href} has no output of ${name}`)
	}

	// resolve returns the present URL of a file in the output directory, whatever version its URL
	// names, and all other URLs as they are. Cooked files name each other by such URLs.
	resolve(url) {
		try {
			const at = new URL(url, this.#page)
			if (at.origin !== this.#directory.origin || !at.pathname.startsWith(this.#directory.pathname)) return url
			const path = decodeURIComponent(at.pathname.slice(this.#directory.pathname.length))
			return (this.#outputs.get(path) ?? this.output(path))?.url ?? url
		} catch {
			return url // is no URL
		}
	}

	// update passes each change on, with the URL of its new content, and reads the manifest again. If
	// all changed outputs are known, it passes the changes on first, because the manifest may be much
	// larger than they are; the sizes and roles of the outputs are then still the old ones.
	async update(changes, changed) {
		const { target } = this.#options
		const ours = changes.filter(c => target === undefined || (c.target ?? '') === target)
		const known = ours.every(c => !c.removed && this.#outputs.has(c.path))
		if (known) {
			for (const c of ours) this.#applyChange(c)
			await this.#passOn(ours, changed)
		}
		await this.#refreshUntilListed(ours)
		if (!known) await this.#passOn(ours, changed)
	}

	// refreshUntilListed reads the manifest again. A watching cook may report a change a moment before it
	// writes the manifest.
	async #refreshUntilListed(changes) {
		const isListed = c => this.#outputs.get(c.path)?.blake3 === (c.removed ? undefined : c.blob)
		await this.refresh()
		for (let tries = 1; tries < readTries && !changes.every(isListed); tries++) {
			await new Promise(resolve => setTimeout(resolve, 20))
			await this.refresh()
		}
		for (const c of changes.filter(c => !isListed(c))) this.#applyChange(c)
	}

	// applyChange changes an output as a change says.
	#applyChange({ path, blob, removed }) {
		if (removed) this.#outputs.delete(path)
		else this.#outputs.set(path, Object.assign(this.#outputs.get(path) ?? { path }, { blake3: blob, url: this.#versionedURL({ path, blake3: blob }) }))
	}

	async #passOn(changes, changed) {
		for (const change of changes) {
			try {
				await changed(change.path, this.#outputs.get(change.path)?.url, change)
			} catch (error) {
				console.error(`assetcook: ${change.path}:`, error)
			}
		}
	}
}

// onChange calls changed(path, url, change) for each file that a cook changes from now on. server is
// the address of "cook -watch -http". It returns a function that ends this.
export async function onChange(server, manifest, changed) {
	const { reload } = await import(/* @vite-ignore */ new URL('reload.js', server).href)
	return reload(new URL('events', server).href, {}, { applied: changes => manifest.update(changes, changed) })
}
