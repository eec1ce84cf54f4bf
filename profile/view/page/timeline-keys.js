// The keys of the time line.

export function keys(app, tab) {
	const key = (names, text, run) => {
		for (const k of names) app.key(k, text, run, "timeline");
	};
	const line = () => tab.line;
	const seen = () => line().aim.to - line().aim.from;
	const at = () => {
		const l = line();
		return l.follow ? l.aim.to : l.pointer ? l.time(l.pointer.x) : undefined;
	};
	const arrow = (where, by) => e => {
		if (e.shiftKey) tab.neighbor(where);
		else if (where === "left" || where === "right") line().pan(by * seen() / 8, true);
		else tab.scroll(by);
	};
	// what pointers do stands among the keys of the help
	key(["Wheel"], "zoom at the pointer; with Shift earlier and later, with Alt rows above and below", () => {});
	key(["Drag"], "move; with Shift, or on the axis, select a time to sum up", () => {});
	key(["Double click"], "fit a span", () => {});
	key(["w", "+", "="], "zoom in", () => line().zoom(1 / 1.6, at(), true));
	key(["s", "-"], "zoom out", () => line().zoom(1.6, at(), true));
	key(["a"], "earlier", () => line().pan(-seen() / 4, true));
	key(["d"], "later", () => line().pan(seen() / 4, true));
	key(["ArrowLeft"], "earlier; with Shift the span before", arrow("left", -1));
	key(["ArrowRight"], "later; with Shift the next span", arrow("right", 1));
	key(["ArrowUp"], "rows above; with Shift the span around", arrow("up", -1));
	key(["ArrowDown"], "rows below; with Shift the first span inside", arrow("down", 1));
	key(["0", "Home"], "all of the recording", () => line().all());
	key(["End"], "the end of the recording", () => line().go(line().end - seen(), line().end, true, true));
	key(["f"], "fit what is selected", () => tab.fit());
	key(["v"], "sums of what is seen", () => tab.sumSeen());
	key(["m"], "dragging selects, or moves", () => tab.pick());
	key(["n"], "next hit of the search", () => tab.search.go(1));
	key(["p"], "previous hit of the search", () => tab.search.go(-1));
	key(["]"], "next of the name that is selected", () => tab.step(1));
	key(["["], "previous of the name that is selected", () => tab.step(-1));
	key(["."], "next frame above the limit", () => tab.frames.go(1));
	key([","], "previous frame above the limit", () => tab.frames.go(-1));
	key(["x"], "fold or unfold all rows", () => tab.foldAll());
	key(["e"], "follow the end of a live recording", () => line().setFollow(!line().follow));
	key(["c"], "compare two recordings", () => tab.toggleCompare());
	key(["Escape"], "close the panel", () => tab.escape());
}
