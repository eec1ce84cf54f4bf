// The runs that did something, latest first.

import { bytes, change, count, el, grew } from "../../format.js";
import { duration } from "../../timeline-text.js";
import { named, when } from "./names.js";

const outcomes = ["cooked", "restored", "unchanged", "failed", "removed", "warnings"];
const tone = { failed: "bad", warnings: "warn" };

export class Runs {
	root = el("div", { className: "runs", hidden: true });
	#context;
	#last = null;

	constructor(context) { this.#context = context; }

	show() { this.read(); }
	look() { if (!this.root.hidden) this.read(); }

	async read() {
		let runs;
		try {
			runs = await this.#context.get("runs");
		} catch (e) {
			this.root.replaceChildren(el("p", { className: "bad", textContent: e.message }));
			return;
		}
		const key = `${runs.length} ${runs[0]?.at}`;
		if (key === this.#last) return;
		this.#last = key;
		const heads = ["began", "took", "did", "grew by", "most of it", "longest", "what bounded it"];
		const body = runs.map(r => this.#row(r));
		this.root.replaceChildren(el("table", {},
			el("caption", { className: "dim", textContent: runs.length ? `${count(runs.length)} ${runs.length === 1 ? "run" : "runs"} that did something, latest first; at most 600 are kept` : "No run has done anything yet." }),
			el("thead", {}, el("tr", {}, ...heads.map(textContent => el("th", { textContent, scope: "col" })))),
			el("tbody", {}, ...body)));
	}

	#row(r) {
		const cell = (textContent, className = "n") => el("td", { textContent, className });
		const open = el("button", { type: "button", textContent: when(r.at), title: "the assets that this run was the last to work on" });
		open.onclick = () => this.#context.among(r.at);
		return el("tr", {}, el("td", {}, open), cell(duration(r.took_ns)),
			el("td", { className: "did" }, ...outcomes.filter(o => r[o]).map(o => el("div", { textContent: `${count(r[o])} ${o}`, className: tone[o] ?? "" }))),
			cell(r.grew ? change(r.grew, bytes) : "–", "n " + grew(r.grew)), this.#list(r.largest, s => change(s.bytes, bytes)),
			this.#list(r.slowest, s => duration(s.ns)), cell(r.bound, ""));
	}

	// list shows the first of some assets, and the others on demand.
	#list(assets, figure) {
		const link = a => {
			const button = el("button", { type: "button", className: "link", textContent: named(a.path), title: named(a.path) });
			button.onclick = () => this.#context.follow(a.path, a.target ?? "");
			return el("div", {}, button, " ", el("span", { className: "dim", textContent: figure(a) }));
		};
		if (!assets?.length) return el("td", { textContent: "–" });
		if (assets.length === 1) return el("td", {}, link(assets[0]));
		return el("td", {}, el("details", {}, el("summary", {}, link(assets[0])), ...assets.slice(1).map(link)));
	}
}
