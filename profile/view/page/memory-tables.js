// Tables of groups with their budgets, pools, sizes, and changes.

import { bytes, change, count, el, grew } from "./format.js";

function table(titles, rows) {
	const cells = (name, list) => el("tr", {}, ...list.map(c => c instanceof Node ? el(name, {}, c) : el(name, { className: c.kind ?? "", textContent: c.text ?? c, title: c.title ?? "" })));
	return el("table", {}, el("thead", {}, cells("th", titles)), el("tbody", {}, ...rows.map(r => cells("td", r))));
}

const num = (text, title = "", kind = "") => ({ text, title, kind: "n " + kind });
const size = n => num(bytes(n), count(n) + " bytes");
const often = n => num(n ? count(n) : "", "", n ? "warn" : "");

export class Groups {
	root = el("div", { className: "scroll groups" });

	set(summary, two) {
		const titles = ["group", "budget", num("held"), ...(two ? [num("was"), num("change")] : []), num("count"), num("peak"), num("exceeded"), num("refused"), num("waited")];
		const rows = summary.groups.map(g => [
			{ text: g.name + (g.parents ? " < " + g.parents : ""), title: g.name + (g.parents ? ", a part of " + g.parents : "") }, budget(g), size(g.bytes),
			...(two ? [size(g.was.bytes), num(change(g.bytes - g.was.bytes, bytes), "", grew(g.bytes - g.was.bytes))] : []),
			num(count(g.count)), size(g.peak), often(g.exceeded), often(g.refused ?? 0), often(g.waited ?? 0),
		]);
		this.root.replaceChildren(table(titles, rows));
	}
}

// budget draws what is held and was held at most, against the line of the budget.
function budget(g) {
	if (!g.budget) return el("span", { className: "dim", textContent: "none" });
	const scale = Math.max(g.budget, g.peak, g.bytes) * 1.05, at = n => 100 * n / scale + "%";
	const box = el("span", { className: "budget" + (g.bytes > g.budget ? " over" : ""), title: `${bytes(g.bytes)} held, ${bytes(g.peak)} peak, of a budget of ${bytes(g.budget)}` }, el("i", { className: "peak" }), el("i", { className: "held" }), el("i", { className: "limit" }));
	const [peak, held, limit] = box.children;
	peak.style.width = at(g.peak);
	held.style.width = at(g.bytes);
	limit.style.left = at(g.budget);
	return el("span", { className: "budgeted" }, box, el("span", { textContent: `${Math.round(100 * g.bytes / g.budget)}% of ${bytes(g.budget)}` }));
}

export class Pools {
	root = el("div", { className: "scroll" });

	constructor(memory) { this.memory = memory; }

	set({ usage: u }) {
		const share = (n, of) => num(of > 0 ? `${Math.round(100 * n / of)}%` : "", "");
		const pools = table(["pool", "type", num("held"), num("count"), num("peak"), num("rounding"), num("of it")], (u.pools ?? []).map(p => [
			p.group + (p.name ? "/" + p.name : ""), { text: [p.type, p.lifetime].filter(Boolean).join(", "), kind: "dim" }, size(p.bytes), num(count(p.count)), p.peak ? size(p.peak) : num(""), size(p.rounding), share(p.rounding, p.bytes + p.rounding),
		]));
		const most = Math.max(1, ...(u.sizes ?? []).map(s => s.capacity * (s.live + s.kept)));
		const sizes = table([num("size of a slice"), num("held"), num("kept"), "bytes, held and kept"], (u.sizes ?? []).map(s => {
			const bar = el("span", { className: "sizes", title: `${bytes(s.capacity * s.live)} held, ${bytes(s.capacity * s.kept)} kept for reuse` }, el("i", { className: "held" }), el("i", { className: "kept" }));
			bar.children[0].style.width = 100 * s.capacity * s.live / most + "%";
			bar.children[1].style.width = 100 * s.capacity * s.kept / most + "%";
			return [size(s.capacity), num(count(s.live)), num(s.kept ? count(s.kept) : ""), bar];
		}));
		this.root.replaceChildren(el("h3", { textContent: "Pools" }), pools, el("h3", { textContent: "Sizes: what is held, and kept for reuse" }), sizes);
	}
}

const kinds = [["leaks", "Leaks", "new and still held, in pools that are not permanent"], ["new", "New", "leaks, and what is new in permanent pools"], ["changed", "Changed", "with another size or owner"], ["gone", "Gone", "given back since"]];

export class Changes {
	root = el("div", { className: "scroll" });
	#memory; #turn = 0;

	constructor(memory) { this.#memory = memory; }

	none() { this.#turn++; this.#say("Choose an earlier snapshot to compare with (c)."); }
	#say(text) { this.root.replaceChildren(el("p", { className: "dim", textContent: text })); }

	async load(fresh) {
		const turn = ++this.#turn;
		try {
			const d = await this.#memory.app.server.get("api/memory/diff", { a: this.#memory.base, b: this.#memory.snap, fresh: fresh ? "1" : "" });
			if (turn !== this.#turn) return;
			this.root.replaceChildren(...kinds.flatMap(([id, title, says]) => this.#part(id, title, says, d[id])));
		} catch (e) {
			if (turn === this.#turn) this.#say(e.message);
		}
	}

	#part(id, title, says, part) {
		const head = el("h3", { className: id === "leaks" && part.count ? "bad" : "" }, `${title}: ${count(part.count)} with ${bytes(part.bytes)} `, el("span", { className: "dim", textContent: says + " " }));
		if (part.count === 0) return [head];
		head.append(el("button", { type: "button", textContent: "List", title: "These, one by one", onclick: () => { this.#memory.set("change", id); this.#memory.panel("list"); } }));
		const rows = part.places.map(p => [size(p.bytes), num(count(p.count)), p.group + (p.name ? "/" + p.name : ""), { text: p.scope, title: p.scope }, { text: p.site ?? "", kind: "mono" }]);
		if (part.more) rows.push(["", "", { text: `and ${count(part.more)} more places`, kind: "dim" }, "", ""]);
		return [head, table([num("size"), num("count"), "pool", "scope", "allocated at"], rows)];
	}
}
