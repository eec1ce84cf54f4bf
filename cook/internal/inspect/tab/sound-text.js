// Numbers of sounds as text.

// clock returns a time as m:ss, with as many digits after the point as steps of so many
// seconds need.
export function clock(seconds, step = .001) {
	const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
	const minutes = Math.floor(seconds / 60 + 1e-9);
	return `${minutes}:${Math.max(0, seconds - 60 * minutes).toFixed(digits).padStart(digits ? digits + 3 : 2, "0")}`;
}

// size returns bytes as text.
export function size(bytes) {
	if (bytes < 1024) return `${bytes} B`;
	const unit = bytes < 1024 ** 2 ? [1024, "KiB"] : [1024 ** 2, "MiB"];
	return `${(bytes / unit[0]).toFixed(1)} ${unit[1]}`;
}

const bitRate = b => `${(b / 1000).toFixed(b < 100000 ? 1 : 0)} kbit/s`;
const signed = (v, digits) => (v < 0 ? "−" : v > 0 ? "+" : "±") + Math.abs(v).toFixed(digits);
const share = (a, b) => a > 0 ? `${(100 * b / a).toFixed(1)} %` : "";
const decibels = (v, digits) => (v < 0 ? "−" : "") + Math.abs(v).toFixed(digits);

const figure = (name, key, unit) => ({
	name,
	text: s => s.loudness[key].value === null ? `– (${s.loudness[key].why})` : `${decibels(s.loudness[key].value, 1)} ${unit}`,
	difference: (a, b) => {
		const [from, to] = [a.loudness[key].value, b.loudness[key].value];
		return from === null || to === null ? "" : signed(+(to - from).toFixed(2), 2) + (unit === "LUFS" ? " LU" : " dB");
	},
});

const loopText = (l, rate) =>
	`${clock(l.start / rate)} to ${clock(l.end / rate)}${l.count ? `, ${l.count} times` : ""}${l.pingPong ? ", back and forth" : ""}`;

// rows are the rows of the table: what is said of a side, and how two sides differ.
export const rows = [
	{ name: "Format", text: ({ format: f }) => f.kind === f.coding || f.kind.endsWith(f.coding) ? f.kind : `${f.kind}, ${f.coding}` },
	{ name: "Size", text: s => size(s.format.bytes), difference: (a, b) => share(a.format.bytes, b.format.bytes) },
	{ name: "Bit rate", text: s => bitRate(s.format.bitRate), difference: (a, b) => share(a.format.bitRate, b.format.bitRate) },
	{ name: "Rate", text: s => `${s.format.rate} Hz`, difference: (a, b) => a.format.rate === b.format.rate ? "same" : share(a.format.rate, b.format.rate) },
	{ name: "Channels", text: s => String(s.format.channels), difference: (a, b) => a.format.channels === b.format.channels ? "same" : "mixed" },
	{
		name: "Length", text: s => `${clock(s.format.seconds)} (${s.format.frames} frames)`,
		difference: (a, b) => {
			const ms = 1000 * (b.format.seconds - a.format.seconds);
			return Math.abs(ms) < .05 ? "same" : `${signed(ms, 1)} ms`;
		},
	},
	{ name: "Loop", text: ({ format: f }) => f.loops.length ? f.loops.map(l => loopText(l, f.rate)).join("; ") : "none" },
	figure("Integrated loudness", "integrated", "LUFS"),
	figure("Loudest 400 ms", "momentary", "LUFS"),
	figure("Loudest 3 s", "shortTerm", "LUFS"),
	figure("True peak", "truePeak", "dBTP"),
];
