package changes

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/program"
)

// errNeedFullScan reports that stamps cannot show the differences, so that the whole tree must be
// listed.
var errNeedFullScan = errors.New("the whole tree must be scanned")

// A finder collects a delta by comparing stamps.
type finder struct {
	s     *session.Session
	last  *index.Index
	delta *Delta
	now   map[string]*scan.Entry // sources to plan, by path; nil for a removed source
	rules map[string]scan.Stamp  // stamps of edited rule files, by path
}

// actionInScope reports whether an action is in scope.
func (f *finder) actionInScope(source, target string) bool {
	return slices.Contains(f.delta.Targets, target) && f.s.Scope.Has(source)
}

// concern adds a source that must be planned. If the index lacks the source, it was removed.
func (f *finder) concern(path string) {
	if _, ok := f.now[path]; ok {
		return
	}
	f.now[path] = nil
	if file, ok := f.last.Files().File(path); ok && file.Role == index.Asset {
		f.now[path] = &scan.Entry{Path: path, Stamp: file.Stamp}
	}
}

// leaveOutdated records that the next run for a target must check a source.
func (f *finder) leaveOutdated(target, source string) {
	if f.delta.Edited.Outdated == nil {
		f.delta.Edited.Outdated = map[string][]string{}
	}
	f.delta.Edited.Outdated[target] = append(f.delta.Edited.Outdated[target], source)
}

// compareTools returns an error if a program has changed since the methods were identified. It
// ignores actions that are pending or belong to other targets, because they may have used other
// programs.
func (f *finder) compareTools() error {
	comparer := tools.NewComparer(f.toolContent)
	f.delta.Read.Tools = comparer.Present
	same := true
	compare := func(m index.Method) { same = comparer.SameTools(m) && same }
	if f.last.Results().Methods(compare) != nil {
		return errNeedFullScan
	}
	if same {
		return nil
	}
	if f.last.Load() != nil {
		return errNeedFullScan
	}
	same = true
	pending := map[[2]string]bool{}
	for _, target := range f.delta.Targets {
		f.last.Pending(target, func(source string) { pending[[2]string{source, target}] = true })
	}
	f.last.Results().MethodsOf(func(source, target string) bool { return pending[[2]string{source, target}] }, compare)
	if !same {
		return errNeedFullScan
	}
	return nil
}

