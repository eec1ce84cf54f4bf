package ids

import (
	"path"
	"slices"
	"strings"
)

// A Source is a removed or new asset with its content.
type Source struct {
	Path  string
	Blob  [32]byte
	Empty bool
}

// deepest is the number of last path elements that count for similarity.
const deepest = 32

// Pair returns the renames among removed and new assets: pairs with the same content. Among
// several assets with the same content, it pairs the paths with the longest common end, as after a
// rename of their directory. It pairs empty files only if their names are equal, because all empty
// files have the same content. Both lists are sorted by path; the result is sorted by new path.
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

// A group has the assets with one content.
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

// endOf returns the last elements of a path. ok is false if the path has fewer.
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

// Directories returns the old and new directory of all moves, if the files keep their paths below it.
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
