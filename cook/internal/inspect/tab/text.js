// Any file as text, or, if it is none, as bytes.

import { bytes, el } from "../../format.js";
import { VirtualList } from "../../virtual.js";

const piece = 256 << 10; // bytes of text that are asked for at once
const height = 18; // of a row of bytes, in CSS pixels; tab.css has it too
const block = 64 << 10; // bytes that are asked for at once

export async function mount(root, asset, api) {
	const stop = new AbortController();
	const sides = [side("source", "source", asset.source)];
	if (asset.output) sides.push(side("output", "cooked", asset.output));
	root.append(...sides.map(s => s.root));
	await Promise.all(sides.map(s => s.open()));
	root.dataset.ready = "true";
	return { close: () => stop.abort() };

	function side(name, title, file) {
		const body = el("div", { className: "textbody", tabIndex: 0, role: "region", ariaLabel: title });
		const caption = el("figcaption", { className: "dim" });
		const figure = el("figure", {}, caption, body);
		figure.dataset.side = name;
		const read = (from, to) => api.bytes({ side: name, path: file.path, from, to }, stop.signal);
		caption.textContent = `${title}, ${bytes(file.size)}`;
		return {
			root: figure,
			async open() {
				try {
					const first = new Uint8Array(await read(0, piece));
					const text = textOf(first, first.length < file.size);
					if (text === null) hex(body, file.size, read);
					else words(body, caption, text, file.size, first.length, read);
				} catch (e) {
					if (!stop.signal.aborted) body.replaceChildren(el("p", { className: "bad", textContent: e.message }));
				}
			},
		};
	}
}

// textOf returns UTF-8 as text, null for what is none. The last character may be cut.
function textOf(data, cut) {
	for (let trim = 0; trim < (cut ? 4 : 1); trim++) {
		try {
			const text = new TextDecoder("utf-8", { fatal: true }).decode(data.subarray(0, data.length - trim));
			return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? null : text;
		} catch { /* it is cut, or no text */ }
	}
	return null;
}

function words(body, caption, text, size, length, read) {
	const pre = el("pre", { textContent: text });
	body.replaceChildren(pre);
	if (length >= size) {
		try {
			const value = JSON.parse(text);
			const pretty = el("input", { type: "checkbox" });
			pretty.onchange = () => { pre.textContent = pretty.checked ? JSON.stringify(value, null, 2) : text; };
			if (typeof value === "object" && value) caption.append(el("label", {}, pretty, " indented"));
		} catch { /* no JSON */ }
		return;
	}
	const more = el("button", { type: "button", textContent: `${bytes(length)} of ${bytes(size)} are shown; more` });
	more.onclick = async () => {
		more.disabled = true;
		const next = new Uint8Array(await read(length, Math.min(size, length + piece)));
		pre.append(new TextDecoder().decode(next));
		length += next.length;
		more.disabled = false;
		more.textContent = `${bytes(length)} of ${bytes(size)} are shown; more`;
		more.hidden = length >= size || next.length === 0;
	};
	body.append(more);
}

// hex lists rows of 16 bytes; those that are to be seen are asked for.
function hex(body, size, read) {
	const sizer = el("div", { className: "sizer" });
	body.replaceChildren(sizer);
	body.classList.add("hex", "mono");
	const blocks = new Map(); // number -> bytes, or null while they are on their way
	const digits = Math.max(8, size.toString(16).length);
	const fill = (row, i) => {
		const number = Math.floor(i * 16 / block);
		const data = blocks.get(number);
		if (data === undefined) fetch(number);
		const at = i * 16 - number * block;
		const part = data ? [...data.subarray(at, at + 16)] : [];
		const pairs = part.map(b => b.toString(16).padStart(2, "0"));
		row.textContent = `${(i * 16).toString(16).padStart(digits, "0")}  ${pairs.slice(0, 8).join(" ").padEnd(23)}  ${pairs.slice(8).join(" ").padEnd(23)}  ${part.map(b => b >= 32 && b < 127 ? String.fromCharCode(b) : "·").join("")}`;
	};
	const list = new VirtualList(body, sizer, height, () => el("div", { className: "hexrow" }), fill);
	const fetch = async number => {
		blocks.set(number, null);
		try {
			blocks.set(number, new Uint8Array(await read(number * block, Math.min(size, (number + 1) * block))));
			if (blocks.size > 64) blocks.delete(blocks.keys().next().value);
			list.draw(rows, true);
		} catch {
			blocks.delete(number); // the tab was closed, or it is asked for again
		}
	};
	const rows = Math.ceil(size / 16);
	list.draw(rows, true);
}
