//go:build !linux

package at

// implementations are held to the contract. Here there is one.
var implementations = []implementation{{"Folder", opener[Folder, File](Open)}}
