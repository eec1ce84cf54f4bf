// Why an asset is as it is: what the next cook would do, what the last one did, which rules,
// options and inputs decide that, and what else reads it.

import { bytes, count, el } from "../../format.js";
import { duration } from "../../timeline-text.js";
import { named, when } from "./names.js";

const short = id => (id ?? "").slice(0, 12);

// explanation returns an element.
export async function explanation(asset, context, explain) {
	const root = el("div", { className: "inspect why" });
	const section = (title, ...children) => root.append(el("section", {}, el("h3", { textContent: title }), ...children));
	const line = (textContent, className = "") => el("div", { textContent, className });
	const link = path => {
		const button = el("button", { type: "button", className: "link", textContent: named(path) });
		button.onclick = () => context.follow(path);
		return button;
	};
	let told = null, problem = "";
	try {
		told = await explain();
	} catch (e) {
		problem = e.message;
	}
	if (told) {
		const reasons = (told.reasons ?? []).map(r => line(reason(r)));
		section("The next cook", line(told.error ? "fails: " + told.error : told.runs ? "has work to do" : "leaves it: it is up to date", told.error ? "bad" : told.runs ? "warn" : "good"), ...reasons);
	} else {
		section("The next cook", line(problem || "is not known", "bad"));
	}
	section("The last cook that worked on it",
		line(`${asset.outcome}${asset.at ? ", " + when(asset.at) : ""}${asset.cook_ns ? ", cooking takes " + duration(asset.cook_ns) : ""}`, asset.failed ? "bad" : ""),
		...(asset.reasons ?? []).map(text => line("because " + text)));
	if (told?.makes?.length) section("What the recipe makes of it", ...told.makes.map(text => line(text)));
	if (told?.warnings?.length) section("Warnings", ...told.warnings.map(text => line(text, "warn")));
	if (told) {
		const options = told.choices.options ?? [];
		const rows = list => list.map(o => el("tr", {}, el("td", { textContent: o.key, className: "mono" }), el("td", { textContent: o.value, className: "mono" }), el("td", { textContent: o.from, className: "dim" })));
		const table = list => el("table", {}, el("tbody", {}, ...rows(list)));
		const set = options.filter(o => o.from !== "default"), rest = options.filter(o => o.from === "default");
		section("Recipe and options", table(set), ...rest.length ? [el("details", {}, el("summary", { textContent: `${count(rest.length)} that have their default` }), table(rest))] : []);
		section("Rules, the weakest first", ...(told.choices.rules ?? []).map(text => line(text, "mono")));
		if (told.choices.dropped?.length) section("Said by rules, without effect", ...told.choices.dropped.map(text => line(text, "mono warn")));
		section("What it is made of", el("table", {}, el("tbody", {}, ...told.inputs.map(i => {
			const now = i.unreadable ? "unreadable" : i.now ? short(i.now) : "absent";
			const was = i.was && i.was !== i.now && !(i.was === "absent" && !i.now) ? `was ${short(i.was)}` : "";
			return el("tr", {}, el("td", {}, i.program || i.path === asset.path ? named(i.path) : link(i.path)), el("td", { textContent: now, className: "mono dim" }), el("td", { textContent: was || (i.program ? "program" : ""), className: was ? "warn" : "dim" }));
		}))));
	} else {
		section("What it is made of", line(named(asset.path)), ...asset.dependencies.map(p => el("div", {}, link(p))));
	}
	const state = Object.fromEntries((told?.last?.outputs ?? []).map(o => [o.path, o]));
	section("What was made", el("table", {}, el("tbody", {}, ...asset.outputs.map(o => el("tr", {},
		el("td", { textContent: named(o.path) }), el("td", { textContent: bytes(o.size), className: "n" }),
		el("td", { textContent: short(state[o.path]?.blob), className: "mono dim" }),
		el("td", { textContent: state[o.path]?.state ?? "", className: state[o.path]?.state === "intact" ? "good" : "bad" }))))));
	const users = asset.users.map(p => el("div", {}, link(p)));
	if (asset.more_users) users.push(line(`and ${count(asset.more_users)} more`, "dim"));
	section("Used by", ...users.length ? users : [line("no other asset", "dim")]);
	return root;
}

// reason is one line for a reason, as "cook why" has it.
function reason({ kind, subject, old, new: now }) {
	let text = "because " + kind;
	if (subject) text += `: ${subject}`;
	if (old || now) text += `: ${old ?? ""} → ${now ?? ""}`;
	return text;
}
