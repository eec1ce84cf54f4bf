// Package changes finds the differences between the asset tree and the last run's index.
//
// [Find] returns a [Delta]. If the index is valid for the run (see [ValidFor]), Find compares the
// stamps of all known files with the file system (package restat). It then lists, reads and plans
// only the differences and the sources that depend on them. A watcher restricts this to a few
// directories with a [Where].
//
// Otherwise, [ListTree] lists the whole tree, and every source counts as different. Find does
// the same for changes that concern the whole tree: a changed ignore file, a directory that
// cannot be listed, a file that became another kind of file.
//
// # Targets in turn
//
// An index is valid for some targets. A change that a run finds also affects targets that the run
// does not cook: the affected sources become pending for these targets in the index, and the next
// run for such a target adds them to its delta. Outputs are never pending, because each output
// belongs to one target.
package changes

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Where reports whether a directory must be examined for changes. A nil Where means all
// directories.
type Where func(f *index.Folder) bool

// Find finds the differences from the last run. It reports stages to the observer, but no
// events.
func Find(ctx context.Context, s *session.Session, last *index.Index, where Where) (*Delta, error) {
	targets, known := KnownTargets(&s.Scope, last)
	if known && canCompareStamps(s, last, targets, where != nil) {
		var d *Delta
		err := errNeedFullScan
		if s.Scope.Source == "" {
			d, err = compareStamps(ctx, s, last, targets, where)
		} else if where = aroundSource(last, s.Scope.Source); where != nil {
			d, err = compareStamps(ctx, s, last, targets, where)
		}
		if err == nil || !errors.Is(err, errNeedFullScan) && !errors.Is(err, index.ErrFault) {
			return d, err
		}
		s.Observer.Stage("scan")
	}
	return ListTree(ctx, s, s.CheckedIndex(last))
}

// canCompareStamps reports whether the index is valid for the session and the last run was not
// interrupted. Strict runs also need a full scan, except in a watcher.
func canCompareStamps(s *session.Session, last *index.Index, targets []string, watching bool) bool {
	m := s.Mode
	return s.Out != nil && ValidFor(last, s, targets) && !m.Force && !m.FullScan && (!m.Strict || watching) && (m.Beside || !s.State.Interrupted())
}

