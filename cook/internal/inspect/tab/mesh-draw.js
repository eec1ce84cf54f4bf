// One canvas with a level of a model, by WebGL 2.

const vertexShader = `#version 300 es
in vec3 position;
in vec3 normal;
in vec4 color; // alpha is 1 where the file has normals
uniform mat4 view, projection;
uniform mat3 turn;
uniform float along; // length of the lines that show normals
out vec3 place, across;
out vec4 tint;
void main() {
	across = turn * normal;
	tint = color;
	vec4 at = view * vec4(position, 1.0);
	place = at.xyz;
	if (along > 0.0) at.xyz += normalize(across) * along * float(gl_VertexID);
	gl_Position = projection * at;
}`;

const fragmentShader = `#version 300 es
precision highp float;
in vec3 place, across;
in vec4 tint;
uniform vec4 plain; // of lines; alpha 0 for surfaces
uniform int shading; // 0 as the file has it, 1 flat, 2 smooth
uniform bool normals; // as colors
uniform mat3 back;
out vec4 pixel;
void main() {
	if (plain.a > 0.0) { pixel = plain; return; }
	vec3 face = normalize(cross(dFdx(place), dFdy(place)));
	if (dot(face, place) > 0.0) face = -face; // to the camera
	vec3 n = shading == 1 || shading == 0 && tint.a < 0.5 ? face : normalize(across);
	if (normals) { pixel = vec4(0.5 + 0.5 * (back * n), 1.0); return; }
	if (dot(n, face) < 0.0) n = -n; // both sides are lit
	float light = 0.2 + 0.65 * max(dot(n, normalize(vec3(-0.35, 0.6, 0.75))), 0.0) + 0.15 * max(dot(n, normalize(-place)), 0.0);
	pixel = vec4(pow(tint.rgb * light, vec3(1.0 / 2.2)), 1.0);
}`;

// attributes in the order of their numbers, and how many numbers a vertex has.
const attributes = [["position", 3], ["normal", 3], ["color", 4]];

export class Screen {
	#gl; #canvas;
	#program; #at = {};
	#buffers = null; // of the level that is shown
	#model = null;
	#listen;

