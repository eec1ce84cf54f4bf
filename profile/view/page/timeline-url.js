// What of the time line is in the URL: rec, from, to; of a second recording below it rec2,
// from2, to2; ask and span as JSON; folded, find, compare, value; frame, and limit in ms.

const isTime = n => typeof n === "number" && n >= 0 && Number.isFinite(n);
const isText = s => typeof s === "string";

function parse(text) {
	try {
		const a = JSON.parse(text || "null");
		return Array.isArray(a) ? a : null;
	} catch { return null; }
}

// questionFrom and spanFrom return what a text of the URL says, or null if it has not the
// right form.
export function questionFrom(text) {
	const a = parse(text);
	if (!a || !isTime(a[0]) || !isTime(a[1]) || !Number.isInteger(a[2]) || !isText(a[3]) || !isText(a[4])) return null;
	return { from: a[0], to: a[1], row: a[2], name: a[3], detail: a[4], within: a[5] === 1 };
}

export const questionTo = q => JSON.stringify([q.from, q.to, q.row, q.name, q.detail, q.within ? 1 : 0]);

export function spanFrom(text) {
	const a = parse(text);
	if (!a || ![a[0], a[2], a[3], a[4]].every(isTime) || !isText(a[5]) || !isText(a[6])) return null;
	const s = { row: a[0], start: a[2], dur: a[3], count: a[4], name: a[5], detail: a[6] };
	if (isTime(a[1])) s.depth = a[1];
	if (a[7]) s.open = true;
	if (a[8]) s.instant = true;
	return s;
}

export const spanTo = s => s ? JSON.stringify([s.row, s.depth ?? -1, s.start, s.dur, s.count ?? 1, s.name, s.detail ?? "", s.open ? 1 : 0, s.instant ? 1 : 0]) : "";

export const frameLimit = 33; // milliseconds

// frameFrom returns the number of a frame, or -1.
export const frameFrom = text => /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;

// limitFrom returns a limit in milliseconds.
export function limitFrom(text) {
	const limit = Number.parseFloat(text);
	return limit >= 0 && limit < 1e9 ? limit : frameLimit;
}

// recordings returns the numbers of the recordings that are shown, one or two.
export function recordings(state, info) {
	const number = key => {
		const n = Number(state.get(key, "-1"));
		return Number.isInteger(n) && n >= 0 && n < info.recordings.length ? n : -1;
	};
	const a = Math.max(0, number("rec")), b = number("rec2");
	return b >= 0 && b !== a ? [a, b] : [a];
}
