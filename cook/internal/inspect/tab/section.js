// A list that the server writes: sections of the report. Its tables have the controls of the report, whose
// state is in the URL.

import { el } from "../../format.js";
import { liven } from "./api/report.js";

export class Section {
	#context;
	#ask;
	#state = "";
	#asking = false;
	#reveal = "";

	// ask requests the sections, unless they are those of a state.
	constructor(context, id, ask) {
		this.#context = context;
		this.#ask = ask;
		this.root = el("div", { className: "report " + id, hidden: true });
		this.root.onclick = e => this.#follow(e);
	}

	show() {
		this.#state = ""; // the URL may have another order or filter
		this.look();
	}

	async look() {
		if (this.root.hidden || this.#asking) return;
		this.#asking = true;
		try {
			const { state, done, html } = await this.#ask(this.#state);
			if (html) this.#replace(html);
			this.#state = state;
			this.root.dataset.done = done;
		} catch (e) {
			this.#state = "";
			this.root.replaceChildren(el("p", { className: "bad", textContent: e.message }));
		} finally {
			this.#asking = false;
		}
	}

	#replace(html) {
		const { root } = this, { scrollTop } = root, at = document.activeElement, table = root.contains(at) && at.closest(".table");
		const place = table ? [...table.querySelectorAll("button, input, select")].indexOf(at) : -1;
		root.innerHTML = html; // the server escapes names
		liven(root, this.#context.state);
		root.scrollTop = scrollTop;
		if (place >= 0) [...root.querySelectorAll(`#${table.id} :is(button, input, select)`)][place]?.focus();
		this.reveal(this.#reveal);
	}

	// reveal scrolls to a table, now or when it is there.
	reveal(id) {
		this.#reveal = id;
		const table = id && this.root.querySelector("#" + id);
		if (!table) return;
		table.scrollIntoView();
		this.#reveal = "";
	}

	// follow opens links in the tab: an asset, the assets of a run, or another list.
	#follow(e) {
		const link = e.target.closest("a[href^='#']");
		if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		const to = new URLSearchParams(link.getAttribute("href").slice(1));
		if (to.has("a.asset")) this.#context.follow(to.get("a.asset"), to.get("a.target"));
		else if (to.has("a.run")) this.#context.among(to.get("a.run"));
		else this.#context.list(to.get("a.list"), to.get("a.at"));
	}
}
