// Package ids gives each asset an ID that it keeps through renames.
//
// The ID of an asset is a UUID of version 5 (RFC 9562) made from the path that it first had.
// So no file is needed while nothing was renamed, and two machines that see a new asset give
// it the same ID without talking. What cannot be derived is in a [Set], which is a file of
// text that is kept with the assets:
//
//	d0f64a06-1bd3-54fd-96ea-44d6ff1ab0e4 ui/logo.png
//
// # Who has which ID
//
// The set and a path alone say which ID the asset at that path has, whatever other assets
// there are:
//
//   - the ID of its line, if it has one;
//   - else that of its path, or if a line gives that ID to another path, the first of those of
//     the path and a number, from 1, that no line gives to another.
//
// So an asset that is made at the old path of another one gets an ID of its own. A path
// keeps its ID while no asset is there: an asset that is removed and comes back, as with a
// branch, is the same one. Its line stays for that.
//
// IDs that paths derive are of different chains, so no two paths have the same one, and
// a line that says what would be derived may be left out.
package ids

import (
	"crypto/sha1"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// An ID is a UUID.
type ID [16]byte

// namespace is that of all IDs. It never changes.
var namespace = ID{0x2f, 0xed, 0x38, 0x1f, 0xa9, 0xac, 0x4e, 0x55, 0xaf, 0x8d, 0xbf, 0x8a, 0x64, 0x22, 0x49, 0xe4}

// String returns the usual form: 36 characters in lower case.
func (id ID) String() string {
	var b [36]byte
	at := 0
	for i, part := range [...][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			b[at] = '-'
			at++
		}
		at += hex.Encode(b[at:], part)
	}
	return string(b[:])
}

// ParseID reads what String writes, and nothing else.
func ParseID(text string) (id ID, ok bool) {
	if len(text) != 36 {
		return id, false
	}
	digits := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	_, err := hex.Decode(id[:], []byte(digits))
	return id, err == nil && id.String() == text
}

// derived returns the ID of a path, or that of the path and a number above 0.
func derived(path string, number int) (id ID) {
	name := append(slices.Clone(namespace[:]), path...)
	if number > 0 {
		name = append(name, 0) // which no path has
		name = strconv.AppendInt(name, int64(number), 10)
	}
	sum := sha1.Sum(name)
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 5<<4
	id[8] = id[8]&0x3f | 2<<6
	return id
}

// A Set says which assets have IDs that their paths do not say. The zero value is that of
// assets of which none was renamed.
type Set struct {
	byPath   map[string]ID
	owners   map[ID]string // "" of an ID that no asset has any more
	comments []string      // lines of the file that begin with #
}

// ID returns the ID of the asset at a path.
func (s *Set) ID(path string) ID {
	if id, ok := s.byPath[path]; ok {
		return id
	}
	return s.derive(path)
}

// Has reports whether a path has a line.
func (s *Set) Has(path string) bool {
	_, ok := s.byPath[path]
	return ok
}

// derive returns the ID that a path has without its line.
func (s *Set) derive(path string) ID {
	for number := 0; ; number++ {
		id := derived(path, number)
		if owner, taken := s.owners[id]; !taken || owner == path && path != "" {
			return id
		}
	}
}

// A Move says that an asset was renamed.
type Move struct{ From, To string }

// Move returns a set by which renamed assets keep the IDs that they had, and the moves for
// which it differs from s, which does not change. A move is dropped if another asset has that
// ID by now: one of those that there are, as where another branch came with a file of IDs.
func (s *Set) Move(moves []Move, had func(path string) ID, there iter.Seq[string]) (*Set, []Move) {
	wanted := map[ID]Move{}
	targets := map[string]bool{}
	for _, m := range moves {
		id := had(m.From)
		if _, twice := wanted[id]; !twice && s.ID(m.To) != id {
			wanted[id], targets[m.To] = m, true
		}
	}
	if len(wanted) == 0 {
		return s, nil
	}
	for path := range there {
		if !targets[path] {
			delete(wanted, s.ID(path))
		}
	}
	next := &Set{byPath: maps.Clone(s.byPath), owners: maps.Clone(s.owners), comments: s.comments}
	if next.byPath == nil {
		next.byPath, next.owners = map[string]ID{}, map[ID]string{}
	}
	var made []Move
	for _, m := range moves {
		if id := had(m.From); wanted[id] == m {
			next.putLine(m.To, id)
			made = append(made, m)
		}
	}
	if len(made) == 0 {
		return s, nil
	}
	for _, m := range made {
		if id := next.byPath[m.To]; next.derive(m.To) == id {
			delete(next.byPath, m.To)
			delete(next.owners, id)
		}
	}
	return next, made
}

// putLine gives a path a line. An ID that it had by another one is given to no asset any more:
// else it would be that of the next one at the path that it was derived from.
func (s *Set) putLine(path string, id ID) {
	if owner := s.owners[id]; owner != "" {
		delete(s.byPath, owner)
	}
	if had, ok := s.byPath[path]; ok && had != id {
		s.owners[had] = ""
	}
	s.byPath[path], s.owners[id] = id, path
}
