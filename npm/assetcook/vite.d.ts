import type { Plugin } from 'vite'

export interface Options {
	/** Asset directory, from Vite's root. Default: the project of the cook.toml there or above. */
	dir?: string
	/** Output directory, from Vite's root. Default: "cooked". */
	out?: string
	/** Name of the target to cook. */
	target?: string
	/** More flags of cook, such as ["-strict"]. */
	flags?: string[]
	/** File of the program cook. Default: from the npm package of this platform, else from PATH. */
	program?: string
}

/** Cooks the assets of a project for the dev server and for builds. */
export default function assetcook(options?: Options): Plugin
