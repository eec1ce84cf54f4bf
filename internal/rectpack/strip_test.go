package rectpack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestStrips checks that each strip places all rectangles within the given page.
func TestStrips(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	full := map[int]int{}
	for i := range 60 {
		rects := set(r, 1+r.IntN(80))
		o := Options{Sides: upTo(4096), Pages: 1, Turn: i%2 == 0, Square: i%5 == 0}
		p := &packer{ctx: t.Context(), rects: rects, o: o, limit: math.MaxInt}
		var of []int
		sum := 0
		for j, rect := range rects {
			of = append(of, j)
			sum += rect.areaOf()
		}
		w := 200 + r.IntN(100)
		for k, s := range p.strips(of) {
			h := sum/w + r.IntN(300)
			page, placed := s.placeOnStrip(p, of, w, h)
			if placed == nil {
				continue
			}
			full[k]++
			if !o.Square && !(page.W <= w && page.H <= h || s.across && page.H <= w && page.W <= h) {
				t.Fatalf("set %d, strip %d: a page of %v, want at most %d x %d", i, k, page, w, h)
			}
			l := Layout{Pages: []Size{page}, Places: make([]Place, len(rects))}
			for j, at := range placed {
				l.Places[j] = at
			}
			check(t, fmt.Sprintf("set %d, strip %d", i, k), rects, l, o)
		}
	}
	for k := range 9 {
		if full[k] < 10 {
			t.Errorf("strip %d has placed %d sets", k, full[k])
		}
	}
}

// TestPackSimilar packs many rectangles of similar or equal sizes, such as the frames of an
// animation. Almost the whole page must be covered.
func TestPackSimilar(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var frames []Size
	for range 390 {
		frames = append(frames, Size{31 + r.IntN(32), 27 + r.IntN(28)})
	}
	icons := make([]Size, 97)
	for i := range icons {
		icons[i] = Size{37, 53}
	}
	for _, tc := range []struct {
		name  string
		rects []Size
		turn  bool
		want  int // expected share of the page that is covered, in thousandths
	}{{"frames", frames, true, 977}, {"icons", icons, false, 1000 * 97 / 98}} {
		o := Options{Sides: upTo(8192), Pages: 1, Turn: tc.turn}
		l, err := Pack(t.Context(), tc.rects, o)
		if err != nil {
			t.Fatal(err)
		}
		check(t, tc.name, tc.rects, l, o)
		sum := 0
		for _, s := range tc.rects {
			sum += s.areaOf()
		}
		if got := 1000 * sum / area(l.Pages); got < tc.want || l.Pages[0].W > 4*l.Pages[0].H || l.Pages[0].H > 4*l.Pages[0].W {
			t.Errorf("%s: %d thousandths of a page of %v covered, want %d", tc.name, got, l.Pages, tc.want)
		}
	}
}
