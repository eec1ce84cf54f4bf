//go:build !linux

package dirfd

// implementations are held to the contract. Here there is one.
var implementations = []implementation{{"Folder", opener[Folder, File](Open)}}
