package survey

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Found is what the last run recorded about a file.
type Found struct {
	// Name is the path of a source or of a file that assets read. If the last run knew no such
	// file, Name is "" and Known lists all sources.
	Name  string
	Known []string
	// Output is the searched name if that is an output of the source, and otherwise "".
	Output string
	// Assets are the assets of the source, one for each target. Users are the sources that read the
	// file or looked for it, and the bundles that contain artifacts of such sources.
	Assets []Asset
	Users  []string
	// Again is the work that an edit of the file causes.
	Again Work
}

// A Work is a number of assets to cook, and the sum of their last cook times. An asset counts once
// for each target.
type Work struct {
	Assets int
	Took   time.Duration
}

// addAsset adds an asset. It ignores an asset without outputs of its own, whose source is contained
// in artifacts of other assets.
func (w *Work) addAsset(a *index.Action) {
	if a.State != index.Done || len(a.Made) > 0 {
		w.Assets, w.Took = w.Assets+1, w.Took+a.CookTime
	}
}

// Find looks for a file by several names: first for a source, then for an output, then for a file
// that assets read.
func Find(out string, names []string) (f Found, err error) {
	err = withIndex(out, func(x *index.Index) {
		f.Name, f.Output = searchNames(x, names)
		if f.Name == "" {
			for row := range x.Results().Rows("") {
				f.Known = append(f.Known, row.Path())
			}
			f.Known = slices.Compact(f.Known)
			return
		}
		l := newLister(x)
		for _, a := range x.Results().ActionsOf(f.Name) {
			file, _ := x.Files().File(a.Path)
			f.Assets = append(f.Assets, l.listedAsset(&a, file.Stamp.Size))
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

// searchNames looks for the first known name. It returns the source that this name denotes. If the
// name is an output, it also returns the name.
func searchNames(x *index.Index, names []string) (name, output string) {
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

// Source returns the path of a source, given its path in the asset directory, its path from the
// working directory, or the path of an artifact.
func Source(s *session.Session, last *index.Index, name string) string {
	given := path.Clean(filepath.ToSlash(name))
	if _, err := s.Assets.Stat(given); err == nil {
		return given
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return given
	}
	if rel, ok := pathname.Below(s.Assets.Name(), abs); ok {
		return rel
	}
	if dir, err := filepath.Abs(s.Place.Dir); err == nil {
		if rel, ok := pathname.Below(dir, abs); ok {
			return rel
		}
	}
	output := given
	if rel, ok := pathname.Below(s.Place.Out, abs); ok {
		output = rel
	}
	index.Guard(func() error {
		if err := last.Load(); err != nil {
			return err
		}
		if source, ok := last.Results().Owner(output); ok {
			given = source
		}
		return nil
	})
	return given
}

// mostReaders limits the number of readers of a file that are named.
const mostReaders = 3

// NotAsset adds to an error the reason why a path does not name an asset. It finds the reason in
// the files and in the results of the last run.
func NotAsset(err error, s *session.Session, last *index.Index, given string) error {
	readers := readersOf(last, given)
	info, missing := s.Assets.Stat(given)
	switch {
	case missing == nil && info.IsDir():
		if v, ok := s.Ignored(given, true); ok {
			return fmt.Errorf("%w: this directory is left out by %s", err, leaver(s, v, given))
		}
		return fmt.Errorf("%w: this is a directory; name an asset in the directory", err)
	case len(readers) > 0:
		some := readers[:min(mostReaders, len(readers))]
		for i := range some {
			some[i] = pathname.Show(some[i])
		}
		text := strings.Join(some, ", ")
		if more := len(readers) - len(some); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return fmt.Errorf("%w: %s this file: %s", err, readersAre(len(readers)), text)
	case missing == nil && (path.Base(given) == scan.ConfigName || path.Base(given) == scan.IgnoreName || given == scan.IDsName):
		return fmt.Errorf("%w: this file has the rules", err)
	case missing == nil:
		if v, ok := s.Ignored(given, info.IsDir()); ok {
			return fmt.Errorf("%w: this file is left out by %s", err, leaver(s, v, given))
		}
		return fmt.Errorf("%w: the file exists and is not left out; see the warnings of cook", err)
	case errors.Is(missing, fs.ErrNotExist):
		if meant := meantPath(last, given); meant != "" {
			return fmt.Errorf("%w; did you mean %s?", err, pathname.Show(meant))
		}
	}
	return err
}

// leaver returns a text about the ignore rule that excludes a path.
func leaver(s *session.Session, v scan.Verdict, given string) string {
	if v.File != "" {
		v.File = filepath.Join(s.Place.Dir, filepath.FromSlash(v.File))
	}
	text := pathname.Show(v.String())
	if v.Path != given {
		text += ", as " + pathname.Show(v.Path) + " is"
	}
	return text
}

func readersAre(n int) string {
	if n == 1 {
		return "1 asset reads"
	}
	return human.Count(n, "asset") + " read"
}

// readersOf returns the assets that read a file, sorted.
func readersOf(last *index.Index, file string) (list []string) {
	index.Guard(func() error {
		last.Results().Dependents(map[dependency.Dependency]bool{dependency.OfFile(file): true, {Kind: dependency.Link, Path: file}: true}, func(source string) { list = append(list, source) })
		last.Results().Deps(dependency.Kind.IsExtract, func(source string, d index.Dep) {
			if contents.IsOf(d.On, file) && !contents.IsSilent(d) && (d.On.Kind == dependency.Extract || answeredExtract(last, d.On.OfOne(path.Base(file)))) {
				list = append(list, source)
			}
		})
		return nil
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// answeredExtract reports whether the last run got an answer to an extract from a file.
func answeredExtract(last *index.Index, x dependency.Dependency) bool {
	f, ok := last.Files().Part(x)
	return ok && f.Blob != contents.Silence
}

// meantPath returns the source of the last run that the user probably meant by a path. This is a
// source of the same name in another directory, or one with a similar spelling. It returns "" if
// there is none.
func meantPath(last *index.Index, given string) string {
	given = filepath.ToSlash(given)
	folder, base := path.Split(given)
	var beside []string
	elsewhere := ""
	index.Guard(func() error {
		for row := range last.Results().Rows("") {
			source := row.Path()
			dir, name := path.Split(source)
			if name == base || strings.EqualFold(source, given) {
				elsewhere = source
			}
			if dir == folder {
				beside = append(beside, name)
			}
		}
		return nil
	})
	if w := nearest.Word(base, beside); w != "" {
		return folder + w
	}
	return elsewhere
}
