package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// Outputs returns the outputs of actions and claims, sorted and without duplicates.
func Outputs(actions iter.Seq[*index.Action], claims []plan.Claim) []string {
	var list []string
	for a := range actions {
		for i := range a.Made {
			list = append(list, a.Made[i].Path)
		}
	}
	for _, c := range claims {
		list = append(list, c.Output)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Extra returns the files of the output directory that are neither outputs of known actions or claims,
// nor cook's own. It skips the store, and every directory with its own state. If it returns an error,
// it also returns the files found so far.
func (d *Dir) Extra(ctx context.Context, known index.Results, claims []plan.Claim, store string) ([]string, error) {
	l := lister{files: d.files, ctx: ctx, outputs: known.NumberedOutputs(), known: known, claims: Outputs(noActions, claims)}
	l.seen = make([]bool, l.outputs.CountOutputs()+len(l.claims))
	if real, err := filepath.EvalSymlinks(store); err == nil {
		l.store, _ = pathname.Below(d.files.out.Name(), real)
	}
	l.listExtra(".")
	l.dropAliases()
	return l.extra, errors.Join(append(l.errs, ctx.Err())...)
}

func noActions(func(*index.Action) bool) {}

// A lister finds extra files.
type lister struct {
	files   *files
	ctx     context.Context
	store   string // path of the store; "" if outside of the output directory
	known   index.Results
	outputs *index.Outputs
	claims  []string // claimed outputs, sorted
	seen    []bool   // whether a file with the exact name of the output or claim exists
	extra   []string
	errs    []error
}

// findOutput returns the position in seen of an output or claim.
func (l *lister) findOutput(name string) (i int, ok bool) {
	if i, ok = l.outputs.FindOutputAt(name); ok {
		return i, true
	}
	i, ok = slices.BinarySearch(l.claims, name)
	return l.outputs.CountOutputs() + i, ok
}

// listExtra searches a directory and its subdirectories.
func (l *lister) listExtra(dir string) {
	if l.ctx.Err() != nil {
		return
	}
	names, err := l.sortedNames(dir)
	if err != nil && !pathname.IsAbsent(err) {
		l.errs = append(l.errs, fmt.Errorf("cannot list %s: %w", pathname.Show(dir), err))
	}
	below := ""
	if dir != "." {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, manifest.StateDir) }) {
			return
		}
		below = dir + "/"
	}
	for _, base := range names {
		name := below + base
		if n, known := l.findOutput(name); known {
			l.seen[n] = true
			continue
		}
		if isOwn(name) || l.files.isTag(name) || name == l.store {
			continue
		}
		switch info, err := l.files.out.Root().Lstat(name); {
		case pathname.IsAbsent(err):
		case err == nil && info.IsDir():
			l.listExtra(name)
		case !l.isLinkToOutputs(name):
			l.extra = append(l.extra, name)
		}
	}
}

func (l *lister) sortedNames(dir string) ([]string, error) {
	f, err := l.files.out.Root().OpenFile(dir, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// isLinkToOutputs reports whether a name is a link to a directory that contains outputs.
func (l *lister) isLinkToOutputs(name string) bool {
	n, _ := slices.BinarySearch(l.claims, name+"/")
	return l.known.HoldsOutputs(name) || n < len(l.claims) && strings.HasPrefix(l.claims[n], name+"/")
}

// isOwn reports whether a path names one of cook's own files. It ignores case, as some file systems
// do. In the directory of the manifest's parts, only files with names of parts are cook's own.
func isOwn(name string) bool {
	first, rest, below := strings.Cut(name, "/")
	if below && strings.EqualFold(first, manifest.PartsDir) {
		return manifest.IsPart(manifest.PartsDir + "/" + rest)
	}
	return manifest.Reserved(name) && !strings.EqualFold(first, manifest.PartsDir)
}

// dropAliases drops files that are outputs under another name, because a link in the output
// directory leads to them, or because the file system ignores case or Unicode form.
func (l *lister) dropAliases() {
	if len(l.extra) == 0 {
		return
	}
	var aliased []fs.FileInfo
	for i, seen := range l.seen {
		output, ok := "", !seen
		if n := i - l.outputs.CountOutputs(); n >= 0 {
			output = l.claims[n]
		} else if ok {
			output, ok = l.outputs.OutputAt(i)
		}
		if !ok {
			continue
		}
		if info, err := l.files.out.Root().LstatOS(filepath.FromSlash(output)); err == nil && !info.IsDir() {
			aliased = append(aliased, info)
		}
	}
	if len(aliased) == 0 {
		return
	}
	l.extra = slices.DeleteFunc(l.extra, func(name string) bool {
		info, err := l.files.out.Root().LstatOS(filepath.FromSlash(name))
		return err == nil && slices.ContainsFunc(aliased, func(output fs.FileInfo) bool { return os.SameFile(info, output) })
	})
}
