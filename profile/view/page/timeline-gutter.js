// The names of the rows that are seen, beside them; each is a button that folds its row.

import { el } from "./timeline-dom.js";
import { axisHeight } from "./timeline-axis.js";

export class Gutter {
	root = el("div", { className: "tl-gutter" });

	constructor(line) { this.line = line; }

	draw(scroll, h) {
		const { rows } = this.line;
		const seen = [];
		for (let n = rows.from(scroll); n < rows.list.length && rows.list[n].top - scroll < h; n++) seen.push(rows.list[n]);
		while (this.root.children.length > seen.length) this.root.lastChild.remove();
		while (this.root.children.length < seen.length) {
			const b = el("button", { type: "button" });
			b.onclick = () => this.line.fold(b.row);
			this.root.append(b);
		}
		for (const [i, r] of seen.entries()) {
			const b = this.root.children[i];
			const text = `${r.folded ? "▸" : "▾"} ${r.name || "row " + r.row}`;
			if (b.textContent !== text) {
				b.textContent = text;
				b.title = r.name;
			}
			b.row = r.row;
			b.setAttribute("aria-expanded", String(!r.folded));
			b.style.transform = `translateY(${r.top - scroll + axisHeight}px)`;
			b.style.height = `${Math.max(r.height, 14)}px`;
			b.classList.toggle("tl-folded", r.folded);
		}
	}
}
