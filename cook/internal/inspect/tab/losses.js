// Textures by what encoding lost, compared with their sources while this is looked at.

import { bytes, count, el, field } from "../../format.js";
import { named } from "./names.js";

const columns = [
	{ key: "path", title: "texture" },
	{ key: "role", title: "role" },
	{ key: "format", title: "format" },
	{ key: "size", title: "size", number: true },
	{ key: "", title: "PSNR in dB", number: true },
	{ key: "angle", title: "angle in °", number: true, hint: "mean angle between the normals of source and texture" },
	{ key: "coverage", title: "coverage", number: true, hint: "most that a level's share of drawn pixels is off by, where option coverage is set" },
	{ key: "bytes", title: "bytes", number: true },
];

export class Losses {
	root = el("div", { className: "losses", hidden: true });
	#context;
	#shown = "";
	#asking = false;
	#again = false;

	constructor(context) {
		this.#context = context;
		this.caption = el("caption", { className: "dim", role: "status" });
		this.body = el("tbody");
		this.role = this.#choice("role");
		this.format = this.#choice("format");
		const head = el("tr", {}, ...columns.map(c => {
			c.head = el("th", { className: c.number ? "n" : "", scope: "col", title: c.hint ?? "" },
				el("button", { type: "button", className: "link", textContent: c.title, onclick: () => this.#sort(c.key) }));
			return c.head;
		}), el("th", { scope: "col" }));
		this.root.append(el("div", { className: "bar" }, field("role", this.role), field("format", this.format)),
			el("table", {}, this.caption, el("thead", {}, head), this.body));
	}

	#choice(key) {
		const select = el("select", { ariaLabel: key, title: key });
		select.append(el("option", { value: "", textContent: "all" }));
		select.onchange = () => { this.#context.state.set("loss." + key, select.value, true); this.look(); };
		return select;
	}

	#sort(key) {
		const state = this.#context.state;
		const same = state.get("loss.sort") === key;
		state.set("loss.down", same && !state.get("loss.down") ? "1" : "", true);
		state.set("loss.sort", key);
		this.look();
	}

	show() { this.look(); }

	async look() {
		if (this.root.hidden) return;
		if (this.#asking) {
			this.#again = true;
			return;
		}
		this.#asking = true;
		const state = this.#context.state;
		const query = { role: state.get("loss.role"), format: state.get("loss.format"), sort: state.get("loss.sort"), down: state.get("loss.down") !== "" };
		try {
			const { of, done, known, matched, rows, roles, formats } = await this.#context.post("losses", query);
			this.caption.className = "dim";
			this.caption.textContent = of === 0 ? "There are no textures." :
				`${count(done)} of ${count(of)} textures were compared with their sources, the largest first; ${count(known)} have a PSNR. ` +
				"30 dB can be seen; beyond 45 dB hardly anything can." + (matched > rows.length ? ` The first ${count(rows.length)} of ${count(matched)} are listed.` : "");
			this.root.dataset.done = done === of;
			fill(this.role, roles, query.role);
			fill(this.format, formats, query.format);
			for (const c of columns) c.head.ariaSort = c.key !== query.sort ? "none" : query.down ? "descending" : "ascending";
			const key = JSON.stringify(rows);
			if (key !== this.#shown) this.body.replaceChildren(...rows.map(r => this.#row(r)));
			this.#shown = key;
		} catch (e) {
			this.caption.className = "bad";
			this.caption.textContent = e.message;
		} finally {
			this.#asking = false;
			if (this.#again) {
				this.#again = false;
				this.look();
			}
		}
	}

	#row(r) {
		const link = el("button", { type: "button", className: "link", title: named(r.output), textContent: named(r.path) + (r.target ? ` [${r.target}]` : "") });
		link.onclick = () => this.#context.follow(r.path, r.target ?? "");
		const number = (text, bad) => el("td", { className: bad ? "n warn" : "n", textContent: text });
		return el("tr", {}, el("td", {}, link), el("td", { textContent: r.role ?? "", title: r.role_why ?? "" }), el("td", { textContent: r.format ?? "" }),
			number(r.width ? `${r.width} × ${r.height}, ${count(r.levels)} ${r.levels === 1 ? "level" : "levels"}` : ""),
			number(r.psnr === null ? "–" : r.psnr.toFixed(2), r.psnr !== null && r.psnr < 30),
			number(r.angle === undefined ? "" : r.angle.toFixed(2)), number(r.coverage === undefined ? "" : `${(100 * r.coverage).toFixed(1)} %`),
			number(bytes(r.bytes)), el("td", { className: "dim", textContent: r.note ?? r.role_why ?? "", title: r.note ?? r.role_why ?? "" }));
	}
}

// fill lists what can be chosen, and what is chosen even if there is none of it.
function fill(select, choices, chosen) {
	const all = choices.filter(c => c.name);
	if (chosen && !all.some(c => c.name === chosen)) all.push({ name: chosen, assets: 0 });
	const key = JSON.stringify(all);
	if (select.dataset.filled !== key) {
		select.replaceChildren(el("option", { value: "", textContent: "all" }),
			...all.map(c => el("option", { value: c.name, textContent: `${c.name} (${count(c.assets)})` })));
		select.dataset.filled = key;
	}
	select.value = chosen;
}
