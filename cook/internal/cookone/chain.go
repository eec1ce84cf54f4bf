package cookone

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A chain holds the files that earlier steps have made. A step reads them instead of files of the
// asset tree with the same paths. A nil chain has no files.
//
// Each step of a chain is an action of its own, with its own result in the store. If a step makes
// the same output as before, the results of all following steps are known.
type chain struct {
	whole Task
	made  map[string]madeFile
}

// A madeFile is a scratch file that a step of a chain has made.
type madeFile struct {
	file contents.File
	in   *confine.Dir
	name string
}

// madeAt returns the file at a path if an earlier step has made it.
func (c *chain) madeAt(p string) (contents.File, bool) {
	if c == nil {
		return contents.File{}, false
	}
	f, ok := c.made[p]
	return f.file, ok
}

// madeDependency is like madeAt, for a dependency instead of a path.
func (c *chain) madeDependency(on dependency.Dependency) (contents.File, bool) {
	if on.Seen().Kind != dependency.File {
		return contents.File{}, false
	}
	return c.madeAt(on.Path)
}

// openMade opens a file that an earlier step has made.
func (c *chain) openMade(f contents.File) (fs.File, error) {
	m := c.made[f.Path]
	return m.in.OpenFile(m.name)
}

// statMade returns information about a file that an earlier step has made.
func (c *chain) statMade(f contents.File) (fs.FileInfo, error) {
	m := c.made[f.Path]
	return m.in.Root().Lstat(m.name)
}

// madeFileName returns the absolute name of a file that an earlier step has made, for external
// programs. It is "" for other files.
func (c *chain) madeFileName(p string) string {
	if _, ok := c.madeAt(p); !ok {
		return ""
	}
	m := c.made[p]
	return filepath.Join(m.in.Name(), m.name)
}

// namePairs returns arguments for strings.NewReplacer, which replaces names of scratch files with
// their paths in the asset tree.
func (c *chain) namePairs() (pairs []string) {
	if c != nil {
		for _, p := range slices.Sorted(maps.Keys(c.made)) {
			pairs = append(pairs, c.madeFileName(p), p)
		}
	}
	return pairs
}

// chainOutputs returns the outputs of a task. For a step, it returns the outputs of the whole
// chain.
func (c *chain) chainOutputs(t Task) []string {
	if c == nil {
		return t.Action.Outputs
	}
	return c.whole.Action.Outputs
}

// cookChain makes the artifacts of a task that has several steps.
func (c *Cooker) cookChain(ctx context.Context, t Task, how Attempt) (_ Ready, err error) {
	before := t.chain
	if before == nil {
		before = &chain{whole: t}
	}
	key := plan.NewKey()
	first, err := c.cookStep(ctx, t, before, key, t.Action.Method.First, t.Action.Source, how)
	if err != nil {
		return Ready{}, err
	}
	defer first.Scratch.Remove()
	if err := cmp.Or(first.namesReplaced(), first.namesHidden()); err != nil {
		return Ready{}, err
	}
	now := &chain{whole: before.whole, made: map[string]madeFile{}}
	maps.Copy(now.made, before.made)
	for i, output := range t.Action.Method.First.Choice.Outputs {
		p := output.Name(t.Action.Path)
		m := &first.Made[i]
		now.made[p] = madeFile{
			contents.File{Path: p, Stamp: m.Stamp, Settled: true, Sum: m.Sum, Blob: m.Blob, How: contents.ByReading},
			first.Scratch.in, first.Scratch.files[i],
		}
	}
	r := Ready{Task: t, Scratch: first.Scratch.empty()}
	defer func() {
		if err != nil {
			r.Scratch.Remove()
		}
	}()
	r.addStep(first)
	for i, next := range t.Action.Method.Next {
		if next == nil {
			r.takeArtifactOf(first, i)
			continue
		}
		f := now.made[t.Action.Method.First.Choice.Outputs[i].Name(t.Action.Path)]
		src := Source{assets: f.in, path: f.name, size: f.file.Stamp.Size}
		how.Source = &src
		done, err := c.cookStep(ctx, t, now, key, next, &f.file, how)
		src.Close()
		if err != nil {
			return Ready{}, fmt.Errorf("%s, which is made from this asset: %w", pathname.Show(f.file.Path), err)
		}
		for k := range done.Made {
			if done.Made[k].Role == "" { // a step that packs a texture, for example, keeps the role of the texture
				done.Made[k].Role = first.Made[i].Role
			}
			r.takeArtifactOf(done, k)
		}
		done.Scratch.Remove()
		r.addStep(done)
	}
	slices.SortFunc(r.Deps, byAsked)
	r.Deps = slices.CompactFunc(r.Deps, func(a, b index.Dep) bool { return byAsked(a, b) == 0 })
	return r, nil
}

