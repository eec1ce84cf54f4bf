package main

import "image"

// Lengths in models are in 1024ths of a metre. A float32 holds them exactly and
// its decimal form is short and exact too, so a glTF file's stated bounds are
// the very bounds of its data.
const metre = 1024

// point is a place or a length along the axes; +Y is up and +Z is ahead.
type point [3]int

func (p point) minus(q point) point { return point{p[0] - q[0], p[1] - q[1], p[2] - q[2]} }

func (p point) cross(q point) point {
	return point{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}
}

// unit scales p to length one.
func (p point) unit() [3]float32 {
	length := root(int64(p[0])*int64(p[0]) + int64(p[1])*int64(p[1]) + int64(p[2])*int64(p[2]))
	var n [3]float32
	for i, v := range p {
		n[i] = float32(int64(v)*one/int64(max(length, 1))) / one
	}
	return n
}

// metres is p in metres.
func (p point) metres() [3]float32 {
	return [3]float32{float32(p[0]) / metre, float32(p[1]) / metre, float32(p[2]) / metre}
}

// mesh is triangles; corners run anticlockwise seen from outside. positions,
// normals and texels have one entry per vertex; colours too, or none.
type mesh struct {
	positions []point
	normals   [][3]float32
	texels    [][2]float32 // 0..1, v = 0 at the top of the picture
	colours   [][4]uint8
	indices   []uint16
}

func (m *mesh) vertex(p point, normal [3]float32, texel [2]float32) uint16 {
	m.positions = append(m.positions, p)
	m.normals = append(m.normals, normal)
	m.texels = append(m.texels, texel)
	return uint16(len(m.positions) - 1)
}

// quad adds two triangles; the texture's rectangle is in 1024ths of its size.
func (m *mesh) quad(a, b, c, d point, uv image.Rectangle) {
	n := b.minus(a).cross(c.minus(a)).unit()
	at := func(u, v int) [2]float32 { return [2]float32{float32(u) / 1024, float32(v) / 1024} }
	i := m.vertex(a, n, at(uv.Min.X, uv.Max.Y))
	m.vertex(b, n, at(uv.Max.X, uv.Max.Y))
	m.vertex(c, n, at(uv.Max.X, uv.Min.Y))
	m.vertex(d, n, at(uv.Min.X, uv.Min.Y))
	m.indices = append(m.indices, i, i+1, i+2, i, i+2, i+3)
}

// wedge adds a box between low and high whose top is pulled in by inset along
// each axis (only X and Z count), all six sides with the same part of the
// texture.
func (m *mesh) wedge(low, high, inset point, uv image.Rectangle) {
	corner := func(x, y, z int) point {
		p := low
		for i, far := range [3]int{x, y, z} {
			if far == 1 {
				p[i] = high[i]
			}
			if y == 1 && i != 1 {
				p[i] += inset[i] * (1 - 2*far)
			}
		}
		return p
	}
	m.quad(corner(0, 0, 1), corner(1, 0, 1), corner(1, 1, 1), corner(0, 1, 1), uv)
	m.quad(corner(1, 0, 0), corner(0, 0, 0), corner(0, 1, 0), corner(1, 1, 0), uv)
	m.quad(corner(1, 0, 1), corner(1, 0, 0), corner(1, 1, 0), corner(1, 1, 1), uv)
	m.quad(corner(0, 0, 0), corner(0, 0, 1), corner(0, 1, 1), corner(0, 1, 0), uv)
	m.quad(corner(0, 1, 1), corner(1, 1, 1), corner(1, 1, 0), corner(0, 1, 0), uv)
	m.quad(corner(0, 0, 0), corner(1, 0, 0), corner(1, 0, 1), corner(0, 0, 1), uv)
}

