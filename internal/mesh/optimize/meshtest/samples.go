package meshtest

import "context"

// A Sample is a mesh with recorded results of other programs.
type Sample struct {
	Name string
	*Mesh
}

// Samples are open and closed, smooth and with seams, in order and not.
func Samples() []Sample {
	return []Sample{
		{"grid", Grid(100, 100, Hills(0.1))},
		{"shuffled grid", Grid(100, 100, Hills(0.1)).Shuffle(1)},
		{"sphere", Sphere(100, 50).Smooth()},
		{"sphere with a seam", Sphere(60, 100)},
		{"shuffled torus", Torus(200, 80, 0.4).Smooth().Shuffle(2)},
	}
}

// Fan is triangles around one hub, on a cone.
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

// Patience is a context that ends once it has been looked at often enough.
type Patience struct {
	context.Context
	Looks int // so far
	Limit int // 0 for none
}

// NewPatience returns a context that is canceled after limit calls of Err, or never for 0.
func NewPatience(limit int) *Patience {
	return &Patience{Context: context.Background(), Limit: limit}
}

// Err counts its calls.
func (p *Patience) Err() error {
	p.Looks++
	if p.Limit > 0 && p.Looks >= p.Limit {
		return context.Canceled
	}
	return nil
}
