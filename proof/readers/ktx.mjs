// Has readers of others judge the KTX2 files of a folder and those inside its models.
//
//   node ktx.mjs packages-dir cooked-dir scratch-dir [ktx]
//
// Every file must be one that ktx-parse reads, those named by KHR_texture_basisu must be what
// that extension asks for, what is UASTC must be transcoded by basis_universal to all formats
// that it has, and what "ktx validate" says of a file must be nothing.
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync, spawnSync } from 'node:child_process';
import { pathToFileURL, fileURLToPath } from 'node:url';

const [packages, out, scratch, ktx] = process.argv.slice(2);
const parser = await import(pathToFileURL(path.resolve(packages, 'node_modules/ktx-parse/dist/index.mjs')));
const files = fs.readdirSync(out, { recursive: true }).map(String).sort();
const textures = files.filter(f => f.endsWith('.ktx2')).map(f => path.join(out, f));
const named = new Map(); // KTX2 files to the model that names them by KHR_texture_basisu
const uastc = [];
let wrong = 0;
function complain(file, what) {
	wrong++;
	console.log(`WRONG ${path.relative(out, file)}: ${what}`);
}

// The KTX2 files of a model: those inside are written to the scratch folder.
fs.mkdirSync(scratch, { recursive: true });
for (const file of files.filter(f => f.endsWith('.glb'))) {
	const data = fs.readFileSync(path.join(out, file)), length = data.readUInt32LE(12);
	const doc = JSON.parse(data.subarray(20, 20 + length)), chunk = data.subarray(28 + length);
	const basisu = new Set((doc.textures ?? []).map(t => t.extensions?.KHR_texture_basisu?.source));
	(doc.images ?? []).forEach((image, i) => {
		let place = image.uri && path.join(out, path.dirname(file), decodeURIComponent(image.uri));
		if (image.mimeType === 'image/ktx2' && image.bufferView !== undefined) {
			const { byteOffset = 0, byteLength } = doc.bufferViews[image.bufferView];
			place = path.join(scratch, `${textures.length}.ktx2`);
			fs.writeFileSync(place, chunk.subarray(byteOffset, byteOffset + byteLength));
			textures.push(place);
		}
		if (basisu.has(i)) named.set(place, `${file} image ${i}`);
	});
}

// What the section "KTX v2 images with Basis Universal supercompression" of the extension asks for.
function faults(c) {
	const d = c.dataFormatDescriptor[0], levels = 1 + Math.floor(Math.log2(Math.max(c.pixelWidth, c.pixelHeight)));
	const list = [
		[c.pixelWidth % 4 === 0 && c.pixelHeight % 4 === 0, `${c.pixelWidth} x ${c.pixelHeight} pixels`],
		[c.pixelDepth === 0 && c.layerCount === 0 && c.faceCount === 1, 'not a plain picture'],
		[c.levels.length === 1 || c.levels.length === levels, `${c.levels.length} of ${levels} levels`],
		[c.vkFormat === 0 && (d.colorModel === 163 || d.colorModel === 166), `format ${c.vkFormat}, color model ${d.colorModel}`],
		[(d.flags & 1) === 0, 'premultiplied'],
		[(d.transferFunction === 2 && d.colorPrimaries === 1) || (d.transferFunction === 1 && d.colorPrimaries === 0), `transfer function ${d.transferFunction}, primaries ${d.colorPrimaries}`],
		[[undefined, 'rgba'].includes(c.keyValue.KTXswizzle), `swizzle ${c.keyValue.KTXswizzle}`],
		[[undefined, 'rd'].includes(c.keyValue.KTXorientation), `orientation ${c.keyValue.KTXorientation}`],
	];
	return list.filter(([fine]) => !fine).map(([, what]) => what);
}

for (const file of textures) {
	let isUASTC = false;
	try {
		const c = parser.read(fs.readFileSync(file));
		isUASTC = c.dataFormatDescriptor[0].colorModel === 166;
		if (isUASTC || named.has(file)) faults(c).forEach(what => complain(file, `${what}, named by ${named.get(file) ?? 'no model'}`));
	} catch (e) {
		complain(file, String(e));
	}
	named.delete(file);
	if (isUASTC) uastc.push(file);
	if (!ktx) continue;
	const judged = spawnSync(ktx, ['validate', '--warnings-as-errors', ...(isUASTC ? ['--gltf-basisu'] : []), file]);
	if (judged.status !== 0) complain(file, `${judged.stdout}${judged.stderr}`.trim());
}
for (const [file, model] of named) complain(file, `named by ${model}, but not there`);

const basis = path.resolve(packages, 'node_modules/three/examples/jsm/libs/basis');
const script = fileURLToPath(new URL('textures/basis.mjs', import.meta.url));
if (uastc.length > 0) {
	execFileSync('node', [script, basis, ...uastc], { encoding: 'utf8' }).trim().split('\n').forEach((line, i) => {
		const { valid, uastc: is, levels, refused } = JSON.parse(line);
		if (!valid || !is || levels.length === 0 || refused.length > 0) complain(uastc[i], `basis_universal: ${line}`);
	});
}
console.log(`${textures.length} KTX2 files, ${uastc.length} of them UASTC, ${wrong} wrong; ` +
	(ktx ? 'ktx validate was asked' : 'ktx validate was skipped: no program ktx'));
process.exit(wrong > 0 || textures.length === 0 ? 1 : 0);