// toolContent returns the content of a program as the index knows it: "" if the program is missing,
// and "unknown" if the index does not know the current program.
func (f *finder) toolContent(name string) string {
	file, err := program.Find(f.s.Assets.Name(), name)
	if err != nil || f.last.Load() != nil {
		return ""
	}
	if known, ok := f.last.Files().File(file); ok {
		return known.Blob.String()
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return "unknown"
}

// sortFile adds a changed file to the field of the delta for the role of the file.
func (f *finder) sortFile(file *restat.File) error {
	path := f.last.Path(file.Ref)
	switch file.Role {
	case index.Asset:
		if scan.ContentDecides(path) {
			return errNeedFullScan // the scan may now ignore the file
		}
		f.delta.Changed[dependency.OfFile(path)] = true
		f.now[path] = nil
		if file.Kind == restat.Changed {
			f.now[path] = &scan.Entry{Path: path, Stamp: file.Now}
		}
	case index.Made:
		if !slices.Contains(f.delta.Targets, f.last.Results().Target(file.Ref)) {
			return nil // the artifact belongs to a target that this run does not cook
		}
		f.concern(f.last.Results().Source(file.Ref))
	case index.Other:
		if f.s.Scope.Source != "" && f.s.State.Manifest.Has(path) {
			return nil // queries ignore the manifest, which a concurrent run may be replacing
		}
		if filepath.IsAbs(path) {
			return errNeedFullScan // the file is a program or the manifest
		}
		f.delta.Changed[f.last.Dependency(file.Ref)] = true
		f.delta.Stale.Nodes = append(f.delta.Stale.Nodes, file.Ref)
	case index.Absent:
		f.delta.Changed[f.last.Dependency(file.Ref)] = true
		f.delta.Stale.Nodes = append(f.delta.Stale.Nodes, file.Ref)
	case index.Config:
		if file.Kind != restat.Changed {
			return errNeedFullScan
		}
		f.delta.Changed[dependency.OfFile(path)] = true // assets may read the rule file, too
		f.rules[path] = file.Now
	default:
		return errNeedFullScan // ignore files decide which files are sources
	}
	return nil
}

// addDependents adds the sources that depend on a changed file, failed in the last run, or are
// pending. If there are many, it returns an error, because listing the tree is faster.
func (f *finder) addDependents() error {
	f.last.Results().Failed(f.concern)
	f.last.Results().Dependents(f.delta.Changed, f.concern)
	for _, target := range f.delta.Targets {
		f.last.Pending(target, f.concern)
	}
	if TooMany(len(f.now), f.last.Results().Totals().Actions) {
		return errNeedFullScan
	}
	if len(f.now) > 0 {
		f.addNaming()
		f.addBundles()
	}
	return nil
}

// addNaming adds sources whose artifacts contain a file name with a {hash} that may change. A new
// name changes these artifacts, too, so addNaming follows such references to the end. Sources that
// the patterns exclude are left to the next run.
func (f *finder) addNaming() {
	follows := false
	f.last.Results().Methods(func(m index.Method) { follows = follows || plan.FollowsRules(m, f.s.Basis.Recipes) })
	if !follows {
		return
	}
	type named struct{ source, target string }
	naming := map[string][]named{}
	f.last.Results().Deps(func(k dependency.Kind) bool { return k == dependency.Name }, func(source string, d index.Dep) {
		of, _ := d.On.NamedOutput()
		naming[of] = append(naming[of], named{source, d.On.Path})
	})
	for todo := slices.Collect(maps.Keys(f.now)); len(todo) > 0 && len(naming) > 0; todo = todo[1:] {
		for _, by := range naming[todo[0]] {
			_, known := f.now[by.source]
			switch {
			case known:
			case f.actionInScope(by.source, by.target):
				f.concern(by.source)
				todo = append(todo, by.source)
			case slices.Contains(f.delta.Targets, by.target):
				f.leaveOutdated(by.target, by.source)
			}
		}
	}
}

// addBundles adds all bundles, because it is unknown which artifacts will change. Bundles that the
// patterns exclude are left to the next run.
func (f *finder) addBundles() {
	bundles := func(m index.Method) bool {
		return plan.AnyRecipe(m, func(name string) bool {
			r, ok := f.s.Basis.Recipes.Lookup(name)
			return ok && r.Bundles
		})
	}
	there := false
	f.last.Results().Methods(func(m index.Method) { there = there || bundles(m) })
	if !there {
		return
	}
	asks := func(k dependency.Kind) bool { return k == dependency.Artifacts || k == dependency.IDs }
	f.last.Results().Deps(asks, func(source string, d index.Dep) {
		target := d.On.Path
		switch {
		case f.actionInScope(source, target):
			f.concern(source)
		case slices.Contains(f.delta.Targets, target):
			f.leaveOutdated(target, source)
		}
	})
}

// applyPatterns removes from the delta everything that the patterns exclude. The index keeps the
// old entries and the old stamps of directories, so a run over the whole tree finds the changes. A
// full scan is needed in two cases:
//
//   - a source out of scope depends on a change, because the index cannot store the new content
//     for some dependents only
//   - a new source is in a new directory
func (f *finder) applyPatterns() error {
	d := f.delta
	if err := f.s.Scope.CheckPatterns(d.Tree.Entries, f.last); err != nil {
		return err
	}
	if len(f.rules) > 0 {
		return errNeedFullScan
	}
	out := func(path string) bool { return !f.s.Scope.Has(path) }
	apart := true
	f.last.Results().Dependents(d.Changed, func(path string) { apart = apart && !out(path) })
	if !apart {
		return errNeedFullScan
	}
	maps.DeleteFunc(f.now, func(path string, _ *scan.Entry) bool { return out(path) })
	for path, e := range f.now {
		if _, known := f.last.FindFolder(parent(path)); e != nil && !known {
			return errNeedFullScan // the index also needs an entry for the new directory
		}
	}
	d.Stale.Sources = map[string]bool{}
	maps.DeleteFunc(d.Changed, func(on dependency.Dependency, _ bool) bool {
		if out(on.Path) {
			d.Stale.Sources[on.Path] = true
		}
		return out(on.Path)
	})
	outFile := func(ref index.Ref, role index.Role) bool {
		switch role {
		case index.Asset:
			return out(f.last.Path(ref))
		case index.Made:
			return out(f.last.Results().Source(ref))
		}
		return false
	}
	d.Found.Files = slices.DeleteFunc(d.Found.Files, func(file restat.File) bool { return outFile(file.Ref, file.Role) })
	d.Found.Reread = slices.DeleteFunc(d.Found.Reread, func(ref index.Ref) bool { return outFile(ref, f.last.Node(ref).Role) })
	d.Tree.Folders, d.Stale.Folders, d.Found.OutFolders = nil, nil, nil
	return nil
}

// completeDelta fills in the sources of the delta and their known actions.
func (f *finder) completeDelta() {
	d := f.delta
	if len(f.now) == 0 {
		return
	}
	d.Concerned = make(map[string]bool, len(f.now))
	for _, path := range slices.Sorted(maps.Keys(f.now)) {
		d.Concerned[path] = true
		d.Before = append(d.Before, f.last.Results().ActionsOf(path)...)
		e := f.now[path]
		if e == nil {
			continue
		}
		if file := d.Touched(path); file != nil {
			e.Stamp = file.Now
		}
		d.Sources = append(d.Sources, *e)
	}
}

// followRules adds the sources that edited rules cook differently. It leaves the sources of other
// targets to the next run for the target.
func (f *finder) followRules() error {
	if len(f.rules) == 0 {
		return nil
	}
	configs := f.delta.Configs()
	for i := range configs {
		if stamp, ok := f.rules[configs[i].Path]; ok {
			configs[i].Stamp = stamp
		}
	}
	rules, err := f.s.CompileRules(configs)
	if err != nil || !slices.Equal(f.delta.Targets, f.s.Scope.Among(rules.Set.Targets())) {
		return errNeedFullScan // the full scan reports the error
	}
	f.delta.Edited.Rules = rules
	methods := MethodsOf(rules.Set, f.s, f.last)
	for _, target := range ValidTargets(f.last) {
		if !rules.Set.HasTarget(target) {
			return errNeedFullScan
		}
	}
	for row := range f.last.Results().Rows("") {
		target := row.Target()
		switch {
		case !rules.Set.HasTarget(target):
			return errNeedFullScan // the artifacts of the dropped target must be removed
		case row.State() != index.Done || methods.Still(row):
		case slices.Contains(f.delta.Targets, target):
			f.concern(row.Path())
		default:
			f.leaveOutdated(target, row.Path())
		}
	}
	return nil
}

// MethodsOf returns the methods of some rules with the programs that an index knows. Methods with
// other programs have an error.
func MethodsOf(set *rules.Set, s *session.Session, last *index.Index) *plan.Methods {
	return plan.NewMethods(set, tools.Finder(s.Assets.Name(), func(file string) (contents.File, error) {
		known, ok := last.Files().File(file)
		if !ok {
			return contents.File{}, errNeedFullScan // the method uses a new program, which the full plan looks up
		}
		return contents.File{Path: file, Blob: known.Blob}, nil
	}), (&tools.Versions{Last: last.Results().Methods, Run: func(plan.VersionQuestion) (string, error) {
		return "", errNeedFullScan // the full plan runs the command
	}}).Print)
}

// compareParts checks whether listings, links and extracts are unchanged although their directories
// or files changed. Assets that depend on an unchanged part stay up to date. For each changed
// extract it finds the assets whose parts differ.
func (f *finder) compareParts(ctx context.Context) {
	var now *contents.Contents
	var changed []dependency.Dependency
	for i := range f.delta.Found.Files {
		file := &f.delta.Found.Files[i]
		if file.Role != index.Other {
			continue
		}
		on := f.last.Dependency(file.Ref)
		if file.Kind == restat.Changed && !file.Compared && on.Kind != dependency.File {
			if now == nil {
				now = contents.New(contents.Options{Assets: f.s.Assets, Known: index.Empty().Files(), Checksum: f.s.Basis.Checksum, Workers: 1, Clock: f.s.Clock.Stamps, Parts: f.delta.Read.Parts})
			}
			got := now.At(ctx, on)
			want, _ := f.last.Content(file.Ref)
			file.Compared, file.Busy = true, !got.Settled
			file.Same = got.Known() && got.Stamp == file.Now && got.Sum == want
		}
		if on.Kind.IsExtract() && !file.Same {
			changed = append(changed, on)
		}
	}
	if len(changed) > 0 {
		f.askAgain(changed)
	}
}

// askAgain compares the parts that actions used of the changed extracts, and marks the parts that
// differ.
func (f *finder) askAgain(changed []dependency.Dependency) {
	is := map[dependency.Dependency]bool{}
	folders := map[Asking]bool{}
	for _, x := range changed {
		is[x] = true
		folders[AskingOf(x)] = true
	}
	f.last.Results().Deps(dependency.Kind.IsExtract, func(_ string, d index.Dep) {
		if !is[d.On.OfAll()] && !(d.On.Kind == dependency.Extracts && folders[AskingOf(d.On)]) || f.delta.Changed[d.On] {
			return
		}
		if now := f.delta.Read.Parts.At(d.On); now.How == contents.Unreadable || plan.Dependency(d.Name, d.On, now) != d {
			f.delta.Changed[d.On] = true
		}
	})
}

// An Asking names an extract function and the directory whose files the function reads.
type Asking struct{ folder, function string }

// AskingOf returns the function and directory of an extract.
func AskingOf(x dependency.Dependency) Asking { return Asking{x.InFolder(), x.Function} }
