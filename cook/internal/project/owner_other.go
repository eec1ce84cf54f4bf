//go:build !unix

package project

import "io/fs"

// owners are users whose files are trusted: all, where folders that everybody may write to
// are unusual.
type owners struct{}

func ownersOf(string) owners { return owners{} }

func (owners) have(fs.FileInfo) bool { return true }
