// Package minimal compares the work of incremental cooks with a model. It generates random trees of
// assets whose sources are small programs. The programs read files, test whether files exist, match
// patterns, generate programs for the next step of a chain, and read the artifacts of other assets.
// So the model knows the dependencies of each asset. For each run it predicts which assets are
// cooked, restored from the store or left alone. It also predicts the contents of the output
// directory. [Play] fails if a run does more or less than predicted.
package minimal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// Options configure a random sequence of edits and runs.
type Options struct {
	Steps int  // number of rounds; each makes edits and then runs cook twice
	Tools bool // whether to cook some assets with programs, with declared and with traced dependencies (Linux only)
}

// Counts holds totals over a sequence.
type Counts struct{ Runs, Edits, Actions, Cooked int }

// Play plays one sequence in an empty directory. Its error shows where cook and the model differ.
func Play(ctx context.Context, dir string, seed uint64, opt Options) (Counts, error) {
	p := &player{
		tree: newTree(seed, opt.Tools), dir: dir, states: map[key]state{}, disk: map[string]string{}, known: map[string]bool{},
	}
	if p.Int64N(2) == 0 {
		p.ahead = time.Hour
	}
	for n := range opt.Steps {
		var edits []string
		for range p.IntN(4) {
			edits = append(edits, p.editRandomly())
		}
		if n > 0 {
			edits = append(edits, p.disturbState()...)
		}
		targets := pick(p.tree, [][]string{nil, nil, nil, {"small"}, {"", "small"}, {"big", "small"}})
		p.counts.Edits += len(edits)
		for _, again := range []string{"", ", once more"} {
			if err := p.cookAndCompareModel(ctx, targets); err != nil {
				return p.counts, fmt.Errorf("seed %d, run %d%s for %q after\n  %s\n%w", seed, n, again, targets, strings.Join(edits, "\n  "), err)
			}
		}
	}
	return p.counts, nil
}

type key struct{ source, target string }

// A state is the last action of a source for a target, and whether it failed.
type state struct {
	action
	failed bool
}

type player struct {
	*tree
	dir    string
	ahead  time.Duration // offset of cook's clock; after an hour all stamps are old enough to be trusted
	states map[key]state
	disk   map[string]string // files in the output directory, by path
	known  map[string]bool   // keys of the results in the store
	counts Counts
}

// disturbState sometimes edits or removes an output, removes the index, or changes the modification
// time of a source.
func (p *player) disturbState() []string {
	switch p.IntN(12) {
	case 0, 1:
		for _, name := range slices.Sorted(maps.Keys(p.disk)) {
			if p.IntN(4) > 0 {
				continue
			}
			file := filepath.Join(p.dir, "cooked", filepath.FromSlash(name))
			if p.IntN(2) == 0 {
				delete(p.disk, name)
				os.Remove(file)
				return []string{"remove output " + name}
			}
			p.disk[name] = "edited"
			os.WriteFile(file, []byte("edited"), 0o666)
			return []string{"edit output " + name}
		}
	case 2:
		names, _ := filepath.Glob(filepath.Join(p.dir, "cooked", ".cook", "[ic]*"))
		for _, name := range names {
			os.Remove(name)
		}
		clear(p.states)
		return []string{"remove the index"}
	case 3:
		name := pick(p.tree, slices.Sorted(maps.Keys(p.files)))
		now := time.Now()
		os.Chtimes(filepath.Join(p.dir, "assets", filepath.FromSlash(name)), now, now)
		return []string{"touch " + name}
	}
	return nil
}

// writeTree writes the files of the tree to disk.
func (p *player) writeTree() error {
	root := filepath.Join(p.dir, "assets")
	there, err := oracle.ReadTree(root)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for name := range there {
		if _, wanted := p.files[name]; !wanted && !strings.HasSuffix(name, "/") {
			if err := os.Remove(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	for name, text := range p.files {
		if _, old, there := strings.Cut(there[name], " "); there && old == text {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// An observer records the outcomes of assets that needed work.
type observer struct {
	cook.Observers
	outcomes map[key]cook.Event
}

func (o *observer) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Cooked, cook.Restored, cook.Unchanged, cook.Failed, cook.Error:
		o.outcomes[key{e.Path, e.Target}] = e
	}
}

// cookAndCompareModel cooks, and compares the work done and the outputs with the model.
func (p *player) cookAndCompareModel(ctx context.Context, targets []string) error {
	if err := p.writeTree(); err != nil {
		return err
	}
	verify := p.IntN(6) == 0
	of := targets
	if len(of) == 0 {
		of = []string{""}
	}
	want := p.foretell(of)
	seen, logs := &observer{outcomes: map[key]cook.Event{}}, &done{logs: map[string]int{}}
	run := oracle.Run{
		Dir: filepath.Join(p.dir, "assets"), Out: filepath.Join(p.dir, "cooked"), Cache: filepath.Join(p.dir, "store"),
		Targets: targets, Recipes: recipes(), Workers: 2, Observer: seen, Verify: verify,
		Now: func() time.Time { return time.Now().Add(p.ahead) },
	}
	if err := oracle.NextTick(p.dir); err != nil {
		return err
	}
	sum, err := run.Cook(context.WithValue(ctx, doneKey{}, logs))
	if err != nil {
		return err
	}
	if err := oracle.NextTick(p.dir); err != nil {
		return err
	}
	p.counts.Runs++
	p.counts.Actions += sum.Found.Assets
	for _, n := range logs.logs {
		p.counts.Cooked += n
	}
	if d := cmp.Or(want.diffOutcomes(seen.outcomes), want.diffLogs(logs.logs, p.ahead > 0), p.diffDisk(of)); d != "" {
		return fmt.Errorf("%s\n%s", sum.String(), d)
	}
	return nil
}

// diffDisk compares the output directory with the model.
func (p *player) diffDisk(targets []string) string {
	got, err := oracle.ReadTree(filepath.Join(p.dir, "cooked"))
	if err != nil {
		return err.Error()
	}
	texts, want := oracle.Tree{}, oracle.Tree{}
	for name, content := range got {
		if _, text, ok := strings.Cut(content, " "); ok && slices.Contains(targets, targetOf(name)) && !strings.HasPrefix(name, "manifest") {
			texts[name] = text
		}
	}
	for name, text := range p.disk {
		if slices.Contains(targets, targetOf(name)) {
			want[name] = text
		}
	}
	return want.Diff(texts)
}

func targetOf(output string) string {
	first, _, _ := strings.Cut(output, "/")
	if first == "small" || first == "big" {
		return first
	}
	return ""
}
