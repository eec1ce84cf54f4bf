/** The module that the Vite plugin provides: write /// <reference types="assetcook/virtual" />. */
declare module 'virtual:assetcook' {
	import type { Changed, Manifest } from 'assetcook'

	/** Returns the manifest of the project. */
	export function openAssets(): Promise<Manifest>

	/** Calls a function for each file that the dev server cooks again. In a build it does nothing. The returned function ends this. */
	export function onChange(changed: Changed): () => void
}
