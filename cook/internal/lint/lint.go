// Package lint reports likely mistakes in a tree of assets:
//
//   - in rules: settings that no recipe accepts, rules without effect, mistakes in ignore files
//   - in names: misspelt names of cook's files, names that other systems do not allow
//   - in the first bytes of sources: a Git LFS pointer in place of the file, an empty image, a
//     JPEG named .png
//
// The recipes declare the formats of sources; this package lists formats that no recipe reads. A
// recipe that can detect mistakes in its own sources has Traits.Lint.
package lint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/recipeset"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/pathname"
)

// warnOfPath reports a problem with a path that is not an asset. In a strict run, the problem is a
// failure.
func warnOfPath(s *session.Session, path string, err error) {
	outcome := execute.Warned
	if s.Mode.Strict {
		outcome = execute.Error
	}
	s.Observer.Event(execute.Event{Path: path, Outcome: outcome, Err: err})
}

// Problems reports the paths that a run skips without failing.
func Problems(s *session.Session, problems []scan.Problem) {
	for _, p := range problems {
		if !p.Fatal() {
			warnOfPath(s, p.Path, errors.New(p.Reason()))
		}
	}
}

// NewProblems is like Problems, but omits the problems that the last run reported. Forced, strict
// and dry runs report all problems. narrow means that this run covers only a part of the tree. A
// run over the whole tree lists every directory with problems, so it knows all problems.
func NewProblems(s *session.Session, d *changes.Delta, narrow bool) {
	var current []scan.Problem
	for _, p := range d.Tree.Problems {
		if !p.Fatal() {
			current = append(current, p)
		}
	}
	if s.Mode.DryRun {
		Problems(s, current)
		return
	}
	narrow = narrow || !s.Scope.Whole()
	if len(current) == 0 && (narrow || len(d.Tree.Folders) == 0) {
		return // no-op run, the most frequent kind
	}
	var noted map[string]bool
	if len(current) > 0 {
		noted = s.State.Noted.Lines()
	}
	lines := make([]string, len(current))
	var fresh []scan.Problem
	for i, p := range current {
		if lines[i] = p.Error(); !noted[lines[i]] || s.Mode.Force || s.Mode.IgnoreStamps || s.Mode.Strict {
			fresh = append(fresh, p)
		}
	}
	Problems(s, fresh)
	if narrow {
		lines = slices.AppendSeq(lines, maps.Keys(noted))
	}
	if err := s.State.Noted.Set(lines); err != nil {
		s.Observer.Note(err.Error())
	}
}

// EmptyTree reports that a tree has no assets. It is a warning if ignore rules exclude all files.
func EmptyTree(ctx context.Context, s *session.Session) {
	text := "no assets in " + pathname.Show(s.Place.Dir)
	if name := firstFile(ctx, s); name != "" {
		warnOfPath(s, "", fmt.Errorf("%s; ignore rules leave out all files, such as %s", text, pathname.Show(name)))
		return
	}
	s.Observer.Note(text)
}

// firstFile returns the first file of the asset directory that is neither a rule file nor one of
// cook's own files, or "" if there is none.
func firstFile(ctx context.Context, s *session.Session) (name string) {
	root, own := s.Assets.Name(), s.ScanOptions().Exclude
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			return nil // the scan has already reported the error
		case d.IsDir() && slices.Contains(own, path):
			return fs.SkipDir
		case d.IsDir(), d.Name() == scan.ConfigName, d.Name() == scan.IgnoreName, path == filepath.Join(root, scan.IDsName):
			return nil
		}
		name, _ = pathname.Below(root, path)
		return fs.SkipAll
	})
	return name
}

// misnamed maps common misspellings to the names of cook's files.
var misnamed = map[string]string{
	"cook.tml": scan.ConfigName, "cook.tomi": scan.ConfigName, "cook.toml.txt": scan.ConfigName, ".cook.toml": scan.ConfigName,
	"cok.toml": scan.ConfigName, "cooks.toml": scan.ConfigName, "coock.toml": scan.ConfigName, "cook.tolm": scan.ConfigName,
	"cookignore": scan.IgnoreName, ".cookingore": scan.IgnoreName, ".cookignor": scan.IgnoreName, ".cookignore.txt": scan.IgnoreName, ".cookignores": scan.IgnoreName,
}

