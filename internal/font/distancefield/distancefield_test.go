package distancefield

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/countdown"
)

func drawPoint(t *rapid.T, name string) Point {
	return Point{float64(rapid.IntRange(-640, 640).Draw(t, name+"x")) / 16, float64(rapid.IntRange(-640, 640).Draw(t, name+"y")) / 16}
}

func drawCurve(t *rapid.T, name string) curve {
	c := curve{n: rapid.IntRange(1, 3).Draw(t, name+"n")}
	for i := range c.n + 1 {
		c.p[i] = drawPoint(t, name)
	}
	return c.boxed()
}

// sampled computes the distance from q to many short lines along the curve, as an oracle.
func sampled(c curve, q Point, parts int) float64 {
	best, from := math.Inf(1), c.p[0]
	for i := range parts {
		to := c.pointAt(float64(i+1) / float64(parts))
		d, v := Point{to.X - from.X, to.Y - from.Y}, Point{q.X - from.X, q.Y - from.Y}
		t := 0.0
		if d.X != 0 || d.Y != 0 {
			t = min(1, max(0, (d.X*v.X+d.Y*v.Y)/(d.X*d.X+d.Y*d.Y)))
		}
		best = min(best, math.Hypot(v.X-t*d.X, v.Y-t*d.Y))
		from = to
	}
	return best
}

func TestDistanceAgreesWithShortLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, q := drawCurve(t, "c"), drawPoint(t, "q")
		got, want := math.Sqrt(c.distance2(q, math.Inf(1))), sampled(c, q, 1000)
		// The short lines of sampled deviate from the curve by less than 0.001.
		if math.Abs(got-want) > 1e-3 {
			t.Errorf("%v from %v: %v, want %v", q, c.p[:c.n+1], got, want)
		}
	})
}

func TestDistanceKeepsTheBest(t *testing.T) {
	for n := 1; n <= 3; n++ {
		c := curve{p: [4]Point{{0, 0}, {1, 2}, {3, 2}, {4, 0}}, n: n}
		if got := c.distance2(Point{100, 0}, 4); got != 4 {
			t.Errorf("degree %d: %v", n, got)
		}
		if got := c.distance2(c.pointAt(0.3), 4); got > 1e-15 {
			t.Errorf("degree %d: a point on the curve is %v away", n, got)
		}
	}
}

func TestMinimumInTheMiddleIsFound(t *testing.T) {
	c := curve{p: [4]Point{{-2, 0}, {0, 2}, {2, 0}}, n: 2}
	if got := c.distance2(Point{0, 0.5}, 100); got != 0.25 {
		t.Error(got)
	}
}

func TestRowsCountCornersOnce(t *testing.T) {
	out := render(t, polygons(contour{{20.5, 4.5}, {28.5, 12.5}, {20.5, 20.5}, {12.5, 12.5}}))
	for _, y := range []int{4, 12, 20} {
		for x := range grid.W {
			away := math.Abs(float64(grid.Left+x)-20) + math.Abs(float64(y)-12) - 8
			v := out[(y-grid.Top)*grid.W+x]
			if away > 0.5 && v > 127 || away < -0.5 && v < 128 {
				t.Fatalf("at %d, %d: %d", grid.Left+x, y, v)
			}
		}
	}
}

// TestPathPiecesAreMonotone also checks that adjacent pieces share an endpoint.
func TestPathPiecesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Path
		start := drawPoint(t, "start")
		p.MoveTo(start)
		for range rapid.IntRange(1, 5).Draw(t, "curves") {
			a, b, c := drawPoint(t, "a"), drawPoint(t, "b"), drawPoint(t, "c")
			switch rapid.IntRange(1, 3).Draw(t, "degree") {
			case 1:
				p.LineTo(a)
			case 2:
				p.QuadTo(a, b)
			case 3:
				p.CubeTo(a, b, c)
			}
		}
		p.closeContour()
		end := start
		for _, c := range p.pieces {
			if c.p[0] != end {
				t.Fatalf("%v does not continue at %v", c.p, end)
			}
			end = c.p[c.n]
			for i := range 65 {
				at := c.pointAt(float64(i) / 64)
				const slack = 1e-9
				if at.X < c.minX-slack || at.X > c.maxX+slack || at.Y < c.minY-slack || at.Y > c.maxY+slack {
					t.Fatalf("%v leaves the box of its ends at %v", c.p, at)
				}
			}
		}
		if end != start {
			t.Fatal("not closed")
		}
	})
}

