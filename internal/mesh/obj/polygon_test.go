package obj

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// ring returns a polygon of n corners that cycles through the given vertices.
func ring(n int, vertices ...int32) []corner {
	list := make([]corner, n)
	for i := range list {
		list[i] = corner{vertices[i%len(vertices)], none, none}
	}
	return list
}

// TestEffort checks that the total number of visited corners is bounded for polygons that cross
// themselves. Each polygon must still become triangles.
func TestEffort(t *testing.T) {
	// The polygon is a spiral around a triangle. Each ear contains one of the last two corners.
	v := []float32{2, 2, 0, 6, 2, 0, 4, 2, 0, 2, 1, 0, 3, 3, 0, 0, 5, 0}
	c := new(cutter)
	const n, polygons = maxCorners, 3
	polygon := append(ring(n-2, 5, 3, 2), ring(2, 0, 1)...)
	for i := range polygons {
		triangles, err := c.cutPolygon(t.Context(), v, polygon, nil)
		if err != nil || len(triangles) != 3*(n-2) {
			t.Fatalf("polygon %d: %d corners, %v", i, len(triangles), err)
		}
	}
	if most := int64(effort + effortPerCorner*n*polygons); c.work > most+n || c.work < most/2 {
		t.Errorf("looked at %d corners, may look at %d", c.work, most)
	}
	// A polygon with ears is still triangulated as usual, with far less work than the limit.
	comb := new(cutter)
	var teeth []float32
	for i := range n / 2 {
		teeth = append(teeth, float32(i), 0, 0, float32(i)+0.5, float32(1+i%3), 0)
	}
	polygon = polygon[:0]
	for i := n - 1; i >= 0; i-- {
		polygon = append(polygon, corner{int32(i), none, none})
	}
	if _, err := comb.cutPolygon(t.Context(), teeth, polygon, nil); err != nil || comb.work > effort/4 {
		t.Errorf("a comb: looked at %d corners, %v", comb.work, err)
	}
}

// TestRepeatedCorners checks that a corner at the position of the previous corner adds no triangle
// and hides no ear.
func TestRepeatedCorners(t *testing.T) {
	const dart = "v 0 0 0\nv 4 1 0\nv 0 2 0\nv 1 1 0\nv 4 1 0\n"
	for face, corners := range map[string]int{
		"1 2 3 4": 6, "1 1 2 5 5 3 3 3 4 1": 6, "4 4 1 2 5 3 4": 6,
		"1 2 2 4": 3 + 3, // fan: all corners turn in the same direction
	} {
		d, data := convert(t, dart+"f "+face, nil)
		p := floats(d, data, d.Meshes[0].Primitives[0].Attributes.Position)
		if len(p) != 3*corners || corners == 6 && face != "1 2 2 4" && math.Abs(area(p)-3) > 1e-6 {
			t.Errorf("%s: %d numbers of area %g", face, len(p), area(p))
		}
	}
	// The number of corners is limited only after repeated corners are removed.
	var b strings.Builder
	b.WriteString(dart + "f 1 2 3")
	for range 2 * maxCorners {
		b.WriteString(" 4")
	}
	if d, _ := convert(t, b.String(), nil); d.Accessors[0].Count != 6 {
		t.Errorf("%d corners, want 6", d.Accessors[0].Count)
	}
}

// TestLooks checks that the context is checked repeatedly within a large part, and within a long
// line.
func TestLooks(t *testing.T) {
	const corners = 20 * pace
	looks := 0
	p := &parser{
		v: make([]float32, 3), vn: []float32{0, 0, 1}, vt: make([]float32, 2), objects: []object{{used: true}},
		parts: []part{{key: key{material: none, mode: points, uvs: true, normals: true}, corners: make([]corner, corners)}},
	}
	if _, _, err := p.writeDocument(counting{t.Context(), &looks}); err != nil || looks < 60 {
		t.Errorf("looked %d times at three attributes of %d corners, %v", looks, corners, err)
	}
	looks = 0
	line := "v 0 0 0\np" + strings.Repeat(" 1", 10*pace)
	if _, _, _, err := Convert(counting{t.Context(), &looks}, []byte(line), files(nil)); err != nil || looks < 20 {
		t.Errorf("looked %d times at a line of %d corners, %v", looks, 10*pace, err)
	}
	for left := range looks {
		left := left
		if _, _, _, err := Convert(ending{t.Context(), &left}, []byte(line), files(nil)); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Fatalf("went on after look %d: %v", left, err)
		}
	}
	// Convert must check the context before it searches the text.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := Convert(ctx, []byte{0}, files(nil)); fmt.Sprint(err) != context.Canceled.Error() {
		t.Errorf("searched before it looked: %v", err)
	}
}

// ending is a context that is canceled after a number of checks.
type ending struct {
	context.Context
	left *int
}

func (c ending) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}
