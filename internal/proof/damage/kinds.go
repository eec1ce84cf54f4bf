package damage

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

// A kind is a kind of file that cook maintains.
type kind struct {
	name string
	// prepare creates the files of this kind, in a state where the next run needs them.
	prepare func(ctx context.Context, b *project) error
	files   func(b *project) ([]string, error)
	setups  []setup
	// reports decides whether the run must report a fault. nil means that it need not report any.
	reports func(fault) bool
	// judge checks the result of a run, and calls the function wrong for each error that it finds.
	judge func(ctx context.Context, b *project, r result, wrong func(string, ...any)) bool
	// rebuild is set if prepare needs a fresh project.
	rebuild bool
	parts   bool // whether only a project with a split manifest (many assets) has the file
}

// A setup is the kind of run, and a change that is made between the damage and the run.
type setup struct {
	name   string
	before func(b *project) error
	full   bool
}

var (
	nothing = setup{name: "nothing changed", before: func(*project) error { return nil }}
	full    = setup{name: "full run", before: nothing.before, full: true}
	edited  = setup{name: "a source edited", before: (*project).switchEdited}
	noOut   = setup{name: "no outputs", before: func(b *project) error {
		return errors.Join(os.RemoveAll(b.out), b.putForeign(b.out))
	}}
)

var kinds = []kind{
	{name: "index", prepare: ready, files: inState("index"), setups: []setup{nothing, edited, full}, reports: every, judge: repaired},
	{name: "changes", prepare: changed, files: inState("changes-*"), setups: []setup{nothing, edited, full}, reports: every, judge: repaired},
	{name: "manifest", prepare: ready, files: inOut("manifest.json"), setups: []setup{nothing, edited, full}, reports: every, judge: repaired},
	{name: "blocks", prepare: ready, files: inState("index"), setups: []setup{edited, nothing}, judge: repaired, parts: true},
	{name: "parts", prepare: ready, files: inOut("manifest.parts/*"), setups: []setup{nothing, edited}, judge: repaired, parts: true},
	{name: "journal", prepare: killed, files: inState("journal"), setups: []setup{edited}, reports: wrongBits, judge: repairedOrReported, rebuild: true},
	{name: "lock", prepare: ready, files: inState("lock"), setups: []setup{nothing}, judge: repaired},
	{name: "store", prepare: ready, files: stored, setups: []setup{noOut}, reports: every, judge: repaired},
	{name: "rules", prepare: ready, files: rulesOf, setups: []setup{nothing}, judge: likeScratch},
}

func every(fault) bool { return true }

// wrongBits excludes truncations, because a truncated journal is still valid.
func wrongBits(h fault) bool { return !h.cut }

func ready(context.Context, *project) error { return nil }

// changed adds a change to the index, so that its file of changes is not empty.
func changed(ctx context.Context, b *project) error {
	if err := b.switchEdited(); err != nil {
		return err
	}
	_, err := b.cookObserved(ctx, false, nil)
	return err
}

// killed leaves the files of a first run that is killed after it placed its last output.
func killed(ctx context.Context, b *project) error {
	if err := errors.Join(os.RemoveAll(b.out), b.putForeign(b.out)); err != nil {
		return err
	}
	journal := filepath.Join(b.out, ".cook", "journal")
	var data []byte
	var readErr error
	_, err := b.cookObserved(ctx, false, func() {
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

func inState(pattern string) func(b *project) ([]string, error) { return inOut(".cook/" + pattern) }

func inOut(pattern string) func(b *project) ([]string, error) {
	return func(b *project) ([]string, error) {
		return filepath.Glob(filepath.Join(b.out, filepath.FromSlash(pattern)))
	}
}

// stored returns the files in the store, except files that cook never reads.
func stored(b *project) ([]string, error) {
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

func rulesOf(b *project) ([]string, error) {
	return []string{filepath.Join(b.assets, "cook.toml")}, nil
}

// repaired accepts a run without errors that restores the outputs of a run from scratch.
func repaired(_ context.Context, b *project, r result, wrong func(string, ...any)) bool {
	if r.err != nil || len(r.failed) > 0 {
		wrong("error %v, failed %q", r.err, r.failed)
		return false
	}
	return b.same(wrong, nil)
}

// same reports whether the outputs equal the outputs of a run from scratch. It ignores the files
// listed in but.
func (b *project) same(wrong func(string, ...any), but []string) bool {
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

// repairedOrReported is like repaired, but also accepts outputs that the run reports as not made by
// cook and leaves unchanged. The damage may have removed the record that cook owns them.
func repairedOrReported(_ context.Context, b *project, r result, wrong func(string, ...any)) bool {
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

// likeScratch accepts a run with damaged rules if a run from scratch with these rules has the same
// result: equal outputs or the same error.
func likeScratch(ctx context.Context, b *project, r result, wrong func(string, ...any)) bool {
	defer func() {
		if err := b.restoreRules(); err != nil {
			wrong("%v", err)
		}
	}()
	tree, err := b.cookDamageFromScratch(ctx)
	var refused *cook.ConfigError
	switch {
	case errors.As(r.err, &refused):
		if err == nil || err.Error() != r.err.Error() {
			wrong("rejected: %v; from scratch: %v", r.err, err)
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
