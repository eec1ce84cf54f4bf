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

// Outputs lists the outputs of actions and claims, sorted and each once.
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

// Extra lists the files of the output folder that are neither outputs nor the cooker's
// own. The outputs are all that there may be, sorted and each once. It looks neither into
// the store nor into a folder with a state of its own: that is another output folder. What
// could be listed is returned with an error.
func (d *Dir) Extra(ctx context.Context, outputs []string, store string) ([]string, error) {
	l := lister{Dir: d, ctx: ctx, outputs: outputs, seen: make([]bool, len(outputs))}
	if real, err := filepath.EvalSymlinks(store); err == nil {
		l.store, _ = pathname.Below(d.out.Name(), real)
	}
	l.list(".")
	l.dropAliases()
	return l.extra, errors.Join(append(l.errs, ctx.Err())...)
}

// A lister looks for extra files.
type lister struct {
	*Dir
	ctx     context.Context
	store   string   // "" if it is not in the output folder
	outputs []string // sorted
	seen    []bool   // of each output, whether there is a file of that very name
	extra   []string
	errs    []error
}

// list looks through a folder, and those below it. What has the name of an output is not
// looked at, should it be a folder.
func (l *lister) list(dir string) {
	if l.ctx.Err() != nil {
		return
	}
	names, err := l.names(dir)
	if err != nil && !pathname.IsAbsent(err) {
		l.errs = append(l.errs, fmt.Errorf("%s cannot be listed: %w", pathname.Show(dir), err))
	}
	below := ""
	if dir != "." {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, manifest.StateDir) }) {
			return
		}
		below = dir + "/"
	}
	var buf []byte // so that outputs, which are most of what is there, cost no memory
	for _, base := range names {
		buf = append(append(buf[:0], below...), base...)
		if n, known := slices.BinarySearchFunc(l.outputs, buf, compare); known {
			l.seen[n] = true
			continue
		}
		name := string(buf)
		if isOwn(name) || l.IsTag(name) || name == l.store {
			continue
		}
		switch info, err := l.out.Root().Lstat(name); {
		case pathname.IsAbsent(err):
		case err == nil && info.IsDir():
			l.list(name)
		case !l.leads(name):
			l.extra = append(l.extra, name)
		}
	}
}

func compare(output string, name []byte) int {
	switch {
	case output < string(name):
		return -1
	case output > string(name):
		return 1
	}
	return 0
}

func (l *lister) names(dir string) ([]string, error) {
	f, err := l.out.Root().OpenFile(dir, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// leads reports whether there are outputs below a name: it is a link to their folder.
func (l *lister) leads(name string) bool {
	n, _ := slices.BinarySearch(l.outputs, name+"/")
	return n < len(l.outputs) && strings.HasPrefix(l.outputs[n], name+"/")
}

// isOwn reports whether a path is that of a file or folder of the cooker, whatever the
// case of its letters: not all file systems tell them apart. A file among the parts of the
// manifest that no part can be is not.
func isOwn(name string) bool {
	first, rest, below := strings.Cut(name, "/")
	if below && strings.EqualFold(first, manifest.PartsDir) {
		return manifest.IsPart(manifest.PartsDir + "/" + rest)
	}
	return manifest.Reserved(name) && !strings.EqualFold(first, manifest.PartsDir)
}

// dropAliases drops outputs under other names: those that are reached through a link
// inside the output folder, or whose names have letters of another case, or in another
// form, on a file system that does not mind.
func (l *lister) dropAliases() {
	if len(l.extra) == 0 {
		return
	}
	var aliased []fs.FileInfo
	for i, output := range l.outputs {
		if l.seen[i] {
			continue
		}
		if info, err := l.out.Root().LstatOS(filepath.FromSlash(output)); err == nil && !info.IsDir() {
			aliased = append(aliased, info)
		}
	}
	if len(aliased) == 0 {
		return
	}
	l.extra = slices.DeleteFunc(l.extra, func(name string) bool {
		info, err := l.out.Root().LstatOS(filepath.FromSlash(name))
		return err == nil && slices.ContainsFunc(aliased, func(output fs.FileInfo) bool { return os.SameFile(info, output) })
	})
}
