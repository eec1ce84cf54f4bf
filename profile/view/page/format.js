// Numbers as text, and elements. Names of programs and files go into elements as text alone.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(n) {
	let size = Math.abs(n), unit = 0;
	while (size >= 1024 && unit < units.length - 1) { size /= 1024; unit++; }
	const text = unit === 0 ? String(size) : size < 10 ? size.toFixed(2) : size < 100 ? size.toFixed(1) : size.toFixed(0);
	return (n < 0 ? "−" : "") + text + " " + units[unit];
}

const whole = new Intl.NumberFormat("en-US");
export const count = n => whole.format(n).replace("-", "−");

// change is a difference, with its sign.
export const change = (n, show) => n === 0 ? "=" : (n > 0 ? "+" : "") + show(n);
export const grew = n => n > 0 ? "bad" : n < 0 ? "good" : "dim";

export function el(name, props = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(props)) {
		if (key in e) e[key] = value;
		else e.setAttribute(key, value);
	}
	e.append(...children);
	return e;
}

export const field = (text, control) => el("label", { className: "field" }, el("span", { className: "dim", textContent: text }), control);

// pathKey is one text for a path of steps.
export const pathKey = path => JSON.stringify(path);
export const step = node => node.kind + ":" + node.name;

// hue gives a name the same series color each time.
export function hue(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return (h >>> 0) % 7;
}

// canvasOf sizes a canvas for its box and returns its context in CSS pixels.
export function canvasOf(canvas) {
	const { width, height } = canvas.getBoundingClientRect();
	const ratio = devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
	const g = canvas.getContext("2d");
	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	g.clearRect(0, 0, width, height);
	g.font = "12px system-ui, sans-serif";
	g.textBaseline = "middle";
	return { g, width, height };
}

// fitted cuts text to a width.
export function fitted(g, text, width) {
	if (text.length > 300) text = text.slice(0, 300);
	if (g.measureText(text).width <= width) return text;
	let low = 0, high = text.length;
	while (low < high) {
		const mid = (low + high + 1) >> 1;
		if (g.measureText(text.slice(0, mid) + "…").width <= width) low = mid;
		else high = mid - 1;
	}
	return low ? text.slice(0, low) + "…" : "";
}
