// A list of which only the rows that are to be seen are in the document.

export class VirtualList {
	#scroller;
	#rows = new Map(); // index -> element
	#spare = [];
	#make;
	#fill;
	#height;
	#count = 0;

	// make returns an empty row; fill(row, index) fills one in. All rows are as tall.
	constructor(scroller, sizer, height, make, fill) {
		this.#scroller = scroller;
		this.sizer = sizer;
		this.#height = height;
		this.#make = make;
		this.#fill = fill;
		scroller.addEventListener("scroll", () => this.draw(), { passive: true });
		new ResizeObserver(() => this.draw()).observe(scroller);
	}

	// shown returns the first row that is to be seen and the one after the last.
	get shown() {
		const top = this.#scroller.scrollTop - this.sizer.offsetTop, h = this.#height;
		const from = Math.max(0, Math.floor(top / h) - 2);
		return [Math.min(from, this.#count), Math.min(this.#count, Math.ceil((top + this.#scroller.clientHeight) / h) + 2)];
	}

	// draw shows rows; with again those that were there are filled in anew.
	draw(count = this.#count, again = false) {
		if (count !== this.#count) {
			this.#count = count;
			// Browsers have no elements taller than some 30 million pixels.
			this.sizer.style.height = Math.min(count * this.#height, 20_000_000) + "px";
		}
		const [from, to] = this.shown;
		for (const [i, row] of this.#rows) {
			if (i >= from && i < to) continue;
			this.#rows.delete(i);
			row.hidden = true;
			this.#spare.push(row);
		}
		for (let i = from; i < to; i++) {
			let row = this.#rows.get(i);
			if (row && !again) continue;
			if (!row) {
				row = this.#spare.pop();
				if (!row) {
					row = this.#make();
					this.sizer.append(row);
				}
				row.hidden = false;
				row.style.transform = `translateY(${i * this.#height}px)`;
				this.#rows.set(i, row);
			}
			this.#fill(row, i);
		}
	}

	// reveal scrolls to a row.
	reveal(index) {
		const s = this.#scroller, y = this.sizer.offsetTop + index * this.#height;
		const under = this.sizer.offsetTop; // what sticks to the top
		if (y - under < s.scrollTop) s.scrollTop = y - under;
		else if (y + this.#height > s.scrollTop + s.clientHeight) s.scrollTop = y + this.#height - s.clientHeight;
		this.draw();
	}
}
