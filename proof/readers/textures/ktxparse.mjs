// Reads KTX2 files with ktx-parse and prints what it finds: one line of JSON a
// file. Arguments: the path of ktx-parse's index.mjs, then the files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const ktx = await import(pathToFileURL(process.argv[2]));
const nameOf = (prefix, value) =>
	Object.keys(ktx).find((key) => key.startsWith(prefix) && ktx[key] === value) ?? String(value);
const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

for (const file of process.argv.slice(3)) {
	const bytes = readFileSync(file);
	const c = ktx.read(bytes);
	const d = c.dataFormatDescriptor[0];
	console.log(JSON.stringify({
		format: nameOf('VK_FORMAT_', c.vkFormat),
		typeSize: c.typeSize,
		size: [c.pixelWidth, c.pixelHeight, c.pixelDepth],
		layers: c.layerCount,
		faces: c.faceCount,
		scheme: nameOf('KHR_SUPERCOMPRESSION_', c.supercompressionScheme),
		levels: c.levels.map((l) => ({ bytes: l.uncompressedByteLength, packed: l.levelData.length, sha256: sha(l.levelData) })),
		descriptors: c.dataFormatDescriptor.length,
		model: d.colorModel,
		primaries: nameOf('KHR_DF_PRIMARIES_', d.colorPrimaries),
		transfer: nameOf('KHR_DF_TRANSFER_', d.transferFunction),
		flags: nameOf('KHR_DF_FLAG_', d.flags),
		block: d.texelBlockDimension,
		planes: d.bytesPlane,
		samples: d.samples.map((s) => [s.bitOffset, s.bitLength, s.channelType, s.sampleLower, s.sampleUpper]),
		words: Object.fromEntries(Object.entries(c.keyValue).map(([k, v]) => [k, typeof v === 'string' ? v : sha(v)])),
		writesTheSame: Buffer.compare(Buffer.from(ktx.write(c, { keepWriter: true })), bytes) === 0,
	}));
}
