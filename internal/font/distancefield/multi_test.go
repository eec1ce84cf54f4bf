package distancefield

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/countdown"
)

// renderMulti returns the levels of a path over the grid.
func renderMulti(t rapid.TB, p *Path, g Grid, span float64) (*Shape, []byte) {
	t.Helper()
	s, err := p.Shape(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 4*g.W*g.H)
	if err := s.RenderMulti(context.Background(), out, 4*g.W, g, span); err != nil {
		t.Fatal(err)
	}
	return s, out
}

// sample interpolates levels linearly. It returns the median of the first three channels as a
// distance, and the fourth channel, which is the plain distance.
func sample(levels []byte, g Grid, span, x, y float64) (median, plain float64) {
	x, y = x-float64(g.Left)-0.5, y-float64(g.Top)-0.5
	left, top := math.Floor(x), math.Floor(y)
	u, v := x-left, y-top
	var c [4]float64
	for i := range c {
		at := func(dx, dy int) float64 {
			px, py := min(max(int(left)+dx, 0), g.W-1), min(max(int(top)+dy, 0), g.H-1)
			return float64(levels[4*(py*g.W+px)+i])
		}
		c[i] = ((at(0, 0)*(1-u)+at(1, 0)*u)*(1-v)+(at(0, 1)*(1-u)+at(1, 1)*u)*v)/255 - 0.5
	}
	return max(min(c[0], c[1]), min(max(c[0], c[1]), c[2])) * span, c[3] * span
}

// allowed returns the distance from the outline within which the median may be on the wrong side.
// It covers the errors of linear interpolation and of rounding, and points that mendPixels does not
// sample.
func allowed(span float64) float64 { return 0.8 + span/255 }

// A tally counts samples, and those on the wrong side of the outline.
type tally struct{ all, wrong, wrongPlain int }

// add checks that the median has the sign of the distance wherever the outline is farther than
// allowed.
func (a *tally) add(t rapid.TB, s *Shape, levels []byte, g Grid, span float64) {
	t.Helper()
	const parts = 3 // number of samples per pixel in each direction
	for y := range (g.H - 1) * parts {
		for x := range (g.W - 1) * parts {
			p := Point{float64(g.Left) + 0.5 + (float64(x)+0.45)/parts, float64(g.Top) + 0.5 + (float64(y)+0.55)/parts}
			d := s.Distance(p, 2)
			if beside := s.Distance(Point{p.X + 1e-7, p.Y}, 2); (beside < 0) != (d < 0) {
				continue // the sample is on an edge, or between coinciding edges
			}
			median, plain := sample(levels, g, span, p.X, p.Y)
			a.all++
			if (plain < 0) != (d < 0) {
				a.wrongPlain++
			}
			if (median < 0) != (d < 0) {
				a.wrong++
				if math.Abs(d) > allowed(span) {
					t.Fatalf("at %v: median %v, distance %v", p, median, d)
				}
			}
		}
	}
}

var small = Grid{Left: -12, Top: -12, W: 24, H: 24}

func TestMedianHasTheSignOfTheDistance(t *testing.T) {
	var all tally
	rapid.Check(t, func(t *rapid.T) {
		point := func(name string) Point {
			at := rapid.IntRange(-80, 80)
			return Point{float64(at.Draw(t, name+"x")) / 8, float64(at.Draw(t, name+"y")) / 8}
		}
		var p Path
		for range rapid.IntRange(1, 3).Draw(t, "contours") {
			p.MoveTo(point("start"))
			for range rapid.IntRange(1, 5).Draw(t, "curves") {
				switch rapid.IntRange(0, 3).Draw(t, "degree") {
				case 0:
					p.LineTo(Point{p.end.X + 1./512, p.end.Y - 1./256})
				case 1:
					p.LineTo(point("a"))
				case 2:
					p.QuadTo(point("a"), point("b"))
				case 3:
					p.CubeTo(point("a"), point("b"), point("c"))
				}
			}
		}
		s, levels := renderMulti(t, &p, small, 4)
		all.add(t, s, levels, small, 4)
	})
	t.Logf("%+v", all)
}

// TestMultiOfShapes checks shapes that are hard to color or to mend. For sharp shapes, the median
// must be on the wrong side of the outline less often than the plain distance, which rounds
// corners.
func TestMultiOfShapes(t *testing.T) {
	star := contour{{0, -9}, {2, -2}, {9, 0}, {2, 2}, {0, 9}, {-2, 2}, {-9, 0}, {-2, -2}}
	thin := contour{{-8, -8}, {8, 7.4}, {8, 8}, {-8, -7.4}}
	drop := new(Path)
	drop.MoveTo(Point{0, -9})
	drop.CubeTo(Point{14, 10}, Point{-14, 10}, Point{0, -9})
	leaf := new(Path)
	leaf.MoveTo(Point{-9, 0})
	leaf.QuadTo(Point{0, -9}, Point{9, 0})
	leaf.QuadTo(Point{0, 9}, Point{-9, 0})
	cusp := new(Path)
	cusp.MoveTo(Point{-9, 0})
	cusp.CubeTo(Point{9, -9}, Point{-9, -9}, Point{9, 0})
	cusp.CubeTo(Point{-9, 0}, Point{9, 2}, Point{-9, 0})
	round := new(Path)
	disc(round, 0.3, 0.2, 8)
	overlapping := polygons(box(-9, -3, 9, 3), box(-3, -9, 3, 9), box(-9, -3, 9, 3))
	bevel := polygons(contour{{-8, -8}, {7.999, -8}, {8, -7.999}, {8, 8}, {-8, 8}})
	for _, tc := range []struct {
		name  string
		path  *Path
		sharp bool
	}{
		{"a star", polygons(star), true},
		{"the other way around", polygons(star.reversed()), true},
		{"a box", polygons(box(-8.2, -7.7, 7.6, 8.1)), true},
		{"one corner", drop, true},
		{"two corners", leaf, true},
		{"a cusp", cusp, false},
		{"no corner", round, false},
		{"a sliver", polygons(thin), false},
		{"overlaps and twins", overlapping, true},
		{"a tiny bevel", bevel, true},
		{"corners that touch", polygons(box(-8, -8, 0, 0), box(0, 0, 8, 8)), true},
		{"two sides that touch", polygons(box(-8, -8, 0, 8), box(0, -4, 8, 4)), true},
		{"nothing", new(Path), false},
	} {
		var a tally
		s, levels := renderMulti(t, tc.path, small, 4)
		a.add(t, s, levels, small, 4)
		if tc.sharp && 3*a.wrong > 2*a.wrongPlain || a.wrong > a.wrongPlain+2 {
			t.Errorf("%s: %d samples on the wrong side, %d of plain distances", tc.name, a.wrong, a.wrongPlain)
		}
		plain := make([]byte, small.W*small.H)
		if err := s.Render(t.Context(), plain, small.W, small, 4); err != nil {
			t.Fatal(err)
		}
		for i, v := range plain {
			if levels[4*i+3] != v {
				t.Fatalf("%s: alpha is %d, not the distance %d", tc.name, levels[4*i+3], v)
			}
		}
	}
}

