// Cooks maps of heights and of other numbers, and compares every number of the first level with the
// source. ktx-parse and zstddec read the KTX2 files; DDS files are read here.
//
//	node heights.mjs packages-dir cook scratch-dir
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const [packages, cook, scratch] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.resolve(packages, 'node_modules', file)));
const ktx = await load('ktx-parse/dist/index.mjs');
const { ZSTDDecoder } = await load('zstddec/dist/zstddec.modern.js');
const zstd = new ZSTDDecoder();
await zstd.init();

// png returns a PNG of w by h pixels; type 0 is gray, 6 RGBA.
function png(w, h, bits, type, numbers) {
	const chunk = (name, body) => {
		const out = Buffer.alloc(12 + body.length);
		out.writeUInt32BE(body.length);
		out.write(name, 4);
		body.copy(out, 8);
		out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
		return out;
	};
	const head = Buffer.alloc(13), row = (w * (type === 6 ? 4 : 1) * bits) / 8, rows = Buffer.alloc(h * (row + 1));
	head.writeUInt32BE(w);
	head.writeUInt32BE(h, 4);
	head[8] = bits;
	head[9] = type;
	for (let i = 0, at = 0; i < numbers.length; i++) {
		if (at % (row + 1) === 0) at++; // the filter of the row
		if (bits === 16) rows.writeUInt16BE(numbers[i], at);
		else rows[at] = numbers[i];
		at += bits / 8;
	}
	return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

function crc32(bytes) {
	let c = ~0;
	for (const b of bytes) {
		c ^= b;
		for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
	}
	return ~c >>> 0;
}

function half(h) {
	const sign = h >> 15 ? -1 : 1, exponent = (h >> 10) & 31, fraction = h & 1023;
	return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

// ktxLevel and ddsLevel return the number of the format and the bytes of the first level.
function ktxLevel(file) {
	const c = ktx.read(file), level = c.levels[0];
	return [c.vkFormat, Buffer.from(c.supercompressionScheme === 2 ? zstd.decode(level.levelData, level.uncompressedByteLength) : level.levelData)];
}
const ddsLevel = (file) => [file.readUInt32LE(128), file.subarray(148)];

const side = 256, count = side * side;
const heights16 = Uint16Array.from({ length: count }, (_, i) => i * 40503); // every number of 16 bits once
const heights8 = Uint8Array.from({ length: count }, (_, i) => i + (i >> 8) * 31);
const flow16 = Uint16Array.from({ length: 4 * count }, (_, i) => (i % 4 === 3 ? 65535 : i * 25801));
const red = (numbers) => numbers.filter((_, i) => i % 4 === 0);
const redGreen = (numbers) => numbers.filter((_, i) => i % 4 < 2);
// Readers of one number, and how near it must be to a number of 16 bits.
const u8 = [1, (b, at) => b[at]], u16 = [2, (b, at) => b.readUInt16LE(at)];
const f16 = [2, (b, at) => half(b.readUInt16LE(at)) * 65535], f32 = [4, (b, at) => Math.round(b.readFloatLE(at) * 65535)];

const cases = [
	['deep_height.png', '', 70, heights16, u16, 0, [16, 0, heights16]],
	['flat_height.png', '', 9, heights8, u8, 0, [8, 0, heights8]],
	['wall_flowmap.png', '', 91, flow16, u16, 0, [16, 6, flow16]],
	['r16.png', 'format = "r16"\nkind = "data"', 70, red(flow16), u16, 0, [16, 6, flow16]],
	['rg16.png', 'format = "rg16"\nkind = "data"', 77, redGreen(flow16), u16, 0, [16, 6, flow16]],
	['rgba16.png', 'format = "rgba16"\nkind = "data"', 91, flow16, u16, 0, [16, 6, flow16]],
	['r32f.png', 'format = "r32f"\nkind = "height"', 100, heights16, f32, 0, [16, 0, heights16]],
	['r16f.png', 'format = "r16f"\nkind = "height"', 76, heights16, f16, 16.1, [16, 0, heights16]],
	['dds_r16.png', 'format = "r16"\nkind = "height"\ncontainer = "dds"', 56, heights16, u16, 0, [16, 0, heights16]],
	['dds_rg16.png', 'format = "rg16"\nkind = "data"\ncontainer = "dds"', 35, redGreen(flow16), u16, 0, [16, 6, flow16]],
	['dds_rgba16.png', 'format = "rgba16"\nkind = "data"\ncontainer = "dds"', 11, flow16, u16, 0, [16, 6, flow16]],
	['dds_r16f.png', 'format = "r16f"\nkind = "height"\ncontainer = "dds"', 54, heights16, f16, 16.1, [16, 0, heights16]],
	['dds_r32f.png', 'format = "r32f"\nkind = "height"\ncontainer = "dds"', 41, heights16, f32, 0, [16, 0, heights16]],
];

const assets = path.join(scratch, 'assets'), out = path.join(scratch, 'out');
fs.mkdirSync(assets, { recursive: true });
let rules = '';
for (const [name, options, , , , , [bits, type, numbers]] of cases) {
	fs.writeFileSync(path.join(assets, name), png(side, side, bits, type, numbers));
	if (options) rules += `[[rule]]\nmatch = "${name}"\n${options}\n\n`;
}
fs.writeFileSync(path.join(scratch, 'cook.toml'), rules);
execFileSync(cook, ['-dir', assets, '-out', out, '-config', path.join(scratch, 'cook.toml'), '-engine', 'own', '-cache', path.join(scratch, 'cache'), '-q'], { stdio: ['ignore', 'ignore', 'ignore'] });

let wrong = 0;
for (const [name, options, number, want, [bytes, read], near] of cases) {
	const dds = options.includes('dds'), file = fs.readFileSync(path.join(out, name + (dds ? '.dds' : '.ktx2')));
	const [format, level] = dds ? ddsLevel(file) : ktxLevel(file);
	let differ = format === number ? 0 : want.length, worst = 0;
	for (let i = 0; i < want.length; i++) {
		const off = Math.abs(read(level, bytes * i) - want[i]);
		if (off > near) differ++;
		worst = Math.max(worst, off);
	}
	if (differ > 0) wrong++;
	console.log(`${name.padEnd(18)} ${dds ? 'DXGI' : 'Vk'} format ${String(format).padEnd(4)} ${want.length} numbers, ${differ} differ, off by ${worst.toFixed(1)} at most${differ > 0 ? ' WRONG' : ''}`);
}
process.exit(wrong > 0 ? 1 : 0);
