package survey

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// mostReaders bounds the readers of a file to name.
const mostReaders = 3

// NotAsset adds to an error the reason why a path names no asset, as far as the files and the last
// run show it.
func NotAsset(err error, s *session.Session, last *index.Index, given string) error {
	readers := readersOf(last, given)
	info, missing := s.Assets.Stat(given)
	switch {
	case missing == nil && info.IsDir():
		if v, ok := s.Ignored(given, true); ok {
			return fmt.Errorf("%w: it is a directory and left out by %s", err, leaver(s, v, given))
		}
		return fmt.Errorf("%w: it is a directory; name an asset in it", err)
	case len(readers) > 0:
		some := readers[:min(mostReaders, len(readers))]
		for i := range some {
			some[i] = pathname.Show(some[i])
		}
		text := strings.Join(some, ", ")
		if more := len(readers) - len(some); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return fmt.Errorf("%w: %s it: %s", err, readersAre(len(readers)), text)
	case missing == nil && (path.Base(given) == scan.ConfigName || path.Base(given) == scan.IgnoreName || given == scan.IDsName):
		return fmt.Errorf("%w: it says what is cooked", err)
	case missing == nil:
		if v, ok := s.Ignored(given, info.IsDir()); ok {
			return fmt.Errorf("%w: left out by %s", err, leaver(s, v, given))
		}
		return fmt.Errorf("%w: the file is there, and nothing leaves it out; see the warnings of cook", err)
	case errors.Is(missing, fs.ErrNotExist):
		if meant := meantPath(last, given); meant != "" {
			return fmt.Errorf("%w; did you mean %s?", err, pathname.Show(meant))
		}
	}
	return err
}

// leaver describes the ignore rule that leaves a path out.
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
			if contents.IsOf(d.On, file) && !contents.IsSilent(d) && (d.On.Kind == dependency.Extract || said(last, d.On.OfOne(path.Base(file)))) {
				list = append(list, source)
			}
		})
		return nil
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// said reports whether a file had an answer to an extract in the last run.
func said(last *index.Index, x dependency.Dependency) bool {
	f, ok := last.Files().Part(x)
	return ok && f.Blob != contents.Silence
}

// meantPath returns the source of the last run that a path probably means: a source of that name
// in another directory, or one with a similar spelling; "" for none.
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
