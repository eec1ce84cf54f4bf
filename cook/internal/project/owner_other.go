//go:build !unix

package project

import "io/fs"

// owners are the users whose files are trusted: all users, on systems where directories that
// everybody may write to are unusual.
type owners struct{}

func ownersOf(string) owners { return owners{} }

func (owners) ownFile(fs.FileInfo) bool { return true }
