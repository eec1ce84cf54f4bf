package dirfd

import (
	"bytes"
	"path/filepath"
)

// systemTakes refuses what means more to Windows than a name in a folder: a
// separator, a drive or stream, a device such as NUL, and dots and blanks at
// the end, which it drops, so that ".. " would be the folder above.
func systemTakes(name []byte) bool {
	last := name[len(name)-1]
	return !bytes.ContainsAny(name, `\:`) && last != '.' && last != ' ' && filepath.IsLocal(string(name))
}
