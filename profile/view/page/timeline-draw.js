// Drawing of a window of a recording. Positions are computed as (time - from) * scale:
// the subtraction comes first, so that they are exact however late in a recording.

import { count } from "./timeline-text.js";
import { colors } from "./timeline-color.js";
import * as strips from "./timeline-strips.js";

export const font = "11px system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const textFrom = 26;  // pixels that a span has at least if there is text in it
const mostFlows = 400;

// wide ones of a lane, that get text after all boxes are drawn
const wide = { n: 0, i: new Uint32Array(4096), x: new Float32Array(4096), w: new Float32Array(4096) };

// Scene is what drawing needs: { ctx, w, h, from, scale, rows, scroll, palette, answer,
// whole, end, query, only, chosen }. spans draws all of it below y = 0.
export function spans(s) {
	const c = colors(s.palette);
	const { ctx } = s;
	ctx.font = font;
	ctx.textBaseline = "middle";
	strips.begin(s.w);
	const first = s.rows.from(s.scroll);
	const to = s.from + s.w / s.scale;
	for (let n = first; n < s.rows.list.length; n++) {
		const r = s.rows.list[n];
		const y = r.top - s.scroll;
		if (y > s.h) break;
		if (n % 2) {
			ctx.fillStyle = s.palette.panel;
			ctx.fillRect(0, y - 3, s.w, r.height + 7);
		}
		for (const [a, lo, hi] of parts(s.answer, s.whole, s.from, to)) row(s, c, a, r, y, lo, hi);
	}
	strips.flush(ctx);
	if (s.answer) {
		open(s, c);
		instants(s);
		flows(s);
	}
}

// parts cuts from..to into what answer has and what only the whole has.
function parts(answer, whole, from, to) {
	if (!answer) return [];
	if (!whole || whole === answer || (answer.from <= from && answer.to >= to)) return [[answer, from, to]];
	const all = [[answer, Math.max(from, answer.from), Math.min(to, answer.to)]];
	if (answer.from > from) all.push([whole, from, answer.from]);
	if (answer.to < to) all.push([whole, answer.to, to]);
	return all;
}

function row(s, c, a, r, y, from, to) {
	const lanes = a.rows.get(r.row)?.lanes;
	if (!lanes || to <= from) return;
	const passed = s.query || s.only ? passes(a, s.query, s.only) : null;
	const depths = r.folded ? Math.min(1, lanes.length - 1) : lanes.length - 1;
	for (let d = 0; d < depths; d++) {
		const at = s.rows.lane(r.row, d);
		const top = at.y - s.scroll;
		if (top > s.h || top + at.h < 0) continue;
		lane(s, c, a, lanes[d], lanes[d + 1], top, at.h, from, to, passed);
	}
}

