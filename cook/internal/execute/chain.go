package execute

import (
	"bytes"
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
	"github.com/assetcook/assetcook/internal/pathname"
)

// A chain is an action whose recipe makes what is cooked further. Each of its steps is an
// action by itself, with a result of its own in the store: where a step makes what it made
// before, all that follows is known. What earlier steps have made lies over the asset tree.
// Under a nil one is the tree alone.
type chain struct {
	whole planned
	made  map[string]madeFile // by path
}

// A madeFile is a scratch file that a step of a chain has made.
type madeFile struct {
	contents.File
	in   *confine.Dir
	name string // in that folder
}

// at returns a file that an earlier step has made.
func (c *chain) at(p string) (contents.File, bool) {
	if c == nil {
		return contents.File{}, false
	}
	f, ok := c.made[p]
	return f.File, ok
}

// has is at for a dependency.
func (c *chain) has(on dependency.Dependency) (contents.File, bool) {
	if on.Seen().Kind != dependency.File {
		return contents.File{}, false
	}
	return c.at(on.Path)
}

func (c *chain) open(f contents.File) (fs.File, error) {
	m := c.made[f.Path]
	return m.in.OpenFile(m.name)
}

func (c *chain) stat(f contents.File) (fs.FileInfo, error) {
	m := c.made[f.Path]
	return m.in.Root().Lstat(m.name)
}

// file returns the name of a file that was made, for external programs, "" for others.
func (c *chain) file(p string) string {
	if _, ok := c.at(p); !ok {
		return ""
	}
	m := c.made[p]
	return filepath.Join(m.in.Name(), m.name)
}

// names lists the scratch files, each before what a user knows it by.
func (c *chain) names() (pairs []string) {
	if c != nil {
		for _, p := range slices.Sorted(maps.Keys(c.made)) {
			pairs = append(pairs, c.file(p), p)
		}
	}
	return pairs
}

// outputs are those that are placed of an action, or of the chain of which it is a step.
func (c *chain) outputs(a planned) []string {
	if c == nil {
		return a.Outputs
	}
	return c.whole.Outputs
}

// cookChain makes the artifacts of a chain, step by step.
func (c *cooker) cookChain(ctx context.Context, a planned, how attempt) (_ ready, err error) {
	before := a.chain
	if before == nil {
		before = &chain{whole: a}
	}
	key := plan.NewKey()
	first, err := c.step(ctx, a, before, key, a.Method.First, a.Source, how)
	if err != nil {
		return ready{}, err
	}
	defer first.scratch.remove()
	if err := first.namesReplaced(); err != nil {
		return ready{}, err
	}
	now := &chain{whole: before.whole, made: map[string]madeFile{}}
	maps.Copy(now.made, before.made)
	for i, output := range a.Method.First.Outputs {
		p := output.Name(a.Path)
		m := &first.made[i]
		now.made[p] = madeFile{
			contents.File{Path: p, Stamp: m.Stamp, Settled: true, Sum: m.Sum, Blob: m.Blob, How: contents.ByReading},
			first.scratch.in, first.scratch.files[i],
		}
	}
	r := ready{planned: a, scratch: first.scratch.empty()}
	defer func() {
		if err != nil {
			r.scratch.remove()
		}
	}()
	r.follow(first)
	for i, next := range a.Method.Next {
		if next == nil {
			r.takeArtifactOf(first, i)
			continue
		}
		f := now.made[a.Method.First.Outputs[i].Name(a.Path)]
		src := source{assets: f.in, path: f.name, size: f.Stamp.Size}
		how.source = &src
		done, err := c.step(ctx, a, now, key, next, &f.File, how)
		src.close()
		if err != nil {
			return ready{}, fmt.Errorf("%s, which is made of it: %w", pathname.Show(f.Path), err)
		}
		for k := range done.made {
			r.takeArtifactOf(done, k)
		}
		done.scratch.remove()
		r.follow(done)
	}
	slices.SortFunc(r.deps, byAsked)
	r.deps = slices.CompactFunc(r.deps, func(a, b index.Dep) bool { return byAsked(a, b) == 0 })
	return r, nil
}

