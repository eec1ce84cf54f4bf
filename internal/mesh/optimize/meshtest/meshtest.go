// Package meshtest generates meshes for the tests of mesh packages. The meshes are the same on
// every machine, because no function is used that differs between processors.
package meshtest

import (
	"context"
	"math"
	"math/rand/v2"
)

// A Mesh is a list of triangles. Normals and UVs have one entry per vertex, like Positions.
type Mesh struct {
	Indices   []uint32
	Positions []float32 // coordinates x, y, z of each vertex
	Normals   []float32 // unit vector x, y, z of each vertex
	UVs       []float32 // texture coordinates u, v of each vertex
}

// Vertices returns the number of vertices.
func (m *Mesh) Vertices() int { return len(m.Positions) / 3 }

// Grid returns a grid of width by height squares of two triangles each, row by row, with heights
// z(x, y) above the unit square. If z is nil, the grid is flat.
func Grid(width, height int, z func(x, y float64) float64) *Mesh {
	if z == nil {
		z = func(x, y float64) float64 { return 0 }
	}
	m := new(Mesh)
	const h = 1.0 / 1024
	for j := range height + 1 {
		for i := range width + 1 {
			x, y := float64(i)/float64(width), float64(j)/float64(height)
			m.vertex(x, y, z(x, y), (z(x-h, y)-z(x+h, y))/(2*h), (z(x, y-h)-z(x, y+h))/(2*h), 1, x, y)
		}
	}
	m.squares(width, height)
	return m
}

// Hills returns a height function for Grid: rounded hills and valleys of the given depth.
func Hills(depth float64) func(x, y float64) float64 {
	wave := func(t float64) float64 { // smooth wave with a period of 1
		t -= math.Floor(t)
		if t > 0.5 {
			t = 1 - t
		}
		t *= 2
		return float64(t*t) * (3 - 2*t)
	}
	return func(x, y float64) float64 {
		return float64(depth*wave(float64(3*x)+y)) + float64(depth/2*wave(float64(5*y)-float64(2*x)))
	}
}

// Sphere returns a sphere around the z axis. It consists of rings from bottom to top, whose number
// is stacks, and each ring has as many squares as slices. Fans close it at the poles, and it has a
// seam where u wraps around from 1 to 0.
func Sphere(slices, stacks int) *Mesh {
	m := new(Mesh)
	for j := range stacks + 1 {
		s, c := turn(float64(j) / float64(2*stacks))
		for i := range slices + 1 {
			// Both sides of the seam use the angle 0, so that their positions are equal to the last
			// bit.
			sin, cos := turn(float64(i%slices) / float64(slices))
			x, y, z := float64(s*cos), float64(s*sin), -c
			m.vertex(x, y, z, x, y, z, float64(i)/float64(slices), float64(j)/float64(stacks))
		}
	}
	m.squares(slices, stacks)
	// At a pole one side of each square has length 0, so one of the square's two triangles has no
	// area.
	kept := m.Indices[:0]
	for t := 0; t < len(m.Indices); t += 3 {
		a, b, c := m.Indices[t], m.Indices[t+1], m.Indices[t+2]
		pole := func(v uint32) int { return min(1, int(v)/(slices+1)%stacks) }
		if pole(a)+pole(b)+pole(c) >= 2 || stacks == 1 {
			kept = append(kept, a, b, c)
		}
	}
	m.Indices = kept
	// The sine of half a turn is not exactly 0, but all vertices of a pole must have the same
	// position.
	for i := range slices + 1 {
		for _, v := range []int{i, stacks*(slices+1) + i} {
			m.Positions[3*v], m.Positions[3*v+1] = 0, 0
		}
	}
	return m
}

// Torus returns a ring of the given thickness around the z axis. It has seams.
func Torus(slices, stacks int, thickness float64) *Mesh {
	m := new(Mesh)
	for j := range stacks + 1 {
		s, c := turn(float64(j%stacks) / float64(stacks))
		for i := range slices + 1 {
			sin, cos := turn(float64(i%slices) / float64(slices))
			r := 1 - float64(thickness*c)
			m.vertex(float64(r*cos), float64(r*sin), -float64(thickness*s), -float64(c*cos), -float64(c*sin), -s,
				float64(i)/float64(slices), float64(j)/float64(stacks))
		}
	}
	m.squares(slices, stacks)
	return m
}

// Smooth returns the mesh without normals and texture coordinates, and with one vertex per
// position, so that it has no seams.
func (m *Mesh) Smooth() *Mesh {
	out := new(Mesh)
	at := map[[3]float32]uint32{}
	remap := make([]uint32, m.Vertices())
	for v := range remap {
		p := [3]float32(m.Positions[3*v:])
		u, ok := at[p]
		if !ok {
			u = uint32(len(at))
			at[p] = u
			out.Positions = append(out.Positions, p[:]...)
		}
		remap[v] = u
	}
	for _, v := range m.Indices {
		out.Indices = append(out.Indices, remap[v])
	}
	return out
}

