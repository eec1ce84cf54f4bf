/** A cooked file, as the manifest lists it. */
export interface ListedOutput {
	/** Path in the output directory, with slashes. */
	path: string
	/** Path before the Vite plugin moved the file; only in a build. */
	name?: string
	/** Size in bytes. */
	size: number
	/** BLAKE3-256 of the content, in hexadecimal. */
	blake3: string
	/** True if another output of the same asset names this file, such as the page of an atlas. */
	inner?: true
	/** Meaning of the pixels of an image, such as "color" or "normal". */
	role?: string
	/** Fields of later versions of the manifest. */
	[field: string]: unknown
}

/** A source and its cooked files, as the manifest lists them. */
export interface ListedAsset {
	/** Path in the asset directory, with slashes. */
	source: string
	/** Name of the target, if there is one. */
	target?: string
	/** ID that the asset keeps through renames, if assets have IDs. */
	id?: string
	/** Sources whose cooked files the cooked files name, such as the textures of a model. */
	uses?: { asset: string, asset_base64?: string }[]
	/** Cooked files in the order of the recipe, if there are any. */
	outputs?: ListedOutput[]
	/** Fields of later versions of the manifest. */
	[field: string]: unknown
}

/** A cooked file. */
export interface Output extends ListedOutput {
	/** URL that changes with the content. */
	url: string
}

/** A source and its cooked files. */
export interface Asset extends ListedAsset {
	/** Cooked files in the order of the recipe. */
	outputs: Output[]
}

/** A cooked file with new content, or a removed one. */
export interface Change {
	path: string
	removed?: boolean
	source?: string
	target?: string
	/** BLAKE3-256 of the new content. */
	blob?: string
	/** Why the file was cooked, in one line. */
	reason?: string
	/** Time at which the source was saved, in milliseconds since 1970. */
	saved?: number
}

/** Gets a path in the output directory, the URL of its new content (undefined if the file was removed), and the change. */
export type Changed = (path: string, url: string | undefined, change: Change) => void | Promise<void>

/** Maps names to the URLs of cooked files. */
export interface Manifest {
	/** Returns all assets. */
	assets(): Asset[]
	/** Returns the asset of a source or an ID. */
	asset(name: string): Asset | undefined
	/** Returns the first output of a source or an ID, or an output by its path. */
	output(name: string): Output | undefined
	/** Returns the URL of output(name), and throws an error if there is none. */
	url(name: string): string
	/** Returns the present URL of a file in the output directory, and all other URLs as they are. */
	resolve(url: string): string
	/** Reads the manifest again. */
	refresh(): Promise<void>
	/** Reads the manifest again and passes each change on. */
	update(changes: Change[], changed: Changed): Promise<void>
}

export interface ManifestOptions {
	/** Name of a target: only its assets are read. "" means the target without a name. Default: all; the first of a source counts. */
	target?: string
	/** Returns the parsed JSON at a URL. Default: fetch. */
	load?(url: string): Promise<unknown>
}

/** Reads the manifest at a URL, such as "/cooked/manifest.json". */
export function openManifest(url: string | URL, options?: ManifestOptions): Promise<Manifest>

/** Returns the assets of a manifest. load returns the parsed JSON of a file by its path in the output directory. */
export function readAssets(load: (path: string) => Promise<unknown>, name?: string): Promise<ListedAsset[]>

/** Calls a function for each file that "cook -watch -http" at an address changes from now on. The returned function ends this. */
export function onChange(server: string | URL, manifest: Manifest, changed: Changed): Promise<() => void>
