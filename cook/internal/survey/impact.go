package survey

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/gitdiff"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
)

// An Impact tells which assets the changes since a git revision affect. It describes assets as the
// last run found them, so assets that the next run cooks again are affected as well.
type Impact struct {
	// All is the reason why all assets count as affected. It is "" if the affected assets are known.
	All string

	diff    *gitdiff.Diff
	actions map[[2]string]bool // affected assets of the index, by path and target
}

// Affects reports whether the changes affect an asset of the last run, or change a source.
func (m *Impact) Affects(path, target string) bool {
	return m.All != "" || m.actions[[2]string{path, target}] || m.diff.Changed(path)
}

// ImpactSince finds the assets that the changes since a git revision affect.
//
// An asset depends on its source, on the files and artifacts that it read in the last run, on its
// programs, and on its rules. For rules, ImpactSince compiles the rule files of the revision, and
// compares the results with the methods of the last run. All assets count as affected if the index
// is missing or damaged, and after changes that may turn any file into an asset.
func ImpactSince(ctx context.Context, s *session.Session, revision string) (*Impact, error) {
	tree, err := gitdiff.Open(ctx, s.Assets.Name(), revision)
	if err != nil {
		return nil, &session.ConfigError{Err: err}
	}
	diff, err := tree.Compare(ctx)
	if err != nil {
		return nil, &session.ConfigError{Err: err}
	}
	m := &Impact{diff: diff, actions: map[[2]string]bool{}}
	if m.All = changedBasis(s, diff); m.All != "" {
		return m, nil
	}
	known, err := s.LoadIndex()
	if err != nil {
		return nil, err
	}
	defer known.Close()
	if known.ID() == "" {
		m.All = "there is no index of an earlier run"
		return m, nil
	}
	var old *rules.Set
	if diff.ChangedNamed(func(name string) bool { return name == scan.ConfigName }, true, false) != "" {
		if old, err = earlierRules(ctx, s, tree, diff); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			m.All = "the rules of the revision cannot be read: " + err.Error()
			return m, nil
		}
	}
	err = index.Guard(func() error {
		if err := known.Load(); err != nil {
			return err
		}
		(&impactFinder{s: s, x: known.Index, m: m, files: map[string]bool{}, extracts: map[dependency.Dependency]bool{}, tools: map[string]bool{}, bundles: bundles{x: known.Index}}).findAffected(old)
		return nil
	})
	if err != nil {
		m.All = "the index of the last run is damaged"
	}
	return m, nil
}

// changedBasis returns a reason if a change may affect every asset, and otherwise "".
func changedBasis(s *session.Session, diff *gitdiff.Diff) string {
	file := diff.ChangedNamed(func(name string) bool { return name == scan.IgnoreName || scan.ContentDecides(name) }, true, false)
	if file == "" {
		file = diff.ChangedNamed(func(name string) bool { return name == ".gitattributes" }, true, true)
	}
	if file == "" { // a cook.toml above describes the project
		file = diff.ChangedNamed(func(name string) bool { return name == scan.ConfigName }, false, true)
	}
	if file != "" {
		return pathname.Show(file) + " has changed"
	}
	if s.Place.Config != "" {
		if name, err := filepath.Abs(s.Place.Config); err != nil || diff.FileChanged(name) {
			return pathname.Show(s.Place.Config) + " has changed"
		}
	}
	return ""
}

