package survey

import (
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
)

// A Found has the last run's knowledge of a file.
type Found struct {
	// Name is the path of a source or of a file that assets read. It is "" if the last run
	// knew no such file; Known then has all sources.
	Name  string
	Known []string
	// Output is the name if it names an output of the source, else "".
	Output string
	// Assets are the assets of the source, one for each target. Users are the sources that
	// read the file or looked for it, and the bundles that contain artifacts of any of them.
	Assets []Asset
	Users  []string
	// Again is the work after an edit of the file.
	Again Work
}

// A Work is the number of assets to cook, one for each target, and their last cook time.
type Work struct {
	Assets int
	Took   time.Duration
}

// addAsset adds an asset, unless other assets contain it: such an asset is not cooked.
func (w *Work) addAsset(a *index.Action) {
	if a.State != index.Done || len(a.Made) > 0 {
		w.Assets, w.Took = w.Assets+1, w.Took+a.CookTime
	}
}

// Find looks for a file by several names: first for a source, then for an output, then for a file
// that assets read.
func Find(out string, names []string) (f Found, err error) {
	err = withIndex(out, func(x *index.Index) {
		f.Name, f.Output = search(x, names)
		if f.Name == "" {
			for row := range x.Results().Rows("") {
				f.Known = append(f.Known, row.Path())
			}
			f.Known = slices.Compact(f.Known)
			return
		}
		l := newLister(x)
		for _, a := range x.Results().ActionsOf(f.Name) {
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
			for _, a := range x.Results().ActionsOf(user) {
				f.Again.addAsset(&a)
			}
		}
	})
	return f, err
}

// search returns the source that one of the names means, and the name if it names an output.
func search(x *index.Index, names []string) (name, output string) {
	for _, n := range names {
		if len(x.Results().ActionsOf(n)) > 0 {
			return n, ""
		}
	}
	for _, n := range names {
		if source, ok := x.Results().Owner(n); ok {
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
