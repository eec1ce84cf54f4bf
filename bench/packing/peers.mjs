// Reads the lines of main.go, packs each set with packers of npm in several orders, and prints
// how much of their pages sprites cover; and what of our layouts changes with the sets.
//
//	node peers.mjs FOLDER_WITH_NODE_MODULES <lines
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

const require = createRequire(process.argv[2] + "/");
const {MaxRectsPacker} = await import(process.argv[2] + "/node_modules/maxrects-packer/dist/maxrects-packer.mjs");
const potpack = require("potpack");
const binPack = require("bin-pack");
const ShelfPack = require("@mapbox/shelf-pack");

const orders = {
	"as they come": list => list,
	"by height": list => list.sort((a, b) => b.h - a.h || b.w - a.w),
	"by area": list => list.sort((a, b) => b.w * b.h - a.w * a.h),
	"by longer side": list => list.sort((a, b) => Math.max(b.w, b.h) - Math.max(a.w, a.h)),
};
// logic is 0 for the least area left over, 1 for the least edge.
const maxrects = logic => (list, turn) => {
	const p = new MaxRectsPacker(8192, 8192, 0, {smart: true, pot: false, square: false, allowRotation: turn, logic});
	p.addArray(list.map(r => ({width: r.w, height: r.h})));
	return p.bins.length == 1 ? p.bins[0].width * p.bins[0].height : Infinity;
};
const packers = {
	"maxrects-packer, area": maxrects(0),
	"maxrects-packer, edge": maxrects(1),
	"potpack": list => {
		const p = (potpack.default ?? potpack)(list);
		return p.w * p.h;
	},
	"bin-pack": list => {
		const p = binPack(list.map(r => ({width: r.w, height: r.h})), {inPlace: false});
		return p.width * p.height;
	},
	"shelf-pack": list => {
		const side = Math.ceil(Math.sqrt(list.reduce((sum, r) => sum + r.w * r.h, 0)));
		const p = new ShelfPack(Math.max(side, ...list.map(r => r.w)), 8192);
		p.pack(list, {inPlace: true});
		p.shrink();
		return p.w * p.h;
	},
};

const sum = {}, times = {}, changes = {};
let sets = 0, worse = 0, ours = 0, took = 0, best = 0;
for await (const text of createInterface({input: process.stdin})) {
	const {Turn, Rects, Page, Ms, Changes} = JSON.parse(text);
	const area = Rects.reduce((sum, r) => sum + r.W * r.H, 0);
	let bestOf = Infinity;
	for (const [name, pack] of Object.entries(packers)) {
		const start = performance.now();
		let least = Infinity;
		for (const order of Object.values(orders)) {
			least = Math.min(least, pack(order(Rects.map(r => ({w: r.W, h: r.H}))), Turn));
		}
		times[name] = (times[name] ?? 0) + performance.now() - start;
		sum[name] = (sum[name] ?? 0) + area / least;
		bestOf = Math.min(bestOf, least);
	}
	sets++;
	ours += area / (Page.W * Page.H);
	took += Ms;
	best += area / bestOf;
	worse += Page.W * Page.H > bestOf;
	for (const [name, change] of Object.entries(Changes ?? {})) {
		(changes[name] ??= []).push(change);
	}
}
const row = (name, full, ms) => console.log(`| ${name} | ${(100 * full / sets).toFixed(2)} % | ${(ms / sets).toFixed(0)} ms |`);
console.log(`${sets} sets\n\n| packer | covered, mean | time for a set |\n|---|---|---|`);
row("internal/rectpack", ours, took);
for (const name of Object.keys(packers)) {
	row(`${name}, best of ${Object.keys(orders).length} orders`, sum[name], times[name]);
}
row("best of all these for each set", best, 0);
console.log(`\nSets for which one of them has a smaller page: ${worse}`);

if (Object.keys(changes).length > 0) {
	console.log(`\n| change | others moved, anew | most of a set | others moved, kept | most of a set | page kept, beside anew |\n|---|---|---|---|---|---|`);
}
for (const [name, list] of Object.entries(changes)) {
	const percent = number => `${number.toFixed(2)} %`;
	const moved = which => {
		const shares = list.map(c => 100 * c[which] / Math.max(1, c.Others));
		return `${percent(shares.reduce((a, b) => a + b) / shares.length)} | ${percent(Math.max(...shares))}`;
	};
	const larger = list.reduce((sum, c) => sum + 100 * c.Kept / c.Anew - 100, 0) / list.length;
	console.log(`| ${name} | ${moved("MovedAnew")} | ${moved("MovedKept")} | +${percent(larger)} |`);
}
