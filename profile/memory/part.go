package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Part is what the nodes of one level of a tree stand for.
type Part string

const (
	ByWorker Part = "worker"
	ByGroup  Part = "group"
	ByName   Part = "name"  // of the pool
	ByPool   Part = "pool"  // group and name in one: "images/pixels", or "images" for what Grow entered
	ByAsset  Part = "asset" // the outermost scope
	ByScope  Part = "scope" // the scopes inside each other, several levels; without the outermost if ByAsset is another level
)

var parts = []Part{ByWorker, ByGroup, ByName, ByPool, ByAsset, ByScope}

// ParseParts reads parts with commas between, each at most once.
func ParseParts(text string) ([]Part, error) {
	var by []Part
	for name := range strings.SplitSeq(text, ",") {
		switch p := Part(name); {
		case !slices.Contains(parts, p):
			return nil, fmt.Errorf("memory: %.40q is no level of a tree; there are %v", name, parts)
		case slices.Contains(by, p):
			return nil, fmt.Errorf("memory: the level %q is there twice", name)
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

// maxDepth is the most levels that the scopes of a tree take; what is deeper stays in one name.
const maxDepth = 100

// Path appends the steps from the root of a tree with these levels to the node of the key.
func (k Key) Path(to []Step, by []Part) []Step {
	for _, p := range by {
		switch p {
		case ByWorker:
			to = append(to, Step{p, cmp.Or(k.Worker, "(no worker)")})
		case ByGroup:
			to = append(to, Step{p, k.Group})
		case ByName:
			to = append(to, Step{p, cmp.Or(k.Name, "(no pool)")})
		case ByPool:
			to = append(to, Step{p, k.label()})
		case ByAsset:
			asset, _, _ := strings.Cut(k.Scope, ";")
			to = append(to, Step{p, cmp.Or(asset, "(no scope)")})
		case ByScope:
			scope := k.Scope
			if slices.Contains(by, ByAsset) {
				_, scope, _ = strings.Cut(scope, ";")
			}
			for depth := 1; scope != ""; depth++ {
				name, rest, _ := strings.Cut(scope, ";")
				if depth == maxDepth {
					name, rest = scope, ""
				}
				to, scope = append(to, Step{p, name}), rest
			}
		}
	}
	return to
}

// A Filter chooses rows: those whose names contain all of these, and that hold something
// or, of two snapshots, did. The zero Filter chooses all of those.
type Filter struct {
	Worker string
	Group  string
	Name   string
	Scope  string

	Empty bool // also rows that hold nothing any more
}

// Takes reports whether the names of a key contain those of the filter.
func (f Filter) Takes(k Key) bool {
	return strings.Contains(k.Worker, f.Worker) && strings.Contains(k.Group, f.Group) &&
		strings.Contains(k.Name, f.Name) && strings.Contains(k.Scope, f.Scope)
}
