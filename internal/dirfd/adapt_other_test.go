//go:build !linux

package dirfd

// implementations lists the implementations, which must pass the same tests. This system has only
// one.
var implementations = []implementation{{"Folder", opener[Folder, File](Open)}}
