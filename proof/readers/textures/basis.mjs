// Transcodes KTX2 files of UASTC with the transcoder of basis_universal that three.js
// brings, and prints a line of JSON a file: for each level the SHA-256 of its RGBA pixels,
// and whether transcoders to the formats of graphics processors take it. Of UASTC HDR, it
// also prints the SHA-256 of the blocks of BC6H. Arguments: the folder of
// basis_transcoder.js, then the files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

// A script of before modules, in a package of modules.
const [folder, ...files] = process.argv.slice(2);
const script = path.join(folder, 'basis_transcoder.js');
const load = { exports: {} };
new Function('module', 'exports', 'require', '__filename', '__dirname', readFileSync(script, 'utf8'))(
	load, load.exports, createRequire(path.resolve(script)), script, folder);
const basis = await load.exports({ wasmBinary: readFileSync(path.join(folder, 'basis_transcoder.wasm')) });
basis.initializeBasis();

// The numbers of basist::transcoder_texture_format.
const formats = { etc1: 0, etc2: 1, bc1: 2, bc3: 3, bc4: 4, bc5: 5, bc7: 6, astc: 10, rgba: 13, r11: 20, rg11: 21 };
const hdrFormats = { bc6h: 22, rgb: 24, rgba: 25 };

for (const file of files) {
	const ktx = new basis.KTX2File(new Uint8Array(readFileSync(file)));
	const found = { valid: ktx.isValid(), uastc: false, alpha: false, hdr: false, levels: [], bc6h: [], refused: [] };
	if (found.valid && ktx.startTranscoding()) {
		found.uastc = ktx.isUASTC();
		found.hdr = ktx.isHDR();
		found.alpha = Boolean(ktx.getHasAlpha());
		for (let level = 0; level < ktx.getLevels(); level++) {
			for (const [name, format] of Object.entries(found.hdr ? hdrFormats : formats)) {
				const texels = new Uint8Array(ktx.getImageTranscodedSizeInBytes(level, 0, 0, format));
				if (!ktx.transcodeImage(texels, level, 0, 0, format, 0, -1, -1)) found.refused.push(`level ${level} to ${name}`);
				const sum = createHash('sha256').update(texels).digest('hex');
				if (name === 'rgba') found.levels.push(sum);
				if (name === 'bc6h') found.bc6h.push(sum);
			}
		}
	}
	ktx.close();
	ktx.delete();
	console.log(JSON.stringify(found));
}