// earlierRules compiles the rule files of the revision.
func earlierRules(ctx context.Context, s *session.Session, tree *gitdiff.Tree, diff *gitdiff.Diff) (*rules.Set, error) {
	files, err := tree.Named(ctx, scan.ConfigName)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, file := range files {
		if _, ignored := s.Ignored(file, false); ignored {
			continue
		}
		if diff.Changed(file) {
			texts[file], err = tree.ReadFile(ctx, file)
		} else {
			texts[file], _, err = session.ReadAsset(s.Assets, file, rules.MaxFile)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.CompileTexts(texts)
}

// An impactFinder finds the affected assets of an index.
type impactFinder struct {
	s     *session.Session
	x     *index.Index
	m     *Impact
	files map[string]bool // whether a file of the tree has changed, by its path
	// extracts tells whether files that extracts read have changed, by directory and pattern.
	extracts map[dependency.Dependency]bool
	tools    map[string]bool // whether a program or library has changed, by its name
	bundles  bundles
}

// findAffected fills in the affected assets. old are the rules of the revision, nil if no rules
// have changed.
func (f *impactFinder) findAffected(old *rules.Set) {
	if old != nil {
		methods := changes.MethodsOf(old, f.s, f.x)
		for row := range f.x.Results().Rows("") {
			if !methods.Still(row) {
				f.m.actions[[2]string{row.Path(), row.Target()}] = true
			}
		}
	}
	var takers []index.Action // assets that read artifacts of other assets
	for a := range f.x.Results().Actions() {
		if f.readsChange(a) {
			f.m.actions[[2]string{a.Path, a.Target}] = true
		}
		if slices.ContainsFunc(a.Deps, func(d index.Dep) bool { return d.On.Kind.IsArtifacts() }) {
			takers = append(takers, *a)
		}
	}
	// The artifacts that the revision had are unknown if a source or a rule has changed since then.
	unknown := old != nil || f.m.diff.Removed
	for again := true; again; {
		again = false
		for i := range takers {
			a := &takers[i]
			of := [2]string{a.Path, a.Target}
			if !f.m.actions[of] && (unknown || f.takesChange(a)) {
				f.m.actions[of], again = true, true
			}
		}
	}
}

// readsChange reports whether the source, a dependency or a program of an asset has changed.
func (f *impactFinder) readsChange(a *index.Action) bool {
	if f.fileChanged(a.Path) {
		return true
	}
	for _, field := range a.Method {
		if name, ok := plan.ToolOf(field); ok && f.toolChanged(name) {
			return true
		}
	}
	return slices.ContainsFunc(a.Deps, func(d index.Dep) bool { return f.dependencyChanged(d.On) })
}

// fileChanged reports whether a file of the tree, or the file that a link leads to, has changed.
func (f *impactFinder) fileChanged(p string) bool {
	changed, known := f.files[p]
	if !known {
		changed = f.m.diff.Changed(p) || f.m.diff.FileChanged(filepath.Join(f.s.Assets.Name(), filepath.FromSlash(p)))
		f.files[p] = changed
	}
	return changed
}

func (f *impactFinder) toolChanged(name string) bool {
	changed, known := f.tools[name]
	if !known {
		file, err := program.Find(f.s.Assets.Name(), name)
		changed = err != nil || f.m.diff.FileChanged(file)
		f.tools[name] = changed
	}
	return changed
}

// dependencyChanged reports whether a dependency on files has changed.
func (f *impactFinder) dependencyChanged(on dependency.Dependency) bool {
	switch on.Kind {
	case dependency.File, dependency.Presence, dependency.Link, dependency.Extract:
		return f.fileChanged(on.Path)
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		return f.m.diff.NamesChanged(on.Path)
	case dependency.Extracts:
		if x, ok := f.s.Basis.Recipes.Extract(on.Function); ok && x.OfNames != nil {
			return f.m.diff.NamesChanged(on.Path)
		}
		return f.extractChanged(on)
	case dependency.IDs:
		return f.m.diff.Changed(scan.IDsName) || f.m.diff.Changed(scan.ConfigName)
	case dependency.Artifacts, dependency.Name:
		return false // takesChange examines artifacts
	}
	return true
}

// extractChanged reports whether a file that an extract reads has changed.
func (f *impactFinder) extractChanged(on dependency.Dependency) bool {
	asked := dependency.Dependency{Kind: on.Kind, Path: on.Path, Pattern: on.Pattern}
	changed, known := f.extracts[asked]
	if known {
		return changed
	}
	matches := func(name string) bool {
		ok, err := doublestar.Match(on.Pattern, name)
		return ok || err != nil
	}
	changed = f.m.diff.ChangedIn(on.Path, matches)
	entries, err := os.ReadDir(filepath.Join(f.s.Assets.Name(), filepath.FromSlash(on.Path)))
	changed = changed || err != nil && f.m.diff.NamesChanged(on.Path)
	for _, e := range entries { // the file that a link leads to may have changed
		changed = changed || matches(e.Name()) && f.fileChanged(path.Join(on.Path, e.Name()))
	}
	f.extracts[asked] = changed
	return changed
}

// takesChange reports whether an asset reads artifacts or names of an affected asset.
func (f *impactFinder) takesChange(a *index.Action) bool {
	return slices.ContainsFunc(a.Deps, func(d index.Dep) bool {
		switch d.On.Kind {
		case dependency.Name:
			source, _ := d.On.NamedOutput()
			return f.m.actions[[2]string{source, d.On.Path}]
		case dependency.Artifacts, dependency.IDs:
			return slices.ContainsFunc(f.bundles.chosenArtifacts(d.On), func(o output) bool { return f.m.actions[[2]string{o.source, d.On.Path}] })
		case dependency.File, dependency.Presence, dependency.Link, dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders, dependency.Extract, dependency.Extracts:
		}
		return false
	})
}
