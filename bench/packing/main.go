// Packing compares internal/rectpack with packers from npm, on random sets that resemble game
// sprites. It writes a JSON line for each set, with the resulting page and the effect of changing
// the set. The script peers.mjs reads the lines; run.sh runs both.
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

// A line holds a set of rectangles and its results.
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

// set returns rectangles of one kind: squares, animation frames, words, mixed sizes, or bars.
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

// A Change compares two layouts of a changed set: a new layout, and a layout that keeps the old
// positions.
type Change struct {
	Others               int // number of rectangles that are in the set before and after
	MovedAnew, MovedKept int // numbers of moved rectangles: in the new layout, and in the layout that keeps positions
	Anew, Kept           int // page areas of the two layouts
}

// changes computes layouts for three changes of a set: one rectangle is added, one is removed, or a
// tenth is added one by one.
func changes(r *rand.Rand, kind int, rects []rectpack.Size, before rectpack.Layout, o rectpack.Options) (list map[string]Change, err error) {
	list = map[string]Change{}
	at := r.IntN(len(rects))
	more := set(r, kind) // The set is new, so its sizes may differ from those in rects.
	tenth := max(1, len(rects)/10)
	for len(more) < tenth {
		more = append(more, more...)
	}

	kept, was := before, places(before)
	all := rects
	for i := range tenth {
		all = append(all[:len(all):len(all)], more[i])
		if kept, err = rectpack.Keep(context.Background(), all, append(was, nil), kept.Pages, o); err != nil {
			return nil, err
		}
		if was = places(kept); i > 0 && i+1 < tenth {
			continue
		}
		name := "one more"
		if i > 0 {
			name = "a tenth more"
		}
		if list[name], err = compare(rects, before, all, kept, o); err != nil {
			return nil, err
		}
	}

	rest := append(rects[:at:at], rects[at+1:]...)
	was = places(before)
	was = append(was[:at:at], was[at+1:]...)
	if kept, err = rectpack.Keep(context.Background(), rest, was, before.Pages, o); err != nil {
		return nil, err
	}
	less := before
	less.Places = append(before.Places[:at:at], before.Places[at+1:]...)
	list["one less"], err = compare(rest, less, rest, kept, o)
	return list, err
}

// compare computes a new layout for the sizes in after, and compares it with the layout kept. It
// counts the rectangles that moved since the layout before. The slice after begins with rects.
func compare(rects []rectpack.Size, before rectpack.Layout, after []rectpack.Size, kept rectpack.Layout, o rectpack.Options) (Change, error) {
	anew, err := rectpack.Pack(context.Background(), after, o)
	if err != nil {
		return Change{}, err
	}
	c := Change{Others: len(rects), Anew: area(anew), Kept: area(kept)}
	for i := range rects {
		if anew.Places[i] != before.Places[i] {
			c.MovedAnew++
		}
		if kept.Places[i] != before.Places[i] {
			c.MovedKept++
		}
	}
	return c, nil
}

func places(l rectpack.Layout) (list []*rectpack.Place) {
	for i := range l.Places {
		list = append(list, &l.Places[i])
	}
	return list
}

func area(l rectpack.Layout) (sum int) {
	for _, page := range l.Pages {
		sum += page.W * page.H
	}
	return sum
}
