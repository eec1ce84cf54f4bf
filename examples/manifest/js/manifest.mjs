// assets yields the assets of a manifest of any size. load returns the parsed content of a file
// of the output directory.
export async function* assets(load) {
	const root = await load("manifest.json");
	if (root.assetcook !== 2) throw new Error(`manifest.json has format ${root.assetcook}, not 2`);
	yield* root.assets ?? [];
	for (const part of root.parts ?? []) yield* (await load(part.path)).assets;
}
