// Compares the sizes of cooked models with what gltfpack, an npm package, makes of the same.
//
//   node meshsizes.mjs packages-dir assets-dir cooked-dir [gltfpack option...]
//
// Each model M of the assets is cooked to M.glb. What counts is the text and all that is no
// picture, as it is and packed by gzip; and apart from that what animations take, with the
// text that says what they are.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { execFileSync } from 'node:child_process';

const [packages, assets, cooked, ...options] = process.argv.slice(2);
const gltfpack = path.resolve(packages, 'node_modules/gltfpack/cli.js');

function measure(file) {
	const data = fs.readFileSync(file), length = data.readUInt32LE(12);
	const text = data.subarray(20, 20 + length), chunk = data.subarray(28 + length), doc = JSON.parse(text);
	const views = doc.bufferViews ?? [], packed = v => v.extensions?.KHR_meshopt_compression ?? v.extensions?.EXT_meshopt_compression ?? v;
	const pictures = new Set((doc.images ?? []).map(i => i.bufferView)), animated = new Set(), keyframes = new Set();
	for (const a of doc.animations ?? []) {
		for (const s of a.samplers) [s.input, s.output].forEach(i => keyframes.add(i));
	}
	for (const i of keyframes) animated.add(doc.accessors[i].bufferView);
	let animation = JSON.stringify([doc.animations ?? [], [...keyframes].map(i => doc.accessors[i])]).length;
	const parts = [text];
	views.forEach((v, i) => {
		const { byteOffset = 0, byteLength } = packed(v);
		if (!pictures.has(i)) parts.push(chunk.subarray(byteOffset, byteOffset + byteLength));
		if (animated.has(i)) animation += byteLength;
	});
	const all = Buffer.concat(parts);
	return { plain: all.length, gzip: zlib.gzipSync(all, { level: 9 }).length, animation: keyframes.size > 0 ? animation : 0 };
}

const sums = new Map();
for (const name of fs.readdirSync(assets, { recursive: true }).map(String).sort()) {
	const ours = path.join(cooked, name + '.glb'), theirs = path.join(cooked, 'peer.glb');
	if (!/\.(gltf|glb)$/i.test(name) || !fs.existsSync(ours)) continue;
	const line = [name.slice(-44).padEnd(44)], a = measure(ours);
	for (const way of ['-c', '-cc']) {
		try {
			execFileSync('node', [gltfpack, '-kn', '-km', '-ke', '-tr', way, ...options, '-i', name, '-o', path.resolve(theirs)], { cwd: assets, stdio: 'ignore' });
		} catch {
			continue; // it does not read this one
		}
		const b = measure(theirs);
		for (const kind of ['plain', 'gzip', 'animation']) {
			if (a[kind] === 0 || b[kind] === 0) continue;
			const key = `${way} ${kind}`, ratio = a[kind] / b[kind];
			if (!sums.has(key)) sums.set(key, []);
			sums.get(key).push(ratio);
			line.push(`${key} ${ratio.toFixed(2)}`);
		}
	}
	console.log(String(a.plain).padStart(8), line.join('  '));
}
for (const [key, list] of sums) {
	const mean = Math.exp(list.reduce((sum, x) => sum + Math.log(x), 0) / list.length);
	console.log(`${key}: ${mean.toFixed(3)} of gltfpack in the geometric mean of ${list.length} models, ${Math.max(...list).toFixed(2)} at worst`);
}
