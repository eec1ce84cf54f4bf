// Run by node beside the page's modules: standard input is series as arrays of strings, the
// answer is what series.js computes of them. Then come checks of its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Statistics } from "./counterstats.js";
import { Rows, partOf } from "./frames.js";
import { Graphs, formatGraph, parseGraph } from "./graphs.js";
import { Frames, bins, ema, format, sma, summarize } from "./series.js";

const window = 7;
const answers = JSON.parse(readFileSync(0, "utf8")).map(texts => {
	const values = Float64Array.from(texts, Number), n = values.length;
	const s = summarize(values, n), e = values.slice(), m = values.slice();
	ema(e, n, window);
	sma(m, n, window);
	const texted = list => [...list].map(String);
	return { numbers: texted([s.count, s.last, s.mean, s.p50, s.p95, s.p99, s.high, s.highAt, s.over, s.spikes, s.longest, s.longestAt]), ema: texted(e), sma: texted(m) };
});
console.log(JSON.stringify(answers));

// Rows come out of chunks however they are cut.
for (const cut of [1, 3, 8, 24, 25, 1000]) {
	const sent = Float64Array.from({ length: 30 }, (_, i) => i), bytes = new Uint8Array(sent.buffer), got = [];
	const rows = new Rows(3);
	for (let at = 0; at < bytes.length; at += cut) rows.feed(bytes.subarray(at, at + cut), row => got.push(...row));
	assert.deepEqual(got, [...sent], "cut every " + cut);
}

// Frames: growth, what is missed, what is too old, another set of columns.
{
	const f = new Frames(3000, 1 << 30);
	f.keep(["a", "b"]);
	const push = n => {
		const missed = f.open(n);
		f.columns.get("a")[n % f.capacity] = n;
		f.at[n % f.capacity] = n * 10;
		return missed;
	};
	assert.equal(push(500), 0);
	assert.equal(push(503), 2);
	assert.equal(f.value("a", 503), 503);
	assert.ok(Number.isNaN(f.value("a", 501)) && Number.isNaN(f.value("b", 503)) && Number.isNaN(f.value("none", 503)));
	assert.equal(f.open(499), -1);
	assert.equal(f.open(501), 0, "a frame that is kept is filled in");
	for (let n = 504; n < 9000; n++) assert.equal(push(n), 0);
	assert.equal(f.length, 3000);
	assert.equal(f.first, 6000);
	for (let n = f.first; n < f.next; n++) assert.equal(f.value("a", n), n);
	assert.equal(f.frameAt(65_005), 6501);
	f.keep(["c", "a"]);
	assert.equal(f.value("a", 7000), 7000);
	assert.ok(!f.columns.has("b"));
	for (let n = 9000; n < 9010; n++) push(n);
	assert.equal(push(10_010), 1000);
	assert.equal(f.value("a", 9009), 9009, "what was there before a gap stays");
	assert.equal(push(101_011), 91_000);
	assert.equal(f.length, 1, "a long gap leaves nothing");
	assert.ok(Number.isNaN(f.value("a", 9009)));
	const small = new Frames(100_000, 64 << 10);
	small.keep(["a", "b", "c"]);
	assert.equal(small.capacity, 1024);
	small.keep(Array.from({ length: 20 }, (_, i) => "n" + i));
	assert.equal(small.capacity, 600, "bytes are bounded, and 600 frames are kept");
}

// Bins begin at multiples of their size, so that a line does not change as it moves.
{
	const low = new Float64Array(9), high = new Float64Array(9);
	const n = bins(Float64Array.of(7, -2, 3, 5, 1, NaN), 3, 6, 8, 3, low, high, 2); // frames 8 | 9 10 11 | 12 13
	assert.equal(n, 3);
	assert.deepEqual([...low.subarray(2, 2 + n)], [5, 1, -2]);
	assert.deepEqual([...high.subarray(2, 2 + n)], [5, 7, 3]);
}

// Bins, peaks and spikes count all values of a frame. A frame without a value does not separate
// its neighbors.
{
	const f = new Frames(3000, 1 << 30), extremes = [partOf("a", "min"), partOf("a", "max")];
	f.keep(["a", ...extremes]);
	for (const [n, v, least, most] of [[0, 1, NaN, NaN], [1, 1, -5, 9], [2, NaN, NaN, NaN], [3, 1, 1, 8], [4, 1, NaN, NaN]]) {
		f.open(n);
		for (const [i, name] of ["a", ...extremes].entries()) f.columns.get(name)[n] = [v, least, most][i];
	}
	assert.deepEqual([0, 1, 2, 3, 4].map(n => f.peak("a", n)), [1, 9, NaN, 8, 1]);
	assert.equal(f.known("a", 2), 1);
	assert.ok(Number.isNaN(f.known("b", 2)));
	const low = new Float64Array(9), high = new Float64Array(9);
	assert.equal(f.bins("a", 0, 5, 2, low, high), 3);
	assert.deepEqual([[...low.subarray(0, 3)], [...high.subarray(0, 3)]], [[-5, 1, 1], [9, 8, 1]]);
	const stats = new Statistics(f);
	const s = stats.summarize("a", 0, 5);
	assert.deepEqual([s.count, s.min, s.high, s.highAt, s.spikes, s.longest, s.longestAt, s.last], [4, -5, 9, 1, 2, 2, 1, 1]);
}

// Graphs live in the URL.
{
	const values = new Map(), state = { all: k => values.get(k) ?? [], setAll: (k, v) => values.set(k, v) };
	const g = { name: "a*b%2A", series: ["x/y", "*", "%"], hidden: true, own: true, range: [-20, 20.5] };
	assert.deepEqual(parseGraph(formatGraph(g)), g);
	assert.equal(parseGraph(""), null);
	assert.deepEqual(parseGraph("n*rx:,r5:1,zz").range, null);
	const graphs = new Graphs(state);
	graphs.apply([{ do: "make", graph: "fps" }, { do: "add", graph: "fps", names: ["a", "b"] }, { do: "add", graph: "fps", names: ["b", "c"] },
		{ do: "range", graph: "fps", range: [0, 33] }, { do: "hide", graph: "fps" }, { do: "hide", graph: "none" }, { do: "remove", graph: "fps", names: ["a"] }]);
	assert.deepEqual(graphs.list, [{ name: "fps", series: ["b", "c"], hidden: true, own: false, range: [0, 33] }]);
	assert.deepEqual(new Graphs(state).list, graphs.list, "another page with this URL has the same graphs");
	graphs.apply([{ do: "show", graph: "fps" }, { do: "range", graph: "fps" }]);
	assert.deepEqual([graphs.list[0].hidden, graphs.list[0].range], [false, null]);
	graphs.apply([{ do: "remove", graph: "fps" }]);
	assert.deepEqual(new Graphs(state).list, []);
}

for (const [v, want] of [[0, "0"], [1234567, "1.235M"], [123456, "123k"], [12345.67, "12345.7"], [16.66667, "16.67"], [0.00123456, "0.00123"], [-3, "-3"], [NaN, "–"], [Infinity, "Infinity"]]) assert.equal(format(v), want);
