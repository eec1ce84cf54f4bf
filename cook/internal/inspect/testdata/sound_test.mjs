// Run by node beside the modules: standard input is sounds with the peaks that the server
// computes of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clock, rows, size } from "./sound-text.js";
import { peaksOf } from "./sound-wave.js";

const sounds = JSON.parse(readFileSync(0, "utf8"));
assert.ok(sounds.length > 0);
for (const { channels, samples, columns, peaks } of sounds) {
	const length = samples.length / channels;
	const got = peaksOf({
		length, numberOfChannels: channels,
		getChannelData: c => Float32Array.from({ length }, (_, i) => samples[i * channels + c]),
	});
	assert.equal(got.columns, columns);
	assert.equal(got.channels, channels);
	assert.deepEqual([...got.peaks], [...Float32Array.from(peaks)], `${length} frames of ${channels} channels`);
}

for (const [want, ...args] of [
	["0:00.000", 0], ["0:09.999", 9.999], ["1:00.000", 60], ["61:01.500", 3661.5],
	["0:07", 7, 1], ["1:30", 90, 10], ["0:00.2", .2, .2], ["0:00.05", .05, .05],
]) assert.equal(clock(...args), want, `clock(${args})`);

assert.deepEqual([0, 1023, 1024, 1536, 1 << 20].map(size), ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB"]);

// The table of two sides.
{
	const side = (kind, coding, bytes, seconds, integrated, loops = []) => ({
		format: { kind, coding, bytes, seconds, bitRate: 8 * bytes / seconds, rate: 1000, channels: 1, frames: 1000 * seconds, loops },
		loudness: {
			integrated: { value: integrated }, momentary: { value: null, why: "the sound is shorter than 400 ms" },
			shortTerm: { value: null, why: "x" }, truePeak: { value: -1 },
		},
	});
	const source = side("WAV", "16-bit PCM", 4000, 2, -20), cooked = side("Ogg Opus", "Opus", 1000, 1.5, -16.04, [{ start: 500, end: 1500, count: 3 }]);
	const table = Object.fromEntries(rows.map(r => [r.name, [r.text(source), r.text(cooked), r.difference?.(source, cooked)]]));
	assert.deepEqual(table.Format, ["WAV, 16-bit PCM", "Ogg Opus", undefined]);
	assert.deepEqual(table.Size, ["3.9 KiB", "1000 B", "25.0 %"]);
	assert.deepEqual(table.Length, ["0:02.000 (2000 frames)", "0:01.500 (1500 frames)", "−500.0 ms"]);
	assert.deepEqual(table.Loop, ["none", "0:00.500 to 0:01.500, 3 times", undefined]);
	assert.deepEqual(table["Integrated loudness"], ["−20.0 LUFS", "−16.0 LUFS", "+3.96 LU"]);
	assert.deepEqual(table["Loudest 400 ms"][2], "");
	assert.match(table["Loudest 400 ms"][0], /shorter than 400 ms/);
	assert.deepEqual(table["True peak"], ["−1.0 dBTP", "−1.0 dBTP", "±0.00 dB"]);
}
