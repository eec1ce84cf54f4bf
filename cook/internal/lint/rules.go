package lint

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Rules returns an error for rules with a setting that no recipe of any matching source accepts. It
// warns about edited rules without effect, and about mistakes in ignore files.
//
// It can check rules only if they were evaluated for all sources. This is the case if the tree was
// listed or rules were edited. In two other cases, it evaluates the rules for all sources itself:
// if the recipe of a new source drops a setting, or if the last source with a setting may be gone.
func Rules(s *session.Session, d *changes.Delta, t *todo.Todo) error {
	if t.Rules == nil {
		warnOfMisnamed(s, d, t)
		return nil
	}
	set := t.Rules.Set
	if wrong := set.Wrong(); len(wrong) > 0 && s.Scope.Source == "" {
		return &session.ConfigError{Err: wrong}
	}
	warnOfMisnamed(s, d, t)
	if !s.Scope.Whole() || !d.Complete() {
		return nil
	}
	if err := warnOf(s, ignoreMistakes(s, d)); err != nil {
		return err
	}
	edited := d.Edited.Rules != nil
	if !d.Whole && !edited {
		gone := d.Gone()
		if !(addsSource(t) && len(set.Dropped()) > 0) && !losesSetting(set, gone) {
			return nil
		}
		for row := range d.Last.Results().Rows("") {
			if path := row.Path(); !gone[path] {
				set.Method(path, row.Target()) // the error of Method is reported elsewhere
			}
		}
	}
	if len(set.Dropped()) > 0 {
		askForAllTargets(d, set)
		if dropped := set.Dropped(); len(dropped) > 0 {
			return &session.ConfigError{Err: dropped}
		}
	}
	if !edited && !(d.Whole && hasNewRules(s, d, t)) {
		return nil
	}
	if t.Rules.Unread != "" {
		warnOfPath(s, t.Rules.Unread, fmt.Errorf("this file is not read, because %s is used instead; move the rules there", pathname.Show(s.Place.Config)))
	}
	askForAllTargets(d, set)
	useless := set.Useless(d.EachSource, func(name string) string { return ignoredByDefault(s, name) })
	return warnOf(s, append(useless, set.NotLoaded(d.EachSource)...))
}

// askForAllTargets determines the methods of all targets if rules differ between targets. A rule
// that is overridden for one target may apply to another.
func askForAllTargets(d *changes.Delta, set *rules.Set) {
	if !set.DifferByTarget() {
		return
	}
	for path := range d.EachSource {
		set.Method(path, "")
		for _, target := range set.Targets() {
			set.Method(path, target)
		}
	}
}

// warnOf reports mistakes as warnings, or returns them as an error in a strict run.
func warnOf(s *session.Session, mistakes rules.Errors) error {
	if s.Mode.Strict && len(mistakes) > 0 {
		return &session.ConfigError{Err: mistakes}
	}
	for _, m := range mistakes {
		s.Observer.Event(execute.Event{Outcome: execute.Warned, Err: m})
	}
	return nil
}

// ignoreMistakes returns the mistakes in new and edited ignore files.
func ignoreMistakes(s *session.Session, d *changes.Delta) (mistakes rules.Errors) {
	for _, e := range d.Tree.Ignores {
		if known, ok := d.Last.Files().File(e.Path); !d.Whole || path.Base(e.Path) != scan.IgnoreName || ok && known.Role == index.Ignore && known.Stamp == e.Stamp {
			continue
		}
		data, _, err := session.ReadAsset(s.Assets, e.Path, rules.MaxFile)
		if err != nil {
			continue // the file was removed after the listing; the next run will notice that
		}
		name := filepath.Join(s.Place.Dir, filepath.FromSlash(e.Path))
		for _, m := range scan.Mistakes(data) {
			mistakes = append(mistakes, rules.ErrorAt(name, data, m.Line, m.Column, m.Text))
		}
	}
	return mistakes
}

// ignoredByDefault returns the line of scan.Defaults that ignores files with the given name, or ""
// if there is none.
func ignoredByDefault(s *session.Session, name string) string {
	v, _ := scan.Ignored(name, false, s.ScanOptions().Wanted, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	return v.Pattern
}

// addsSource reports whether the plan has a source that the last run did not know.
func addsSource(t *todo.Todo) bool {
	for i := range t.Plan.Actions {
		if t.Plan.Actions[i].Last == nil {
			return true
		}
	}
	return false
}

// losesSetting reports whether a rule sets an option for any of the removed sources.
func losesSetting(set *rules.Set, gone map[string]bool) bool {
	for path := range gone {
		if set.Sets(path) {
			return true
		}
	}
	return false
}

// hasNewRules reports whether rules differ from the rules of the last run.
func hasNewRules(s *session.Session, d *changes.Delta, t *todo.Todo) bool {
	known := map[string]hashing.Sum128{}
	for _, f := range d.Last.Files().Configs() {
		known[f.Path] = f.Sum
	}
	return t.Rules.Texts.Differ(func(path string) (hashing.Sum128, bool) { sum, ok := known[path]; return sum, ok }) ||
		s.Place.Config != "" && d.Last.Fingerprint() != s.Basis.Fingerprint // fingerprint covers the rules of Config too
}
