package pass

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// judgeRules refuses rules with settings that no recipe takes of any source that they
// match, and notes edited rules that do nothing, and mistakes in lists of files to be
// ignored. It says nothing where not all sources were asked about: they are when the tree was
// listed or rules were edited, and have to be if a new source is cooked by a recipe that
// drops a setting, or one is gone that may have been the last for which it is.
func (s *Session) judgeRules(d *Delta, t *Todo) error {
	if wrong := t.Rules.Wrong(); len(wrong) > 0 && s.Scope.Source == "" {
		return &ConfigError{wrong}
	}
	s.warnOfMisnamed(d, t)
	if len(s.Scope.Patterns) > 0 || s.Scope.Source != "" || !d.complete() {
		return nil
	}
	if err := s.warnOf(s.ignoreMistakes(d)); err != nil {
		return err
	}
	edited := d.Edited.Rules != nil
	if !d.Whole && !edited {
		gone := d.gone()
		if !(t.addsSource() && len(t.Rules.Dropped()) > 0) && !t.losesSetting(gone) {
			return nil
		}
		for row := range d.Last.Rows("") {
			if path := row.Path(); !gone[path] {
				t.Rules.Method(path, row.Target()) // what cannot be cooked shows elsewhere
			}
		}
	}
	if len(t.Rules.Dropped()) > 0 {
		s.askForAllTargets(d, t)
		if dropped := t.Rules.Dropped(); len(dropped) > 0 {
			return &ConfigError{dropped}
		}
	}
	if !edited && !(d.Whole && s.newRules(d, t)) {
		return nil
	}
	if t.Rules.unread != "" {
		s.warn(t.Rules.unread, fmt.Errorf("not read: %s takes its place; move its rules there", pathname.Show(s.Place.Config)))
	}
	s.askForAllTargets(d, t)
	return s.warnOf(t.Rules.Useless(d.eachSource, s.leftOut))
}

// askForAllTargets has rules that are for some targets only judged by all targets: what they
// overrule for one may have its say for another.
func (s *Session) askForAllTargets(d *Delta, t *Todo) {
	if !t.Rules.DifferByTarget() {
		return
	}
	for path := range d.eachSource {
		t.Rules.Method(path, "")
		for _, target := range t.Rules.Targets() {
			t.Rules.Method(path, target)
		}
	}
}

// warnOf warns of mistakes, or returns them if there must be none.
func (s *Session) warnOf(mistakes rules.Errors) error {
	if s.Mode.Strict && len(mistakes) > 0 {
		return &ConfigError{mistakes}
	}
	for _, m := range mistakes {
		s.Observer.Event(execute.Event{Outcome: execute.Warned, Err: m})
	}
	return nil
}

// ignoreMistakes looks for mistakes in lists of files to be ignored that are new or were
// edited.
func (s *Session) ignoreMistakes(d *Delta) (mistakes rules.Errors) {
	for _, e := range d.Tree.Ignores {
		if known, ok := d.Last.File(e.Path); !d.Whole || e.Path == scan.IDsName || ok && known.Role == index.Ignore && known.Stamp == e.Stamp {
			continue
		}
		data, _, err := s.readAsset(e.Path)
		if err != nil {
			continue // it was there when the tree was listed: the next run sees
		}
		name := filepath.Join(s.Place.Dir, filepath.FromSlash(e.Path))
		for _, m := range scan.Mistakes(data) {
			mistakes = append(mistakes, rules.ErrorAt(name, data, m.Line, m.Column, m.Text))
		}
	}
	return mistakes
}

// leftOut returns the line of scan.Defaults that leaves files of a name out, "" for none.
func (s *Session) leftOut(name string) string {
	v, _ := scan.Ignored(name, false, s.scanOptions().Wanted, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	return v.Pattern
}

// complete reports whether all of the tree could be listed, if it was.
func (d *Delta) complete() bool {
	if !d.Whole {
		return true
	}
	for i := range d.Tree.Problems {
		if d.Tree.Problems[i].Fatal() {
			return false
		}
	}
	return true
}

// addsSource reports whether a plan is about a source that the last run did not know.
func (t *Todo) addsSource() bool {
	for i := range t.Actions {
		if t.Actions[i].Last == nil {
			return true
		}
	}
	return false
}

// losesSetting reports whether a source that is gone had a setting of a rule.
func (t *Todo) losesSetting(gone map[string]bool) bool {
	for path := range gone {
		if t.Rules.Sets(path) {
			return true
		}
	}
	return false
}

// gone are the sources that the last run knew and that are not there any more.
func (d *Delta) gone() map[string]bool {
	gone := maps.Clone(d.Concerned)
	for i := range d.Sources {
		delete(gone, d.Sources[i].Path)
	}
	return gone
}

// newRules reports whether rules are not as the last run knew them.
func (s *Session) newRules(d *Delta, t *Todo) bool {
	known := map[string]index.File{}
	for _, f := range d.Last.Configs() {
		known[f.Path] = f
	}
	for path, sum := range t.Rules.sums {
		if f, ok := known[path]; !ok || f.Sum != sum {
			return true
		}
	}
	return s.Place.Config != "" && d.Last.ID() == ""
}

// eachSource calls yield for each source that there is.
func (d *Delta) eachSource(yield func(path string) bool) {
	if d.Whole {
		for i := range d.Tree.Entries {
			if !yield(d.Tree.Entries[i].Path) {
				return
			}
		}
		return
	}
	for row := range d.Last.Rows("") {
		if !d.Concerned[row.Path()] && !yield(row.Path()) {
			return
		}
	}
	for i := range d.Sources {
		if !yield(d.Sources[i].Path) {
			return
		}
	}
}

// misnamed are files of ours by the names that people give them instead.
var misnamed = map[string]string{
	"cook.tml": scan.ConfigName, "cook.tomi": scan.ConfigName, "cook.toml.txt": scan.ConfigName, ".cook.toml": scan.ConfigName,
	"cok.toml": scan.ConfigName, "cooks.toml": scan.ConfigName, "coock.toml": scan.ConfigName, "cook.tolm": scan.ConfigName,
	"cookignore": scan.IgnoreName, ".cookingore": scan.IgnoreName, ".cookignor": scan.IgnoreName, ".cookignore.txt": scan.IgnoreName, ".cookignores": scan.IgnoreName,
}

// warnOfMisnamed warns of new sources and hidden files whose names resemble cook.toml or
// .cookignore, but do not match.
func (s *Session) warnOfMisnamed(d *Delta, t *Todo) {
	judge := func(file, but string) {
		base := path.Base(file)
		meant := misnamed[strings.ToLower(base)]
		if strings.EqualFold(base, scan.ConfigName) {
			meant = scan.ConfigName
		} else if strings.EqualFold(base, scan.IgnoreName) {
			meant = scan.IgnoreName
		}
		if meant != "" {
			s.warn(file, fmt.Errorf("is %s; did you mean to call it %s?", but, meant))
		}
	}
	for i := range t.Actions {
		if a := &t.Actions[i]; a.Last == nil {
			judge(a.Path, "an asset like others")
		}
	}
	for _, e := range d.Tree.LeftOut {
		judge(e.Path, "left out as any hidden file is")
	}
}
