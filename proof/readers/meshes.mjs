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

const extensions = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];
const components = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

// contents returns the document of a GLB file and the values of its accessors. Packed views are
// unpacked.
function contents(file) {
	const data = new Uint8Array(fs.readFileSync(file)), words = new DataView(data.buffer);
	const length = words.getUint32(12, true);
	const doc = JSON.parse(new TextDecoder().decode(data.subarray(20, 20 + length)));
	const chunk = data.subarray(28 + length);
	const views = (doc.bufferViews ?? []).map(v => {
		const p = extensions.map(name => v.extensions?.[name]).find(found => found);
		if (!p) return chunk.slice(v.byteOffset ?? 0, (v.byteOffset ?? 0) + v.byteLength);
		const from = p.byteOffset ?? 0, bytes = new Uint8Array(p.count * p.byteStride);
		MeshoptDecoder.decodeGltfBuffer(bytes, p.count, p.byteStride, chunk.subarray(from, from + p.byteLength), p.mode, p.filter ?? 'NONE');
		return bytes;
	});
	const accessors = (doc.accessors ?? []).map(a => {
		const type = components[a.componentType], width = widths[a.type], size = width * type.BYTES_PER_ELEMENT;
		if (a.bufferView === undefined || a.type === 'MAT2' || a.type === 'MAT3') return { values: [], width };
		const v = doc.bufferViews[a.bufferView], stride = v.byteStride ?? size, values = [];
		for (let i = 0; i < a.count; i++) {
			const at = (a.byteOffset ?? 0) + i * stride;
			values.push(...new type(views[a.bufferView].slice(at, at + size).buffer));
		}
		return { values, width };
	});
	return { doc, accessors };
}

// drawnShapes returns the points, lines and triangles of a primitive as sorted texts with the
// attributes of each corner. So neither the order of vertices and shapes nor the first corner of a
// triangle matters. Strips and fans keep their order.
function drawnShapes({ doc, accessors }, primitive) {
	const attributes = [primitive.attributes, ...(primitive.targets ?? [])].flatMap(
		(list, i) => Object.keys(list).sort().map(key => ({ name: `${i} ${key}`, ...accessors[list[key]] })));
	const corner = i => attributes.map(a => `${a.name} ${a.values.slice(i * a.width, (i + 1) * a.width)}`).join(', ');
	const vertices = doc.accessors[primitive.attributes.POSITION]?.count ?? 0;
	const corners = (primitive.indices === undefined ? [...Array(vertices).keys()] : accessors[primitive.indices].values).map(corner);
	const size = { 0: 1, 1: 2, 4: 3 }[primitive.mode ?? 4];
	if (!size) return corners;
	const shapes = [];
	for (let i = 0; i + size <= corners.length; i += size) {
		const shape = corners.slice(i, i + size);
		const first = size === 3 ? shape.indexOf([...shape].sort()[0]) : 0;
		shapes.push([...shape.slice(first), ...shape.slice(0, first)].join('; '));
	}
	return shapes.sort();
}

// differences returns how a compressed model differs from the same model without compression: in
// the shapes of its primitives, and in the values of all other accessors.
function differences(compressed, plain) {
	const a = contents(compressed), b = contents(plain), lines = [], ofShapes = new Set();
	if (a.accessors.length !== b.accessors.length) return [`${a.accessors.length} accessors, ${b.accessors.length} without compression`];
	const primitives = model => (model.doc.meshes ?? []).flatMap(mesh => mesh.primitives);
	const others = primitives(b);
	primitives(a).forEach((primitive, i) => {
		for (const list of [primitive.attributes, ...(primitive.targets ?? []), { indices: primitive.indices }]) {
			Object.values(list).forEach(accessor => ofShapes.add(accessor));
		}
		const x = drawnShapes(a, primitive), y = drawnShapes(b, others[i]);
		const off = x.findIndex((shape, k) => shape !== y[k]);
		if (x.length !== y.length) lines.push(`primitive ${i}: ${x.length} shapes, ${y.length} without compression`);
		else if (off >= 0) lines.push(`primitive ${i}: ${x[off]}, ${y[off]} without compression`);
	});
	a.accessors.forEach(({ values }, i) => {
		if (ofShapes.has(i)) return;
		const y = b.accessors[i].values, off = values.findIndex((v, k) => v !== y[k]);
		if (values.length !== y.length) lines.push(`accessor ${i}: ${values.length} numbers, ${y.length} without compression`);
		else if (off >= 0) lines.push(`accessor ${i}: number ${off} is ${values[off]}, ${y[off]} without compression`);
	});
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
		contents(made);
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