// step makes what one step of a chain makes of a source, or brings it from the store.
func (c *cooker) step(ctx context.Context, a planned, now *chain, key *hashing.Key, m *plan.Method, src *contents.File, how attempt) (ready, error) {
	file := c.fileOf(ctx)
	if _, made := now.at(src.Path); made {
		file = nil
	}
	action, err := a.Step(key, m, src, file)
	if err != nil {
		return ready{}, err
	}
	step := planned{action, now, a.open}
	if how.known != nil {
		if step.inStore(c.Store) {
			defer how.exclusive(action.ID)() // the steps of other chains and other assets may be equal
		}
		r, ok := how.known(ctx, step)
		if ok {
			return r, nil
		}
		step = r.planned
	}
	r, err := c.cook(ctx, step, how)
	if err == nil && how.keep != nil {
		how.keep(ctx, r)
	}
	return r, err
}

// knownStep brings the result of a step from the store, or returns the step alone.
func (w *worker) knownStep(ctx context.Context, a planned) (ready, bool) {
	k, ok := w.lookUp(ctx, a)
	if !ok {
		return ready{planned: k.planned}, false
	}
	r, err := w.fetch(ctx, k)
	if err != nil {
		return ready{planned: a}, false
	}
	return r, true
}

// maxNaming is the size in bytes of the largest output that namesReplaced searches.
const maxNaming = 16 << 20

// namesReplaced returns an error if an output contains the name of another output that a rule cooks
// into an artifact with a different name: a program that reads the first would not find the second.
// Recipes with NamesOutputs write the final names.
func (r *ready) namesReplaced() error {
	names := r.Method.FinalNames(r.Path)
	if r.Method.Recipe.NamesOutputs || len(names) < 2 {
		return nil
	}
	for i, name := range names {
		old := path.Base(r.Outputs[i])
		if slices.ContainsFunc(names, func(n string) bool { return path.Base(n) == old }) {
			continue
		}
		for j := range names {
			if j == i || r.made[j].Stamp.Size > maxNaming {
				continue
			}
			text, err := r.scratch.readOutput(j)
			if err != nil {
				return err
			}
			if hasWord(text, old) {
				return fmt.Errorf("%s names %s, which a rule for artifacts renames to %s: set output in that rule to keep the name, or have the recipe %q write the new one",
					pathname.Show(r.Outputs[j]), pathname.Show(old), pathname.Show(path.Base(name)), r.Method.Recipe.Name)
			}
		}
	}
	return nil
}

// hasWord reports whether a text contains a file name that is not part of a longer name.
func hasWord(text []byte, name string) bool {
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

// takeArtifactOf makes an artifact of a step one of the whole.
func (r *ready) takeArtifactOf(step ready, i int) {
	r.made = append(r.made, step.made[i])
	r.scratch.files = append(r.scratch.files, step.scratch.files[i])
	r.scratch.placed = append(r.scratch.placed, false)
	step.scratch.placed[i] = true
}

// follow adds what a step of the chain read, what it took, and what it warned of.
func (r *ready) follow(step ready) {
	r.cookTime += step.cookTime
	for _, line := range step.warnings {
		if step.Path != r.Path {
			line = pathname.Show(step.Path) + ", which is made of it: " + line
		}
		r.warnings = append(r.warnings, line)
	}
	for _, d := range step.deps {
		if _, made := step.chain.has(d.On); !made {
			d.Name = asNamedFrom(r.Path, step.Path, d)
			r.deps = append(r.deps, d)
		}
	}
}

// asNamedFrom returns the path of a dependency as a file at source would write it. The folders of
// the two differ in the same way wherever the source of the chain lies: that is in its ID.
func asNamedFrom(source, step string, d index.Dep) string {
	if path.Dir(source) == path.Dir(step) || d.On.Kind.IsArtifacts() || strings.HasPrefix(d.Name, "/") {
		return d.Name
	}
	return pathname.Relative(path.Dir(source), d.On.Path)
}