type contour []Point

func (c contour) reversed() contour {
	r := contour{}
	for i := range c {
		r = append(r, c[len(c)-1-i])
	}
	return r
}

func box(left, top, right, bottom float64) contour {
	return contour{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// disc draws a disc of quadratic curves.
func disc(p *Path, x, y, r float64) {
	const k = 0.41421356237309503 // tan(22.5 degrees)
	at := func(a, b float64) Point { return Point{x + r*a, y + r*b} }
	const h = 0.7071067811865476
	corners := []Point{at(1, 0), at(h, h), at(0, 1), at(-h, h), at(-1, 0), at(-h, -h), at(0, -1), at(h, -h)}
	controls := []Point{at(1, k), at(k, 1), at(-k, 1), at(-1, k), at(-1, -k), at(-k, -1), at(k, -1), at(1, -k)}
	p.MoveTo(corners[0])
	for i := range corners {
		p.QuadTo(controls[i], corners[(i+1)%8])
	}
}

func polygons(list ...contour) *Path {
	p := new(Path)
	for _, c := range list {
		p.MoveTo(c[0])
		for _, q := range c[1:] {
			p.LineTo(q)
		}
	}
	return p
}

var grid = Grid{Left: -4, Top: -5, W: 40, H: 36}

func render(t testing.TB, p *Path) []byte {
	t.Helper()
	s, err := p.Shape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, grid.W*grid.H)
	if err := s.Render(t.Context(), out, grid.W, grid, 8); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOverlapsLeaveNoSeam checks that overlapping contours give exactly the field of the single
// contour around both.
func TestOverlapsLeaveNoSeam(t *testing.T) {
	plus := contour{{10, 2}, {20, 2}, {20, 10}, {28, 10}, {28, 20}, {20, 20}, {20, 27}, {10, 27}, {10, 20}, {2, 20}, {2, 10}, {10, 10}}
	for _, tc := range []struct {
		name      string
		have, are *Path
	}{
		{"a cross of two boxes", polygons(box(10, 2, 20, 27), box(2, 10, 28, 20)), polygons(plus)},
		{"turned the other way", polygons(box(10, 2, 20, 27).reversed(), box(2, 10, 28, 20).reversed()), polygons(plus)},
		{"a box within a box", polygons(box(2, 2, 25, 25), box(8, 8, 15, 15)), polygons(box(2, 2, 25, 25))},
		{"a hole", polygons(box(2, 2, 25, 25), box(8, 8, 15, 15).reversed()),
			polygons(contour{{2, 2}, {25, 2}, {25, 25}, {2, 25}, {2, 2}, {8, 8}, {8, 15}, {15, 15}, {15, 8}, {8, 8}})},
		{"side by side", polygons(box(2, 2, 10, 20), box(10, 2, 25, 20)), polygons(box(2, 2, 25, 20))},
		{"partly side by side", polygons(box(2, 2, 10, 20), box(10, 6, 25, 16)),
			polygons(contour{{2, 2}, {10, 2}, {10, 6}, {25, 6}, {25, 16}, {10, 16}, {10, 20}, {2, 20}})},
		{"twice the same", polygons(box(2, 2, 25, 20), box(2, 2, 25, 20)), polygons(box(2, 2, 25, 20))},
		{"taken away again", polygons(box(2, 2, 10, 20), box(2, 2, 10, 20).reversed(), box(20, 2, 25, 20)), polygons(box(20, 2, 25, 20))},
		{"a contour that crosses itself", polygons(contour{{2, 2}, {20, 2}, {20, 20}, {10, 20}, {10, 10}, {28, 10}, {28, 15}, {5, 15}, {5, 25}, {2, 25}}),
			polygons(contour{{2, 2}, {20, 2}, {20, 10}, {28, 10}, {28, 15}, {20, 15}, {20, 20}, {10, 20}, {10, 15}, {5, 15}, {5, 25}, {2, 25}})},
	} {
		have, are := render(t, tc.have), render(t, tc.are)
		wrong, worst := 0, 0
		for i := range have {
			if d := int(have[i]) - int(are[i]); d != 0 {
				wrong++
				worst = max(worst, d, -d)
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d pixels differ, by %d at most", tc.name, wrong, worst)
		}
	}
}

// The curves of disc differ from circles by less than 0.003 of the radius.
func TestOverlappingDiscsAgreeWithCircles(t *testing.T) {
	var p Path
	disc(&p, 11, 13, 9)
	disc(&p, 20, 12, 8)
	out := render(t, &p)
	for y := range grid.H {
		for x := range grid.W {
			px, py := float64(grid.Left+x)+0.5, float64(grid.Top+y)+0.5
			a, b := math.Hypot(px-11, py-13)-9, math.Hypot(px-20, py-12)-8
			want := -min(a, b)
			if a < 0 && b < 0 || a < 4 && b < 4 {
				continue // the nearest point may be a crossing of the two circles
			}
			got := (float64(out[y*grid.W+x])/255 - 0.5) * 8
			if math.Abs(got-min(4, max(-4, want))) > 0.05 {
				t.Fatalf("at %v, %v: %v, want %v", px, py, got, want)
			}
		}
	}
	// Between the centers, the nearest points are the crossings, at least 3 pixels away. A seam
	// inside would have distance 0.
	if v := out[(12-grid.Top)*grid.W+15-grid.Left]; v < 220 {
		t.Errorf("between the discs: %d", v)
	}
}

// TestFieldAgreesWithShortLines compares the field of random, overlapping curves with the distance
// to many short lines along them.
func TestFieldAgreesWithShortLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Path
		for range rapid.IntRange(1, 3).Draw(t, "contours") {
			p.MoveTo(drawPoint(t, "start"))
			for range rapid.IntRange(1, 3).Draw(t, "curves") {
				if rapid.Bool().Draw(t, "cubic") {
					p.CubeTo(drawPoint(t, "a"), drawPoint(t, "b"), drawPoint(t, "c"))
				} else {
					p.QuadTo(drawPoint(t, "a"), drawPoint(t, "b"))
				}
			}
		}
		checkField(t, &p, drawPoint(t, "q"))
	})
}

