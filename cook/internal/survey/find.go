package survey

import (
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
)

// A Found is what the last run knew of a file.
type Found struct {
	// Name is that of a source or of a file that assets read, in the asset folder; "" if the
	// last run knew none of the names. Then Known are all sources.
	Name  string
	Known []string
	// Output is the name that is that of an output of the source, "" for another.
	Output string
	// Assets are those of the source, a target each, none of another file; Users the
	// sources of those that read the file or looked for it, and of bundles that take what
	// one of all these is cooked to.
	Assets []Asset
	Users  []string
	// Again is what an edit of the file cooks again.
	Again Work
}

// A Work is the cooking of some assets, a target each, as long as it took last.
type Work struct {
	Assets int
	Took   time.Duration
}

// addAsset adds an asset, unless other assets contain it, because then it is not cooked.
func (w *Work) addAsset(a *index.Action) {
	if a.State != index.Done || len(a.Made) > 0 {
		w.Assets, w.Took = w.Assets+1, w.Took+a.CookTime
	}
}

// Find looks for a file by the names that it may have: of a source first, then of an output,
// then of a file that assets read. It asks the index for these alone.
func Find(out string, names []string) (f Found, err error) {
	err = withIndex(out, func(x *index.Index) {
		f.Name, f.Output = search(x, names)
		if f.Name == "" {
			for row := range x.Rows("") {
				f.Known = append(f.Known, row.Path())
			}
			f.Known = slices.Compact(f.Known)
			return
		}
		l := newLister(x)
		for _, a := range x.ActionsOf(f.Name) {
			f.Assets = append(f.Assets, l.asset(&a))
			f.Again.addAsset(&a)
		}
		readers := readersOf(x, f.Name)
		changed := readers
		if len(f.Assets) > 0 {
			changed = append([]string{f.Name}, readers...)
		}
		f.Users = slices.Concat(readers, l.bundles.takers(changed...)[len(changed):])
		slices.Sort(f.Users)
		for _, user := range f.Users {
			for _, a := range x.ActionsOf(user) {
				f.Again.addAsset(&a)
			}
		}
	})
	return f, err
}

// search returns the source that one of the names is meant to be, and the one that is an
// output of it.
func search(x *index.Index, names []string) (name, output string) {
	for _, n := range names {
		if len(x.ActionsOf(n)) > 0 {
			return n, ""
		}
	}
	for _, n := range names {
		if source, ok := x.Owner(n); ok {
			return source, n
		}
	}
	for _, n := range names {
		if len(readersOf(x, n)) > 0 {
			return n, ""
		}
	}
	return "", ""
}
