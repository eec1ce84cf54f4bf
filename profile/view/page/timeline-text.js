// Times as text. All times are nanoseconds in Numbers, exact up to 2^53 (104 days).

const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

// duration returns a length of time to four digits: "1.234 ms".
export function duration(ns) {
	if (!Number.isFinite(ns)) return "–";
	const sign = ns < 0 ? "−" : "";
	const size = Math.abs(ns);
	for (const [unit, scale] of units) {
		if (size < scale && scale > 1) continue;
		const v = size / scale;
		if (scale === 1) return `${sign}${Number.isInteger(v) ? v : v.toFixed(1)} ns`;
		return `${sign}${v >= 10000 ? count(Math.round(v)) : v.toPrecision(4)} ${unit}`;
	}
}

// exact returns a length of time with all its digits: "1 234 567 ns".
export const exact = ns => `${count(Math.round(ns)).replaceAll(",", " ")} ns`;

// moment returns a point in time with all its digits: "72.345 678 901 s".
export function moment(ns) {
	const t = Math.round(Math.abs(ns));
	const s = Math.floor(t / 1e9);
	const rest = String(t - s * 1e9).padStart(9, "0");
	const parts = [rest.slice(0, 3), rest.slice(3, 6), rest.slice(6)];
	while (parts.length && parts.at(-1) === "000") parts.pop();
	return (ns < 0 ? "−" : "") + count(s) + (parts.length ? "." + parts.join(" ") : "") + " s";
}

const grouped = new Intl.NumberFormat("en-US");
export const count = n => grouped.format(n).replace("-", "−");

export function percent(share) {
	if (share >= 0.9995) return "100 %";
	if (share < 0.0001) return share > 0 ? "< 0.01 %" : "0 %";
	return `${(share * 100).toPrecision(share < 0.1 ? 2 : 3)} %`;
}

const long = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map(s => s * 1e9);

// ticks returns where an axis that shows from..to has marks at least gap apart, and how
// they are written. Times below a second are offsets from base, which stands beside them.
export function ticks(from, to, gap) {
	let step = 10 ** Math.ceil(Math.log10(Math.max(gap, 1)) - 1e-9);
	if (step / 5 >= Math.max(gap, 1)) step /= 5;
	else if (step / 2 >= Math.max(gap, 1)) step /= 2;
	if (step >= 1e9) step = long.find(s => s >= gap) ?? Math.ceil(gap / 86400e9) * 86400e9;
	const first = Math.max(0, Math.ceil(from / step) * step);
	const at = [];
	for (let t = first; t <= to && at.length < 1000; t += step) at.push(t);
	if (step >= 1e8) return { step, at, base: 0, text: t => clock(t, step) };
	const [unit, scale, anchor] = step >= 1e5 ? ["ms", 1e6, 1e9] : step >= 1e2 ? ["µs", 1e3, 1e6] : ["ns", 1, 1e3];
	const base = Math.max(0, Math.floor(from / anchor) * anchor);
	const sign = base > 0 ? "+" : "";
	return { step, at, base, text: t => `${sign}${((t - base) / scale).toFixed(step < scale ? 1 : 0)} ${unit}` };
}

function clock(t, step) {
	const digits = step < 1e9 ? 1 : 0;
	const s = Math.round(t / 1e8) / 10;
	if (s < 60) return `${s.toFixed(digits)} s`;
	const two = v => (v < 10 ? "0" : "") + v.toFixed(0);
	const rest = (s % 60).toFixed(digits);
	const tail = `${two(Math.floor(s / 60) % 60)}:${s % 60 < 10 ? "0" : ""}${rest}`;
	return s < 3600 ? tail.replace(/^0/, "") : `${Math.floor(s / 3600)}:${tail}`;
}
