// Package gitdiff runs the program git to list the files in a work tree that differ from a
// revision.
//
// [Open] finds the repository of a directory and the commit of a revision. [Tree.Compare] returns a
// [Diff], which errs on the side of change: git does not compare files that it ignores, that are
// untracked, or that the user marked as unchanged, so these files count as changed.
package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Tree is a directory in the work tree of a git repository, and a commit to compare it with.
type Tree struct {
	folder string // absolute name of the directory
	top    string // absolute name of the top directory of the work tree
	prefix string // path of the directory in the work tree; "." for the top directory
	commit string
}

// ErrMissing is the error if there is no program git.
var ErrMissing = errors.New("there is no program git on PATH; install git")

// Open finds the repository of a directory, and the commit that a revision names.
func Open(ctx context.Context, folder, revision string) (*Tree, error) {
	t := &Tree{folder: folder}
	top, err := t.runGit(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		if strings.Contains(err.Error(), "not a git repository") {
			return nil, fmt.Errorf("%s is in no git repository", pathname.Show(folder))
		}
		return nil, err
	}
	t.top = filepath.FromSlash(strings.TrimSuffix(string(top), "\n"))
	prefix, err := t.runGit(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	t.prefix = path.Clean(strings.TrimSuffix(string(prefix), "\n"))
	commit, err := t.runGit(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if errors.Is(err, ErrMissing) || ctx.Err() != nil {
		return nil, err
	}
	if t.commit = strings.TrimSuffix(string(commit), "\n"); err != nil || t.commit == "" {
		return nil, fmt.Errorf("git knows no revision %s; in a shallow clone, fetch the revision first", pathname.Show(revision))
	}
	return t, nil
}

// runGit runs git in the directory and returns its output.
func (t *Tree) runGit(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", t.folder}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrMissing
	case err != nil:
		message, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, pathname.Escape(message))
	}
	return out.Bytes(), nil
}

// A Diff holds the differences between a work tree and a commit.
type Diff struct {
	tree  *Tree
	paths map[string]bool // changed files and directories, by path in the work tree
	// folders has the names of the changed paths in each directory. names are the directories in or
	// below which files were added or removed.
	folders map[string][]string
	names   map[string]bool
	// Removed reports whether a file below the directory was removed.
	Removed bool
}

// Compare compares the whole work tree with the commit.
func (t *Tree) Compare(ctx context.Context) (*Diff, error) {
	d := &Diff{tree: t, paths: map[string]bool{}, folders: map[string][]string{}, names: map[string]bool{}}
	out, err := t.runGit(ctx, "diff", "--no-ext-diff", "--no-renames", "--no-relative", "--ignore-submodules=none", "--name-status", "-z", t.commit, "--")
	if err != nil {
		return nil, err
	}
	for fields := splitChanges(out); len(fields) >= 2; fields = fields[2:] {
		d.add(fields[1], fields[0] != "M")
		d.Removed = d.Removed || fields[0] != "M" && d.below(fields[1])
	}
	if out, err = t.inTop().runGit(ctx, "ls-files", "--others", "--directory", "-z"); err != nil {
		return nil, err
	}
	for _, p := range splitChanges(out) {
		d.add(p, true)
	}
	if out, err = t.inTop().runGit(ctx, "ls-files", "-zv"); err != nil {
		return nil, err
	}
	for _, line := range splitChanges(out) {
		tag, p, _ := strings.Cut(line, " ")
		if tag == "S" || tag != strings.ToUpper(tag) { // git does not compare this file
			d.add(p, false)
		}
	}
	return d, nil
}

// inTop returns the top directory of the work tree, for commands that list only their directory.
func (t *Tree) inTop() *Tree { return &Tree{folder: t.top} }

// splitChanges returns the fields of a text that NUL bytes end.
func splitChanges(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// add adds a path in the work tree. names is set if the path was added or removed.
func (d *Diff) add(p string, names bool) {
	p = path.Clean(p)
	d.paths[p] = true
	d.folders[path.Dir(p)] = append(d.folders[path.Dir(p)], path.Base(p))
	for dir := path.Dir(p); names && !d.names[dir]; dir = path.Dir(dir) {
		d.names[dir] = true
	}
}

// below reports whether a path in the work tree is below the directory.
func (d *Diff) below(p string) bool {
	return d.tree.prefix == "." || strings.HasPrefix(p, d.tree.prefix+"/")
}

// Changed reports whether a file may have changed. Its path is relative to the directory.
func (d *Diff) Changed(p string) bool { return d.changedInTop(path.Join(d.tree.prefix, p)) }

// changedInTop is like Changed, for a path in the work tree. Files in a changed submodule, and in
// an untracked directory, count as changed.
func (d *Diff) changedInTop(p string) bool {
	for ; p != "." && p != "/"; p = path.Dir(p) {
		if d.paths[p] {
			return true
		}
	}
	return d.paths["."]
}

// NamesChanged reports whether names in or below a directory may have changed.
func (d *Diff) NamesChanged(dir string) bool {
	dir = path.Join(d.tree.prefix, dir)
	return d.names[dir] || d.changedInTop(dir)
}

// ChangedIn reports whether a file in a directory may have changed. matches reports whether a name
// counts.
func (d *Diff) ChangedIn(dir string, matches func(name string) bool) bool {
	dir = path.Join(d.tree.prefix, dir)
	return slices.ContainsFunc(d.folders[dir], matches) || d.changedInTop(dir)
}

// FileChanged reports whether a file may have changed, given its absolute name. It returns false for
// a file outside of the work tree.
func (d *Diff) FileChanged(name string) bool {
	if real, err := filepath.EvalSymlinks(name); err == nil && real != name && d.inside(real) {
		return true
	}
	return d.inside(name)
}

// inside reports whether a file in the work tree may have changed.
func (d *Diff) inside(name string) bool {
	p, ok := pathname.Below(d.tree.top, name)
	return ok && d.changedInTop(p)
}

// ChangedNamed returns the path, in the work tree, of a changed file with one of the names. It
// looks in and below the directory, and in the directories above. It returns "" if there is none.
func (d *Diff) ChangedNamed(is func(name string) bool, below, above bool) string {
	first := ""
	for p := range d.paths {
		dir := path.Dir(p)
		over := dir != d.tree.prefix && (dir == "." || strings.HasPrefix(d.tree.prefix, dir+"/"))
		if is(path.Base(p)) && (below && d.below(p) || above && over) && (first == "" || p < first) {
			first = p
		}
	}
	return first
}

// Named returns the files of a name that the commit has below the directory, sorted. Their paths
// are relative to the directory.
func (t *Tree) Named(ctx context.Context, name string) (list []string, err error) {
	out, err := t.runGit(ctx, "ls-tree", "-r", "-z", "--name-only", t.commit)
	for _, p := range splitChanges(out) {
		if path.Base(p) == name {
			list = append(list, p)
		}
	}
	return list, err
}

// ReadFile returns the content of a file in the commit. Its path is relative to the directory.
func (t *Tree) ReadFile(ctx context.Context, p string) ([]byte, error) {
	return t.runGit(ctx, "cat-file", "blob", t.commit+":"+path.Join(t.prefix, p))
}
