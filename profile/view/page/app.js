// The frame of the page: tabs, keys, the line of status. Each tab is a module with
//
//	export const tab = { id, title, shown: info => boolean, mount: (root, app) => ({ show(), hide() }) }
//
// and gets what it needs in app: info, state, server, keys, palette, say, status, open.

import { Console } from "./console.js";
import { Server } from "./server.js";
import { State } from "./state.js";
import { tab as counters } from "./counters.js";
import { tab as timeline } from "./timeline.js";
import { tab as memory } from "./memory.js";

// A page of files begins with what they are made for.
const tabsOf = info => info.recordings?.some(r => r.live) || !info.recordings?.length ? [counters, timeline, memory] : [timeline, counters, memory];

// added loads a tab that the program itself has added.
async function added({ id, title, style }) {
	if (style) {
		const link = document.createElement("link");
		link.rel = "stylesheet";
		link.href = `tabs/${id}/tab.css`;
		document.head.append(link);
	}
	const { mount } = await import(`./tabs/${id}/tab.js`);
	return { id, title, shown: () => true, mount };
}

class App {
	state = new State();
	server = new Server(() => this.state.token);
	info = {};
	console = null;
	#keys = new Map(); // key -> { text, run, tab }
	#shown = new Map(); // id -> { button, root, view }
	#status = new Map(); // who -> text
	#palette = null;

	async start() {
		this.info = await this.server.get("api/info");
		document.title = this.info.title;
		document.getElementById("title").textContent = this.info.title;
		this.console = new Console(this);
		const there = [...await Promise.all(this.info.tabs.map(added)), ...tabsOf(this.info).filter(t => t.shown(this.info))];
		for (const [i, t] of there.entries()) this.#add(t, i + 1);
		if (there.length === 0) this.status("page", "there is nothing to see: the handler has no sources", "bad");
		addEventListener("keydown", e => this.#press(e));
		document.getElementById("keys").onclick = () => this.#help();
		this.key("?", "this help", () => this.#help());
		this.key("/", "search", () => document.querySelector(".view:not([hidden]) input[type=search]")?.focus());
		this.key("`", "console", () => document.getElementById("line").focus());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.#palette = null; this.#current()?.view?.show?.(); });
		this.state.onChange(() => this.open(this.state.get("tab", there[0]?.id), true));
		if (there.length) this.open(this.state.get("tab", there[0].id), true);
		document.body.dataset.ready = "true";
	}

	#add(t, number) {
		const button = document.createElement("button");
		button.type = "button";
		button.role = "tab";
		button.id = "tab-" + t.id;
		button.textContent = t.title;
		button.onclick = () => this.open(t.id);
		document.getElementById("tabs").append(button);
		const root = document.createElement("section");
		root.className = "view";
		root.id = "view-" + t.id;
		root.hidden = true;
		root.setAttribute("aria-labelledby", button.id);
		document.getElementById("main").append(root);
		this.#shown.set(t.id, { tab: t, button, root, view: null });
		this.key(String(number), t.title.toLowerCase(), () => this.open(t.id));
	}

	// open shows a tab.
	open(id, again = false) {
		if (!this.#shown.has(id)) id = this.#shown.keys().next().value;
		const before = this.#current();
		const now = this.#shown.get(id);
		if (before === now && !again) return now.view;
		for (const [name, s] of this.#shown) {
			s.root.hidden = name !== id;
			s.button.setAttribute("aria-selected", String(name === id));
		}
		if (before && before !== now) before.view?.hide?.();
		if (before !== now || !again) this.state.set("tab", id, !again);
		now.view ??= now.tab.mount(now.root, this);
		now.view.show?.();
		return now.view;
	}

	#current() {
		for (const s of this.#shown.values()) if (!s.root.hidden) return s;
		return null;
	}

	// key makes a key do something, everywhere or where a tab is shown.
	key(key, text, run, tab = "") { this.#keys.set(tab + " " + key, { key, text, run, tab }); }

	#press(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.("input, select, textarea, dialog *")) return;
		if ((e.key === " " || e.key === "Enter") && e.target.matches?.("button, summary, a")) return; // presses it
		const id = this.#current()?.tab.id ?? "";
		const found = this.#keys.get(id + " " + e.key) ?? this.#keys.get(" " + e.key);
		if (!found) return;
		e.preventDefault();
		found.run(e);
	}

	#help() {
		const dialog = document.getElementById("help");
		const list = document.createElement("dl");
		const id = this.#current()?.tab.id ?? "";
		for (const k of this.#keys.values()) {
			if (k.tab !== "" && k.tab !== id) continue;
			const dt = document.createElement("dt");
			const dd = document.createElement("dd");
			dt.textContent = k.key === " " ? "Space" : k.key;
			dd.textContent = k.text;
			list.append(dt, dd);
		}
		const close = document.createElement("button");
		close.textContent = "Close";
		close.onclick = () => dialog.close();
		dialog.replaceChildren(list, close);
		dialog.showModal();
	}

	// palette returns the colors of the page for canvases.
	get palette() {
		if (this.#palette) return this.#palette;
		const probe = document.createElement("span");
		document.body.append(probe);
		const color = name => {
			probe.style.color = `var(--${name})`;
			return getComputedStyle(probe).color;
		};
		const names = ["ground", "panel", "line", "text", "dim", "accent", "warn", "bad", "good"];
		this.#palette = Object.fromEntries(names.map(n => [n, color(n)]));
		this.#palette.series = Array.from({ length: 8 }, (_, i) => color("s" + i));
		probe.remove();
		return this.#palette;
	}

	// status shows what somebody has to say in the header, "" for nothing any more.
	status(who, text, kind = "") {
		if (text) this.#status.set(who, { text, kind });
		else this.#status.delete(who);
		const line = document.getElementById("status");
		const all = [...this.#status.values()];
		line.textContent = all.map(s => s.text).join(" · ");
		line.className = all.some(s => s.kind === "bad") ? "bad" : "";
	}

	say(text) { this.console?.say(text); }
}

const app = new App();
app.start().catch(e => app.status("page", "the page could not start: " + e.message, "bad"));
