// One asset: its source beside what was made of it, and why it is as it is.

import { bytes, count, el } from "../../format.js";
import { duration } from "../../timeline-text.js";
import { ending, named, when } from "./names.js";
import { parts } from "./parts.js";
import { explanation } from "./why.js";

// kinds are modules that show files with these endings; of several files of an asset the
// one whose kind comes first is shown.
const kinds = [
	["font", ["fnt"]],
	["texture", ["ktx2", "dds"]],
	["sound", ["wav", "ogg", "opus", "qoa", "flac", "mp3"]],
	["mesh", ["glb", "gltf", "obj"]],
];
const kindOf = path => kinds.find(([, endings]) => endings.includes(ending(path)))?.[0] ?? "text";

export class Inspector {
	#root;
	#context;
	#done; // when it is closed by the user
	#asset = null;
	#view = null; // what a kind's module returned
	#turn = 0;
	#shown = new AbortController(); // until something else is shown

	constructor(root, context, done) {
		this.#root = root;
		this.#context = context;
		this.#done = done;
		this.title = el("h2", {});
		const act = (text, hint, run) => el("button", { type: "button", textContent: text, title: hint, onclick: run });
		this.again = act("Cook again", "cook this asset, changed or not", () => this.#again());
		this.tools = el("div", { className: "tools" }, this.again,
			act("Copy path", "path of the source on the disk", () => this.#copy(this.#full(), "the path")),
			act("Copy folder", "path of the folder that the source is in", () => this.#copy(this.#full().replace(/[/\\][^/\\]*$/, ""), "the path of the folder")),
			act("Copy rule", "a rule for cook.toml with the options of this asset", () => this.#rule()),
			act("Close", "close the asset (Escape)", () => this.close()));
		this.tabs = el("nav", { role: "tablist", ariaLabel: "what is shown of the asset" });
		for (const [id, text] of [["look", "Look"], ["why", "Why"]]) {
			const button = el("button", { type: "button", role: "tab", textContent: text, onclick: () => { context.state.set("part", id === "look" ? "" : id); this.#show(); } });
			button.dataset.id = id;
			this.tabs.append(button);
		}
		this.file = el("select", { ariaLabel: "artifact", onchange: () => { context.state.set("file", this.file.value); this.#show(); } });
		this.as = el("select", { ariaLabel: "shown as", onchange: () => { context.state.set("as", this.as.value); this.#show(); } });
		for (const [value, textContent] of [["", "as what it is"], ["text", "as text or bytes"]]) this.as.append(el("option", { value, textContent }));
		this.facts = el("div", { className: "facts dim" });
		this.said = el("pre", { className: "said", hidden: true, role: "status" });
		this.failed = el("div", { className: "failure bad", hidden: true });
		this.body = el("div", { className: "body" });
		root.append(el("div", { className: "ihead" }, this.title, this.tools), el("div", { className: "ibar" }, this.tabs, this.file, this.as, this.facts), this.said, this.failed, this.body);
	}

	// open shows an asset.
	async open(path, target) {
		const turn = ++this.#turn;
		const same = this.#asset && this.#asset.path === path && (this.#asset.target ?? "") === target;
		this.#root.hidden = false;
		if (!same) {
			this.said.hidden = true;
			this.title.textContent = named(path);
			this.#context.state.set("file", "");
		}
		try {
			const asset = await this.#fetch(path, target);
			if (turn !== this.#turn) return;
			this.#asset = asset;
			this.#files();
			await this.#show();
		} catch (e) {
			if (turn !== this.#turn) return;
			this.#asset = null;
			this.#fail(e);
		}
	}

	// look shows it again if it was cooked again.
	async look() {
		const a = this.#asset;
		if (!a || this.#root.hidden) return;
		const turn = this.#turn;
		try {
			const now = await this.#fetch(a.path, a.target ?? "");
			if (turn !== this.#turn || a !== this.#asset || now.seal === a.seal) return; // or another one is being opened
			const changed = now.at !== a.at || now.out !== a.out;
			this.#asset = now;
			if (changed) {
				this.#files();
				this.#show();
			}
		} catch { /* it is gone; what is shown was so */ }
	}

	// fetch gets an asset: its row in the table, and the rest beside it.
	async #fetch(path, target) {
		const { row, ...rest } = await this.#context.get("asset", { path, target });
		return { ...row, ...rest };
	}

	close() {
		if (this.#root.hidden) return;
		this.rest();
		this.#turn++;
		this.#asset = null;
		this.#root.hidden = true;
		this.#context.state.set("asset", "");
		this.#context.state.set("target", "");
		this.#done();
	}

	// rest ends what moves or sounds.
	rest() {
		this.#view?.close();
		this.#view = null;
		this.#shown.abort();
		this.#shown = new AbortController();
		this.body.replaceChildren();
	}

	#full() { return this.#asset.dir + "/" + named(this.#asset.path); }

	#files() {
		const a = this.#asset;
		this.title.textContent = named(a.path) + (a.target ? ` [${a.target}]` : "");
		this.file.replaceChildren(...a.outputs.map(o => el("option", { value: o.path, textContent: named(o.path) })));
		this.file.hidden = a.outputs.length < 2;
		const want = this.#context.state.get("file");
		if (a.outputs.some(o => o.path === want)) this.file.value = want;
		else if (a.recipe === "font") this.file.value = a.outputs.find(o => /\.(json|fnt)$/i.test(o.path))?.path ?? a.outputs[0]?.path ?? "";
		else this.file.value = kinds.map(([kind]) => a.outputs.find(o => kindOf(o.path) === kind)).find(o => o)?.path ?? a.outputs[0]?.path ?? "";
		this.as.value = this.#context.state.get("as");
		this.failed.hidden = !a.failed;
		this.failed.textContent = a.failed ? "failed: " + (a.reasons.at(-1) ?? "") : "";
		const percent = a.in ? ` (${Math.round(100 * a.out / a.in)} %)` : "";
		this.facts.textContent = [a.recipe, `${bytes(a.in)} → ${bytes(a.out)}${percent}`, a.cook_ns ? `cooking takes ${duration(a.cook_ns)}` : "", a.outcome + (a.at ? " " + when(a.at) : "")].filter(Boolean).join(" · ");
	}

	async #show() {
		const a = this.#asset;
		if (!a) return;
		this.rest();
		const turn = ++this.#turn;
		const part = this.#context.state.get("part", "look");
		for (const b of this.tabs.children) b.setAttribute("aria-selected", String(b.dataset.id === part));
		this.file.hidden = part !== "look" || a.outputs.length < 2;
		this.as.hidden = part !== "look";
		try {
			if (part === "why") {
				const text = await explanation(a, this.#context, () => this.#explain(a));
				if (turn === this.#turn) this.body.replaceChildren(text);
				return;
			}
			const output = a.outputs.find(o => o.path === this.file.value) ?? null;
			let kind = this.as.value || kindOf(output?.path ?? a.path);
			if (!this.as.value && a.recipe === "font" && ending(output?.path ?? "") === "json") kind = "font"; // the metrics
			if (kind === "texture" && !output) kind = "text"; // a source
			const module = await import(`./${kind}.js`);
			if (turn !== this.#turn) return;
			const root = el("div", { className: "inspect " + kind });
			root.dataset.asset = a.path;
			this.body.replaceChildren(root);
			const asset = {
				path: a.path, target: a.target ?? "", recipe: a.recipe, options: a.options, source: { path: a.path, size: a.in }, outputs: a.outputs, output,
			};
			const view = await module.mount(root, asset, this.#api(a));
			if (turn !== this.#turn) view.close();
			else this.#view = view;
		} catch (e) {
			if (turn === this.#turn) this.#fail(e);
		}
	}

	#fail(e) { this.body.replaceChildren(el("p", { className: "bad", textContent: e.message })); }

	// api is what modules of kinds may ask for.
	#api(a) {
		const of = { asset: a.path, target: a.target ?? "" };
		const { app, state } = this.#context;
		const dark = matchMedia("(prefers-color-scheme: dark)");
		return {
			get: async (kind, body, signal) => parts(await this.#context.bytes(kind, { ...of, ...body }, signal)),
			// the server answers with some of them at a time
			bytes: async ({ from, to, ...body }, signal) => {
				const all = [];
				while (from < to) {
					const some = new Uint8Array(await this.#context.bytes("bytes", { ...of, ...body, from, to }, signal));
					if (some.length === 0) break;
					all.push(some);
					from += some.length;
				}
				return all.length === 1 ? all[0].buffer : new Blob(all).arrayBuffer();
			},
			state,
			explain: () => this.#explain(a),
			get palette() { return app.palette; },
			onTheme: f => dark.addEventListener("change", f, { signal: this.#shown.signal }),
		};
	}

	// explain asks the program why the asset is as it is; null if it does not say.
	async #explain(a) {
		const all = await this.#context.post("why", { path: a.path });
		return all.find(e => (e.target ?? "") === (a.target ?? "")) ?? null;
	}

	async #again() {
		this.again.disabled = true;
		this.#say("cooking …");
		try {
			const { code, text } = await this.#context.post("cook", { path: this.#asset.path });
			this.#say(text.trim() || (code === 0 ? "done" : `exit code ${code}`), code !== 0);
			await this.look();
		} catch (e) {
			this.#say(e.message, true);
		} finally {
			this.again.disabled = false;
		}
	}

	#say(text, bad = false) {
		this.said.hidden = false;
		this.said.className = bad ? "said bad" : "said";
		this.said.textContent = text;
	}

	async #copy(text, what) {
		try {
			await navigator.clipboard.writeText(text);
			this.#say(`${what} is in the clipboard`);
		} catch {
			this.#say(text); // where the browser has no clipboard for pages
		}
	}

	// rule copies a rule for this asset alone: options that differ from the defaults as they
	// are, the others as comments.
	async #rule() {
		const a = this.#asset;
		const lines = ["[[rule]]", `match = ${JSON.stringify("/" + named(a.path).replace(/[\\*?[\]{}]/g, "\\$&"))}`];
		try {
			const e = await this.#explain(a);
			for (const o of e?.choices.options ?? []) {
				if (o.key === "recipe") lines.push(`recipe = ${JSON.stringify(o.value.split(" ")[0])}`);
				else lines.push(`${o.from === "default" ? "# " : ""}${o.key} = ${o.value}`);
			}
		} catch {
			lines.push(`recipe = ${JSON.stringify(a.recipe)}`, ...Object.entries(a.options).map(([key, value]) => `# ${key} = ${value}`));
		}
		this.#copy(lines.join("\n") + "\n", `a rule of ${count(lines.length)} lines`);
	}
}