func TestLineThereAndBackEnclosesNothing(t *testing.T) {
	p := polygons(contour{{-30. / 8, -1}, {0, -44. / 8}})
	s, levels := renderMulti(t, p, small, 4)
	plain := make([]byte, small.W*small.H)
	if err := s.Render(t.Context(), plain, small.W, small, 4); err != nil {
		t.Fatal(err)
	}
	for i, v := range append(plain, levels...) {
		if v != 0 {
			t.Fatalf("level %d is %d", i, v)
		}
	}
}

// TestCornersSplitColors checks that edges share one channel where they meet at a corner, and all
// channels where they join smoothly. It also checks that all contours are closed.
func TestCornersSplitColors(t *testing.T) {
	smooth := new(Path)
	disc(smooth, 0, 0, 5)
	for name, p := range map[string]*Path{
		"box": polygons(box(-5, -5, 5, 5)), "triangle": polygons(contour{{-5, -5}, {5, -5}, {0, 5}}),
		"pentagon": polygons(contour{{-5, -5}, {5, -5}, {7, 1}, {0, 5}, {-7, 1}}), "smooth": smooth,
		"overlaps": polygons(box(-9, -3, 9, 3), box(-3, -9, 3, 9)),
	} {
		s, err := p.Shape(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.orderEdges(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		colors := o.colorEdges()
		if len(colors) != len(o.edges) || len(o.open) != 1 || o.open[0] {
			t.Fatalf("%s: %d colors of %d edges in %d contours, open: %v", name, len(colors), len(o.edges), len(o.open), o.open)
		}
		for i := range colors {
			next := (i + 1) % len(colors)
			if o.edges[i].p[o.edges[i].n] != o.edges[next].p[0] {
				t.Errorf("%s: edge %d does not begin at the end of the one before", name, next)
			}
			shared := bits.OnesCount8(uint8(colors[i] & colors[next]))
			if want := map[bool]int{true: 3, false: 1}[name == "smooth"]; shared != want {
				t.Errorf("%s: edges %d and %d share %d channels", name, i, next, shared)
			}
		}
	}
}

// All machines compute the same bytes. If the checksum changes, so do cooked atlases, and the
// version of the font recipe must be raised.
func TestMultiGolden(t *testing.T) {
	var p Path
	disc(&p, -3.3, 2.7, 6.1)
	p.MoveTo(Point{3.1, -9.2})
	p.CubeTo(Point{20.7, -2.9}, Point{-19.3, 1.1}, Point{9.9, 9.3})
	p.LineTo(Point{-7.7, -8.1})
	_, levels := renderMulti(t, &p, small, 4)
	const want = "b17ee7fe22828f59"
	if got := fmt.Sprintf("%x", sha256.Sum256(levels))[:16]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMultiRenderingStopsWithContext(t *testing.T) {
	many := new(Path)
	for i := range 60 {
		disc(many, float64(i%8)*3-10, float64(i/8)*3-10, 1.2)
	}
	s, err := many.Shape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 4*small.W*small.H)
	all := countdown.New(t.Context(), math.MaxInt)
	if err := s.RenderMulti(all, out, 4*small.W, small, 4); err != nil {
		t.Fatal(err)
	}
	had := math.MaxInt - all.Left
	if had < len(s.edges)/looksEvery+2*small.H {
		t.Errorf("the context is checked %d times", had)
	}
	for looks := range had {
		if err := s.RenderMulti(countdown.New(t.Context(), looks), out, 4*small.W, small, 4); !errors.Is(err, context.Canceled) {
			t.Fatalf("%d checks: %v", looks, err)
		}
	}
}

// TestMultiOfTinyParts renders a glyph whose parts are all smaller than pixels.
func TestMultiOfTinyParts(t *testing.T) {
	many := new(Path)
	for i := range 700 {
		x, y := float64(i%70)*1.3-45, float64(i/70)*1.3-8
		many.MoveTo(Point{x, y})
		many.LineTo(Point{x + 1.1, y + 0.3})
		many.LineTo(Point{x + 0.3, y + 1.1})
	}
	g := Grid{Left: -48, Top: -12, W: 100, H: 24}
	var a tally
	s, levels := renderMulti(t, many, g, 4)
	a.add(t, s, levels, g, 4)
}