function lane(s, c, a, lo, hi, y, h, from, to, passed) {
	const { ctx, scale, w } = s;
	const { start, dur, name, detail, count: joined, colors: color } = a;
	const left = Math.max(0, (from - s.from) * scale), right = Math.min(w, (to - s.from) * scale);
	const narrow = strips.lane(ctx, y, h), pixels = strips.buffer(), across = strips.width();
	let last = Math.floor(left) - 1, style = "";
	wide.n = 0;
	for (let i = a.first(lo, hi, from); i < hi && start[i] < to; i++) {
		const t = start[i] - s.from;
		let x0 = Math.round(t * scale), x1 = Math.round((t + dur[i]) * scale);
		if (x0 < last) x0 = last;
		if (x0 < left) x0 = Math.floor(left);
		if (x1 > right) x1 = Math.ceil(right);
		if (x1 <= x0) {
			if (x0 < last || x0 >= right) continue;
			x1 = x0 + 1;
		}
		if (x1 <= last) continue;
		last = x1;
		const box = x1 - x0 > 3 ? x1 - x0 - 1 : x1 - x0;
		const off = passed && !passed.names[name[i]] && !passed.details[detail[i]];
		if (box < 3) {
			const rgba = off ? c.passedRGBA : joined[i] > 1 ? c.joinedRGBA[color[name[i]]] : c.fillRGBA[color[name[i]]];
			const at = narrow + (joined[i] > 1 ? across : 0);
			for (let x = Math.max(0, x0); x < x1 && x < across; x++) pixels[at + x] = rgba;
			continue;
		}
		const now = off ? c.passed : joined[i] > 1 ? c.joined[color[name[i]]] : c.fill[color[name[i]]];
		if (now !== style) ctx.fillStyle = style = now;
		// what is joined is less high too: not only the color tells
		if (joined[i] > 1) ctx.fillRect(x0, y + 2, box, h - 4);
		else ctx.fillRect(x0, y, box, h);
		if (box >= textFrom && h > 10 && !off && wide.n < wide.i.length) {
			wide.i[wide.n] = i;
			wide.x[wide.n] = x0;
			wide.w[wide.n++] = box;
		}
	}
	if (wide.n === 0) return;
	ctx.fillStyle = c.ink;
	for (let k = 0; k < wide.n; k++) {
		const i = wide.i[k], n = name[i];
		const room = wide.w[k] - 6, x = wide.x[k] + 3, middle = y + h / 2 + 0.5;
		const size = a.widths[n] || (a.widths[n] = ctx.measureText(a.names[n].slice(-400)).width || 1);
		if (size > room) {
			const end = cut(ctx, a.names[n], room);
			if (end.length > 3) ctx.fillText(end, x, middle, room + 3);
			continue;
		}
		const more = joined[i] > 1 ? `× ${count(joined[i])}` : a.names[detail[i]] ?? "";
		ctx.fillText(a.names[n], x, middle);
		const rest = room - size - 8;
		if (more && rest > 44) {
			ctx.globalAlpha = 0.85;
			ctx.fillText(cut(ctx, more, rest), x + size + 8, middle, rest);
			ctx.globalAlpha = 1;
		}
	}
}

// cut returns the end of a text that fits: names and details are paths, which differ at
// their ends.
function cut(ctx, text, room) {
	const size = ctx.measureText(text.slice(-400)).width;
	if (size <= room && text.length <= 400) return text;
	const letters = Math.floor(Math.min(400, text.length) * room / size) - 1;
	return letters < 1 ? "" : "…" + text.slice(-letters);
}

// passes returns which names and details of an answer a search finds, or are those that
// sums are shown of.
function passes(a, query, only) {
	const key = JSON.stringify([query, only]);
	if (a.passedBy !== key) {
		a.passedBy = key;
		const q = query.toLowerCase();
		const which = is => Uint8Array.from(a.names, n => is(n) ? 1 : 0);
		const found = which(n => q !== "" && n.toLowerCase().includes(q));
		a.passed = query ? { names: found, details: found }
			: { names: which(n => n === only.name), details: which(n => !only.name && n === only.detail) };
	}
	return a.passed;
}

// open draws the scopes that had not ended: hatched, with no edge on the right.
function open(s, c) {
	const { ctx } = s;
	for (const o of s.answer.open) {
		const at = s.rows.lane(o.row, o.depth);
		if (!at || at.y - s.scroll > s.h || at.y + at.h < s.scroll) continue;
		if (s.rows.get(o.row).folded && o.depth > 0) continue;
		const x0 = Math.max(-4, (o.start - s.from) * s.scale);
		const x1 = Math.min(s.w + 12, (s.end - s.from) * s.scale);
		if (x1 < 0 || x0 > s.w) continue;
		const y = at.y - s.scroll, w = Math.max(2, x1 - x0), k = s.answer.colors[o.name];
		ctx.save();
		ctx.beginPath();
		// a torn edge
		ctx.moveTo(x0, y);
		ctx.lineTo(x0 + w, y);
		if (w > 8) for (let i = 1; i < 4; i++) ctx.lineTo(x0 + w - (i % 2 ? 5 : 0), y + at.h * i / 4);
		ctx.lineTo(x0 + w, y + at.h);
		ctx.lineTo(x0, y + at.h);
		ctx.closePath();
		ctx.fillStyle = c.joined[k];
		ctx.fill();
		ctx.clip();
		ctx.strokeStyle = c.fill[k];
		ctx.lineWidth = 3;
		ctx.beginPath();
		for (let x = Math.max(0, x0) - 20 - (Math.max(0, x0) % 12); x < Math.min(s.w, x0 + w); x += 12) {
			ctx.moveTo(x, y + at.h);
			ctx.lineTo(x + at.h, y);
		}
		ctx.stroke();
		const left = Math.max(2, x0 + 3), room = Math.min(s.w, x0 + w) - left - 6;
		if (room > 30 && at.h > 10) {
			ctx.fillStyle = c.ink;
			const name = cut(ctx, `${s.answer.names[o.name]} (open)`, room), size = ctx.measureText(name).width, middle = y + at.h / 2 + 0.5;
			ctx.fillText(name, left, middle);
			if (room - size > 52) ctx.fillText(cut(ctx, s.answer.names[o.detail] ?? "", room - size - 8), left + size + 8, middle, room - size - 8);
		}
		ctx.restore();
		ctx.fillStyle = s.palette.text;
		if (x0 >= 0) ctx.fillRect(Math.round(x0), y, 1, at.h);
	}
}