// TestFieldOfSlivers draws contours that enclose areas narrower than a thousandth of a pixel.
func TestFieldOfSlivers(t *testing.T) {
	p := new(Path)
	at := func(x, y float64) Point { return Point{x / 16, y / 16} }
	p.MoveTo(at(0, 0))
	p.QuadTo(at(1, 0), at(0, -1))
	p.CubeTo(at(0, 0), at(5, -570), at(79, -1)) // the curve reverses within a millionth of a pixel
	p.CubeTo(at(0, 6), at(640, -439), at(-1, 120))
	p.MoveTo(at(-6, 0))
	p.CubeTo(at(7, 16), at(-68, -640), at(0, -2))
	p.MoveTo(at(640, -4))
	p.QuadTo(at(0, 66), at(-179, -2))
	p.CubeTo(at(-3, 1), at(-2, -429), at(343, 156))
	p.QuadTo(at(0, 1), at(0, 1))
	checkField(t, p, at(1, 1))

	p = new(Path)
	p.MoveTo(at(48, 47))
	p.QuadTo(at(8, -2), at(-39, 28)) // the curve starts along the line that closes the second contour
	p.QuadTo(at(-2, -584), at(0, 0))
	p.CubeTo(at(-7, -331), at(-631, 280), at(1, -10))
	p.MoveTo(at(9, 248))
	p.QuadTo(at(-1, -9), at(-301, 217))
	p.CubeTo(at(57, -554), at(58, -122), at(616, 2))
	checkField(t, p, at(49, 0))
}

