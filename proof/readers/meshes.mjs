// Compares models with what they are cooked to, both read by the Khronos glTF validator,
// an npm package.
//
//   node meshes.mjs packages-dir assets-dir cooked-dir [plain-dir] < log
//
// Compressed views are unpacked by the npm package meshoptimizer. If plain-dir holds the
// same models cooked without compression, all that both have must be the same.
//
// The log is what "cook -json" prints; each model M of the assets is cooked to M.glb. A
// valid model must become a valid one whose images are there, or be refused; one that is
// not valid must not become one that is not.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [packages, assets, out, plainOut] = process.argv.slice(2);
const require = createRequire(path.resolve(packages) + '/');
const { validateBytes } = require('gltf-validator');
const MeshoptDecoder = require('meshoptimizer/decoder.cjs');
await MeshoptDecoder.ready;

const extension = 'EXT_meshopt_compression';
const components = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

// The accessors of a GLB file as lists of numbers, those of packed views unpacked, and what
// each of their views says of its packing.
function accessors(file) {
	const data = new Uint8Array(fs.readFileSync(file)), words = new DataView(data.buffer);
	const length = words.getUint32(12, true);
	const doc = JSON.parse(new TextDecoder().decode(data.subarray(20, 20 + length)));
	const chunk = data.subarray(28 + length);
	const views = (doc.bufferViews ?? []).map(v => {
		const p = v.extensions?.[extension];
		if (!p) return chunk.slice(v.byteOffset ?? 0, (v.byteOffset ?? 0) + v.byteLength);
		const from = p.byteOffset ?? 0, bytes = new Uint8Array(p.count * p.byteStride);
		MeshoptDecoder.decodeGltfBuffer(bytes, p.count, p.byteStride, chunk.subarray(from, from + p.byteLength), p.mode, p.filter ?? 'NONE');
		return bytes;
	});
	return (doc.accessors ?? []).map(a => {
		if (a.bufferView === undefined || a.type === 'MAT2' || a.type === 'MAT3') return { values: [] };
		const type = components[a.componentType], width = widths[a.type], size = width * type.BYTES_PER_ELEMENT;
		const v = doc.bufferViews[a.bufferView], stride = v.byteStride ?? size, values = [];
		for (let i = 0; i < a.count; i++) {
			const at = (a.byteOffset ?? 0) + i * stride;
			values.push(...new type(views[a.bufferView].slice(at, at + size).buffer));
		}
		return { values, packed: v.extensions?.[extension] };
	});
}

// Whether two lists of triangles are the same, but for which corner of each is the first.
function sameTriangles(a, b) {
	for (let i = 0; i < a.length; i += 3) {
		if (![0, 1, 2].some(k => [0, 1, 2].every(j => a[i + j] === b[i + (k + j) % 3]))) return false;
	}
	return true;
}

// How a compressed model differs from one that is not.
function differences(compressed, plain) {
	const lines = [], a = accessors(compressed), b = accessors(plain);
	if (a.length !== b.length) return [`${a.length} accessors, ${b.length} without compression`];
	for (let i = 0; i < a.length; i++) {
		const x = a[i].values, y = b[i].values, p = a[i].packed;
		if (x.length !== y.length) {
			lines.push(`accessor ${i}: ${x.length} numbers, ${y.length} without compression`);
		} else if (p?.mode === 'TRIANGLES') {
			if (!sameTriangles(x, y)) lines.push(`accessor ${i}: other triangles`);
		} else {
			const off = x.findIndex((v, k) => v !== y[k]);
			if (off >= 0) lines.push(`accessor ${i}: number ${off} is ${x[off]}, ${y[off]} without compression`);
		}
	}
	return lines;
}

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
	try {
		accessors(made);
	} catch (e) {
		return { way: `${kind} -> what cannot be unpacked`, fine: false, lines: [String(e)] };
	}
	if (plainOut) {
		const other = differences(made, path.join(plainOut, name + '.glb'));
		if (other.length > 0) return { way: `${kind} -> something else than without compression`, fine: false, lines: other };
	}
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
