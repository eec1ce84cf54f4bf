package main

import (
	"context"
	"math/rand/v2"

	"github.com/assetcook/assetcook/internal/rectpack"
)

// A Change is a changed set, laid out anew, and with the old places kept.
type Change struct {
	Others               int // rectangles in the set before and after
	MovedAnew, MovedKept int // moved ones among them
	Anew, Kept           int // areas of the pages
}

// changes lays out a set with one more, with one less, and with a tenth more, one at a time.
func changes(r *rand.Rand, kind int, rects []rectpack.Size, before rectpack.Layout, o rectpack.Options) (list map[string]Change, err error) {
	list = map[string]Change{}
	at := r.IntN(len(rects))
	more := set(r, kind) // of other sides, if all of the set have equal ones
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

// compare compares kept places and newly found ones with the places before. The rectangles before
// are the first of those after.
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
