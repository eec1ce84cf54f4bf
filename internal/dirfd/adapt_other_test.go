//go:build !linux

package dirfd

// implementations must fulfill the contract. This system has one.
var implementations = []implementation{{"Folder", opener[Folder, File](Open)}}
