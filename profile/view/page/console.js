// The line for commands, with history and completion.

import { graphsOf } from "./counters.js";

const mostHistory = 200, mostSaid = 200;
const bytes = new TextEncoder(), text = new TextDecoder();

export class Console {
	#app;
	#line = document.getElementById("line");
	#said = document.getElementById("said");
	#list = document.getElementById("words");
	#history = stored();
	#at = -1; // in the history, from its end; -1: the line that is typed
	#typed = "";
	#words = null; // { from, to, words } of bytes, and which is selected
	#selected = -1;
	#asking = null;
	#timer = 0;
	#source = null;

	constructor(app) {
		this.#app = app;
		document.getElementById("console").onsubmit = e => {
			e.preventDefault();
			this.#enter();
		};
		this.#line.oninput = () => {
			this.#at = -1;
			this.#select(-1);
			clearTimeout(this.#timer);
			this.#timer = setTimeout(() => this.#complete(), 50);
		};
		this.#line.onkeydown = e => this.#key(e);
		this.#line.onblur = () => setTimeout(() => this.#close(), 150);
		app.key("Escape", "close what the console says", () => this.say(""));
		if (!app.info.counters) return;
		document.addEventListener("visibilitychange", () => this.#listen());
		this.#listen();
	}

	// listen hears what the program does to the graphs. A page in the background does not:
	// browsers have few connections, and what it misses comes when it is in front again.
	#listen() {
		if (document.hidden) {
			this.#source?.close();
			this.#source = null;
			return;
		}
		if (this.#source) return;
		const state = this.#app.state;
		this.#source = new EventSource(this.#app.server.url("api/ops", { after: state.get("ops") }));
		this.#source.addEventListener("ops", e => {
			graphsOf(this.#app).apply(JSON.parse(e.data));
			state.set("ops", e.lastEventId);
		});
		this.#source.addEventListener("notice", e => this.say(JSON.parse(e.data)));
	}

