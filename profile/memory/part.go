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
	byName   Part = "name"  // of the pool
	byPool   Part = "pool"  // group and name: "images/pixels", or "images" for Grow
	byAsset  Part = "asset" // the outermost scope
	byScope  Part = "scope" // nested scopes as several levels; byAsset takes the outermost
)

var parts = []Part{byWorker, byGroup, byName, byPool, byAsset, byScope}

// ParseParts parses comma-separated parts, each at most once.
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

// A Step leads from a node of a tree to one of its children.
type Step struct {
	Kind Part
	Name string
}

// maxDepth is the most levels for the scopes of a tree; deeper scopes share one name.
const maxDepth = 100

// Path appends the steps from the root of a tree with these levels to the key's node. It panics
// for a text that is no Part.
func (k Key) Path(to []Step, by []Part) []Step {
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

// A Filter chooses rows whose names contain all of these strings, and that hold memory or, for
// two snapshots, did. The zero Filter chooses all such rows.
type Filter struct {
	Worker string
	Group  string
	Name   string
	Scope  string

	Empty bool // include rows that hold nothing
}

// Takes reports whether each name of a key contains the filter's.
func (f Filter) Takes(k Key) bool {
	return strings.Contains(k.Worker, f.Worker) && strings.Contains(k.Group, f.Group) &&
		strings.Contains(k.Name, f.Name) && strings.Contains(k.Scope, f.Scope)
}
