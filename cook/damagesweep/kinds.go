package damagesweep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
)

// A kind is some of the files that cook keeps.
type kind struct {
	name string
	// prepare brings the bench to where the files are and matter.
	prepare func(ctx context.Context, b *bench) error
	files   func(b *bench) ([]string, error)
	ways    []way
	// tells says of which harms a run has to say something; nil is none.
	tells func(harm) bool
	// judge says whether a run was right, and what was wrong.
	judge func(ctx context.Context, b *bench, r result, wrong func(string, ...any)) bool
	// rebuild says that prepare cannot start from what the run has left.
	rebuild bool
	parts   bool // of the manifest of a large tree
}

// A way is what happens between the damage and the run, and how that goes about
// its work.
type way struct {
	name   string
	before func(b *bench) error
	long   bool
}

var (
	nothing = way{name: "nothing changed", before: func(*bench) error { return nil }}
	long    = way{name: "the long way", before: nothing.before, long: true}
	edited  = way{name: "a source edited", before: (*bench).edit}
	noOut   = way{name: "no outputs", before: func(b *bench) error {
		return errors.Join(os.RemoveAll(b.out), b.putTheirs(b.out))
	}}
)

var kinds = []kind{
	{name: "index", prepare: ready, files: inState("index"), ways: []way{nothing, edited, long}, tells: every, judge: mended},
	{name: "changes", prepare: changed, files: inState("changes-*"), ways: []way{nothing, edited, long}, tells: every, judge: mended},
	{name: "manifest", prepare: ready, files: inOut("manifest.json"), ways: []way{nothing, edited, long}, tells: every, judge: mended},
	{name: "parts", prepare: ready, files: inOut("manifest.parts/*"), ways: []way{nothing, edited}, judge: mended, parts: true},
	{name: "journal", prepare: killed, files: inState("journal"), ways: []way{edited}, tells: wrongBits, judge: mendedOrTold, rebuild: true},
	{name: "lock", prepare: ready, files: inState("lock"), ways: []way{nothing}, judge: mended},
	{name: "store", prepare: ready, files: stored, ways: []way{noOut}, tells: every, judge: mended},
	{name: "rules", prepare: ready, files: rulesOf, ways: []way{nothing}, judge: likeScratch},
}

func every(harm) bool { return true }

// wrongBits leaves out cuts: nothing is wrong with what is left of a list.
func wrongBits(h harm) bool { return !h.cut }

func ready(context.Context, *bench) error { return nil }

// changed leaves changes beside the index that say something.
func changed(ctx context.Context, b *bench) error {
	if err := b.edit(); err != nil {
		return err
	}
	_, err := b.cook(ctx, false, nil)
	return err
}

// killed leaves what a first run leaves that is killed after the last output.
func killed(ctx context.Context, b *bench) error {
	if err := errors.Join(os.RemoveAll(b.out), b.putTheirs(b.out)); err != nil {
		return err
	}
	journal := filepath.Join(b.out, ".cook", "journal")
	var data []byte
	var readErr error
	_, err := b.cook(ctx, false, func() {
		if data == nil {
			data, readErr = os.ReadFile(journal)
		}
	})
	if err := errors.Join(err, readErr); err != nil {
		return err
	}
	changes, err := filepath.Glob(filepath.Join(b.out, ".cook", "changes-*"))
	if err != nil {
		return err
	}
	for _, name := range append(changes, filepath.Join(b.out, ".cook", "index"), filepath.Join(b.out, "manifest.json")) {
		err = errors.Join(err, os.Remove(name))
	}
	return errors.Join(err, os.WriteFile(journal, data, 0o666))
}

func inState(pattern string) func(b *bench) ([]string, error) { return inOut(".cook/" + pattern) }

func inOut(pattern string) func(b *bench) ([]string, error) {
	return func(b *bench) ([]string, error) {
		return filepath.Glob(filepath.Join(b.out, filepath.FromSlash(pattern)))
	}
}

// stored are the files of the store but for those that nobody reads.
func stored(b *bench) ([]string, error) {
	var files []string
	err := filepath.WalkDir(b.store, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "README" && d.Name() != "CACHEDIR.TAG" {
			files = append(files, name)
		}
		return err
	})
	slices.Sort(files)
	return files, err
}

func rulesOf(b *bench) ([]string, error) { return []string{filepath.Join(b.assets, "cook.toml")}, nil }

// mended wants all as from scratch, and no complaint.
func mended(_ context.Context, b *bench, r result, wrong func(string, ...any)) bool {
	if r.err != nil || len(r.failed) > 0 {
		wrong("error %v, failed %q", r.err, r.failed)
		return false
	}
	return b.same(wrong, nil)
}

// same compares the outputs with those from scratch. What but names may differ.
func (b *bench) same(wrong func(string, ...any), but []string) bool {
	diff, err := b.diff()
	if err != nil {
		wrong("%v", err)
		return false
	}
	for line := range strings.Lines(diff) {
		if !slices.ContainsFunc(but, func(name string) bool { return strings.Contains(line, name) }) {
			wrong("%s", line)
			return false
		}
	}
	return true
}

// mendedOrTold allows for outputs of which nobody can know any more that they were
// cook's: that is said of each, and they are left as they are.
func mendedOrTold(_ context.Context, b *bench, r result, wrong func(string, ...any)) bool {
	if r.err != nil {
		wrong("error %v", r.err)
		return false
	}
	but := []string{}
	for _, text := range r.failed {
		source, _, _ := strings.Cut(text, ":")
		if !strings.Contains(text, "was not made by cook") {
			wrong("failed %s", text)
			return false
		}
		but = append(but, source, "manifest.json")
	}
	return b.same(wrong, but)
}

// likeScratch wants the same as from scratch under the same rules: another tree
// perhaps, or a refusal.
func likeScratch(ctx context.Context, b *bench, r result, wrong func(string, ...any)) bool {
	defer func() {
		if err := b.restoreRules(); err != nil {
			wrong("%v", err)
		}
	}()
	tree, err := b.fromScratch(ctx)
	var refused *cook.ConfigError
	switch {
	case errors.As(r.err, &refused):
		if err == nil || err.Error() != r.err.Error() {
			wrong("refused: %v; from scratch: %v", r.err, err)
			return false
		}
		return true
	case r.err != nil || err != nil:
		wrong("error %v, from scratch %v", r.err, err)
		return false
	}
	diff, err := b.diffFrom(tree)
	if err != nil || diff != "" {
		wrong("%v %s", err, diff)
		return false
	}
	return true
}
