package dirfd

import (
	"bytes"
	"path/filepath"
)

// systemTakes refuses names with a special meaning on Windows: separators, drives, streams, devices
// such as NUL, and names that end in dots or blanks. Windows drops these, so that ".. " would be
// the parent directory.
func systemTakes(name []byte) bool {
	last := name[len(name)-1]
	return !bytes.ContainsAny(name, `\:`) && last != '.' && last != ' ' && filepath.IsLocal(string(name))
}
