//go:build !unix

package project

import "io/fs"

// owners trusts the files of all users. On these systems, directories that every user may write to
// are unusual.
type owners struct{}

func ownersOf(string) owners { return owners{} }

func (owners) ownFile(fs.FileInfo) bool { return true }
