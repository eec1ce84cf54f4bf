//go:build !unix

package project

import "io/fs"

// owners is the set of users whose files are trusted. It contains all users, because
// directories that everybody may write to are unusual on these systems.
type owners struct{}

func ownersOf(string) owners { return owners{} }

func (owners) ownFile(fs.FileInfo) bool { return true }
