// The axis of time, and what lies over the rows: pointer, selection, the chosen span.

import { sized } from "./timeline-dom.js";
import { font } from "./timeline-draw.js";
import { duration, moment, ticks } from "./timeline-text.js";

export const axisHeight = 22;
const between = 96; // pixels between marks

// grid draws the marks behind the rows.
export function grid(s, line) {
	s.ctx.fillStyle = s.palette.line;
	s.ctx.globalAlpha = 0.6;
	for (const t of ticks(line.from, line.to, between / line.scale).at) s.ctx.fillRect(Math.round(line.x(t)), 0, 1, s.h);
	s.ctx.globalAlpha = 1;
}

export function axis(ctx, line, w, h, palette) {
	const { at, base, text, step } = ticks(line.from, line.to, between / line.scale);
	ctx.fillStyle = palette.panel;
	ctx.fillRect(0, 0, w, axisHeight);
	ctx.fillStyle = palette.line;
	ctx.fillRect(0, axisHeight - 1, w, 1);
	ctx.font = font;
	ctx.textBaseline = "middle";
	let left = 0;
	if (base > 0) {
		ctx.fillStyle = palette.text;
		ctx.fillText(moment(base), 4, axisHeight / 2);
		left = ctx.measureText(moment(base)).width + 12;
	}
	const parts = step >= 10 ? 5 : 1;
	for (const t of at) {
		const x = Math.round(line.x(t));
		ctx.fillStyle = palette.dim;
		ctx.fillRect(x, axisHeight - 8, 1, 8);
		for (let k = 1; k < parts; k++) ctx.fillRect(Math.round(line.x(t + step * k / parts)), axisHeight - 4, 1, 3);
		if (x + 3 < left) continue;
		ctx.fillText(text(t), x + 4, axisHeight / 2 - 1);
	}
	// where there is no recording
	ctx.fillStyle = palette.line;
	ctx.globalAlpha = 0.5;
	const x0 = line.x(0), x1 = line.x(line.end);
	if (x0 > 0) ctx.fillRect(0, axisHeight, x0, h);
	if (x1 < w) ctx.fillRect(x1, axisHeight, w - x1, h);
	ctx.globalAlpha = 1;
}

// over draws on the canvas above that of the rows, so that a moving pointer costs little.
export function over(line) {
	const { ctx, w, h } = sized(line.overlay);
	const palette = line.app.palette;
	ctx.clearRect(0, 0, w, h);
	ctx.font = font;
	ctx.textBaseline = "middle";
	if (line.selected) band(ctx, line, w, h, palette);
	if (line.pointer) pointer(ctx, line, w, palette, h);
	ctx.save();
	ctx.beginPath();
	ctx.rect(0, axisHeight, w, h - axisHeight);
	ctx.clip();
	if (line.hit) outline(ctx, line, line.hit, palette.warn, 2, w);
	if (line.chosen) outline(ctx, line, line.chosen, palette.accent, 3, w);
	if (line.hover && !line.hover.instant) outline(ctx, line, line.hover, palette.text, 1, w);
	ctx.restore();
}

function band(ctx, line, w, h, palette) {
	const x0 = line.x(line.selected.from), x1 = line.x(line.selected.to);
	ctx.fillStyle = palette.accent;
	ctx.globalAlpha = 0.13;
	if (x0 > 0 || x1 < w) ctx.fillRect(x0, 0, Math.max(1, x1 - x0), h);
	ctx.globalAlpha = 1;
	ctx.fillRect(Math.round(x0), 0, 1, h);
	ctx.fillRect(Math.round(x1), 0, 1, h);
	const text = duration(line.selected.to - line.selected.from);
	const size = ctx.measureText(text).width + 10;
	const middle = Math.min(Math.max((Math.max(0, x0) + Math.min(w, x1)) / 2, size / 2), w - size / 2);
	if (x1 < 0 || x0 > w) return;
	ctx.fillRect(middle - size / 2, 2, size, axisHeight - 5);
	ctx.fillStyle = palette.ground;
	ctx.fillText(text, middle - size / 2 + 5, axisHeight / 2);
}

function pointer(ctx, line, w, palette, h) {
	const x = Math.round(line.pointer.x);
	ctx.fillStyle = palette.text;
	ctx.globalAlpha = 0.35;
	ctx.fillRect(x, axisHeight, 1, h);
	ctx.globalAlpha = 1;
	const text = moment(line.time(line.pointer.x));
	const size = ctx.measureText(text).width + 10;
	const left = Math.min(Math.max(0, x - size / 2), w - size);
	ctx.fillStyle = palette.text;
	ctx.fillRect(left, 2, size, axisHeight - 5);
	ctx.fillStyle = palette.ground;
	ctx.fillText(text, left + 5, axisHeight / 2);
}

function outline(ctx, line, span, color, thick, w) {
	if (span.depth === undefined) return;
	const at = line.rows.lane(span.row, span.depth);
	if (!at || (line.rows.get(span.row).folded && span.depth > 0)) return;
	const x0 = Math.max(-9, Math.round(line.x(span.start))), x1 = Math.min(w + 9, Math.round(line.x(span.start + span.dur)));
	if (x1 < -8 || x0 > w + 8) return;
	const y = at.y - line.scroller.scrollTop + axisHeight;
	ctx.strokeStyle = color;
	ctx.lineWidth = thick;
	ctx.strokeRect(x0 - 0.5, y - 0.5, Math.max(2, x1 - x0), at.h + 1);
}
