// The tab of assets: a table of assets, or a part of the report, and beside it the open asset.
// Its state in the URL has keys that begin with "a.".

import { el } from "../../format.js";
import { Inspector } from "./inspector.js";
import { Section } from "./section.js";
import { Table } from "./table.js";

const api = "tabs/assets/api/";

export function mount(root, app) {
	root.classList.add("assets");
	const left = el("div", { className: "left" });
	const right = el("div", { className: "right", hidden: true });
	root.append(left, right);
	const state = {
		get: (key, otherwise = "") => app.state.get("a." + key, otherwise),
		set: (key, value, push) => app.state.set("a." + key, value, push),
	};
	const context = {
		app, state,
		get: (what, params, signal) => app.server.get(api + what, params, signal),
		post: (what, body) => app.server.post(api + what, body),
		bytes: (what, body, signal) => app.server.bytes(api + what, body, signal),
		// follow opens an asset.
		follow(path, target = "", push = true) {
			state.set("asset", path, push);
			state.set("target", target);
			inspector.open(path, target);
		},
		// among shows the assets that a run worked on.
		among(run) {
			state.set("run", run);
			show("table", true);
			table.read();
		},
		// list shows a list, from a table on.
		list(id, at) {
			show(id, true);
			views[shown].reveal?.(at);
		},
	};
	const inspector = new Inspector(right, context, () => table.focus());
	const table = new Table(context);
	const views = { table };
	for (const list of ["last", "where", "growth", "runs"]) views[list] = new Section(context, list, state => context.get("report", { list, state }));
	views.losses = new Section(context, "losses", state => context.post("losses", { state }));
	const nav = el("nav", { role: "tablist", ariaLabel: "what is listed" });
	const buttons = {};
	for (const [id, text] of [["table", "All assets"], ["last", "Last cook"], ["where", "Bytes and time"], ["growth", "Growth and warnings"], ["runs", "Runs"], ["losses", "Textures by loss"]]) {
		buttons[id] = el("button", { type: "button", role: "tab", textContent: text, onclick: () => show(id, true) });
		nav.append(buttons[id]);
	}
	left.append(nav, ...Object.values(views).map(v => v.root));
	let shown = "";
	function show(id, push = false) {
		if (!views[id]) id = "table";
		if (push) state.set("list", id === "table" ? "" : id);
		for (const [name, v] of Object.entries(views)) {
			v.root.hidden = name !== id;
			buttons[name].setAttribute("aria-selected", String(name === id));
		}
		shown = id;
		views[id].show();
	}
	app.key("j", "next asset", () => table.step(1), "assets");
	app.key("k", "previous asset", () => table.step(-1), "assets");
	app.key("r", "runs, or all assets", () => show(shown === "runs" ? "table" : "runs", true), "assets");
	app.key("l", "textures by what they lost, or all assets", () => show(shown === "losses" ? "table" : "losses", true), "assets");
	app.key("Escape", "close the asset", () => inspector.close(), "assets");

	// What a run has changed is seen within a second.
	let timer = 0, seen = false;
	const look = () => {
		table.look(); // also while hidden: the window's title shows failures
		if (!seen || document.hidden) return;
		if (shown !== "table") views[shown].look();
		inspector.look();
	};
	return {
		show() {
			table.restore();
			show(state.get("list", "table"));
			const asset = state.get("asset");
			if (asset) inspector.open(asset, state.get("target"));
			else inspector.close();
			seen = true;
			timer ||= setInterval(look, 1000);
		},
		hide() {
			seen = false;
			inspector.rest();
		},
	};
}
