// Lists the outputs of a manifest, one a line: node list.mjs DIR
import { readFile } from "node:fs/promises";
import { assets } from "./manifest.mjs";

for await (const a of assets(async path => JSON.parse(await readFile(process.argv[2] + "/" + path)))) {
	for (const o of a.outputs ?? []) console.log([a.source, a.target ?? "", o.path, o.size].join("\t"));
}
