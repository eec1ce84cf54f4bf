// The direct callers and callees of a name. The totals of the callers sum to that of the
// name, those of the callees together with its own time as well.

import { Table, el } from "./timeline-dom.js";
import { colors, colorOf } from "./timeline-color.js";
import { count, duration, exact, percent } from "./timeline-text.js";

const mostNames = 1000; // to choose from

export class Callers {
	#stop = null;
	#asked = "";
	#tree = null;
	#total = 0;

	constructor(app, calls) {
		this.app = app;
		this.calls = calls;
		const table = (label, title, help) => new Table(label, [
			{ key: "name", title, help, text: r => r.name || "(unnamed)", color: r => r.fixed ? "transparent" : colors(app.palette).fill[colorOf(r.name)] },
			{ key: "count", title: "count", number: true, by: r => r.count, text: r => r.name === ownTime ? "" : count(r.count) },
			{ key: "total", title: "total", number: true, by: r => r.total, text: r => duration(r.total), hint: r => exact(r.total) },
			{ key: "share", title: "share", help: "share of the total of the chosen name", number: true, by: r => r.total, text: r => percent(r.total / (this.#total || 1)), share: r => r.total / (this.#total || 1) },
		], { sort: { key: "total", down: true }, click: r => { if (!r.fixed) this.#pick(r.name); } });
		this.callers = table("Callers", "called by", "names of the scopes directly around");
		this.callees = table("Callees", "calls to", "names of the scopes directly inside");
		this.choice = el("select", { "aria-label": "Name", title: "name whose callers and callees are shown" });
		this.choice.onchange = () => this.#pick(this.choice.value);
		this.sums = el("span", { className: "dim" });
		this.root = el("div", { className: "tl-callers", hidden: true }, el("div", { className: "tl-chosen" }, this.choice, this.sums),
			el("div", { className: "tl-scrolled", tabIndex: -1 }, this.callers.root), el("div", { className: "tl-scrolled", tabIndex: -1 }, this.callees.root));
	}

	set(tree) {
		const { calls } = this;
		const name = calls.question.name || this.app.state.get("of") || calls.span?.name || mostOwn(tree.list);
		if (tree !== this.#tree) {
			this.#tree = tree;
			this.#asked = "";
			this.choice.replaceChildren(...names(tree.list).map(n => el("option", { value: n, textContent: n || "(unnamed)" })));
		}
		if (![...this.choice.options].some(o => o.value === name)) this.choice.append(el("option", { value: name, textContent: name }));
		this.choice.value = name;
		if (name !== this.#asked) this.#ask(name);
	}

	close() {
		this.#stop?.abort();
		this.#tree = null;
	}

	#pick(name) {
		const { calls } = this;
		if (calls.question.name) calls.panel.on.question(calls.line, { ...calls.question, name }, calls.span);
		calls.choose(name);
		this.set(this.#tree);
	}

	async #ask(name) {
		this.#asked = name;
		this.#stop?.abort();
		const stop = this.#stop = new AbortController();
		this.root.setAttribute("aria-busy", "true");
		try {
			const a = await this.app.server.get("api/calls", { ...this.calls.selection, name }, stop.signal);
			if (stop !== this.#stop) return;
			this.#total = a.total;
			const rows = list => list.map(r => ({ ...r, fixed: r.name === "(others)" || r.name === "(outermost)" }));
			this.sums.textContent = `count ${count(a.count)}, total ${duration(a.total)}, own ${duration(a.self)} (${percent(a.self / (a.total || 1))})`;
			this.callers.set(rows(a.callers));
			this.callees.set([{ name: ownTime, count: 0, total: a.self, fixed: true }, ...rows(a.callees)]);
		} catch (e) {
			if (e.name === "AbortError") return;
			this.#asked = "";
			this.sums.textContent = e.message;
		} finally {
			if (stop === this.#stop) this.root.removeAttribute("aria-busy");
		}
	}
}

const ownTime = "(own time)";

// names returns the names of a tree, those of the longest total first.
function names(list) {
	const most = new Map();
	for (const n of list) if (!n.merged) most.set(n.name, Math.max(most.get(n.name) ?? 0, n.total));
	return [...most.keys()].sort((a, b) => most.get(b) - most.get(a)).slice(0, mostNames);
}

function mostOwn(list) {
	const own = new Map();
	for (const n of list) if (!n.merged) own.set(n.name, (own.get(n.name) ?? 0) + n.own);
	return [...own].reduce((a, b) => b[1] > a[1] ? b : a, ["", -1])[0];
}
