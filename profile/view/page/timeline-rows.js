// Where the rows of a recording are drawn: one below the other, each with a lane for each
// depth of its scopes.

export const laneHeight = 18;
const foldedHeight = 9;
const gap = 7;

export class Rows {
	height = 0;
	list = [];          // { row, name, depth, top, height, folded }
	#byRow = new Map();
	folded = new Set(); // rows of which one thin lane is shown

	// grow takes over the names of workers, and rows and depths of an answer. It reports
	// whether rows moved.
	grow(workers, answer) {
		let changed = false;
		const add = (row, name, depth) => {
			let r = this.#byRow.get(row);
			if (!r) {
				r = { row, name, depth: 1, top: 0, height: 0, folded: false };
				this.#byRow.set(row, r);
				this.list.push(r);
				changed = true;
			}
			if (name && r.name !== name) { r.name = name; changed = true; }
			if (depth > r.depth) { r.depth = depth; changed = true; }
		};
		for (const [row, name] of workers.entries()) add(row, name, 1);
		for (const [row, r] of answer?.rows ?? []) add(row, r.name, r.depth);
		if (changed) {
			this.list.sort((a, b) => a.row - b.row);
			this.place();
		}
		return changed;
	}

	place() {
		let y = 2;
		for (const r of this.list) {
			r.folded = this.folded.has(r.row);
			r.top = y;
			r.height = r.folded ? foldedHeight : r.depth * laneHeight;
			y += r.height + gap;
		}
		this.height = y;
	}

	fold(row, folded = !this.folded.has(row)) {
		if (folded) this.folded.add(row);
		else this.folded.delete(row);
		this.place();
	}

	foldAll(folded) {
		this.folded = new Set(folded ? this.list.map(r => r.row) : []);
		this.place();
	}

	get(row) { return this.#byRow.get(row); }

	// from returns the number in list of the first row that ends below y.
	from(y) {
		let lo = 0, hi = this.list.length;
		while (lo < hi) {
			const m = (lo + hi) >> 1;
			if (this.list[m].top + this.list[m].height < y) lo = m + 1;
			else hi = m;
		}
		return lo;
	}

	// at returns the row and depth at y, or null between rows.
	at(y) {
		const r = this.list[this.from(y)];
		if (!r || y < r.top) return null;
		return { r, depth: r.folded ? 0 : Math.min(r.depth - 1, Math.floor((y - r.top) / laneHeight)) };
	}

	// lane returns where a lane is, { y, h }, or null.
	lane(row, depth) {
		const r = this.#byRow.get(row);
		if (!r) return null;
		if (r.folded) return { y: r.top, h: foldedHeight };
		return { y: r.top + Math.min(depth, r.depth - 1) * laneHeight, h: laneHeight - 1 };
	}
}
