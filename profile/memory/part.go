package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Part is the meaning of one level of a tree: "worker", "group", "name" (of the pool), "pool"
// (group and name, as "images/pixels"), "asset" (the outermost scope) or "scope" (nested scopes as
// several levels, without the asset if that is a level). See [ParseParts].
type Part string

const (
	byWorker Part = "worker"
	byGroup  Part = "group"
	byName   Part = "name"  // name of the pool
	byPool   Part = "pool"  // group and name, as "images/pixels"; "images" for Grow
	byAsset  Part = "asset" // the outermost scope
	byScope  Part = "scope" // nested scopes as several levels, without the outermost scope if byAsset is a level
)

var parts = []Part{byWorker, byGroup, byName, byPool, byAsset, byScope}

// ParseParts parses comma-separated parts. Each part may occur once.
func ParseParts(text string) ([]Part, error) {
	var by []Part
	for name := range strings.SplitSeq(text, ",") {
		switch p := Part(name); {
		case !slices.Contains(parts, p):
			return nil, fmt.Errorf("memory: unknown tree level %.40q: use %v", name, parts)
		case slices.Contains(by, p):
			return nil, fmt.Errorf("memory: the level %q occurs twice", name)
		default:
			by = append(by, p)
		}
	}
	return by, nil
}

// A Step selects one child of a tree node.
type Step struct {
	Kind Part
	Name string
}

// maxDepth is the maximum number of levels for the scopes of a tree. Deeper scopes are joined into
// one name.
const maxDepth = 100

// appendPath appends the steps from the root of a tree with the given levels to the key's node. It
// panics if a level is not a valid Part.
func (k Key) appendPath(to []Step, by []Part) []Step {
	for _, p := range by {
		switch p {
		case byWorker:
			to = append(to, Step{p, cmp.Or(k.Worker, "(no worker)")})
		case byGroup:
			to = append(to, Step{p, k.Group})
		case byName:
			to = append(to, Step{p, cmp.Or(k.Name, "(no pool)")})
		case byPool:
			to = append(to, Step{p, k.label()})
		case byAsset:
			asset, _, _ := strings.Cut(k.Scope, ";")
			to = append(to, Step{p, cmp.Or(asset, "(no scope)")})
		case byScope:
			scope := k.Scope
			if slices.Contains(by, byAsset) {
				_, scope, _ = strings.Cut(scope, ";")
			}
			for depth := 1; scope != ""; depth++ {
				name, rest, _ := strings.Cut(scope, ";")
				if depth == maxDepth {
					name, rest = scope, ""
				}
				to, scope = append(to, Step{p, name}), rest
			}
		default:
			panic(fmt.Sprintf("memory: unknown tree level %.40q: use %v", p, parts))
		}
	}
	return to
}

// A Query chooses rows, and arranges them as a tree. The zero Query chooses all rows that hold
// memory.
type Query struct {
	// These strings select rows: each name of the row must contain the string for that name.
	Worker string
	Group  string
	Name   string
	Scope  string

	// Empty also chooses rows that hold no memory.
	Empty bool

	// By lists the levels of the tree. The default is "worker", "scope" and "pool".
	By []Part

	// Path leads from the root of the tree to the node to return. Takes rejects rows outside that
	// node.
	Path []Step

	// Since is the earlier snapshot for [Node].Was, or nil. Rows that hold memory in that snapshot
	// are chosen too.
	Since *Snapshot
}

// chooses reports whether each name of a key contains the corresponding string of the query.
func (q *Query) chooses(k Key) bool {
	return strings.Contains(k.Worker, q.Worker) && strings.Contains(k.Group, q.Group) &&
		strings.Contains(k.Name, q.Name) && strings.Contains(k.Scope, q.Scope)
}

// Takes reports whether a key matches the names and the path of the query.
func (q *Query) Takes(k Key) bool {
	if !q.chooses(k) {
		return false
	}
	path := k.appendPath(nil, q.By)
	return len(path) >= len(q.Path) && slices.Equal(path[:len(q.Path)], q.Path)
}