// cookStep cooks one step of a chain, or takes its result from the store.
func (c *Cooker) cookStep(ctx context.Context, t Task, now *chain, key *hashing.Key, m *plan.Method, src *contents.File, how Attempt) (Ready, error) {
	file := c.FileOf(ctx)
	if _, made := now.madeAt(src.Path); made {
		file = nil
	}
	action, err := t.Action.Step(key, m, src, file)
	if err != nil {
		return Ready{}, err
	}
	step := Task{Action: action, Open: t.Open, chain: now}
	if how.Steps.Known != nil {
		defer how.Steps.Exclusive(step)() // another asset may have an equal step
		r, ok := how.Steps.Known(ctx, step)
		if ok {
			return r, nil
		}
		step = r.Task
	}
	r, err := c.Cook(ctx, step, how)
	if err == nil && how.Steps.Keep != nil {
		how.Steps.Keep(ctx, r)
	}
	return r, err
}

// maxNaming is the size in bytes of the largest output that namesReplaced searches.
const maxNaming = 16 << 20

// namesReplaced returns an error if an output contains the original name of another output that a
// rule renames, because programs would look for the original name. Recipes with NamesOutputs write
// the final names and need no check.
func (r *Ready) namesReplaced() error {
	a := r.Task.Action
	names := a.Method.Choice.FinalNames(a.Path)
	if a.Method.Choice.Recipe.NamesOutputs || len(names) < 2 {
		return nil
	}
	for i, name := range names {
		old := path.Base(a.Outputs[i])
		if slices.ContainsFunc(names, func(n string) bool { return path.Base(n) == old }) {
			continue
		}
		for j := range names {
			if j == i || r.Made[j].Stamp.Size > maxNaming {
				continue
			}
			text, err := r.Scratch.readScratch(j)
			if err != nil {
				return err
			}
			if containsWord(text, old) {
				return fmt.Errorf("%s contains the name %s, which a rule for artifacts changes to %s; set output in that rule to keep the name, or let recipe %q write the new name",
					pathname.Show(a.Outputs[j]), pathname.Show(old), pathname.Show(path.Base(name)), a.Method.Choice.Recipe.Name)
			}
		}
	}
	return nil
}

// containsWord reports whether a text contains a file name that is not part of a longer name.
func containsWord(text []byte, name string) bool {
	inName := func(c byte) bool {
		return c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
	}
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			return false
		}
		at += i
		end := at + len(name)
		// A period after the name may end a sentence.
		if (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end]) || text[end] == '.' && (end+1 == len(text) || !inName(text[end+1]))) {
			return true
		}
	}
}

// takeArtifactOf moves an artifact from a step to the whole chain.
func (r *Ready) takeArtifactOf(step Ready, i int) {
	r.Made = append(r.Made, step.Made[i])
	r.Scratch.files = append(r.Scratch.files, step.Scratch.files[i])
	r.Scratch.placed = append(r.Scratch.placed, false)
	step.Scratch.placed[i] = true
}

// addStep adds the dependencies, the time and the warnings of a step to the result of the chain.
func (r *Ready) addStep(step Ready) {
	whole, from := r.Task.Action.Path, step.Task.Action.Path
	r.CookTime += step.CookTime
	if step.Facts != (jobs.Facts{}) {
		r.Facts = step.Facts
	}
	for _, line := range step.Warnings {
		if from != whole {
			line = pathname.Show(from) + ", which is made from this asset: " + line
		}
		r.Warnings = append(r.Warnings, line)
	}
	for _, d := range step.Deps {
		if _, made := step.Task.chain.madeDependency(d.On); !made {
			d.Name = asNamedFrom(whole, from, d)
			r.Deps = append(r.Deps, d)
		}
	}
}

// asNamedFrom returns the path of a dependency relative to the source of the chain, instead of the
// source of the step.
func asNamedFrom(source, step string, d index.Dep) string {
	if path.Dir(source) == path.Dir(step) || d.On.Kind.IsArtifacts() || strings.HasPrefix(d.Name, "/") {
		return d.Name
	}
	return pathname.Relative(path.Dir(source), d.On.Path)
}
