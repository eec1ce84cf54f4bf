package scan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
)

// addIgnoreRules adds the patterns of the directory's .cookignore, if there is one. ok is false if it
// cannot be read.
func (v *visitor) addIgnoreRules(f folder, n *node) (ok bool) {
	patterns, err := v.readIgnore(f, n)
	if err != nil {
		n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, IgnoreName), BadIgnore, err})
		return false
	}
	n.ignore = n.ignore.withPatterns(patterns, n.path)
	return true
}

// readIgnore reads the directory's .cookignore, if there is one, and records it in the node. It
// must be a regular file: git does not follow a .gitignore that is a link either.
func (v *visitor) readIgnore(f folder, n *node) ([]pattern, error) {
	n.findings.stats++
	st, err := f.lstat(IgnoreName)
	if err != nil {
		if pathname.IsAbsent(err) {
			return nil, nil
		}
		return nil, err
	}
	if st.mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("is a link; make it a plain file")
	}
	if !st.mode().IsRegular() {
		return nil, typeError(st.mode())
	}
	name := filepath.FromSlash(joinReal(n.real, IgnoreName))
	file, err := v.walker.tree.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if fi, err := file.Stat(); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() {
		return nil, typeError(fi.Mode())
	}
	if lease.File(file) == lease.Busy {
		st = Stamp{} // the zero stamp matches no file, so the file is read again
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxIgnoreSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxIgnoreSize {
		return nil, fmt.Errorf("is larger than %d bytes", MaxIgnoreSize)
	}
	n.findings.ignores = append(n.findings.ignores, Entry{joinPath(n.path, IgnoreName), st})
	return parseIgnore(data), nil
}
