// Validates cooked models with the Khronos glTF validator, an npm package.
//
//   node meshes.mjs validator-dir out-dir < list
//
// The list is what bench/readers/meshes prints: a line "0000.glb path of its model" for
// each. A model's own errors of a kind are no error of what was cooked from it.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [validators, out] = process.argv.slice(2);
const { validateBytes } = createRequire(path.resolve(validators) + '/')('gltf-validator');

async function errors(file) {
	const report = await validateBytes(new Uint8Array(fs.readFileSync(file)), {
		maxIssues: 10000,
		externalResourceFunction: async uri =>
			new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
		ignoredIssues: ['IO_ERROR'], // images that are not cooked here
	});
	return report.issues.messages.filter(m => m.severity === 0);
}

let checked = 0, wrong = 0;
for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
	const [, name, model] = /^(\d{4,}\.glb) (.*)$/.exec(line) ?? [];
	if (!name) continue;
	const before = /\.(gltf|glb)$/i.test(model) ? await errors(model) : [];
	const codes = new Set(before.map(m => m.code));
	const fresh = (await errors(path.join(out, name))).filter(m => !codes.has(m.code));
	checked++;
	if (fresh.length === 0) continue;
	wrong++;
	console.log(`${model}: ${fresh.length} errors`);
	for (const m of fresh.slice(0, 3)) console.log(`    ${m.code} ${m.message} ${m.pointer ?? m.offset}`);
}
console.log(`${checked} models read, ${wrong} with errors`);
process.exit(wrong > 0 || checked === 0 ? 1 : 0);
