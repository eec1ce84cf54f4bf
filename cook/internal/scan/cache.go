package scan

import (
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// CacheTag is the name of the file that marks a directory as a cache. It begins with
// cacheSignature; see https://bford.info/cachedir/.
const CacheTag = "CACHEDIR.TAG"

const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

// stateFiles mark an output directory of cook. They replace CacheTag in output directories that had
// files before the first cook.
var stateFiles = [...]struct{ name, begins string }{
	{".cook", `cook: "`},
	{".cook/owner", ""},
}

// isCache reports whether programs can make the directory n again, as for the output directory of
// another cook. If so, it adds a Problem. The root is never a cache.
func (v *visitor) isCache(n *node) bool {
	if n.path == "" {
		return false
	}
	if _, tagged := slices.BinarySearch(v.names, CacheTag); tagged {
		if v.begins(n, CacheTag, cacheSignature) {
			n.findings.problems = append(n.findings.problems, Problem{n.path, Cache, nil})
			return true
		}
		n.findings.odd = true // editing the file does not change the stamp of n
	}
	if _, used := slices.BinarySearch(v.names, stateFiles[0].name); !used {
		return false
	}
	n.findings.odd = true
	for _, f := range stateFiles {
		if v.begins(n, f.name, f.begins) {
			n.findings.problems = append(n.findings.problems, Problem{n.path, Cooked, nil})
			return true
		}
	}
	return false
}

// begins reports whether a name is a regular file that begins with a text.
func (v *visitor) begins(n *node, name, text string) bool {
	name = filepath.FromSlash(joinReal(n.real, name))
	if info, err := v.walker.tree.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	if text == "" {
		return true
	}
	file, err := v.walker.tree.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Mode()&fs.ModeType != 0 {
		return false
	}
	var head strings.Builder
	_, err = io.CopyN(&head, file, int64(len(text)))
	return err == nil && head.String() == text
}
