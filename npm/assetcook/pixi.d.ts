import type { Manifest } from './index.js'

/**
 * Returns a function that loads an asset by its source, such as "ui/hats.sprites". PixiJS finds
 * the files that sprite sheets and fonts name in the manifest.
 */
export function loader(manifest: Manifest): <T = any>(name: string) => Promise<T>
