// Shows a page of an atlas with the boxes of its glyphs; the pointer and the arrow keys
// choose a glyph.

const svgNames = "http://www.w3.org/2000/svg";
const most = 4096; // pixels of a side that are shown; of larger ones every n-th

export class Atlas {
	#box;
	#canvas = document.createElement("canvas");
	#all;
	#one;
	#svg;
	#glyphs = []; // of the page, in order of their runes
	#chosen = -1;
	#choose;
	#page = null;

	// choose is called with the glyph that is chosen.
	constructor(choose) {
		this.#choose = choose;
		this.#box = document.createElement("div");
		this.#box.className = "atlas";
		this.#box.tabIndex = 0;
		this.#box.role = "group";
		this.#box.ariaLabel = "Atlas; arrow keys go from glyph to glyph";
		this.#svg = document.createElementNS(svgNames, "svg");
		[this.#all, this.#one] = ["all", "one"].map(name => {
			const path = document.createElementNS(svgNames, "path");
			path.setAttribute("class", name);
			this.#svg.append(path);
			return path;
		});
		this.#box.append(this.#canvas, this.#svg);
		this.#box.onpointermove = e => this.#point(e);
		this.#box.onkeydown = e => this.#press(e);
		this.#box.onfocus = () => this.#chosen < 0 && this.#go(0);
	}

	get element() { return this.#box; }

	// show shows a page { width, height, values } with its glyphs.
	show(page, glyphs) {
		this.#page = page;
		this.#glyphs = glyphs;
		this.#chosen = -1;
		const step = Math.ceil(Math.max(page.width, page.height) / most);
		const width = Math.ceil(page.width / step), height = Math.ceil(page.height / step);
		this.#canvas.width = width;
		this.#canvas.height = height;
		const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
		for (let y = 0, to = 0; y < height; y++) {
			for (let x = 0; x < width; x++) {
				const at = 3 * step * (y * page.width + x), v = page.values;
				pixels[to++] = 0xff000000 | v[at + 2] << 16 | v[at + 1] << 8 | v[at];
			}
		}
		this.#canvas.getContext("2d").putImageData(image, 0, 0);
		this.#svg.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
		this.#all.setAttribute("d", glyphs.map(outline).join(""));
		this.#one.setAttribute("d", "");
	}

	// scale shows a pixel of the atlas as so many of CSS.
	scale(factor) {
		this.#canvas.style.width = this.#svg.style.width = this.#page.width * factor + "px";
		this.#canvas.style.height = this.#svg.style.height = this.#page.height * factor + "px";
	}

	#point(e) {
		const place = this.#canvas.getBoundingClientRect();
		const x = (e.clientX - place.left) / place.width * this.#page.width, y = (e.clientY - place.top) / place.height * this.#page.height;
		const i = this.#glyphs.findIndex(({ atlas: [l, b, r, t] }) => x >= l && x < r && y >= t && y < b);
		if (i >= 0 && i !== this.#chosen) this.#go(i);
	}

	#press(e) {
		const to = {
			ArrowLeft: this.#chosen - 1, ArrowRight: this.#chosen + 1, ArrowUp: this.#chosen - 16, ArrowDown: this.#chosen + 16,
			Home: 0, End: this.#glyphs.length - 1,
		}[e.key];
		if (to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		e.stopPropagation();
		this.#go(to);
		const [l, b] = this.#glyphs[this.#chosen]?.atlas ?? [0, 0], shown = this.#canvas.clientWidth / this.#page.width;
		this.#box.scrollTo({ left: l * shown - this.#box.clientWidth / 2, top: b * shown - this.#box.clientHeight / 2 });
	}

	#go(i) {
		if (this.#glyphs.length === 0) return;
		this.#chosen = Math.min(Math.max(i, 0), this.#glyphs.length - 1);
		this.#one.setAttribute("d", outline(this.#glyphs[this.#chosen]));
		this.#choose(this.#glyphs[this.#chosen]);
	}
}

const outline = ({ atlas: [l, b, r, t] }) => `M${l} ${t}H${r}V${b}H${l}Z`;
