package cook

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/scan"
)

// A tally is the first of many texts and how many there are.
type tally struct {
	first string
	n     int
}

func (t *tally) add(text string) {
	if t.n++; t.n == 1 {
		t.first = text
	}
}

func (t *tally) String() string {
	if t.n == 1 {
		return t.first
	}
	return fmt.Sprintf("%s (and %d more like it)", t.first, t.n-1)
}

// noteProblems reports what of a tree is left out though the run goes on: a line for
// each kind of problem.
func (k *kitchen) noteProblems(tree *scan.Tree) {
	byKind := map[scan.Kind]*tally{}
	var kinds []scan.Kind // in the order in which they were met
	for _, p := range tree.Problems {
		if p.Fatal() {
			continue
		}
		if byKind[p.Kind] == nil {
			byKind[p.Kind] = new(tally)
			kinds = append(kinds, p.Kind)
		}
		byKind[p.Kind].add(p.Error())
	}
	for _, kind := range kinds {
		k.Observer.Note(byKind[kind].String())
	}
}
