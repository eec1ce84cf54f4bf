// Textures by what encoding lost, compared with their sources while this is looked at.

import { bytes, count, el } from "../../format.js";
import { named } from "./names.js";

export class Losses {
	root = el("div", { className: "losses", hidden: true });
	#context;
	#shown = "";
	#asking = false;

	constructor(context) {
		this.#context = context;
		this.caption = el("caption", { className: "dim", role: "status" });
		this.body = el("tbody");
		const heads = [["texture", ""], ["PSNR in dB", "n"], ["format", ""], ["bytes", "n"], ["", ""]];
		this.root.append(el("table", {}, this.caption, el("thead", {}, el("tr", {}, ...heads.map(([textContent, className]) => el("th", { textContent, className, scope: "col" })))), this.body));
	}

	show() { this.look(); }

	async look() {
		if (this.root.hidden || this.#asking) return;
		this.#asking = true;
		try {
			const { of, done, known, rows } = await this.#context.post("losses", {});
			this.caption.className = "dim";
			this.caption.textContent = of === 0 ? "There are no textures." :
				`${count(done)} of ${count(of)} textures were compared with their sources, the largest first; ${count(known)} have a PSNR. ` +
				"30 dB can be seen; beyond 45 dB hardly anything can.";
			this.root.dataset.done = done === of;
			const key = JSON.stringify(rows);
			if (key !== this.#shown) this.body.replaceChildren(...rows.map(r => this.#row(r)));
			this.#shown = key;
		} catch (e) {
			this.caption.className = "bad";
			this.caption.textContent = e.message;
		} finally {
			this.#asking = false;
		}
	}

	#row(r) {
		const link = el("button", { type: "button", className: "link", title: named(r.output), textContent: named(r.path) + (r.target ? ` [${r.target}]` : "") });
		link.onclick = () => this.#context.follow(r.path, r.target ?? "");
		return el("tr", {}, el("td", {}, link), el("td", { className: r.psnr < 30 && r.psnr ? "n warn" : "n", textContent: r.psnr ? r.psnr.toFixed(2) : "–" }),
			el("td", { textContent: r.format ?? "" }), el("td", { className: "n", textContent: bytes(r.bytes) }), el("td", { className: "dim", textContent: r.note ?? "" }));
	}
}
