// The table of all assets. The server filters and sorts; the rows that are to be seen are
// asked for as they come into sight.

import { bytes, count, el } from "../../format.js";
import { duration } from "../../timeline-text.js";
import { VirtualList } from "../../virtual.js";
import { named, when } from "./names.js";

const height = 23; // of a row, in CSS pixels; tab.css has it too
const chunk = 200; // rows that are asked for at once
const kept = 40; // chunks

const columns = [
	{ key: "path", title: "asset" },
	{ key: "recipe", title: "recipe" },
	{ key: "outcome", title: "last" },
	{ key: "why", title: "because" },
	{ key: "cook_ns", title: "cook time", number: true },
	{ key: "in", title: "source", number: true },
	{ key: "out", title: "cooked", number: true },
	{ key: "ratio", title: "%", number: true },
	{ key: "at", title: "worked on", number: true },
];

const tone = { cooked: "warn", restored: "good", failed: "bad", unchanged: "", "up to date": "dim" };

export class Table {
	root = el("div", { className: "table" });
	#context;
	#chunks = new Map(); // number -> rows, or null while they are on their way
	#page = { matched: 0, all: 0, seal: null };
	#at = 0; // the row that the keyboard is at
	#reading = 0;
	#list;

	constructor(context) {
		this.#context = context;
		const changed = (key, input) => () => {
			context.state.set(key, input.value);
			this.read();
		};
		this.search = el("input", { type: "search", placeholder: "words of the path, or of the reasons", ariaLabel: "words of the path, or of the reasons" });
		this.search.oninput = changed("q", this.search);
		this.search.onkeydown = e => { if (e.key === "Enter" || e.key === "ArrowDown") { e.preventDefault(); this.focus(); } };
		this.outcome = el("select", { ariaLabel: "outcome" });
		this.recipe = el("select", { ariaLabel: "recipe" });
		this.target = el("select", { ariaLabel: "target" });
		this.run = el("select", { ariaLabel: "worked on by" });
		for (const [key, select] of [["outcome", this.outcome], ["recipe", this.recipe], ["of", this.target], ["run", this.run]]) select.onchange = changed(key, select);
		this.sums = el("div", { className: "sums dim", role: "status" });
		this.head = el("div", { className: "arow ahead", role: "row" });
		for (const c of columns) {
			const button = el("button", { type: "button", textContent: c.title, onclick: () => this.#sort(c) });
			c.head = el("span", { role: "columnheader", className: c.number ? "n" : "" }, button);
			this.head.append(c.head);
		}
		this.sizer = el("div", { className: "sizer" });
		this.scroller = el("div", { className: "rows", tabIndex: 0, role: "grid", ariaLabel: "assets" }, this.head, this.sizer);
		this.#list = new VirtualList(this.scroller, this.sizer, height, () => this.#make(), (row, i) => this.#fill(row, i));
		this.scroller.onkeydown = e => this.#press(e);
		this.failed = el("button", { type: "button", className: "failed", hidden: true, title: "show what failed", onclick: () => {
			this.#context.state.set("outcome", this.#context.state.get("outcome") === "failed" ? "" : "failed");
			this.read();
		} });
		this.root.append(el("div", { className: "bar" }, this.failed, this.search, this.outcome, this.recipe, this.target, this.run), this.scroller, this.sums);
	}

	// restore takes over what the URL says.
	restore() {
		this.search.value = this.#context.state.get("q");
		this.read();
	}

	show() { this.#list.draw(); }
	focus() { this.scroller.focus(); }

	#query(more) {
		const s = this.#context.state;
		return {
			q: s.get("q"), outcome: s.get("outcome"), recipe: s.get("recipe"), target: s.get("of"), run: s.get("run"),
			sort: s.get("sort"), down: s.get("down"), ...more,
		};
	}

	// read asks for everything anew; what is shown stays until it has come.
	async read() {
		const turn = ++this.#reading;
		const first = Math.floor(Math.max(0, this.#list.shown[0]) / chunk);
		try {
			let page = await this.#context.get("rows", this.#query({ from: first * chunk, count: chunk }));
			if (turn !== this.#reading) return;
			this.#page = page;
			this.#chunks = new Map([[first, page.from === first * chunk ? page.rows : null]]);
			if (page.from !== first * chunk) this.#chunks.clear();
			this.#at = Math.min(this.#at, Math.max(0, page.matched - 1));
			this.#choices(page.choices);
			this.#announce(page.choices.outcomes.find(o => o.name === "failed")?.assets ?? 0);
			this.#heads();
			const { matched, all, sums } = page;
			this.sums.className = "sums dim";
			this.sums.textContent = (matched === all ? `${count(all)} ${all === 1 ? "asset" : "assets"}` : `${count(matched)} of ${count(all)} assets`) +
				` · ${bytes(sums.in)} of sources, ${bytes(sums.out)} cooked · ${duration(sums.cook_ns)} of cooking`;
			if (all === 0) this.sums.textContent = "Nothing has been cooked yet.";
			this.root.dataset.matched = matched;
			this.#list.draw(matched, true);
		} catch (e) {
			if (turn !== this.#reading) return;
			this.sums.className = "sums bad";
			this.sums.textContent = e.message;
		}
	}

	// look asks whether a run has changed something.
	async look() {
		const before = this.#page.seal;
		if (before === null) return;
		try {
			const page = await this.#context.get("rows", this.#query({ count: 0 }));
			if (page.seal !== before && before === this.#page.seal) this.read();
		} catch { /* read says what is wrong */ }
	}

	// announce shows the number of failed assets in the table, in the status line and in the
	// title of the window.
	#announce(failed) {
		const text = failed === 0 ? "" : `${count(failed)} ${failed === 1 ? "asset" : "assets"} failed`;
		this.failed.hidden = failed === 0;
		this.failed.textContent = text;
		this.#context.app.status("failed", text, "bad");
		const { title } = this.#context.app.info;
		document.title = failed === 0 ? title : `✗ ${text} · ${title}`;
	}

	#choices({ outcomes, recipes, targets }) {
		const s = this.#context.state;
		const fill = (select, key, any, list) => {
			const now = s.get(key);
			if (now && !list.some(([value]) => value === now)) list.push([now, now]);
			const text = JSON.stringify([any, ...list]);
			if (select.dataset.list !== text) {
				select.dataset.list = text;
				select.replaceChildren(el("option", { value: "", textContent: any }), ...list.map(([value, textContent]) => el("option", { value, textContent })));
			}
			select.value = now;
		};
		const counted = list => list.filter(c => c.name !== "").map(c => [c.name, `${c.name} (${count(c.assets)})`]);
		fill(this.outcome, "outcome", "any outcome", counted(outcomes));
		fill(this.recipe, "recipe", "any recipe", counted(recipes));
		fill(this.target, "of", "any target", counted(targets));
		this.target.hidden = targets.length < 2 && !s.get("of");
		fill(this.run, "run", "any run", [["last", "the last run that did something"]]);
		const run = this.run.selectedOptions[0];
		if (run && run.value !== "" && run.value !== "last") run.textContent = "the run of " + when(run.value);
	}

	#sort(c) {
		const s = this.#context.state;
		const same = s.get("sort", "path") === c.key;
		const down = same ? s.get("down") === "" : !!c.number;
		s.set("sort", c.key === "path" ? "" : c.key);
		s.set("down", down ? "1" : "");
		this.scroller.scrollTop = 0;
		this.read();
	}

	#heads() {
		const s = this.#context.state;
		for (const c of columns) {
			const sorted = s.get("sort", "path") === c.key;
			c.head.setAttribute("aria-sort", sorted ? (s.get("down") ? "descending" : "ascending") : "none");
		}
	}

	// row returns a row that is there, and asks for one that is not.
	#row(i) {
		const number = Math.floor(i / chunk);
		if (!this.#chunks.has(number)) this.#fetch(number);
		return this.#chunks.get(number)?.[i - number * chunk];
	}

	async #fetch(number) {
		const turn = this.#reading;
		this.#chunks.set(number, null);
		try {
			const page = await this.#context.get("rows", this.#query({ from: number * chunk, count: chunk }));
			if (turn !== this.#reading) return;
			if (page.seal !== this.#page.seal) return void this.read();
			this.#chunks.set(number, page.rows);
			for (const old of this.#chunks.keys()) {
				if (this.#chunks.size <= kept) break;
				if (Math.abs(old - number) > 2) this.#chunks.delete(old);
			}
			this.#list.draw(this.#page.matched, true);
		} catch (e) {
			this.#chunks.delete(number);
			this.sums.textContent = e.message;
		}
	}

	#make() {
		const row = el("div", { className: "arow", role: "row" });
		for (const c of columns) row.append(el("span", { role: "gridcell", className: c.number ? "n" : "" }));
		row.onclick = () => this.#open(Number(row.dataset.index));
		return row;
	}

	#fill(row, i) {
		const a = this.#row(i), cells = row.children;
		row.dataset.index = i;
		row.ariaRowIndex = i + 2;
		row.ariaSelected = String(i === this.#at);
		const s = this.#context.state;
		row.classList.toggle("open", !!a && a.path === s.get("asset") && (a.target ?? "") === s.get("target"));
		if (!a) {
			for (const c of cells) c.textContent = "";
			cells[0].textContent = "…";
			return;
		}
		cells[0].textContent = named(a.path) + (a.target ? ` [${a.target}]` : "");
		cells[0].title = named(a.path);
		cells[1].textContent = a.recipe;
		cells[2].textContent = a.outcome + (a.warned ? " ⚠" : "");
		cells[2].className = tone[a.outcome] ?? "";
		cells[2].title = a.warned ? "with warnings" : "";
		cells[3].textContent = cells[3].title = a.why ?? "";
		cells[4].textContent = a.cook_ns ? duration(a.cook_ns) : "–";
		cells[5].textContent = bytes(a.in);
		cells[6].textContent = bytes(a.out);
		cells[7].textContent = a.in ? Math.round(100 * a.out / a.in) : "–";
		cells[8].textContent = a.at ? when(a.at) : "–";
	}

	#press(e) {
		const rows = Math.max(1, Math.floor(this.scroller.clientHeight / height) - 2);
		const to = { ArrowDown: this.#at + 1, ArrowUp: this.#at - 1, PageDown: this.#at + rows, PageUp: this.#at - rows, Home: 0, End: this.#page.matched - 1 }[e.key];
		if (e.target !== this.scroller) return;
		if (e.key === "Enter") this.#open(this.#at);
		else if (to === undefined) return;
		else this.#go(to);
		e.preventDefault();
		e.stopPropagation();
	}

	#go(i) {
		this.#at = Math.min(Math.max(0, i), Math.max(0, this.#page.matched - 1));
		this.#list.reveal(this.#at);
		this.#list.draw(this.#page.matched, true);
	}

	// step opens the next row, or the one before.
	async step(by) {
		this.#go(this.#at + by);
		for (let tries = 0; tries < 50 && !this.#row(this.#at); tries++) await new Promise(f => setTimeout(f, 20));
		this.#open(this.#at);
	}

	#open(i) {
		const a = this.#row(i);
		if (!a) return;
		this.#at = i;
		this.#context.follow(a.path, a.target ?? "");
		this.#list.draw(this.#page.matched, true);
	}
}