// lathe turns an outline about the Y axis. The outline goes from the foot to
// the top as pairs of radius and height; each of its pieces has a flat slope.
// The texture goes once round, and from top to foot.
func (m *mesh) lathe(outline [][2]int, sides int) {
	low, high := outline[0][1], outline[0][1]
	for _, at := range outline {
		low, high = min(low, at[1]), max(high, at[1])
	}
	for k := range len(outline) - 1 {
		from, to := outline[k], outline[k+1]
		dr, dy := to[0]-from[0], to[1]-from[1]
		start := uint16(len(m.positions))
		for i := range sides + 1 {
			a := turn(i) * fullTurn / turn(sides)
			n := point{scale(dy*metre, sine(a)), -dr * metre, scale(dy*metre, cosine(a))}.unit()
			u := float32(i*1024/sides) / 1024
			for _, at := range [...][2]int{from, to} {
				p := point{scale(at[0], sine(a)), at[1], scale(at[0], cosine(a))}
				m.vertex(p, n, [2]float32{u, float32((high-at[1])*1024/(high-low)) / 1024})
			}
		}
		for i := range uint16(sides) {
			a, d := start+2*i, start+2*i+1
			b, c := a+2, d+2
			if from[0] > 0 { // at the axis a quad is only a triangle
				m.indices = append(m.indices, a, b, c)
			}
			if to[0] > 0 {
				m.indices = append(m.indices, a, c, d)
			}
		}
	}
}

// along lays the mesh down: what pointed up points along +X. It keeps the
// corners' order.
func (m *mesh) along() {
	for i, p := range m.positions {
		m.positions[i] = point{p[1], p[2], p[0]}
	}
	for i, n := range m.normals {
		m.normals[i] = [3]float32{n[1], n[2], n[0]}
	}
}

// boulder is an octahedron whose sides are cut into four, rounds times over,
// blown up to a ball, squashed and dented.
func boulder(radius, rounds int, seed uint32) *mesh {
	const r = 1 << 14
	points := []point{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}}
	faces := [][3]int{{2, 4, 0}, {2, 0, 5}, {2, 5, 1}, {2, 1, 4}, {3, 0, 4}, {3, 5, 0}, {3, 1, 5}, {3, 4, 1}}
	for range rounds {
		middles := map[[2]int]int{}
		middle := func(a, b int) int {
			edge := [2]int{min(a, b), max(a, b)}
			if i, ok := middles[edge]; ok {
				return i
			}
			p := point{points[a][0] + points[b][0], points[a][1] + points[b][1], points[a][2] + points[b][2]}
			length := root(int64(p[0])*int64(p[0]) + int64(p[1])*int64(p[1]) + int64(p[2])*int64(p[2]))
			for i := range p {
				p[i] = int(int64(p[i]) * r / int64(length))
			}
			points = append(points, p)
			middles[edge] = len(points) - 1
			return len(points) - 1
		}
		var finer [][3]int
		for _, f := range faces {
			a, b, c := middle(f[0], f[1]), middle(f[1], f[2]), middle(f[2], f[0])
			finer = append(finer, [3]int{f[0], a, c}, [3]int{a, f[1], b}, [3]int{c, b, f[2]}, [3]int{a, b, c})
		}
		faces = finer
	}

	m := &mesh{}
	for _, p := range points {
		u, v, w := p[0]/128+256, p[1]/128+256, p[2]/128+256
		dent := (fractal(u, v, 128, 0, 3, seed) + fractal(v, w, 128, 0, 3, seed+1) + fractal(w, u, 128, 0, 3, seed+2)) / 3
		reach := radius*3/4 + radius*dent/65536/2
		q := point{p[0] * reach / r, p[1] * reach * 5 / (r * 8), p[2] * reach / r}
		m.positions = append(m.positions, q)
		m.texels = append(m.texels, [2]float32{float32(between(0, q[0]*512/radius+512, 1024)) / 1024, float32(between(0, q[2]*512/radius+512, 1024)) / 1024})
		c := mix(rgb{120, 112, 104}, rgb{214, 206, 192}, ramp(dent, 24000, 42000))
		m.colours = append(m.colours, [4]uint8{byte8(c[0]), byte8(c[1]), byte8(c[2]), 255})
	}
	sums := make([]point, len(points)) // of the normals of the faces around
	for _, f := range faces {
		a := m.positions[f[0]]
		n := m.positions[f[1]].minus(a).cross(m.positions[f[2]].minus(a))
		for _, i := range f {
			sums[i] = point{sums[i][0] + n[0], sums[i][1] + n[1], sums[i][2] + n[2]}
			m.indices = append(m.indices, uint16(i))
		}
	}
	for _, n := range sums {
		m.normals = append(m.normals, n.unit())
	}
	return m
}
