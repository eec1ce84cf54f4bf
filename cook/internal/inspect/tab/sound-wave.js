// Draws the waveform of one side: a lane for each channel, above a scale of seconds.

import { clock } from "./sound-text.js";

const scale = 16; // height of the scale, in CSS pixels
const columns = 4096;

// peaksOf computes what the server sends for other sounds from a decoded one: for each
// channel, for each column, the lowest and the highest sample.
export function peaksOf(buffer) {
	const n = Math.min(columns, buffer.length);
	const peaks = new Float32Array(2 * n * buffer.numberOfChannels);
	for (let c = 0, to = 0; c < buffer.numberOfChannels; c++) {
		const samples = buffer.getChannelData(c);
		for (let i = 0; i < n; i++) {
			const until = Math.floor((i + 1) * samples.length / n);
			let low = Infinity, high = -Infinity;
			for (let k = Math.floor(i * samples.length / n); k < until; k++) {
				const v = samples[k];
				if (v < low) low = v;
				if (v > high) high = v;
			}
			peaks[to++] = low;
			peaks[to++] = high;
		}
	}
	return { peaks, columns: n, channels: buffer.numberOfChannels };
}

// heightOf returns the height of the canvas for so many channels, in CSS pixels.
export const heightOf = channels => channels * (channels > 2 ? 40 : 72) + scale;

// draw draws { peaks, columns, channels } that last for seconds on a scale of total
// seconds, and loops, each { start, end } in seconds.
export function draw(canvas, wave, { seconds, total, loops, color, palette }) {
	const ratio = devicePixelRatio || 1;
	const width = canvas.clientWidth, height = canvas.clientHeight;
	const pixels = Math.round(width * ratio);
	if (pixels === 0 || height === 0) return;
	canvas.width = pixels;
	canvas.height = Math.round(height * ratio);
	const ctx = canvas.getContext("2d", { alpha: false });
	ctx.fillStyle = palette.ground;
	ctx.fillRect(0, 0, canvas.width, canvas.height);
	const x = t => t / total * pixels;
	for (const l of loops) {
		ctx.fillStyle = palette.panel;
		ctx.fillRect(x(l.start), 0, x(l.end) - x(l.start), canvas.height);
		ctx.fillStyle = palette.good;
		ctx.fillRect(Math.round(x(l.start)), 0, ratio, canvas.height);
		ctx.fillRect(Math.round(x(l.end) - ratio), 0, ratio, canvas.height);
	}
	drawScale(ctx, x, { total, ratio, pixels, palette });
	const lane = (canvas.height - scale * ratio) / wave.channels;
	for (let c = 0; c < wave.channels; c++) {
		drawLane(ctx, wave, c, { top: c * lane, lane, end: x(seconds), color, palette });
	}
}

function drawScale(ctx, x, { total, ratio, pixels, palette }) {
	const raw = total / Math.max(2, pixels / ratio / 90), power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].find(f => raw <= f * power) * power;
	const bottom = ctx.canvas.height;
	ctx.font = `${11 * ratio}px system-ui, sans-serif`;
	ctx.textBaseline = "bottom";
	for (let i = 0; i * step <= total; i++) {
		ctx.fillStyle = palette.line;
		ctx.fillRect(Math.round(x(i * step)), 0, ratio, bottom);
		ctx.fillStyle = palette.dim;
		const text = clock(i * step, step), at = x(i * step) + 3 * ratio;
		if (at + ctx.measureText(text).width < pixels) ctx.fillText(text, at, bottom - ratio);
	}
}

// drawLane draws a channel; what is above full scale has the color of what is bad.
function drawLane(ctx, { peaks, columns, channels }, channel, { top: upper, lane, end, color, palette }) {
	const first = 2 * columns * channel, middle = upper + lane / 2, half = lane / 2 - 2;
	const last = Math.min(Math.ceil(end), ctx.canvas.width);
	const y = v => middle - Math.max(-1, Math.min(1, v)) * half;
	ctx.fillStyle = palette.line;
	ctx.fillRect(0, Math.round(middle), last, 1);
	const over = [];
	let before = null; // a line goes on from where the column before ended
	ctx.fillStyle = color;
	for (let px = 0; px < last; px++) {
		const from = Math.min(columns - 1, Math.floor(px / end * columns));
		const to = Math.min(columns, Math.max(from + 1, Math.floor((px + 1) / end * columns)));
		let low = Infinity, high = -Infinity;
		for (let i = from; i < to; i++) {
			low = Math.min(low, peaks[first + 2 * i]);
			high = Math.max(high, peaks[first + 2 * i + 1]);
		}
		if (high > 1 || low < -1) over.push(px);
		const top = Math.max(high, before?.low ?? high), bottom = Math.min(low, before?.high ?? low);
		ctx.fillRect(px, y(top), 1, Math.max(1, y(bottom) - y(top)));
		before = { low, high };
	}
	ctx.fillStyle = palette.bad;
	for (const px of over) ctx.fillRect(px, upper, 1, 4);
	if (channel + 1 === channels) return;
	ctx.fillStyle = palette.line;
	ctx.fillRect(0, Math.round(upper + lane), ctx.canvas.width, 1);
}
