// Search for spans by name and detail.

import { button, el } from "./timeline-dom.js";
import { count } from "./timeline-text.js";

const wait = 200; // milliseconds after the last letter
const tries = 50; // hits that are not of the name that was asked for

// Search calls on.query with what is searched for, on.jump with a hit; on.line says where.
export class Search {
	query = "";
	#stop = null;
	#timer = 0;
	#last = null; // { line, at } of the last hit

	constructor(app, on) {
		this.app = app;
		this.on = on;
		this.input = el("input", { type: "search", placeholder: "search names and details (/)", "aria-label": "Search spans", spellcheck: false });
		this.input.oninput = () => {
			clearTimeout(this.#timer);
			this.#timer = setTimeout(() => this.set(this.input.value), wait);
		};
		this.input.onkeydown = e => {
			if (e.key === "Escape") this.input.blur();
			if (e.key !== "Enter") return;
			e.preventDefault();
			clearTimeout(this.#timer);
			if (this.input.value.trim() !== this.query) this.set(this.input.value);
			this.go(e.shiftKey ? -1 : 1);
		};
		this.found = el("details", { className: "tl-found", hidden: true });
		this.summary = el("summary", { role: "status" });
		this.list = el("div", { className: "tl-menu" });
		this.found.append(this.summary, this.list);
		this.root = el("span", { className: "tl-search" }, this.input,
			button("‹", "previous hit (P)", () => this.go(-1)), button("›", "next hit (N)", () => this.go(1)), this.found);
	}

	set(query) {
		query = query.trim().slice(0, 400);
		if (this.input.value.trim() !== query) this.input.value = query;
		if (query === this.query) return;
		this.query = query;
		this.#last = null;
		this.on.query(query);
		this.#stop?.abort();
		this.found.hidden = !query;
		this.summary.textContent = "…";
		this.list.replaceChildren();
		if (query) this.#find({ q: query, at: 0, dir: 1 }, this.on.line()).then(got => this.#counts(got));
	}

	#counts(got) {
		if (!got) return;
		this.summary.textContent = `${count(got.count)} ${got.count === 1 ? "hit" : "hits"}`;
		this.list.replaceChildren(...(got.names ?? []).slice(0, 100).map(n => button(`${n.name}  ${count(n.count)}`, "search for this name", () => {
			this.found.open = false;
			this.set(n.name);
		})));
	}

	// go jumps to the next hit, or to the one before.
	async go(dir) {
		if (!this.query) return this.input.focus();
		const line = this.on.line();
		// from the last hit while it is seen, or else from the middle of what is seen
		const { from, to } = line.aim;
		const near = this.#last?.line === line && this.#last.at >= from && this.#last.at <= to;
		const at = near ? this.#last.at : dir > 0 ? Math.max(0, Math.floor(from) - 1) : Math.ceil(to);
		const got = await this.#find({ q: this.query, at, dir }, line);
		if (!got) return;
		if (this.summary.textContent === "…") this.#counts(got); // Enter came before the first answer
		if (!got.hit) return this.app.say(dir > 0 ? "no hit after this" : "no hit before this");
		this.#last = { line, at: got.hit.start };
		this.on.jump(line, got.hit);
	}

	// step jumps to the next span of the same name as one, or to the one before.
	async step(line, span, dir) {
		let at = Math.floor(span.start);
		for (let i = 0; i < tries; i++) {
			const hit = (await this.#find({ q: span.name, at, dir }, line))?.hit;
			if (!hit) return;
			if (hit.name === span.name) {
				line.on.span(line, hit);
				line.reveal(hit, false);
				return;
			}
			at = hit.start; // a longer name, or a detail
		}
	}

	async #find(params, line) {
		this.#stop?.abort();
		const stop = this.#stop = new AbortController();
		try {
			return await this.app.server.get("api/find", { rec: line.rec, ...params }, stop.signal);
		} catch (e) {
			if (e.name !== "AbortError") this.summary.textContent = e.message;
			return null;
		}
	}
}
