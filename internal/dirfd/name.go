package dirfd

import (
	"bytes"
	"path/filepath"
	"runtime"
	"syscall"
)

// checkName returns EINVAL unless name is a single file name, followed by its only NUL.
func checkName(name []byte) error {
	end := len(name) - 1
	if bytes.IndexByte(name, 0) != end || end < 1 {
		return syscall.EINVAL
	}
	if bytes.IndexByte(name, '/') >= 0 || !canBeName(name[:end]) {
		return syscall.EINVAL
	}
	return nil
}

// checkPath returns EINVAL unless path consists of names separated by slashes, followed by its only
// NUL. Empty names and "." are allowed and ignored.
func checkPath(path []byte) error {
	end := len(path) - 1
	if end < 0 || bytes.IndexByte(path, 0) != end || path[0] == '/' {
		return syscall.EINVAL
	}
	for rest := path[:end]; len(rest) > 0; {
		var name []byte
		if name, rest = nextName(rest); name != nil && !canBeName(name) {
			return syscall.EINVAL
		}
	}
	return nil
}

// nextName splits a path without NUL after its first name. The returned name is nil if it is empty
// or ".".
func nextName(path []byte) (name, rest []byte) {
	name = path
	if i := bytes.IndexByte(path, '/'); i >= 0 {
		name, rest = path[:i], path[i+1:]
	}
	if len(name) == 0 || len(name) == 1 && name[0] == '.' {
		return nil, rest
	}
	return name, rest
}

// IsName reports whether the system accepts a name as a file name in a directory. It may reject
// names that the directory lists, because Windows maps some names to devices or to other files.
func IsName(name string) bool { return name != "" && canBeName([]byte(name)) }

// canBeName reports whether a file can have this name. The name must not be empty or contain a
// slash or NUL.
func canBeName(name []byte) bool {
	if name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.') {
		return false
	}
	return systemTakes(name)
}

// systemTakes reports whether the system uses a name unchanged. On Windows, some names have a
// special meaning: separators, drives, streams, devices such as NUL, and names that end in dots or
// blanks. Windows strips these dots and blanks, so that ".. " would be the parent directory.
func systemTakes(name []byte) bool {
	if runtime.GOOS != "windows" {
		return true
	}
	last := name[len(name)-1]
	return !bytes.ContainsAny(name, `\:`) && last != '.' && last != ' ' && filepath.IsLocal(string(name))
}
