// The tab of assets: a table of them, or of the runs, and beside it the one that is open.
// Its state in the URL has keys that begin with "a.".

import { el } from "../../format.js";
import { Inspector } from "./inspector.js";
import { Losses } from "./losses.js";
import { Runs } from "./runs.js";
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
	};
	const inspector = new Inspector(right, context, () => table.focus());
	const table = new Table(context);
	const runs = new Runs(context);
	const losses = new Losses(context);
	const views = { table, runs, losses };
	const nav = el("nav", { role: "tablist", ariaLabel: "what is listed" });
	const buttons = {};
	for (const [id, text] of [["table", "All assets"], ["runs", "Runs"], ["losses", "Textures by loss"]]) {
		buttons[id] = el("button", { type: "button", role: "tab", textContent: text, onclick: () => show(id, true) });
		nav.append(buttons[id]);
	}
	left.append(nav, table.root, runs.root, losses.root);
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
		if (seen && !document.hidden) { runs.look(); losses.look(); inspector.look(); }
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