// instants draws a tick with a head at the top of the row.
function instants(s) {
	const { ctx } = s;
	ctx.fillStyle = s.palette.bad;
	const last = new Map();
	for (const i of s.answer.instants) {
		const x = Math.round((i.time - s.from) * s.scale);
		if (x < -4 || x > s.w + 4) continue;
		const r = s.rows.get(i.row);
		if (!r || last.get(i.row) === x) continue;
		last.set(i.row, x);
		const y = r.top - s.scroll;
		if (y > s.h || y + r.height < 0) continue;
		ctx.globalAlpha = 0.4;
		ctx.fillRect(x, y - 2, 1, r.height + 2);
		ctx.globalAlpha = 1;
		ctx.beginPath();
		ctx.moveTo(x - 3.5, y - 3);
		ctx.lineTo(x + 4.5, y - 3);
		ctx.lineTo(x + 0.5, y + 3);
		ctx.fill();
	}
}

// flows draws arrows between the scopes that were open: all if there are few, those of the
// chosen span if not.
function flows(s) {
	const { ctx } = s;
	const to = s.from + s.w / s.scale;
	const touches = (row, t) => s.chosen?.row === row && t >= s.chosen.start && t <= s.chosen.start + s.chosen.dur;
	const mine = f => touches(f.fromRow, f.from) || touches(f.toRow, f.to);
	let seen = s.answer.flows.filter(f => Math.max(f.from, f.to) >= s.from && Math.min(f.from, f.to) <= to);
	if (seen.length > mostFlows) seen = seen.filter(mine).slice(0, mostFlows);
	for (const f of seen) {
		ctx.strokeStyle = ctx.fillStyle = mine(f) ? s.palette.accent : s.palette.text;
		ctx.lineWidth = mine(f) ? 2 : 1;
		const a = point(s, f.fromRow, f.from), b = point(s, f.toRow, f.to);
		if (!a || !b || (a.y < 0 && b.y < 0) || (a.y > s.h && b.y > s.h)) continue;
		const bend = Math.max(12, Math.min(120, Math.abs(b.x - a.x) / 2));
		ctx.globalAlpha = 0.75;
		ctx.beginPath();
		if (Math.hypot(b.x - a.x, b.y - a.y) <= 8) {
			ctx.fillRect(a.x - 2, a.y - 2, 4, 4); // too short to be seen as an arrow
			continue;
		}
		ctx.moveTo(a.x, a.y);
		ctx.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x, b.y);
		ctx.stroke();
		ctx.beginPath();
		ctx.arc(a.x, a.y, 2, 0, 7);
		ctx.moveTo(b.x, b.y);
		ctx.lineTo(b.x - 6, b.y - 3);
		ctx.lineTo(b.x - 6, b.y + 3);
		ctx.fill();
	}
	ctx.globalAlpha = 1;
}

// point is where a flow leaves or arrives: the innermost scope that is drawn there.
function point(s, row, t) {
	const r = s.rows.get(row);
	if (!r) return null;
	let depth = 0;
	for (let d = 0; d < r.depth; d++) if (s.answer.at(row, d, t, 0)) depth = d;
	const at = s.rows.lane(row, depth);
	const x = (t - s.from) * s.scale;
	return { x: Math.max(-1000, Math.min(s.w + 1000, x)), y: at.y + at.h / 2 - s.scroll };
}
