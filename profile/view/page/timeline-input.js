// Pointer and wheel on a time line.

export function listen(line) {
	const c = line.overlay;
	let drag = null;            // { x, y, from, size, scroll, select, moved }
	const fingers = new Map();  // pointerId -> x
	let pinch = null;           // { gap, from, size, at } when two were put down
	const place = e => {
		const box = c.getBoundingClientRect();
		return { x: e.clientX - box.left, y: e.clientY - box.top };
	};

	c.addEventListener("wheel", e => {
		e.preventDefault();
		const { x } = place(e);
		const unit = e.deltaMode === 1 ? 33 : e.deltaMode === 2 ? 400 : 1;
		const dx = e.deltaX * unit, dy = e.deltaY * unit;
		if (e.altKey) line.scroller.scrollTop += dy;
		else if (e.shiftKey || Math.abs(dx) > Math.abs(dy)) line.pan((e.shiftKey && !dx ? dy : dx) / line.scale);
		else line.zoom(Math.exp(Math.max(-300, Math.min(300, dy)) * (e.ctrlKey ? 0.01 : 0.002)), line.time(x));
	}, { passive: false });

	c.addEventListener("pointerdown", e => {
		if (e.button > 1) return;
		const { x, y } = place(e);
		const { from, to } = line;
		line.go(from, to, false);
		fingers.set(e.pointerId, x);
		if (fingers.size === 2) {
			const [a, b] = fingers.values();
			pinch = { gap: Math.max(20, Math.abs(a - b)), size: to - from, at: line.time((a + b) / 2) };
			drag = null;
			return;
		}
		c.setPointerCapture(e.pointerId);
		drag = { x, y, from, size: to - from, scroll: line.scroller.scrollTop, select: e.shiftKey || line.picking || y < 22, moved: false };
		line.tip.hide();
	});

	c.addEventListener("pointermove", e => {
		const { x, y } = place(e);
		if (fingers.has(e.pointerId)) fingers.set(e.pointerId, x);
		if (pinch && fingers.size === 2) {
			const [a, b] = fingers.values();
			const size = pinch.size * pinch.gap / Math.max(20, Math.abs(a - b)), from = pinch.at - size * ((a + b) / 2) / line.width;
			line.setFollow(false);
			line.go(from, from + size, false);
			return;
		}
		line.pointer = { x, y };
		if (!drag) {
			line.tip.update();
			line.redraw();
			return;
		}
		drag.moved ||= Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3;
		if (!drag.moved) return;
		line.dragged = true;
		line.tip.hide();
		if (drag.select) {
			const a = line.time(drag.x), b = line.time(x);
			line.selected = { from: Math.max(0, Math.floor(Math.min(a, b))), to: Math.min(Math.ceil(line.end), Math.ceil(Math.max(a, b))) };
			line.redraw();
		} else {
			line.setFollow(false);
			const by = (drag.x - x) * drag.size / line.width;
			line.go(drag.from + by, drag.from + drag.size + by, false);
			line.scroller.scrollTop = drag.scroll + drag.y - y;
			c.classList.add("tl-grab");
		}
	});

	const end = e => {
		const d = drag;
		drag = pinch = null;
		fingers.delete(e.pointerId);
		line.dragged = false;
		c.classList.remove("tl-grab");
		if (!d || e.type === "pointercancel") return;
		const { x, y } = place(e);
		if (d.moved && d.select && line.selected?.to > line.selected?.from) line.on.select(line, line.selected);
		if (!d.moved) line.on.span(line, line.hitAt(x, y));
	};
	c.addEventListener("pointerup", end);
	c.addEventListener("pointercancel", end);
	c.addEventListener("pointerleave", () => {
		line.pointer = null;
		line.tip.hide();
		line.redraw();
	});
	c.addEventListener("dblclick", e => {
		const { x, y } = place(e);
		const span = line.hitAt(x, y);
		if (span) line.fit(span.start, span.start + span.dur);
	});
}
