// What is under the pointer, beside it.

import { el } from "./timeline-dom.js";
import { count, duration, exact, moment } from "./timeline-text.js";

export class Tip {
	#shown = null;

	constructor(line) {
		this.line = line;
		this.root = el("div", { className: "tl-tip", hidden: true });
	}

	hide() {
		this.line.hover = this.#shown = null;
		this.root.hidden = true;
	}

	// update looks for what is under the pointer now: it or the rows may have moved.
	update() {
		const { line, root } = this, { pointer } = line;
		const span = pointer && !line.dragged && pointer.y >= 0 ? line.hitAt(pointer.x, pointer.y) : null;
		if (!span) {
			if (this.#shown) this.hide();
			return;
		}
		line.hover = span;
		const last = this.#shown;
		if (!last || last.start !== span.start || last.dur !== span.dur || last.row !== span.row || last.depth !== span.depth || last.count !== span.count) {
			root.replaceChildren(...this.#rows(span));
			root.hidden = false;
			this.#shown = span;
		}
		const left = line.canvas.offsetLeft, top = line.scroller.offsetTop;
		const w = root.offsetWidth, h = root.offsetHeight;
		let x = left + pointer.x + 14, y = top + pointer.y + 16;
		if (x + w > line.root.clientWidth) x = Math.max(0, left + pointer.x - w - 10);
		if (y + h > line.root.clientHeight) y = Math.max(0, top + pointer.y - h - 10);
		root.style.transform = `translate(${x}px, ${y}px)`;
	}

	#rows(span) {
		const dim = text => el("div", { className: "dim", textContent: text });
		const rows = [el("b", { textContent: span.name })];
		if (span.detail) rows.push(el("div", { textContent: span.detail }));
		if (span.instant) rows.push(dim(`instant at ${moment(span.start)}`));
		else if (span.count > 1) rows.push(el("div", { textContent: `${count(span.count)} spans within ${duration(span.dur)}, too narrow to tell apart: zoom in` }));
		else {
			const long = duration(span.dur), all = exact(span.dur);
			rows.push(el("div", { textContent: span.open ? `open: it began ${long} before the end` : long === all ? long : `${long} (${all})` }));
			rows.push(dim(`from ${moment(span.start)}`));
		}
		rows.push(dim(this.line.rows.get(span.row)?.name ?? ""));
		return rows;
	}
}
