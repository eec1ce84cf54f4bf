// What cmgen.sh runs: faces of a cube become a cross, and levels and harmonics are compared.
import fs from "node:fs";

const faces = ["px", "nx", "py", "ny", "pz", "nz"];
const columns = { px: 2, nx: 0, py: 1, ny: 1, pz: 1, nz: 3 };
const rows = { px: 1, nx: 1, py: 0, ny: 2, pz: 1, nz: 1 };

function half(h) {
	const e = (h >> 10) & 31, m = h & 1023;
	return (h >> 15 ? -1 : 1) * (e ? 2 ** (e - 15) * (1 + m / 1024) : 2 ** -14 * (m / 1024));
}

// cube returns the levels of a DDS file of half floats, each face as [r, g, b, r ...].
function cube(file) {
	const b = fs.readFileSync(file), side = b.readUInt32LE(16), levels = b.readUInt32LE(28), all = [];
	let at = 148;
	for (const f of faces) {
		for (let i = 0; i < levels; i++) {
			const n = (side >> i) ** 2, pixels = new Float64Array(3 * n);
			for (let p = 0; p < 3 * n; p++) pixels[p] = half(b.readUInt16LE(at + 8 * Math.floor(p / 3) + 2 * (p % 3)));
			(all[i] ??= {})[f] = pixels;
			at += 8 * n;
		}
	}
	return all;
}

// planes returns a face of cmgen, whose PSD files end with the planes of floats.
function planes(file, side) {
	const b = fs.readFileSync(file), n = side * side, at = b.length - 12 * n, pixels = new Float64Array(3 * n);
	for (let p = 0; p < 3 * n; p++) pixels[p] = b.readFloatBE(at + 4 * (n * (p % 3) + Math.floor(p / 3)));
	return pixels;
}

// cross writes the first level as a lying cross, in pixels of Radiance.
function cross(from, to) {
	const level = cube(from)[0], side = Math.sqrt(level.px.length / 3), w = 4 * side, h = 3 * side;
	const out = Buffer.alloc(4 * w * h);
	for (const f of faces) {
		for (let p = 0; p < side * side; p++) {
			const [r, g, b] = level[f].subarray(3 * p), most = Math.max(r, g, b);
			if (most < 1e-30) continue;
			let e = Math.ceil(Math.log2(most));
			if (Math.round((most * 256) / 2 ** e) > 255) e++;
			const at = 4 * ((rows[f] * side + Math.floor(p / side)) * w + columns[f] * side + (p % side));
			out.set([r, g, b].map((v) => Math.round((v * 256) / 2 ** e)), at);
			out[at + 3] = e + 128;
		}
	}
	fs.writeFileSync(to, Buffer.concat([Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${h} +X ${w}\n`), out]));
}

// directions returns where the texels of a face of so many pixels lie, as [x, y, z, x ...].
function directions(f, side) {
	const d = new Float64Array(3 * side * side);
	for (let p = 0; p < side * side; p++) {
		const u = (2 * (p % side) + 1) / side - 1, v = (2 * Math.floor(p / side) + 1) / side - 1;
		const to = { px: [1, -v, -u], nx: [-1, -v, u], py: [u, 1, v], ny: [u, -1, -v], pz: [u, -v, 1], nz: [-u, -v, -1] }[f];
		const length = Math.hypot(...to);
		to.forEach((c, k) => (d[3 * p + k] = c / length));
	}
	return d;
}

// through sums the definition over all texels of a cube: light weighed by n.l and by the
// density of GGX's half vectors, seen head-on.
function through(n, roughness, level) {
	const alpha2 = roughness ** 4, sum = [0, 0, 0];
	let weights = 0;
	for (const f of faces) {
		const { pixels, to, angles } = level[f];
		for (let p = 0; p < angles.length; p++) {
			const cos = n[0] * to[3 * p] + n[1] * to[3 * p + 1] + n[2] * to[3 * p + 2];
			if (cos <= 0) continue;
			const q = ((1 + cos) / 2) * (alpha2 - 1) + 1, weight = (cos * angles[p]) / (q * q);
			weights += weight;
			for (let k = 0; k < 3; k++) sum[k] += weight * pixels[3 * p + k];
		}
	}
	return sum.map((v) => v / weights);
}

// differ returns how far values are from others: the mean of the differences, and the
// largest, in percent of the mean and of the largest value.
function differ(a, b) {
	let sum = 0, all = 0, worst = 0, most = 0;
	for (const [i, v] of a.entries()) {
		const d = Math.abs(v - b[i]);
		sum += d;
		all += b[i];
		worst = Math.max(worst, d);
		most = Math.max(most, b[i]);
	}
	return `${((100 * sum) / all).toFixed(2)} (${((100 * worst) / most).toFixed(2)})`;
}

const texelsOfALevel = 100;

function compare(name, ours, cmgen) {
	const levels = cube(`${ours}.dds`), first = {};
	for (const f of faces) {
		const to = directions(f, Math.sqrt(levels[0][f].length / 3));
		const angles = new Float64Array(to.length / 3);
		for (let p = 0; p < angles.length; p++) {
			angles[p] = Math.max(...[0, 1, 2].map((k) => Math.abs(to[3 * p + k]))) ** 3;
		}
		first[f] = { pixels: levels[0][f], to, angles };
	}
	for (let i = 1; i < levels.length; i++) {
		const n = levels[i].px.length / 3, roughness = 1 - Math.sqrt(1 - i / (levels.length - 1));
		const [a, b, truth] = [[], [], []];
		for (let j = 0; j < texelsOfALevel; j++) {
			const f = faces[j % 6], p = Math.floor(((j * 0.6180339887) % 1) * n);
			a.push(...levels[i][f].subarray(3 * p, 3 * p + 3));
			b.push(...planes(`${cmgen}/m${i}_${f}.psd`, Math.sqrt(n)).subarray(3 * p, 3 * p + 3));
			truth.push(...through(directions(f, Math.sqrt(n)).subarray(3 * p, 3 * p + 3), roughness, first));
		}
		console.log(`| ${name} | ${i}, ${roughness.toFixed(3)} | ${differ(a, truth)} | ${differ(b, truth)} | ${differ(a, b)} |`);
	}
	const { irradiance } = JSON.parse(fs.readFileSync(`${ours}.sh.json`, "utf8"));
	const theirs = [...fs.readFileSync(`${cmgen}/sh.txt`, "utf8").matchAll(/\(([^)]+)\);/g)].map((m) => m[1].split(",").map(Number));
	const most = Math.max(...theirs.flat().map(Math.abs));
	const worst = Math.max(...irradiance.flatMap((c, i) => c.map((v, k) => Math.abs(v - theirs[i][k]))));
	console.log(`| ${name} | irradiance | | | (${((100 * worst) / most).toFixed(2)}) |`);
}

const [, , what, ...args] = process.argv;
({ cross, compare })[what](...args);
