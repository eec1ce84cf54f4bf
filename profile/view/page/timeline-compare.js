// Two recordings beside each other: by scope, and by asset and scope.

import { Table, button, el } from "./timeline-dom.js";
import { colors, colorOf } from "./timeline-color.js";
import { count, duration, exact } from "./timeline-text.js";

const none = { count: 0, total: 0 };

export class Compare {
	#answer = null;
	#stop = null;
	#by = "scopes";

	constructor(app, on) {
		this.app = app;
		const side = (which, title) => [
			{ key: which + "count", title: `${title} count`, number: true, by: r => r[which].count, text: r => count(r[which].count) },
			{ key: which + "total", title: `${title} total`, number: true, by: r => r[which].total, text: r => duration(r[which].total), hint: r => exact(r[which].total) },
		];
		const columns = [
			{ key: "name", title: "scope", text: r => r.name, color: r => colors(app.palette).fill[colorOf(r.name)] },
			...side("a", "A"), ...side("b", "B"),
			{ key: "difference", title: "B − A", help: "difference of the totals", number: true, by: r => r.b.total - r.a.total, text: r => (r.b.total > r.a.total ? "+" : "") + duration(r.b.total - r.a.total), hint: r => exact(r.b.total - r.a.total) },
			{ key: "counts", title: "count B − A", help: "difference of the counts", number: true, by: r => r.b.count - r.a.count, text: r => (r.b.count > r.a.count ? "+" : "") + count(r.b.count - r.a.count) },
			{ key: "ratio", title: "B / A", help: "ratio of the totals", number: true, by: ratio, text: r => ratioText(ratio(r)) },
		];
		const assets = [{ key: "detail", title: "asset", text: r => r.detail || "(none)" }, { ...columns[0], color: undefined }, ...columns.slice(1)];
		const options = () => ({ sort: { key: "difference", down: true }, click: r => on.show(r), most: 1000 });
		this.scopes = new Table("Both recordings by scope", columns, options());
		this.assets = new Table("Both recordings by asset and scope", assets, options());
		const choice = label => el("select", { "aria-label": label, onchange: () => on.pick(Number(this.a.value), Number(this.b.value)) },
			...app.info.recordings.map((r, i) => el("option", { value: String(i), textContent: r.name })));
		this.a = choice("Recording A");
		this.b = choice("Recording B");
		this.search = el("input", { type: "search", placeholder: "name or asset", "aria-label": "Search what is compared", oninput: () => this.#show() });
		this.byScope = button("By scope", "", () => on.by("scopes"));
		this.byAsset = button("By asset", "", () => on.by("assets"));
		this.state = el("span", { className: "dim", role: "status" });
		const close = button("✕", "close", () => on.close());
		close.className = "tl-close";
		close.setAttribute("aria-label", "Close the comparison");
		this.head = el("div", { className: "tl-head" }, el("h2", { textContent: "Compare" }), el("label", {}, "A ", this.a), el("label", {}, "B ", this.b), this.byScope, this.byAsset, this.search, this.state, close);
		this.body = el("div", { className: "tl-left", tabIndex: -1 });
		this.root = el("section", { className: "tl-panel tl-compare", hidden: true, "aria-label": "Comparison" }, this.head, this.body);
	}

	async open(a, b, by) {
		this.root.hidden = false;
		this.a.value = String(a);
		this.b.value = String(b);
		this.#choose(by === "assets" ? "assets" : "scopes");
		if (this.#answer?.a === a && this.#answer.b === b) return;
		this.#stop?.abort();
		const stop = this.#stop = new AbortController();
		this.state.textContent = "…";
		try {
			const got = await this.app.server.get("api/compare", { a, b }, stop.signal);
			const both = list => (list ?? []).map(r => ({ ...r, detail: r.detail ?? "", a: r.a ?? none, b: r.b ?? none }));
			this.#answer = { a, b, scopes: both(got.scopes), assets: both(got.assets), more: got.more ?? 0 };
			this.#show();
		} catch (e) {
			if (e.name !== "AbortError") this.state.textContent = e.message;
		}
	}

	close() {
		this.#stop?.abort();
		this.root.hidden = true;
	}

	redraw() { this.#show(); }

	#choose(by) {
		this.#by = by;
		this.byScope.setAttribute("aria-pressed", String(by === "scopes"));
		this.byAsset.setAttribute("aria-pressed", String(by === "assets"));
		this.body.replaceChildren(by === "scopes" ? this.scopes.root : this.assets.root);
		this.#show();
	}

	#show() {
		const got = this.#answer;
		if (!got) return;
		const q = this.search.value.trim().toLowerCase();
		const found = got[this.#by].filter(r => !q || r.name.toLowerCase().includes(q) || r.detail.toLowerCase().includes(q));
		this[this.#by].set(found);
		const more = got.more ? `; ${count(got.more)} more of both kinds differ by less and are left out` : "";
		this.state.textContent = `${count(found.length)} ${this.#by} differ${more}`;
	}
}

const ratio = r => r.a.total ? r.b.total / r.a.total : r.b.total ? Infinity : 1;
const ratioText = v => v === Infinity ? "new" : v === 0 ? "gone" : `${v.toPrecision(3)} ×`;