	// say shows lines; "" hides them.
	say(text) {
		if (!text) {
			this.#said.textContent = "";
			return;
		}
		const lines = (this.#said.textContent ? this.#said.textContent.split("\n") : []).concat(text.split("\n"));
		this.#said.textContent = lines.slice(-mostSaid).join("\n");
		this.#said.scrollTop = this.#said.scrollHeight;
	}

	async #enter() {
		if (this.#selected >= 0) {
			this.#take(this.#words.words[this.#selected]);
			return;
		}
		const line = this.#line.value.trim();
		if (line === "") return;
		this.#close();
		this.#line.value = "";
		this.#at = -1;
		if (this.#history[this.#history.length - 1] !== line) this.#history = [...this.#history, line].slice(-mostHistory);
		try {
			localStorage.setItem("lines", JSON.stringify(this.#history));
		} catch { /* not allowed here */ }
		try {
			const graphs = this.#app.info.counters ? graphsOf(this.#app) : null;
			const answer = await this.#app.server.post("api/console", { line, graphs: graphs?.names() ?? [] });
			if (answer.ops.length) {
				graphs.apply(answer.ops);
				this.#app.open("counters");
			}
			this.#said.classList.remove("bad");
			this.say(answer.text ? "> " + line + "\n" + answer.text : "");
		} catch (e) {
			this.#said.classList.add("bad");
			this.say("");
			this.say("> " + line + "\n" + e.message);
			if (this.#line.value === "") { // to be put right
				this.#line.value = line;
				this.#line.select();
			}
		}
	}

	#key(e) {
		const open = this.#words && !this.#list.hidden;
		switch (e.key) {
		case "Tab":
			if (this.#line.value === "" || e.shiftKey) return; // leaves the line
			this.#tab();
			break;
		case "ArrowDown":
			if (open) this.#select(this.#selected + 1);
			else this.#recall(-1);
			break;
		case "ArrowUp":
			if (open && this.#selected >= 0) this.#select(this.#selected - 1);
			else this.#recall(1);
			break;
		case "Escape":
			if (open) this.#close();
			else if (this.#said.textContent) this.say("");
			else this.#line.blur();
			break;
		default: return;
		}
		e.preventDefault();
	}

	#recall(by) {
		const to = this.#at + by;
		if (to < -1 || to >= this.#history.length) return;
		if (this.#at < 0) this.#typed = this.#line.value;
		this.#at = to;
		this.#line.value = to < 0 ? this.#typed : this.#history[this.#history.length - 1 - to];
		this.#close();
	}

	async #complete() {
		const line = this.#line.value, at = bytes.encode(line.slice(0, this.#line.selectionStart)).length;
		this.#asking?.abort();
		const asking = this.#asking = new AbortController();
		if (line === "") return this.#close();
		try {
			const graph = this.#app.info.counters ? graphsOf(this.#app).names().slice(0, 100) : [];
			const got = await this.#app.server.get("api/complete", { line, at, graph }, asking.signal);
			if (asking !== this.#asking || line !== this.#line.value || document.activeElement !== this.#line) return;
			this.#words = { ...got, line };
			this.#show();
		} catch { /* typed on, or the program has ended: it shows elsewhere */ }
	}

	// tab takes the only word, or what all words begin with, or the next one.
	async #tab() {
		clearTimeout(this.#timer);
		// The words may belong to an earlier state of the line.
		if (this.#words?.line !== this.#line.value || this.#list.hidden) await this.#complete();
		if (this.#words?.line !== this.#line.value || this.#words.words.length === 0) return;
		const { words, from, to } = this.#words;
		if (words.length === 1) return this.#take(words[0]);
		let common = words[0];
		for (const w of words) while (!w.startsWith(common)) common = common.slice(0, -1);
		const typed = text.decode(bytes.encode(this.#line.value).slice(from, to));
		if (common.length > typed.length && common.startsWith(typed)) this.#put(common);
		else this.#select((this.#selected + 1) % words.length);
	}

	#take(word) {
		this.#put(word.endsWith("/") || word.endsWith('/"') ? word : word + " ");
	}

	// put replaces what is completed, and asks what may follow.
	#put(word) {
		const all = bytes.encode(this.#line.value), before = text.decode(all.slice(0, this.#words.from)), after = text.decode(all.slice(this.#words.to));
		this.#line.value = before + word + after.trimStart();
		this.#line.setSelectionRange(before.length + word.length, before.length + word.length);
		this.#line.focus();
		this.#close();
		this.#complete();
	}

	#show() {
		const { words } = this.#words;
		this.#selected = -1;
		this.#list.replaceChildren(...words.map((word, i) => {
			const item = document.createElement("li");
			item.role = "option";
			item.id = "word-" + i;
			item.textContent = word;
			item.onpointerdown = e => {
				e.preventDefault();
				this.#take(word);
			};
			return item;
		}));
		this.#list.hidden = words.length === 0;
		this.#line.setAttribute("aria-expanded", String(words.length > 0));
		this.#line.removeAttribute("aria-activedescendant");
	}

	#select(i) {
		const items = this.#list.children;
		this.#selected = Math.max(-1, Math.min(items.length - 1, i));
		for (const [n, item] of [...items].entries()) item.setAttribute("aria-selected", String(n === this.#selected));
		if (this.#selected < 0) this.#line.removeAttribute("aria-activedescendant");
		else {
			this.#line.setAttribute("aria-activedescendant", "word-" + this.#selected);
			items[this.#selected].scrollIntoView({ block: "nearest" });
		}
	}

	#close() {
		this.#list.hidden = true;
		this.#words = null;
		this.#selected = -1;
		this.#line.setAttribute("aria-expanded", "false");
	}
}

function stored() {
	try {
		const lines = JSON.parse(localStorage.getItem("lines") ?? "[]");
		return Array.isArray(lines) ? lines.filter(l => typeof l === "string").slice(-mostHistory) : [];
	} catch {
		return [];
	}
}