// TestFieldOfSmallAngles draws curves that cross at an angle of a few thousandths. A curve that is
// not cut at such a crossing would leave a seam.
func TestFieldOfSmallAngles(t *testing.T) {
	p := new(Path)
	at := func(x, y float64) Point { return Point{x / 16, y / 16} }
	p.MoveTo(at(33, -308))
	p.CubeTo(at(5, -152), at(-317, -7), at(-7, -2))
	p.QuadTo(at(-52, 0), at(-556, -27))
	p.MoveTo(at(-290, -2))
	p.QuadTo(at(1, -382), at(15, 640))
	p.MoveTo(at(-222, -218))
	p.QuadTo(at(640, -2), at(59, 265))
	p.CubeTo(at(-58, 188), at(-3, 0), at(-80, -251))
	p.QuadTo(at(-2, -1), at(-18, 584))
	checkField(t, p, at(-58, -1))
}

// checkField compares the distance at q with the distance to short lines that separate the inside
// from the outside. It tolerates areas narrower than a thousandth of a pixel, because not every
// crossing of almost parallel curves is found.
func checkField(t rapid.TB, p *Path, q Point) {
	s, err := p.Shape(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 1)
	const reach = 20.0
	if err := s.measureRow(context.Background(), row, q.X, q.Y, reach); err != nil {
		t.Fatal(err)
	}
	got, least, most := math.Sqrt(row[0]), reach, reach
	scales := []float64{1e-7, 1e-6, 1e-5, 1e-4, 1e-3}
	for _, c := range s.pieces {
		const parts = 2000
		for i := range parts {
			a, b := c.pointAt(float64(i)/parts), c.pointAt(float64(i+1)/parts)
			away := sampled(curve{p: [4]Point{a, b}, n: 1}, q, 1)
			if a == b || away >= most {
				continue
			}
			at, d := c.pointAt((float64(i)+0.5)/parts), Point{b.X - a.X, b.Y - a.Y}
			seen := 0
			for _, by := range scales {
				if s.parts(at, d, by) {
					seen++
				}
			}
			if seen > 0 {
				least = min(least, away)
			}
			if seen == len(scales) {
				most = away
			}
		}
	}
	if got < least-0.1 || got > most+0.1 {
		t.Errorf("at %v: %v, want %v to %v", q, got, least, most)
	}
}

// parts reports whether a line separates the inside from the outside. It tests a point on each
// side, at the given distance from the line.
func (s *Shape) parts(at, along Point, by float64) bool {
	d := math.Hypot(along.X, along.Y)
	x, y := by*along.Y/d, by*along.X/d
	return (winding(s.pieces, Point{at.X + x, at.Y - y}) != 0) != (winding(s.pieces, Point{at.X - x, at.Y + y}) != 0)
}

func TestBounds(t *testing.T) {
	var p Path
	p.MoveTo(Point{1, 5})
	p.QuadTo(Point{3, 1}, Point{5, 5}) // the curve's highest point is at x = 3, y = 3
	s, err := p.Shape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left, top, right, bottom, ok := s.Bounds()
	if left != 1 || top != 3 || right != 5 || bottom != 5 || !ok {
		t.Error(left, top, right, bottom, ok)
	}
	empty, err := new(Path).Shape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, _, ok := empty.Bounds(); ok {
		t.Error("nothing has bounds")
	}
}

