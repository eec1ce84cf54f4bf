// The views of the panel that show call paths: the flame graph, the call tree, and callers
// and callees. All show the same answer of the server, in which the scopes of all rows are
// summed by path.

import { button, el } from "./timeline-dom.js";
import { Callers } from "./timeline-callers.js";
import { CallTree } from "./timeline-calltree.js";
import { Flame } from "./timeline-flame.js";
import { treeOf } from "./timeline-paths.js";

const modes = [
	["", "Sums", "sums by name, and the slowest spans"],
	["flame", "Flame graph", "call paths as boxes, as wide as their total time"],
	["tree", "Call tree", "call paths as a table"],
	["callers", "Callers", "direct callers and callees of a name"],
];

export class Calls {
	#stop = null;
	#key = "";
	#shown = "";

	constructor(app, panel) {
		this.app = app;
		this.panel = panel;
		this.choice = el("span", { className: "tl-modes", role: "group", "aria-label": "View" }, ...modes.map(([mode, text, help]) => {
			const b = button(text, help, () => this.open(mode));
			b.mode = mode;
			return b;
		}));
		this.views = { flame: new Flame(app, this), tree: new CallTree(app, this), callers: new Callers(app, this) };
		this.root = el("div", { className: "tl-calls", hidden: true }, ...Object.values(this.views).map(v => v.root));
	}

	get mode() {
		const mode = this.app.state.get("calls");
		return modes.some(m => m[0] === mode) ? mode : "";
	}

	// open shows another view of what the panel was asked.
	open(mode) {
		this.app.state.set("calls", mode, true);
		const { panel } = this;
		panel.ask(panel.line, panel.question, panel.span);
		[...this.choice.children].find(b => b.mode === mode).focus();
	}

	// ask shows the question in the present view, unless this is the view of sums.
	ask(line, question, span) {
		const mode = this.#shown = this.mode;
		for (const b of this.choice.children) b.setAttribute("aria-pressed", String(b.mode === mode));
		this.root.hidden = !mode;
		this.panel.left.hidden = this.panel.right.hidden = Boolean(mode);
		for (const [name, view] of Object.entries(this.views)) view.root.hidden = name !== mode;
		this.line = line;
		this.question = question;
		this.span = span;
		if (mode) this.#load();
		else this.#stop?.abort();
		return Boolean(mode);
	}

	// selection returns the parameters of the server's answer.
	get selection() {
		const { line, question: { from, to, row } } = this;
		return { rec: line.rec, from, to: Math.max(to || Math.ceil(line.end), from), row };
	}

	async #load() {
		const key = JSON.stringify(this.selection);
		if (this.tree && key === this.#key && !this.line.info.live) return this.#show();
		this.#stop?.abort();
		if (key !== this.#key) this.tree = null;
		this.#key = key;
		const stop = this.#stop = new AbortController();
		this.root.setAttribute("aria-busy", "true");
		this.panel.state.textContent = this.tree ? "" : "Summing call paths …";
		try {
			const answer = await this.app.server.get("api/paths", this.selection, stop.signal);
			if (stop !== this.#stop) return;
			this.tree = treeOf(answer);
			this.#show();
		} catch (e) {
			if (e.name === "AbortError") return;
			this.panel.state.textContent = e.message;
			this.root.hidden = true;
		} finally {
			if (stop === this.#stop) this.root.removeAttribute("aria-busy");
		}
	}

	#show() {
		const view = this.views[this.mode], { detail } = this.question;
		this.panel.state.textContent = this.tree.list.length === 0 ? "No spans." : detail ? "Call paths have all details." : "";
		view?.set(this.tree);
	}

	// redraw shows what has changed in the URL or the search. It returns false in the view of sums.
	redraw() {
		if (this.mode !== this.#shown) this.panel.ask(this.panel.line, this.panel.question, this.panel.span);
		else if (this.mode && this.tree) this.#show();
		return Boolean(this.mode);
	}

	close() {
		this.#stop?.abort();
		for (const v of Object.values(this.views)) v.close?.();
		this.tree = null;
		this.#key = "";
	}

	// matches returns whether a search or a chosen name is on, and a function that tells what
	// it finds.
	get matches() {
		const query = (this.line.query ?? "").toLowerCase(), { name } = this.question;
		if (query) return n => n.name.toLowerCase().includes(query);
		return name ? n => n.name === name : null;
	}

	// choose makes a name that of callers and callees.
	choose(name) { this.app.state.set("of", name); }
}