	// back is called when a graphics card that had forgotten all can draw again.
	constructor(canvas, back) {
		this.#canvas = canvas;
		this.#gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
		if (!this.#gl) throw new Error("this browser has no WebGL 2, which models are drawn by");
		this.lost = false;
		this.#listen = [
			["webglcontextlost", e => { e.preventDefault(); this.lost = true; this.#buffers = null; }],
			["webglcontextrestored", () => { this.lost = false; this.#start(); this.load(this.#model); back(); }],
		];
		for (const [name, f] of this.#listen) canvas.addEventListener(name, f);
		this.#start();
	}

	close() {
		for (const [name, f] of this.#listen) this.#canvas.removeEventListener(name, f);
		this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
	}

	#start() {
		const gl = this.#gl;
		this.#program = gl.createProgram();
		for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
			const shader = gl.createShader(type);
			gl.shaderSource(shader, text);
			gl.compileShader(shader);
			gl.attachShader(this.#program, shader);
		}
		attributes.forEach(([name], i) => gl.bindAttribLocation(this.#program, i, name));
		gl.linkProgram(this.#program);
		if (!gl.getProgramParameter(this.#program, gl.LINK_STATUS) && !gl.isContextLost()) {
			throw new Error("the graphics card refuses to draw models: " + (gl.getProgramInfoLog(this.#program) || "no reason given").split("\n")[0]);
		}
		for (const name of ["view", "projection", "turn", "back", "along", "plain", "shading", "normals"]) this.#at[name] = gl.getUniformLocation(this.#program, name);
	}

	// load takes a level: { positions, normals, indices, colors }, all as arrays.
	load(model) {
		const gl = this.#gl;
		this.#model = model;
		if (this.#buffers) for (const b of Object.values(this.#buffers)) b instanceof WebGLVertexArrayObject ? gl.deleteVertexArray(b) : gl.deleteBuffer(b);
		this.#buffers = null;
		if (!model || this.lost) return;
		const fill = (target, data) => {
			const buffer = gl.createBuffer();
			gl.bindBuffer(target, buffer);
			gl.bufferData(target, data, gl.STATIC_DRAW);
			return buffer;
		};
		const b = { surface: gl.createVertexArray(), spikes: gl.createVertexArray() };
		gl.bindVertexArray(null);
		b.position = fill(gl.ARRAY_BUFFER, model.positions);
		b.normal = fill(gl.ARRAY_BUFFER, model.normals);
		b.color = fill(gl.ARRAY_BUFFER, model.colors);
		gl.bindVertexArray(b.surface);
		b.index = fill(gl.ELEMENT_ARRAY_BUFFER, model.indices);
		for (const [array, each] of [[b.surface, 0], [b.spikes, 1]]) {
			gl.bindVertexArray(array);
			attributes.forEach(([name, width], i) => {
				gl.bindBuffer(gl.ARRAY_BUFFER, b[name]);
				gl.enableVertexAttribArray(i);
				gl.vertexAttribPointer(i, width, name === "color" ? gl.UNSIGNED_BYTE : gl.FLOAT, name === "color", 0, 0);
				gl.vertexAttribDivisor(i, each);
			});
		}
		gl.bindVertexArray(null);
		this.#buffers = b;
	}

	// recolor takes other colors for the same vertices.
	recolor(colors) {
		if (!this.#model) return;
		this.#model.colors = colors;
		if (!this.#buffers) return;
		this.#gl.bindBuffer(this.#gl.ARRAY_BUFFER, this.#buffers.color);
		this.#gl.bufferData(this.#gl.ARRAY_BUFFER, colors, this.#gl.STATIC_DRAW);
	}

	// draw draws what was loaded. look has ground, ink and spike (colors as numbers from 0 to
	// 1), wire, lines, shading, normals.
	draw(camera, look) {
		const gl = this.#gl, canvas = this.#canvas;
		const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
		const w = Math.max(1, Math.round(box.width * ratio)), h = Math.max(1, Math.round(box.height * ratio));
		if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
		if (this.lost || gl.isContextLost()) return;
		gl.viewport(0, 0, w, h);
		gl.clearColor(...look.ground, 1);
		gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
		const b = this.#buffers, m = this.#model;
		if (!b || m.indices.length === 0) return;
		const turn = camera.rotation();
		gl.enable(gl.DEPTH_TEST);
		gl.useProgram(this.#program);
		gl.uniformMatrix4fv(this.#at.view, false, camera.view(look.center, look.scale));
		gl.uniformMatrix4fv(this.#at.projection, false, camera.projection(w, h));
		gl.uniformMatrix3fv(this.#at.turn, false, turn);
		gl.uniformMatrix3fv(this.#at.back, true, turn);
		gl.uniform1i(this.#at.shading, look.shading);
		gl.uniform1i(this.#at.normals, look.normals ? 1 : 0);
		gl.uniform1f(this.#at.along, 0);
		gl.uniform4f(this.#at.plain, 0, 0, 0, 0);
		gl.bindVertexArray(b.surface);
		gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.index);
		gl.enable(gl.POLYGON_OFFSET_FILL); // lines are in front of the surface that they are on
		gl.polygonOffset(1, 1);
		gl.drawElements(gl.TRIANGLES, m.indices.length, gl.UNSIGNED_INT, 0);
		gl.disable(gl.POLYGON_OFFSET_FILL);
		if (look.wire) {
			b.edges ??= this.#edges(m.indices);
			gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.edges);
			gl.uniform4f(this.#at.plain, ...look.ink, 1);
			gl.drawElements(gl.LINES, 2 * m.indices.length, gl.UNSIGNED_INT, 0);
		}
		if (look.lines) {
			gl.bindVertexArray(b.spikes);
			gl.uniform4f(this.#at.plain, ...look.spike, 1);
			gl.uniform1f(this.#at.along, .06);
			gl.drawArraysInstanced(gl.LINES, 0, 2, m.positions.length / 3);
		}
		gl.bindVertexArray(null);
		canvas.dataset.frames = Number(canvas.dataset.frames ?? 0) + 1;
	}

	// edges makes the lines around all triangles.
	#edges(indices) {
		const lines = new Uint32Array(2 * indices.length);
		for (let i = 0, k = 0; i < indices.length; i += 3) {
			const a = indices[i], b = indices[i + 1], c = indices[i + 2];
			lines[k++] = a; lines[k++] = b; lines[k++] = b; lines[k++] = c; lines[k++] = c; lines[k++] = a;
		}
		const gl = this.#gl, buffer = gl.createBuffer();
		gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
		gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, lines, gl.STATIC_DRAW);
		return buffer;
	}
}
