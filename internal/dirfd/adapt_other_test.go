//go:build !linux

package dirfd

// implementations lists the implementations that must fulfill the contract. This system has only
// one.
var implementations = []implementation{{"Folder", opener[Folder, File](Open)}}
