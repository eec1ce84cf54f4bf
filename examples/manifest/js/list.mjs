// Lists the outputs of a manifest, one a line: node list.mjs DIR
import { readFile } from "node:fs/promises";
import { readAssets } from "../../../npm/assetcook/index.js";

for (const a of await readAssets(async path => JSON.parse(await readFile(process.argv[2] + "/" + path)))) {
	for (const o of a.outputs ?? []) console.log([a.source, a.target ?? "", a.id ?? "", o.path, o.size, o.blake3, o.inner ? "inner" : "", o.role ?? ""].join("\t"));
}
