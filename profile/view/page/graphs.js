// The graphs of a page, which live in its URL: a value "g" for each graph,
//
//	NAME*OPTIONS*COUNTER*COUNTER...
//
// with "*" and "%" in names escaped. Options are h (hidden), o (own scales) and
// rLEAST:GREATEST.

const escaped = text => text.replace(/[%*]/g, c => c === "%" ? "%25" : "%2A");
const unescaped = text => text.replace(/%25|%2A/g, c => c === "%25" ? "%" : "*");

export function formatGraph(g) {
	const options = [];
	if (g.hidden) options.push("h");
	if (g.own) options.push("o");
	if (g.range) options.push("r" + g.range[0] + ":" + g.range[1]);
	return [g.name, options.join(","), ...g.series].map(escaped).join("*");
}

export function parseGraph(text) {
	const [name, options = "", ...series] = text.split("*").map(unescaped);
	if (name === "") return null;
	const g = { name, series: [...new Set(series)].slice(0, mostSeries), hidden: false, own: false, range: null };
	for (const o of options.split(",")) {
		if (o === "h") g.hidden = true;
		if (o === "o") g.own = true;
		if (o[0] === "r") {
			const [low, high] = o.slice(1).split(":").map(Number);
			if (low < high && Number.isFinite(low) && Number.isFinite(high)) g.range = [low, high];
		}
	}
	return g;
}

const mostGraphs = 200, mostSeries = 256;

export class Graphs {
	#state;
	#listeners = new Set();
	#written = "";
	list = [];

	constructor(state) {
		this.#state = state;
		this.load();
	}

	// load takes the graphs from the URL, if others wrote them there.
	load() {
		const all = this.#state.all("g");
		if (all.join("\n") === this.#written) return;
		this.list = [];
		for (const text of all.slice(0, mostGraphs)) {
			const g = parseGraph(text);
			if (g && !this.of(g.name)) this.list.push(g);
		}
		this.#written = all.join("\n");
		this.#tell();
	}

	onChange(f) { this.#listeners.add(f); }
	of(name) { return this.list.find(g => g.name === name); }
	names() { return this.list.map(g => g.name); }

	changed() {
		const all = this.list.map(formatGraph);
		this.#written = all.join("\n");
		this.#state.setAll("g", all);
		this.#tell();
	}

	#tell() { for (const f of this.#listeners) f(); }

	// apply does what the console or the program says. Some graphs may be gone.
	apply(ops) {
		for (const op of ops) {
			let g = this.of(op.graph);
			if (!g && (op.do === "make" || op.do === "add")) {
				if (this.list.length >= mostGraphs) continue;
				g = { name: op.graph, series: [], hidden: false, own: false, range: null };
				this.list.push(g);
			}
			if (!g) continue;
			switch (op.do) {
			case "make": case "show":
				g.hidden = false;
				break;
			case "add":
				g.series = [...new Set([...g.series, ...op.names])].slice(0, mostSeries);
				g.hidden = false;
				break;
			case "hide":
				g.hidden = true;
				break;
			case "range":
				g.range = op.range ?? null;
				break;
			case "remove":
				if (op.names?.length) g.series = g.series.filter(s => !op.names.includes(s));
				else this.list = this.list.filter(other => other !== g);
			}
		}
		this.changed();
	}

	// fresh returns a name for a graph of a counter.
	fresh(counter) {
		const parts = counter.split("/");
		const short = parts.slice(-2).join("/");
		let name = short;
		for (let n = 2; this.of(name); n++) name = short + " " + n;
		return name;
	}
}