// Shuffle returns the mesh with its triangles in random order, each starting with a random corner.
func (m *Mesh) Shuffle(seed uint64) *Mesh {
	r := rand.New(rand.NewPCG(seed, 1))
	out := *m
	out.Indices = make([]uint32, 0, len(m.Indices))
	for _, t := range r.Perm(len(m.Indices) / 3) {
		k := r.IntN(3)
		for i := range 3 {
			out.Indices = append(out.Indices, m.Indices[3*t+(k+i)%3])
		}
	}
	return &out
}

// Soup returns triangles with random corners among random vertices. Some are malformed. Positions
// and texture coordinates are coarse, so that many are equal.
func Soup(seed uint64, vertices, triangles int) *Mesh {
	r := rand.New(rand.NewPCG(seed, 2))
	m := new(Mesh)
	coarse := func() float64 { return float64(r.IntN(4)) / 4 }
	for range vertices {
		n := [3]float64{}
		n[r.IntN(3)] = float64(2*r.IntN(2) - 1)
		m.vertex(coarse(), coarse(), coarse(), n[0], n[1], n[2], coarse(), coarse())
	}
	for range 3 * triangles {
		m.Indices = append(m.Indices, uint32(r.IntN(vertices)))
	}
	return m
}

func (m *Mesh) vertex(x, y, z, nx, ny, nz, u, v float64) {
	m.Positions = append(m.Positions, float32(x), float32(y), float32(z))
	l := math.Sqrt(float64(nx*nx) + float64(ny*ny) + float64(nz*nz))
	m.Normals = append(m.Normals, float32(nx/l), float32(ny/l), float32(nz/l))
	m.UVs = append(m.UVs, float32(u), float32(v))
}

// squares connects rows of width+1 vertices. The triangles face the viewer if vertices run to the
// right and rows run upward.
func (m *Mesh) squares(width, height int) {
	for j := range height {
		for i := range width {
			a := uint32(j*(width+1) + i)
			b := a + uint32(width) + 1
			m.Indices = append(m.Indices, a, a+1, b, b, a+1, b+1)
		}
	}
}

// turn returns the sine and cosine of t turns, computed as Taylor series. t is from 0 to 1.
func turn(t float64) (sin, cos float64) {
	x := float64((t - 0.5) * 2 * math.Pi) // angle from -pi to pi, shifted by half a turn
	term, odd := 1.0, 0.0
	even := 1.0
	for n := 1; n < 30; n++ {
		term = float64(term*x) / float64(n)
		switch n % 4 {
		case 0:
			even += term
		case 1:
			odd += term
		case 2:
			even -= term
		case 3:
			odd -= term
		}
	}
	return -odd, -even
}

// A Sample is a mesh with recorded results of other programs.
type Sample struct {
	Name string
	*Mesh
}

// Samples returns several meshes: open and closed, smooth and with seams, with ordered and with
// shuffled triangles.
func Samples() []Sample {
	return []Sample{
		{"grid", Grid(100, 100, Hills(0.1))},
		{"shuffled grid", Grid(100, 100, Hills(0.1)).Shuffle(1)},
		{"sphere", Sphere(100, 50).Smooth()},
		{"sphere with a seam", Sphere(60, 100)},
		{"shuffled torus", Torus(200, 80, 0.4).Smooth().Shuffle(2)},
	}
}

// Fan returns triangles around one common vertex, which form a cone.
func Fan(triangles int) *Mesh {
	m := new(Mesh)
	m.vertex(0, 0, 1, 0, 0, 1, 0.5, 0.5)
	for i := range triangles {
		sin, cos := turn(float64(i) / float64(triangles))
		m.vertex(cos, sin, 0, cos, sin, 1, cos, sin)
		m.Indices = append(m.Indices, 0, uint32(i+1), uint32((i+1)%triangles+1))
	}
	return m
}

// Patience is a context that is canceled after a number of calls of Err.
type Patience struct {
	context.Context
	Looks int // number of calls of Err so far
	Limit int // number of calls of Err that cancel the context; 0 means never
}

// NewPatience returns a context that is canceled after limit calls of Err. If limit is 0, it is
// never canceled.
func NewPatience(limit int) *Patience {
	return &Patience{Context: context.Background(), Limit: limit}
}

// Err counts its calls, and returns context.Canceled after Limit calls.
func (p *Patience) Err() error {
	p.Looks++
	if p.Limit > 0 && p.Looks >= p.Limit {
		return context.Canceled
	}
	return nil
}
