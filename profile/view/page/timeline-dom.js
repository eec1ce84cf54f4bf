// Small pieces of page that the time line is made of.

export function el(tag, props = {}, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props)) {
		if (key.startsWith("aria-") || key === "role") e.setAttribute(key, value);
		else e[key] = value;
	}
	e.append(...children);
	return e;
}

export function button(text, title, onclick) {
	return el("button", { type: "button", textContent: text, title, onclick });
}

// Table is a table that sorts by its columns: { key, title, number, text: row => string,
// by: row => value, hint: row => string, help }. The first column is what a row is called and what is clicked.
export class Table {
	#columns;
	#rows = [];
	#order;
	#most;
	#body = el("tbody");
	#foot = el("caption");

	constructor(label, columns, { sort, click, most = 500 }) {
		this.#columns = columns;
		this.#order = sort;
		this.#most = most;
		this.click = click;
		this.head = el("tr");
		for (const c of columns) {
			const b = button(c.title, c.help ?? `sort by ${c.title}`, () => this.#sortBy(c));
			this.head.append(el("th", { className: c.number ? "n" : "", scope: "col" }, b));
		}
		this.root = el("table", { className: "tl-table", "aria-label": label }, this.#foot, el("thead", {}, this.head), this.#body);
	}

	get order() { return this.#order; }
	get rows() { return this.#rows; }

	set(rows, chosen = null) {
		this.#rows = rows;
		this.chosen = chosen;
		this.#show();
	}

	#sortBy(c) {
		if (this.#order.key === c.key) this.#order.down = !this.#order.down;
		else this.#order = { key: c.key, down: Boolean(c.number) };
		this.#show();
	}

	#show() {
		const c = this.#columns.find(c => c.key === this.#order.key) ?? this.#columns[0];
		const value = c.by ?? c.text;
		const sign = this.#order.down ? -1 : 1;
		const less = (a, b) => {
			const x = value(a), y = value(b);
			return sign * (c.number ? x - y || 0 : x < y ? -1 : x > y ? 1 : 0);
		};
		const rows = this.#rows.toSorted(less);
		for (const [i, th] of [...this.head.children].entries()) {
			const mine = this.#columns[i] === c;
			th.setAttribute("aria-sort", mine ? (this.#order.down ? "descending" : "ascending") : "none");
		}
		const at = this.#body.contains(document.activeElement) ? document.activeElement.closest("tr").sectionRowIndex : -1;
		this.#body.replaceChildren(...rows.slice(0, this.#most).map(r => this.#row(r)));
		// the focus stays where it was
		if (at >= 0) (this.#body.querySelector("[aria-current] button") ?? this.#body.rows[at]?.querySelector("button"))?.focus();
		this.#foot.textContent = rows.length > this.#most ? `the first ${this.#most} of ${rows.length.toLocaleString("en-US")}` : "";
	}

	#row(r) {
		const tr = el("tr");
		if (this.chosen?.(r)) tr.setAttribute("aria-current", "true");
		for (const [i, c] of this.#columns.entries()) {
			const td = el("td", { className: c.number ? "n" : "" });
			if (i === 0) {
				const b = button("", c.hint?.(r) ?? c.text(r), () => this.click(r));
				b.append(el("span", { className: "tl-end" }, el("bdi", { textContent: c.text(r) })));
				if (c.color) {
					const mark = el("i", { className: "tl-mark" });
					mark.style.background = c.color(r);
					b.prepend(mark);
				}
				td.append(b);
			} else {
				td.textContent = c.text(r);
				if (c.hint) td.title = c.hint(r);
				if (c.share) td.style.setProperty("--share", `${Math.min(100, 100 * c.share(r))}%`);
				if (c.share) td.classList.add("tl-share");
			}
			tr.append(td);
		}
		tr.onclick = e => { if (!e.target.closest("button")) this.click(r); };
		return tr;
	}
}

// sized makes the bitmap of a canvas as large as it is shown, and returns its context
// scaled to the pixels of the page, and its width and height.
export function sized(canvas) {
	const ratio = devicePixelRatio || 1;
	const w = canvas.clientWidth, h = canvas.clientHeight;
	const bw = Math.max(1, Math.round(w * ratio)), bh = Math.max(1, Math.round(h * ratio));
	if (canvas.width !== bw) canvas.width = bw;
	if (canvas.height !== bh) canvas.height = bh;
	const ctx = canvas.getContext("2d");
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	return { ctx, w, h };
}
