// Compares models with what they are cooked to, both read by the Khronos glTF validator,
// an npm package.
//
//   node meshes.mjs validator-dir assets-dir cooked-dir < log
//
// The log is what "cook -json" prints; each model M of the assets is cooked to M.glb. A
// valid model must become a valid one whose images are there, or be refused; one that is
// not valid must not become one that is not.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [validators, assets, out] = process.argv.slice(2);
const { validateBytes } = createRequire(path.resolve(validators) + '/')('gltf-validator');

// The errors of a model, and the files that it names in vain.
async function read(file) {
	const missing = [];
	try {
		const report = await validateBytes(new Uint8Array(fs.readFileSync(file)), {
			maxIssues: 10000,
			externalResourceFunction: async uri => {
				try {
					return new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))));
				} catch (e) {
					missing.push(uri);
					throw e;
				}
			},
		});
		const errors = report.issues.messages.filter(m => m.severity === 0 && m.code !== 'IO_ERROR');
		return { errors: errors.map(m => `${m.code} ${m.message} ${m.pointer ?? m.offset}`), missing };
	} catch (e) {
		return { errors: [String(e)], missing }; // it is no glTF at all
	}
}

const failed = new Map(), warned = new Set();
for (const line of fs.readFileSync(0, 'utf8').split('\n')) {
	const event = line && JSON.parse(line);
	if (event.event === 'failed') failed.set(event.path, event.error);
	if (event.event === 'warned') warned.add(event.path);
}

// What became of a model, and whether it may.
async function judge(name) {
	const source = path.join(assets, name), made = path.join(out, name + '.glb');
	const before = /\.obj$/i.test(name) ? { errors: [], missing: [] } : await read(source);
	let kind = before.errors.length > 0 ? 'invalid' : 'valid';
	if (kind === 'valid' && before.missing.length > 0) kind = 'valid, files missing';
	if (failed.has(name)) return { way: `${kind} -> refused`, fine: true, lines: kind === 'invalid' ? [] : [failed.get(name)] };
	if (!fs.existsSync(made)) return { way: `${kind} -> nothing`, fine: false, lines: [] };
	const after = await read(made);
	if (after.errors.length > 0) return { way: `${kind} -> invalid`, fine: false, lines: after.errors };
	// An image that is refused itself is not there either.
	const lost = after.missing.filter(uri => {
		const image = path.join(path.dirname(name), decodeURIComponent(uri)).replace(/\.(ktx2|dds|webp)$/, '');
		return !failed.has(image) && fs.existsSync(path.join(assets, image));
	});
	if (lost.length > 0) return { way: `${kind} -> names images that are not there`, fine: false, lines: lost };
	const silent = after.missing.length > 0 && before.missing.length > 0 && !warned.has(name);
	return {
		way: `${kind} -> valid` + (warned.has(name) ? ', warned of' : ''),
		fine: !silent, lines: silent ? ['files are missing, without a word'] : [],
	};
}

let models = 0, wrong = 0;
const ways = new Map();
for (const name of fs.readdirSync(assets, { recursive: true }).map(String).sort()) {
	if (!/\.(gltf|glb|obj)$/i.test(name)) continue;
	const { way, fine, lines } = await judge(name);
	models++;
	if (!fine) wrong++;
	ways.set(way, (ways.get(way) ?? 0) + 1);
	if (lines.length > 0) console.log(`${fine ? '' : 'WRONG '}${way}: ${name}`);
	for (const line of lines.slice(0, 3)) console.log(`    ${line}`);
}
for (const [way, n] of [...ways].sort()) console.log(`${String(n).padStart(7)} ${way}`);
console.log(`${models} models read, ${wrong} wrong`);
process.exit(wrong > 0 || models === 0 ? 1 : 0);
