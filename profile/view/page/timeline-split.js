// The line between the rows and the panel below, which is as high as it is moved to.

import { el } from "./timeline-dom.js";

// splitter returns it; moved is called when it was moved.
export function splitter(root, moved) {
	const bar = el("div", { className: "tl-split", role: "separator", tabIndex: 0, "aria-orientation": "horizontal", "aria-label": "Height of the panel", hidden: true });
	const now = () => root.clientHeight - bar.offsetTop - bar.offsetHeight;
	const size = to => {
		const h = Math.min(Math.max(90, to), root.clientHeight - 160);
		root.style.setProperty("--tl-panel", `${h}px`);
		bar.setAttribute("aria-valuenow", String(Math.round(100 * h / root.clientHeight)));
		moved();
	};
	let drag = null;
	bar.addEventListener("pointerdown", e => {
		drag = { y: e.clientY, h: now() };
		bar.setPointerCapture(e.pointerId);
	});
	bar.addEventListener("pointermove", e => { if (drag) size(drag.h + drag.y - e.clientY); });
	for (const type of ["pointerup", "pointercancel"]) bar.addEventListener(type, () => { drag = null; });
	bar.addEventListener("keydown", e => {
		if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
		e.preventDefault();
		e.stopPropagation();
		size(now() + (e.key === "ArrowUp" ? 24 : -24));
	});
	return bar;
}
