package pass

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/program"
)

// A finder is restatTree at work.
type finder struct {
	s     *Session
	last  *index.Index
	delta *Delta
	now   map[string]*scan.Entry // the sources to see to; nil if gone
	rules map[string]scan.Stamp  // of files of rules that were edited
}

// restatTree compares the stamps of all that the index knows, or of the folders that
// where names. The error is errNeedFullScan if they cannot tell what differs.
func restatTree(ctx context.Context, s *Session, last *index.Index, where Where) (*Delta, error) {
	last.Count(s.Scope.Targets)
	f := &finder{s: s, last: last, now: map[string]*scan.Entry{}, rules: map[string]scan.Stamp{}, delta: &Delta{Last: last, Tree: &scan.Tree{}, Changed: map[dependency.Dependency]bool{}, Read: Read{Parts: s.newParts()}}}
	err := index.Guard(func() error { return f.findChanges(ctx, where) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, index.ErrFault) {
		return nil, err
	}
	return f.delta, err
}

func (f *finder) findChanges(ctx context.Context, where Where) error {
	opt := restat.Options{
		Index: f.last, Assets: f.s.Assets.Name(), Out: f.s.Out.Name(), Workers: f.s.Limits.Workers, IgnoreStamps: f.s.Mode.IgnoreStamps, Checksum: f.s.Checksum,
		OutputsByFolder: f.s.Mode.OutputsByFolder && !f.s.Mode.IgnoreStamps && where == nil, Only: where,
	}
	if opt.IgnoreStamps {
		f.s.Observer.Stage("checksum")
	}
	begin := f.s.Time.Now()
	found, err := restat.Find(ctx, opt)
	if err != nil {
		if errors.Is(err, index.ErrFault) {
			return err
		}
		return errNeedFullScan
	}
	f.delta.Found = found
	if found.Read > 0 {
		f.delta.Read.Took = f.s.Time.Now().Sub(begin)
	}
	if f.s.Mode.EveryAction && f.last.CheckRows() != nil {
		return errNeedFullScan // or the observer would be told of some actions twice
	}
	pending := 0
	for _, target := range f.s.Scope.Targets {
		f.last.Pending(target, func(string) { pending++ })
	}
	needed := len(found.Files)+len(found.Reread)+len(found.Folders)+len(f.s.Scope.Patterns)+f.last.Totals().Failed+pending > 0
	if (needed || f.s.Mode.EveryAction) && f.last.Load() != nil {
		return errNeedFullScan
	}
	if err := f.sameTools(); err != nil {
		return err
	}
	if err := f.listAgain(ctx); err != nil {
		return err
	}
	if len(found.Files) > 0 && !opt.IgnoreStamps {
		f.s.Observer.Stage("checksum")
	}
	if err := f.compareTree(ctx, opt); err != nil {
		return err
	}
	if err := f.followRules(); err != nil {
		return err
	}
	if source := f.s.Scope.Source; source != "" {
		f.concern(source)
		f.now = map[string]*scan.Entry{source: f.now[source]}
	} else if err := f.alsoConcerned(); err != nil {
		return err
	}
	if len(f.s.Scope.Patterns) > 0 {
		if err := f.leaveOut(); err != nil {
			return err
		}
	}
	f.collect()
	return nil
}

// sameTools proves that the programs by whose names methods were identified are still
// those programs. Their stamps have been compared. Actions that are pending, or of other
// targets, may have used others.
func (f *finder) sameTools() error {
	tools, libraries := map[string]string{}, map[string]string{}
	f.delta.Tools = Tools{Files: tools, Libraries: libraries}
	machine := sync.OnceValue(program.ThisMachine)
	same := true
	compare := func(m index.Method) {
		for _, field := range m {
			if name, ok := plan.ToolOf(field); ok {
				if _, asked := tools[name]; !asked {
					tools[name] = f.tool(name)
				}
				same = same && tools[name] == field.Value
			}
			names, _ := plan.MachineOf(field)
			for _, name := range names {
				library, _ := program.Named(name)
				if _, asked := libraries[library]; !asked {
					libraries[library] = machine().Name(library)
				}
				same = same && libraries[library] == name
			}
		}
	}
	if f.last.Methods(compare) != nil {
		return errNeedFullScan
	}
	if same {
		return nil // mostly, and then no action need be looked at
	}
	if f.last.Load() != nil {
		return errNeedFullScan
	}
	same = true
	pending := map[[2]string]bool{}
	for _, target := range f.s.Scope.Targets {
		f.last.Pending(target, func(source string) { pending[[2]string{source, target}] = true })
	}
	f.last.MethodsOf(func(source, target string) bool { return pending[[2]string{source, target}] }, compare)
	if !same {
		return errNeedFullScan
	}
	return nil
}

// tool returns the content of a program as the index has it, "" if there is none, something
// else if there is one that the index does not know.
func (f *finder) tool(name string) string {
	file, err := recipe.FindTool(f.s.Assets.Name(), name)
	if err != nil || f.last.Load() != nil {
		return ""
	}
	if known, ok := f.last.File(file); ok {
		return known.Blob.String()
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return "unknown"
}

// compareTree reads what stamps do not vouch for, and sorts the files that differ.
func (f *finder) compareTree(ctx context.Context, opt restat.Options) error {
	found := f.delta.Found
	begin := f.s.Time.Now()
	if err := restat.Compare(ctx, opt, found); err != nil {
		return err
	}
	f.compareParts(ctx)
	r := &f.delta.Read
	r.Files, r.Bytes, r.Took = found.Read, found.Bytes, r.Took+f.s.Time.Now().Sub(begin)
	files := found.Files
	for i := range files {
		file := &files[i]
		if file.Role == index.Made && file.Known.Mode != 0 && file.Known.Mode != file.Now.Mode {
			file.Same = false // it is to have the permissions that a new one has
		}
		if file.Same {
			continue
		}
		if err := f.sort(file); err != nil {
			return err
		}
	}
	return nil
}

// compareParts checks whether listings, links and extracts are unchanged although their folders
// or files changed. Assets that depend on an unchanged one stay up to date. For each changed
// extract it finds the assets whose answers differ.
func (f *finder) compareParts(ctx context.Context) {
	var now *contents.Contents
	var said []dependency.Dependency
	for i := range f.delta.Found.Files {
		file := &f.delta.Found.Files[i]
		if file.Role != index.Other {
			continue
		}
		on := f.last.Dependency(file.Ref)
		if file.Kind == restat.Changed && !file.Compared && on.Kind != dependency.File {
			if now == nil {
				now = contents.New(contents.Options{Assets: f.s.Assets, Known: index.Empty(), Checksum: f.s.Checksum, Workers: 1, Clock: f.s.Clock, Parts: f.delta.Read.Parts})
			}
			got := now.At(ctx, on)
			want, _ := f.last.Content(file.Ref)
			file.Compared, file.Busy = true, !got.Settled
			file.Same = got.Known() && got.Stamp == file.Now && got.Sum == want
		}
		if on.Kind.IsExtract() && !file.Same {
			said = append(said, on)
		}
	}
	if len(said) > 0 {
		f.askAgain(said)
	}
}

// askAgain finds the answers that are others now that some extracts have changed.
func (f *finder) askAgain(changed []dependency.Dependency) {
	is := map[dependency.Dependency]bool{}
	folders := map[asking]bool{} // of files of which one says something else
	for _, x := range changed {
		is[x] = true
		folders[askingOf(x)] = true
	}
	f.last.Deps(dependency.Kind.IsExtract, func(_ string, d index.Dep) {
		if !is[d.On.OfAll()] && !(d.On.Kind == dependency.Extracts && folders[askingOf(d.On)]) || f.delta.Changed[d.On] {
			return
		}
		if now := f.delta.Read.Parts.At(d.On); now.How == contents.Unreadable || plan.Dependency(d.Name, d.On, now) != d {
			f.delta.Changed[d.On] = true
		}
	})
}

// An asking is a function of a recipe, with the folder of the files that it asks.
type asking struct{ folder, function string }

func askingOf(x dependency.Dependency) asking { return asking{x.InFolder(), x.Function} }

// sort says whom a file that differs concerns.
func (f *finder) sort(file *restat.File) error {
	path := f.last.Path(file.Ref)
	switch file.Role {
	case index.Asset:
		f.delta.Changed[dependency.OfFile(path)] = true
		f.now[path] = nil
		if file.Kind == restat.Changed {
			f.now[path] = &scan.Entry{Path: path, Stamp: file.Now}
		}
	case index.Made:
		if !slices.Contains(f.s.Scope.Targets, f.last.Target(file.Ref)) {
			return nil // of a run with other targets
		}
		f.concern(f.last.Source(file.Ref))
	case index.Other:
		if f.s.Scope.Source != "" && f.s.State.IsManifest(path) {
			return nil // no question about a source depends on it, and a run may be replacing it
		}
		if filepath.IsAbs(path) {
			return errNeedFullScan // a program, or the manifest
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
		f.delta.Changed[dependency.OfFile(path)] = true // assets may read it as well
		f.rules[path] = file.Now
	default:
		return errNeedFullScan // which files are sources
	}
	return nil
}

// concern makes a source one to see to, unchanged unless it is known to differ. One that
// the index does not know is gone: a run for other targets has seen that.
func (f *finder) concern(path string) {
	if _, ok := f.now[path]; ok {
		return
	}
	f.now[path] = nil
	if file, ok := f.last.File(path); ok && file.Role == index.Asset {
		f.now[path] = &scan.Entry{Path: path, Stamp: file.Stamp}
	}
}

// alsoConcerned adds the sources that depend on what changed, those that failed last
// time, and those that runs for other targets have seen change. If that is a good part
// of all, listing the tree is shorter.
func (f *finder) alsoConcerned() error {
	f.last.Failed(f.concern)
	f.last.Dependents(f.delta.Changed, f.concern)
	for _, target := range f.s.Scope.Targets {
		f.last.Pending(target, f.concern)
	}
	if tooMany(len(f.now), f.last.Totals().Actions) {
		return errNeedFullScan
	}
	if len(f.now) > 0 {
		f.bundlesConcerned()
	}
	return nil
}

// bundlesConcerned adds the sources that are made of others' artifacts: which of these will
// change is not known before they are cooked. What patterns leave out is for the next run.
func (f *finder) bundlesConcerned() {
	bundles := func(m index.Method) bool {
		return plan.AnyRecipe(m, func(name string) bool {
			r, ok := f.s.Recipes.Lookup(name)
			return ok && r.Bundles
		})
	}
	there := false
	f.last.Methods(func(m index.Method) { there = there || bundles(m) })
	if !there {
		return
	}
	f.last.Deps(dependency.Kind.IsArtifacts, func(source string, d index.Dep) {
		target := d.On.Path
		switch {
		case f.s.wants(source, target):
			f.concern(source)
		case slices.Contains(f.s.Scope.Targets, target):
			f.outdated(target, source)
		}
	})
}

// followRules adds the sources that edited rules have cooked another way than the last
// run did, and notes those of other targets.
func (f *finder) followRules() error {
	if len(f.rules) == 0 {
		return nil
	}
	configs := f.delta.configs()
	for i := range configs {
		if stamp, ok := f.rules[configs[i].Path]; ok {
			configs[i].Stamp = stamp
		}
	}
	targets := f.s.Scope.Targets
	rules, err := f.s.CompileRules(configs)
	if err != nil || !slices.Equal(targets, f.s.Scope.Targets) {
		return errNeedFullScan // which will say so
	}
	f.delta.Edited.Rules = rules
	methods := plan.NewMethods(rules.Set, f.s.tools(func(file string) (contents.File, error) {
		known, ok := f.last.File(file)
		if !ok {
			return contents.File{}, errNeedFullScan // it is new: the plan will find it
		}
		return contents.File{Path: file, Blob: known.Blob}, nil
	}))
	for _, target := range vouched(f.last) {
		if !rules.HasTarget(target) {
			return errNeedFullScan
		}
	}
	for row := range f.last.Rows("") {
		target := row.Target()
		switch {
		case !rules.HasTarget(target):
			return errNeedFullScan // its artifacts must go
		case row.State() != index.Done || methods.Still(row):
		case slices.Contains(f.s.Scope.Targets, target):
			f.concern(row.Path())
		default:
			f.outdated(target, row.Path())
		}
	}
	return nil
}

// outdated leaves a source to the next run for a target.
func (f *finder) outdated(target, source string) {
	if f.delta.Edited.Outdated == nil {
		f.delta.Edited.Outdated = map[string][]string{}
	}
	f.delta.Edited.Outdated[target] = append(f.delta.Edited.Outdated[target], source)
}

// collect completes the delta.
func (f *finder) collect() {
	d := f.delta
	if len(f.now) == 0 {
		return
	}
	d.Concerned = make(map[string]bool, len(f.now))
	for _, path := range sortedKeys(f.now) {
		d.Concerned[path] = true
		d.Before = append(d.Before, f.last.ActionsOf(path)...)
		e := f.now[path]
		if e == nil {
			continue
		}
		if file := d.touched(path); file != nil {
			e.Stamp = file.Now
		}
		d.Sources = append(d.Sources, *e)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
