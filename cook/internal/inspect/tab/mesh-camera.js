// Where models are looked at from: one camera for all panes. Models are scaled so that their
// bounding sphere has the radius 1.

const upright = Math.PI / 2;

export class Camera {
	#home = { yaw: .6, pitch: .4, distance: 3.6, x: 0, y: 0 };

	constructor() { this.reset(); }

	reset() { Object.assign(this, this.#home); }

	orbit(dx, dy) {
		this.yaw = (this.yaw + dx) % (2 * Math.PI);
		this.pitch = Math.max(-upright, Math.min(upright, this.pitch + dy));
	}

	pan(dx, dy) {
		this.x = Math.max(-2, Math.min(2, this.x + dx * this.distance));
		this.y = Math.max(-2, Math.min(2, this.y + dy * this.distance));
	}

	zoom(factor) { this.distance = Math.max(.15, Math.min(20, this.distance / factor)); }

	// rotation returns the columns of the matrix that turns the world to the camera.
	rotation() {
		const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
		return [cy, sp * sy, -cp * sy, 0, cp, sp, sy, -sp * cy, cp * cy];
	}

	// view returns the matrix from a model to the camera, for a model with a center and a scale.
	view(center, scale) {
		const r = this.rotation(), m = new Float32Array(16);
		for (let column = 0; column < 3; column++) {
			for (let row = 0; row < 3; row++) m[4 * column + row] = r[3 * column + row] * scale;
		}
		for (let row = 0; row < 3; row++) {
			let moved = [this.x, this.y, -this.distance][row];
			for (let k = 0; k < 3; k++) moved -= r[3 * k + row] * scale * center[k];
			m[12 + row] = moved;
		}
		m[15] = 1;
		return m;
	}

	// projection returns the perspective of a pane; the sphere fits into the narrower side.
	projection(width, height) {
		const aspect = width / height, f = 1 / Math.tan(Math.PI / 10) * Math.min(1, aspect);
		const near = Math.max(.01, this.distance - 4), far = this.distance + 4;
		return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) / (near - far), -1, 0, 0, 2 * near * far / (near - far), 0]);
	}
}