// warnOfMisnamed warns about new sources and hidden files whose names resemble cook.toml or
// .cookignore.
func warnOfMisnamed(s *session.Session, d *changes.Delta, t *todo.Todo) {
	judge := func(file, but string) {
		base := path.Base(file)
		meant := misnamed[strings.ToLower(base)]
		if strings.EqualFold(base, scan.ConfigName) {
			meant = scan.ConfigName
		} else if strings.EqualFold(base, scan.IgnoreName) {
			meant = scan.IgnoreName
		}
		if meant != "" {
			warnOfPath(s, file, fmt.Errorf("%s; if it was meant to be a file of cook, rename it to %s", but, meant))
		}
	}
	for i := range t.Plan.Actions {
		if a := &t.Plan.Actions[i]; a.Last == nil {
			judge(a.Path, "cook treats this file as an asset")
		}
	}
	for _, e := range d.Tree.LeftOut {
		judge(e.Path, "cook skips this file, because it is hidden")
	}
}

// A repeated note holds the first of several similar texts, and the number of these texts.
type repeated struct {
	first string
	n     int
}

func (r *repeated) noteSimilar(text string) {
	if r.n++; r.n == 1 {
		r.first = text
	}
}

func (r *repeated) String() string {
	if r.n == 1 {
		return r.first
	}
	return fmt.Sprintf("%s (and %d similar ones)", r.first, r.n-1)
}

// Unrecognized reports sources that are copied although a recipe has their extension, with one
// note per recipe.
func Unrecognized(s *session.Session, t *todo.Todo) {
	lists := map[string]*repeated{}
	for i := range t.Plan.Actions {
		a := &t.Plan.Actions[i]
		if a.Err != nil || !a.Runs() || a.Method.Choice.Recipe.Name != recipeset.Fallback {
			continue
		}
		name := t.Rules.Set.Unrecognized(a.Path)
		if name == "" {
			continue
		}
		if lists[name] == nil {
			lists[name] = &repeated{}
		}
		lists[name].noteSimilar(fmt.Sprintf("%s is copied unchanged, because the recipe %q cannot read its content", pathname.Show(a.Path), name))
	}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		s.Observer.Note(lists[name].String())
	}
}

// Portability reports new sources and outputs with names that other systems refuse. These are not
// failures, because the names work here.
func Portability(s *session.Session, p *plan.Plan) {
	folded := map[string]string{} // all outputs and their directories, by lower-case name
	var clashes, names repeated
	for i := range p.Actions {
		a := &p.Actions[i]
		source := ""
		if a.Runs() {
			source = rules.Unportable(a.Path)
		}
		if source != "" {
			names.noteSimilar(fmt.Sprintf("source %s %s, which Windows does not allow; rename the file", pathname.Show(a.Path), source))
		}
		for _, out := range a.ShownOutputs() {
			if why := rules.Unportable(out); why != "" && source == "" && a.Runs() {
				names.noteSimilar(fmt.Sprintf("output %s %s, which Windows does not allow; choose another name with output = in cook.toml", pathname.Show(out), why))
			}
			for name := out; name != "."; name = path.Dir(name) {
				lower := strings.ToLower(name)
				other, known := folded[lower]
				if !known {
					folded[lower] = name
				} else if other == name {
					break // directories of the output are already in the map
				} else if a.Runs() {
					clashes.noteSimilar(fmt.Sprintf("outputs %s and %s differ only in case; Windows and macOS treat them as one file", pathname.Show(other), pathname.Show(name)))
				}
			}
		}
	}
	for _, t := range []repeated{names, clashes} {
		if t.first != "" {
			s.Observer.Note(t.String())
		}
	}
}
