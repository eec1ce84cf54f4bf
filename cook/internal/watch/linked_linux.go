package watch

import (
	"io/fs"
	"syscall"
)

// linked reports whether a file has several names.
func linked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink > 1
}