// aroundSource returns the directories that affect one source: its parents, which may have rule
// files, and the directories of its dependencies and outputs. If the index lacks the source, it
// returns nil.
func aroundSource(last *index.Index, source string) Where {
	type place struct {
		tree index.Tree
		path string
	}
	around := map[place]bool{}
	above := func(tree index.Tree, dir string) {
		if dir == "." {
			dir = ""
		}
		for ; ; dir = parent(dir) {
			around[place{tree, dir}] = true
			if dir == "" {
				return
			}
		}
	}
	err := index.Guard(func() error {
		if err := last.Load(); err != nil {
			return err
		}
		if f, ok := last.Files().File(source); !ok || f.Role != index.Asset {
			return errNeedFullScan // the source may be new or ignored
		}
		above(index.Assets, path.Dir(source))
		for _, a := range last.Results().ActionsOf(source) {
			for i := range a.Deps {
				if on := a.Deps[i].On; !on.Kind.IsArtifacts() {
					above(index.Assets, on.InFolder())
				}
			}
			for i := range a.Made {
				above(index.Out, path.Dir(a.Made[i].Path))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return func(f *index.Folder) bool {
		return f.Tree != index.Assets && f.Tree != index.Out || around[place{f.Tree, f.Path()}]
	}
}

// ListTree lists the whole tree, so that everything counts as different.
func ListTree(ctx context.Context, s *session.Session, last *index.Index) (*Delta, error) {
	tree, err := listAssets(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	d := &Delta{Last: last, Whole: true, Tree: tree, Sources: tree.Entries, Read: Read{Parts: newParts(s)}}
	if !s.Scope.Whole() {
		d.Sources = slices.DeleteFunc(slices.Clone(tree.Entries), func(e scan.Entry) bool { return !s.Scope.Has(e.Path) })
	}
	if err := s.Scope.CheckPatterns(tree.Entries, last); err != nil {
		return nil, err
	}
	for a := range last.Results().Actions() {
		if d.Before == nil {
			d.Before = make([]index.Action, 0, len(tree.Entries))
		}
		d.Before = append(d.Before, *a)
	}
	return d, nil
}

// listAssets lists the whole tree, except the assets that the caller knows; see scan.Options.Known.
func listAssets(ctx context.Context, s *session.Session, known func(directory string) func(name string) bool) (*scan.Tree, error) {
	opt := s.ScanOptions()
	opt.Known = known
	tree, err := scan.Dir(ctx, s.Assets.Name(), opt)
	if err != nil {
		return nil, err
	}
	for _, p := range tree.Problems {
		if path.Base(p.Path) == scan.ConfigName {
			return nil, session.Configf("%w", p)
		}
	}
	return tree, nil
}

// ListUnknown lists the whole tree, except the assets that the caller knows. The delta has no sources
// until the caller calls Concern.
func ListUnknown(ctx context.Context, s *session.Session, last *index.Index, known func(directory string) func(name string) bool) (*Delta, error) {
	tree, err := listAssets(ctx, s, known)
	if err != nil {
		return nil, err
	}
	return &Delta{Last: last, Tree: tree, Found: &restat.Found{}, Concerned: map[string]bool{}, Read: Read{Parts: newParts(s)}}, nil
}

// Concern fills in the sources of a delta from ListUnknown, with their known actions. concerned has the
// paths of sources to plan, besides the listed ones. The value is set for an asset that the listing
// left out. The sources without it were removed, unless they are listed.
func (d *Delta) Concern(s *session.Session, concerned map[string]bool) {
	for _, e := range d.Tree.Entries {
		concerned[e.Path] = false
	}
	listed := d.Tree.Entries
	for _, path := range slices.Sorted(maps.Keys(concerned)) {
		d.Concerned[path] = true
		d.Before = append(d.Before, d.Last.Results().ActionsOf(path)...)
		switch {
		case len(listed) > 0 && listed[0].Path == path:
			d.Sources = append(d.Sources, listed[0])
			listed = listed[1:]
		case concerned[path]:
			if info, err := s.Assets.Stat(path); err == nil && info.Mode().IsRegular() {
				d.Sources = append(d.Sources, scan.Entry{Path: path, Stamp: scan.StampOf(info)})
			}
		}
	}
}

func newParts(s *session.Session) *contents.Parts {
	return contents.NewParts(contents.Options{Assets: s.Assets, Checksum: s.Basis.Checksum, Clock: s.Clock.Stamps, Extracts: s.Basis.Recipes.Extract})
}

// compareStamps compares the stamps of everything that the index knows, or of the directories
// that where names. It returns errNeedFullScan if stamps cannot show the differences.
func compareStamps(ctx context.Context, s *session.Session, last *index.Index, targets []string, where Where) (*Delta, error) {
	last.Results().Count(targets)
	f := &finder{s: s, last: last, now: map[string]*scan.Entry{}, rules: map[string]scan.Stamp{}, delta: &Delta{
		Last: last, Targets: targets, Tree: &scan.Tree{}, Changed: map[dependency.Dependency]bool{}, Read: Read{Parts: newParts(s)},
	}}
	err := index.Guard(func() error { return f.findChanges(ctx, where) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, index.ErrFault) {
		return nil, err
	}
	return f.delta, err
}

// findChanges fills in the delta.
func (f *finder) findChanges(ctx context.Context, where Where) error {
	opt := restat.Options{
		Index: f.last, Assets: f.s.Assets.Name(), Out: f.s.Out.Name(), Workers: f.s.Limits.Workers, IgnoreStamps: f.s.Mode.IgnoreStamps, Checksum: f.s.Basis.Checksum,
		OutputsByFolder: f.s.Mode.OutputsByFolder && !f.s.Mode.IgnoreStamps && where == nil, Only: where,
	}
	if opt.IgnoreStamps {
		f.s.Observer.Stage("checksum")
	}
	begin := f.s.Clock.Now()
	found, err := restat.Find(ctx, opt)
	if err != nil {
		if errors.Is(err, index.ErrFault) {
			return err
		}
		return errNeedFullScan
	}
	f.delta.Found = found
	if found.Read > 0 {
		f.delta.Read.Took = f.s.Clock.Now().Sub(begin)
	}
	if err := f.loadIndex(); err != nil {
		return err
	}
	if err := f.compareTools(); err != nil {
		return err
	}
	if err := f.listAgain(ctx); err != nil {
		return err
	}
	if len(found.Files) > 0 && !opt.IgnoreStamps {
		f.s.Observer.Stage("checksum")
	}
	if err := f.compareContents(ctx, opt); err != nil {
		return err
	}
	if err := f.followRules(); err != nil {
		return err
	}
	if source := f.s.Scope.Source; source != "" {
		f.concern(source)
		f.now = map[string]*scan.Entry{source: f.now[source]}
	} else if err := f.addDependents(); err != nil {
		return err
	}
	if f.s.Scope.Partial() {
		if err := f.applyPatterns(); err != nil {
			return err
		}
	}
	f.completeDelta()
	return nil
}

// loadIndex checks the rows of the index. It also decodes the changes if the run needs them.
func (f *finder) loadIndex() error {
	every := f.s.Mode.EveryAction
	if every && f.last.CheckRows() != nil {
		return errNeedFullScan // if damage were found later, some events would be sent twice
	}
	pending := 0
	for _, target := range f.delta.Targets {
		f.last.Pending(target, func(string) { pending++ })
	}
	found := f.delta.Found
	needed := f.s.Scope.Partial() || len(found.Files)+len(found.Reread)+len(found.Folders)+f.last.Results().Totals().Failed+pending > 0
	if (needed || every) && f.last.Load() != nil {
		return errNeedFullScan
	}
	return nil
}

// compareContents reads the files whose stamps do not prove that they are unchanged. It adds the
// files that differ to the delta.
func (f *finder) compareContents(ctx context.Context, opt restat.Options) error {
	found := f.delta.Found
	begin := f.s.Clock.Now()
	if err := restat.Compare(ctx, opt, found); err != nil {
		return err
	}
	f.compareParts(ctx)
	r := &f.delta.Read
	r.Files, r.Bytes, r.Took = found.Read, found.Bytes, r.Took+f.s.Clock.Now().Sub(begin)
	files := found.Files
	for i := range files {
		file := &files[i]
		if file.Role == index.Made && file.Known.Mode != 0 && file.Known.Mode != file.Now.Mode {
			file.Same = false // the permissions have changed, so the run makes the output again
		}
		if file.Same {
			continue
		}
		if err := f.sortFile(file); err != nil {
			return err
		}
	}
	return nil
}

// KnownTargets returns the targets in scope that an index knows. It returns false if the scope
// includes all declared targets, because only the rules list them.
func KnownTargets(scope *session.Scope, last *index.Index) ([]string, bool) {
	if !scope.All {
		return scope.Targets, true
	}
	if !slices.Contains(last.Vouched(), AllDeclared) {
		return nil, false
	}
	return scope.Among(slices.DeleteFunc(ValidTargets(last), func(t string) bool { return t == "" })), true
}

// ValidFor reports whether an index is valid for a run that cooks the given targets in a session.
func ValidFor(x *index.Index, s *session.Session, targets []string) bool {
	return sameFingerprint(x, s) && !slices.ContainsFunc(targets, func(t string) bool { return !slices.Contains(x.Vouched(), t) })
}

// sameFingerprint reports whether the runs recorded in an index had the fingerprint of the session.
func sameFingerprint(x *index.Index, s *session.Session) bool {
	return !s.Basis.Fingerprint.IsZero() && x.Fingerprint() == s.Basis.Fingerprint
}

// OtherTargets returns the valid targets of an index, except the given targets and targets that the
// rules no longer declare. rules is nil if the rules are unchanged since the index was written.
func OtherTargets(x *index.Index, s *session.Session, targets []string, rules *session.Ruleset) []string {
	if !sameFingerprint(x, s) {
		return nil
	}
	return slices.DeleteFunc(ValidTargets(x), func(t string) bool {
		return slices.Contains(targets, t) || rules != nil && !rules.Set.HasTarget(t)
	})
}
