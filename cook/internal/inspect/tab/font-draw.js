// Draws text from the pages of an atlas by WebGL2, as a game would.

const vertex = `#version 300 es
in vec2 place, at;
uniform vec2 view, texels;
out vec2 coordinates;
void main() {
	coordinates = at / texels;
	gl_Position = vec4(place / view * vec2(2, -2) + vec2(-1, 1), 0, 1);
}`;

// reach is how many pixels of the canvas the range of distances takes, 0 for coverage. The median
// of channels that are the same is any of them.
const fragment = `#version 300 es
precision highp float;
in vec2 coordinates;
uniform sampler2D atlas;
uniform float reach;
uniform vec3 color;
out vec4 result;
void main() {
	vec3 c = texture(atlas, coordinates).rgb;
	float v = max(min(c.r, c.g), min(max(c.r, c.g), c.b));
	float alpha = reach > 0. ? clamp((v - .5) * reach + .5, 0., 1.) : v;
	result = vec4(color * alpha, alpha);
}`;

export class TextPainter {
	#canvas;
	#gl;
	#program;
	#textures = [];
	#pages;
	#smooth;
	#places = {};

	// pages are { width, height, values } of three bytes for each pixel.
	constructor(canvas, pages, smooth) {
		this.#canvas = canvas;
		this.#pages = pages;
		this.#smooth = smooth;
		this.#gl = canvas.getContext("webgl2", { alpha: false, antialias: false, preserveDrawingBuffer: true });
		if (!this.#gl) throw new Error("this browser has no WebGL2, by which the text is drawn");
		this.#prepare();
	}

	#prepare() {
		const gl = this.#gl, program = gl.createProgram();
		for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
			const shader = gl.createShader(kind);
			gl.shaderSource(shader, source);
			gl.compileShader(shader);
			gl.attachShader(program, shader);
		}
		gl.linkProgram(program);
		if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
			throw new Error("the shader is not taken: " + gl.getProgramInfoLog(program));
		}
		this.#program = program;
		for (const name of ["view", "texels", "reach", "color"]) this.#places[name] = gl.getUniformLocation(program, name);
		this.#textures = this.#pages.map(page => this.#upload(page));
		gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
		for (const [name, offset] of [["place", 0], ["at", 8]]) {
			const place = gl.getAttribLocation(program, name);
			gl.enableVertexAttribArray(place);
			gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 16, offset);
		}
	}

	#upload({ width, height, values }) {
		const gl = this.#gl, most = gl.getParameter(gl.MAX_TEXTURE_SIZE);
		if (width > most || height > most) throw new Error(`the atlas is larger than the ${most} pixels that textures have here`);
		const texture = gl.createTexture(), filter = this.#smooth ? gl.LINEAR : gl.NEAREST;
		gl.bindTexture(gl.TEXTURE_2D, texture);
		gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, width, height, 0, gl.RGB, gl.UNSIGNED_BYTE, values);
		for (const [key, value] of [
			[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter],
			[gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
		]) gl.texParameteri(gl.TEXTURE_2D, key, value);
		return texture;
	}

	// restore makes anew what was lost with the context.
	restore() { this.#prepare(); }

	// draw draws quads { glyph, x, y } in pixels of the canvas at a size in pixels per em.
	draw(quads, { size, reach, color, ground }) {
		const gl = this.#gl, { width, height } = this.#canvas;
		gl.viewport(0, 0, width, height);
		gl.clearColor(...ground, 1);
		gl.clear(gl.COLOR_BUFFER_BIT);
		gl.enable(gl.BLEND);
		gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
		gl.useProgram(this.#program);
		gl.uniform2f(this.#places.view, width, height);
		gl.uniform1f(this.#places.reach, reach);
		gl.uniform3f(this.#places.color, ...color);
		for (const [i, page] of this.#pages.entries()) {
			const vertices = [];
			for (const { glyph: { plane, atlas, page: on }, x, y } of quads) {
				if (!plane || !atlas || on !== i) continue;
				const [left, bottom, right, top] = [x + plane[0] * size, y - plane[1] * size, x + plane[2] * size, y - plane[3] * size];
				const [l, b, r, t] = atlas;
				vertices.push(left, top, l, t, left, bottom, l, b, right, top, r, t, right, top, r, t, left, bottom, l, b, right, bottom, r, b);
			}
			if (vertices.length === 0) continue;
			gl.bindTexture(gl.TEXTURE_2D, this.#textures[i]);
			gl.uniform2f(this.#places.texels, page.width, page.height);
			gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(vertices), gl.DYNAMIC_DRAW);
			gl.drawArrays(gl.TRIANGLES, 0, vertices.length / 4);
		}
	}

	// close gives the context back, of which a page has few.
	close() { this.#gl.getExtension("WEBGL_lose_context")?.loseContext(); }
}

// rgb returns a CSS color as three numbers up to 1.
export function rgb(color) {
	const ctx = new OffscreenCanvas(1, 1).getContext("2d");
	ctx.fillStyle = color;
	ctx.fillRect(0, 0, 1, 1);
	return [...ctx.getImageData(0, 0, 1, 1).data.subarray(0, 3)].map(v => v / 255);
}
