// Package ids gives each asset an ID that it keeps through renames.
//
// The ID of an asset is a UUID of version 5 (RFC 9562), made from its first path. Without
// renames, therefore, no file is needed, and two machines give a new asset the same ID without
// communicating. A [Set] has the IDs that cannot be derived from paths. It is stored as a text
// file with the assets:
//
//	d0f64a06-1bd3-54fd-96ea-44d6ff1ab0e4 ui/logo.png
//
// # From path to ID
//
// The ID of an asset depends only on the set and the path, not on other assets:
//
//   - A path that has a line has the ID on this line.
//   - Any other path derives its ID from the path. If a line gives that ID to another path, the
//     ID is derived from the path and a number: the first number, from 1, whose ID no line gives
//     to another path.
//
// A new asset at the old path of another asset therefore gets its own ID. A path keeps its ID
// and its line while it has no asset: if an asset is removed and later restored, for example by
// switching branches, it is the same asset.
//
// Different paths never derive the same ID. A line may be omitted if its ID is the one derived from
// its path.
package ids

import (
	"crypto/sha1"
	"encoding/hex"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// An ID is a UUID.
type ID [16]byte

// namespace is the UUID namespace of all IDs. It never changes.
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

// ParseID parses exactly the form that String writes.
func ParseID(text string) (id ID, ok bool) {
	if len(text) != 36 {
		return id, false
	}
	digits := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	_, err := hex.Decode(id[:], []byte(digits))
	return id, err == nil && id.String() == text
}

// derived returns the ID derived from a path, or from a path and a number above 0.
func derived(path string, number int) (id ID) {
	name := append(slices.Clone(namespace[:]), path...)
	if number > 0 {
		name = append(name, 0)
		name = strconv.AppendInt(name, int64(number), 10)
	}
	sum := sha1.Sum(name)
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 5<<4
	id[8] = id[8]&0x3f | 2<<6
	return id
}

// A Set has the IDs that cannot be derived from paths. The zero value serves assets that were never
// renamed.
type Set struct {
	byPath   map[string]ID
	owners   map[ID]string // "" for an ID without an asset
	comments []string      // lines of the file that begin with #
}

// ID returns the ID of the asset at a path.
func (s *Set) ID(path string) ID {
	if id, ok := s.byPath[path]; ok {
		return id
	}
	return s.deriveIDs(path)
}

// Has reports whether a path has a line.
func (s *Set) Has(path string) bool {
	_, ok := s.byPath[path]
	return ok
}

// deriveIDs returns the ID of a path that has no line.
func (s *Set) deriveIDs(path string) ID {
	for number := 0; ; number++ {
		id := derived(path, number)
		if owner, taken := s.owners[id]; !taken || owner == path && path != "" {
			return id
		}
	}
}

// A Move is a rename of an asset.
type Move struct{ From, To string }

// Move returns a set in which renamed assets keep their IDs, and the moves that changed the set. It
// does not change s. The function had returns the ID of an asset before the moves, and there yields
// the paths of all assets. Move drops a move if another asset now has the ID, for example after
// switching to a branch with another ID file.
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
		if id := next.byPath[m.To]; next.deriveIDs(m.To) == id {
			delete(next.byPath, m.To)
			delete(next.owners, id)
		}
	}
	return next, made
}

// putLine adds a line for a path. The earlier ID of the path stays reserved, on a line without an
// asset. Otherwise the next new asset at this path would get that ID.
func (s *Set) putLine(path string, id ID) {
	if owner := s.owners[id]; owner != "" {
		delete(s.byPath, owner)
	}
	if had, ok := s.byPath[path]; ok && had != id {
		s.owners[had] = ""
	}
	s.byPath[path], s.owners[id] = id, path
}

// A Source is a removed or new asset with its content.
type Source struct {
	Path  string
	Blob  [32]byte
	Empty bool
}

// deepest limits the number of trailing path elements that are compared for similarity.
const deepest = 32

// Pair returns the renames among removed and new assets: pairs with the same content. Among several
// assets with the same content, it pairs the paths that have the most trailing elements in common,
// as after a rename of their directory. It pairs empty files only if their names are equal, because
// all empty files have the same content. Both lists are sorted by path; the result is sorted by new
// path.
func Pair(gone, found []Source) (moves []Move) {
	byBlob := map[[32]byte]*group{}
	for i := range gone {
		g := byBlob[gone[i].Blob]
		if g == nil {
			g = &group{empty: gone[i].Empty}
			byBlob[gone[i].Blob] = g
		}
		g.gone = append(g.gone, gone[i].Path)
	}
	var order []*group
	for i := range found {
		if g := byBlob[found[i].Blob]; g != nil {
			if g.found == nil {
				order = append(order, g)
			}
			g.found = append(g.found, found[i].Path)
		}
	}
	for _, g := range order {
		moves = g.pairRenamed(moves)
	}
	slices.SortFunc(moves, func(a, b Move) int { return strings.Compare(a.To, b.To) })
	return moves
}

// A group holds the assets with the same content.
type group struct {
	gone, found []string
	empty       bool
}

func (g *group) pairRenamed(moves []Move) []Move {
	if len(g.gone) == 1 && len(g.found) == 1 && !g.empty {
		return append(moves, Move{g.gone[0], g.found[0]})
	}
	least := 0
	if g.empty {
		least = 1
	}
	for elements := deepest; elements >= least && len(g.gone)*len(g.found) > 0; elements-- {
		byEnd := map[string][]string{}
		for _, p := range g.gone {
			if end, ok := endOf(p, elements); ok {
				byEnd[end] = append(byEnd[end], p)
			}
		}
		moved := map[string]bool{}
		g.found = slices.DeleteFunc(g.found, func(to string) bool {
			end, ok := endOf(to, elements)
			if !ok || len(byEnd[end]) == 0 {
				return false
			}
			from := byEnd[end][0]
			byEnd[end], moved[from] = byEnd[end][1:], true
			moves = append(moves, Move{from, to})
			return true
		})
		g.gone = slices.DeleteFunc(g.gone, func(p string) bool { return moved[p] })
	}
	return moves
}

// endOf returns the last elements of a path. ok is false if the path has fewer elements.
func endOf(p string, elements int) (end string, ok bool) {
	at := len(p)
	for range elements {
		if at < 0 {
			return "", false
		}
		at = strings.LastIndexByte(p[:at], '/')
	}
	return p[min(at+1, len(p)):], true
}

// Folders returns the old and the new directory if all moves result from renaming one directory.
func Folders(moves []Move) (from, to string, ok bool) {
	for i, m := range moves {
		f, t := m.From, m.To
		for path.Base(f) == path.Base(t) && f != t && f != "." && t != "." {
			f, t = path.Dir(f), path.Dir(t)
		}
		if i > 0 && (f != from || t != to) {
			return "", "", false
		}
		from, to = f, t
	}
	return from, to, len(moves) > 1
}