// All machines compute the same bytes. If the checksum changes, so do cooked atlases, and the
// version of the font recipe must be raised.
func TestGolden(t *testing.T) {
	var p Path
	disc(&p, 10.3, 12.7, 8.1)
	disc(&p, 18.9, 11.2, 7.7)
	p.MoveTo(Point{3.1, 20.2})
	p.CubeTo(Point{40.7, -12.9}, Point{-9.3, 1.1}, Point{29.9, 27.3})
	p.CubeTo(Point{12.3, 30.1}, Point{20.9, 3.3}, Point{3.1, 20.2})
	const want = "b819dea7e801d7af"
	if got := fmt.Sprintf("%x", sha256.Sum256(render(t, &p)))[:16]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRenderingStopsWithContext(t *testing.T) {
	many := new(Path)
	for i := range 150 {
		disc(many, float64(i%25), float64(i/25), 0.7)
	}
	all := countdown.New(t.Context(), math.MaxInt)
	s, err := many.Shape(all)
	if err != nil {
		t.Fatal(err)
	}
	// Shape makes two passes over the pieces, and checks the context once per looksEvery pieces.
	if had, want := math.MaxInt-all.Left, 2*(len(s.pieces)/looksEvery); had < want {
		t.Errorf("the context is checked %d times, want %d", had, want)
	}
	for _, looks := range []int{0, 5, 20} {
		if _, err := many.Shape(countdown.New(t.Context(), looks)); !errors.Is(err, context.Canceled) {
			t.Errorf("shape, %d checks: %v", looks, err)
		}
	}
	if s, err = polygons(box(2, 2, 20, 20)).Shape(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, grid.W*grid.H)
	for _, looks := range []int{0, 10, grid.H - 1} {
		if err := s.Render(countdown.New(t.Context(), looks), out, grid.W, grid, 8); !errors.Is(err, context.Canceled) {
			t.Errorf("render, %d checks: %v", looks, err)
		}
	}
	// A canceled context interrupts even a single row that takes long.
	wide := new(Path)
	for i := range 60 { // each contour is nearer to the row than the previous one
		y := float64(4 * (60 - i))
		wide.MoveTo(Point{0, y})
		wide.QuadTo(Point{2000, y + 4}, Point{4000, y})
	}
	if s, err = wide.Shape(t.Context()); err != nil {
		t.Fatal(err)
	}
	long := Grid{W: 4000, H: 1}
	if err := s.Render(countdown.New(t.Context(), 2), make([]byte, long.W), long.W, long, 1<<13); !errors.Is(err, context.Canceled) {
		t.Errorf("a long row: %v", err)
	}
}

func TestHostilePathsEndSoon(t *testing.T) {
	comb := new(Path)
	for i := range maxPieces + 2 {
		comb.LineTo(Point{float64(i % 7), float64(i)})
	}
	if _, err := comb.Shape(t.Context()); !errors.Is(err, ErrTangled) {
		t.Errorf("too many lines: %v", err)
	}
	for _, far := range []float64{math.NaN(), math.Inf(1), -1e10} {
		p := polygons(box(1, 2, 3, 4))
		p.QuadTo(Point{0, 0}, Point{far, 1})
		if _, err := p.Shape(t.Context()); !errors.Is(err, ErrFar) {
			t.Errorf("%v: %v", far, err)
		}
	}
	// Thousands of coinciding curves give ErrTangled, because finding their crossings takes too
	// long.
	stack := new(Path)
	for range 2000 {
		stack.MoveTo(Point{0, 0})
		stack.QuadTo(Point{10, 3}, Point{20, 20})
	}
	if _, err := stack.Shape(t.Context()); !errors.Is(err, ErrTangled) {
		t.Errorf("a stack: %v", err)
	}
	// Shape accepts curves that have no length, are straight, or reverse their direction.
	odd := new(Path)
	odd.CubeTo(Point{5, 5}, Point{5, 5}, Point{5, 5})
	odd.CubeTo(Point{5, 5}, Point{9, 5}, Point{5, 5})
	odd.QuadTo(Point{20, 5}, Point{8, 5})
	odd.QuadTo(Point{8, 5}, Point{8, 5})
	odd.LineTo(Point{8, 5})
	odd.CubeTo(Point{30, 30}, Point{-30, 30}, Point{8, 5})
	render(t, odd)
}
