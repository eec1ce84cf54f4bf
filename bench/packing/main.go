// Packing compares internal/rectpack with npm's packers, on random sets of typical game sprites.
// It writes the sets, with its own page for each and the changes of the layout when the set
// changes, as JSON lines for peers.mjs. run.sh runs everything.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/assetcook/assetcook/internal/rectpack"
)

// A line is a set and its results.
type line struct {
	Turn  bool
	Rects []rectpack.Size
	Page  rectpack.Size
	Ms    float64

	Changes map[string]Change
}

func main() {
	log.SetFlags(0)
	sets := flag.Int("sets", 200, "how many sets")
	seed := flag.Uint64("seed", 1, "seed of the random sets")
	change := flag.Bool("changes", true, "change each set as well, which takes four times as long")
	flag.Parse()
	var sides []int
	for side := range 8192 {
		sides = append(sides, side+1)
	}
	out := json.NewEncoder(os.Stdout)
	for i := range *sets {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		l := line{Turn: i%2 == 1, Rects: set(r, i%5)}
		o := rectpack.Options{Sides: sides, Pages: 1, Turn: l.Turn}
		start := time.Now()
		layout, err := rectpack.Pack(context.Background(), l.Rects, o)
		if err != nil {
			log.Fatal(err)
		}
		l.Page, l.Ms = layout.Pages[0], float64(time.Since(start).Microseconds())/1000
		if *change {
			if l.Changes, err = changes(r, i%5, l.Rects, layout, o); err != nil {
				log.Fatal(err)
			}
		}
		if err := out.Encode(l); err != nil {
			log.Fatal(err)
		}
	}
}

// set returns rectangles of one kind: squares, animation frames, words, all sizes, or bars.
func set(r *rand.Rand, kind int) []rectpack.Size {
	between := func(a, b int) int { return a + r.IntN(b-a+1) }
	rects := make([]rectpack.Size, between(10, 400))
	a, b := between(8, 64), between(20, 150)
	for i := range rects {
		switch kind {
		case 0:
			rects[i] = rectpack.Size{W: a, H: a}
		case 1:
			rects[i] = rectpack.Size{W: between(b/2, b), H: between(a/2, a)}
		case 2:
			rects[i] = rectpack.Size{W: between(3, 4*a), H: between(a/2, a)}
		case 3:
			side := 4 << r.IntN(6)
			rects[i] = rectpack.Size{W: between(side/2, side), H: between(side/2, side)}
		case 4:
			rects[i] = rectpack.Size{W: between(1, 200), H: between(1, 30)}
			if r.IntN(2) == 0 {
				rects[i] = rectpack.Size{W: rects[i].H, H: rects[i].W}
			}
		}
	}
	return rects
}
