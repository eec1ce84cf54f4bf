package overview

import (
	"cmp"
	"container/heap"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/survey"
)

// A node is a directory, a recipe or an asset in a treemap.
type node struct {
	name   string
	path   string
	recipe int // recipe that determines the color
	lead   float64
	value  float64
	assets int
	asset  *survey.Asset // nil unless the node is a leaf
	below  []*node       // parts, which are sorted by size at the end
	index  map[string]*node
	open   bool // draw the parts instead of the node
}

// addRecipePart adds a part that belongs to a recipe. If more than half of the node belongs to one
// recipe, this recipe determines the color.
func (n *node) addRecipePart(v float64, assets, recipe int) {
	n.value += v
	n.assets += assets
	switch {
	case n.recipe == recipe:
		n.lead += v
	case n.lead < v:
		n.recipe, n.lead = recipe, v-n.lead
	default:
		n.lead -= v
	}
}

func (n *node) childNode(name, path string) *node {
	c := n.index[name]
	if c == nil {
		if n.index == nil {
			n.index = map[string]*node{}
		}
		c = &node{name: name, path: path, recipe: -1}
		n.index[name] = c
		n.below = append(n.below, c)
	}
	return c
}

// assetTree returns a tree of assets, grouped by directory or by recipe.
func (r *Report) assetTree(byRecipe bool, value func(*survey.Asset) float64) *node {
	root := &node{recipe: -1}
	for i := range r.in.Assets {
		a := &r.in.Assets[i]
		v := value(a)
		if v <= 0 {
			continue
		}
		at, recipe := root, r.recipe[a.Method.Recipe]
		at.addRecipePart(v, 1, recipe)
		step := func(name, path string) {
			at = at.childNode(name, path)
			at.addRecipePart(v, 1, recipe)
		}
		if byRecipe {
			step(a.Method.Recipe, a.Method.Recipe)
		} else if dir := path.Dir(a.Path); dir != "." {
			for end := range len(dir) {
				if dir[end] == '/' {
					step(dir[strings.LastIndexByte(dir[:end], '/')+1:end], dir[:end])
				}
			}
			step(path.Base(dir), dir)
		}
		leaf := &node{name: path.Base(a.Path), path: a.Path, recipe: recipe, value: v, assets: 1, asset: a}
		at.below = append(at.below, leaf)
	}
	return root
}

// A queue is a priority queue of nodes that may be opened, the largest first.
type queue []*node

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].value > q[j].value }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(n any)        { *q = append(*q, n.(*node)) }
func (q *queue) Pop() any {
	n := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return n
}

// openUp opens nodes, the largest first, until the limit of drawn nodes is reached. Small parts are
// drawn as one tile of their directory.
func (n *node) openUp(most int) {
	drawn := 1
	least := n.value / float64(3*most)
	todo := queue{n}
	for len(todo) > 0 {
		next := heap.Pop(&todo).(*node)
		slices.SortStableFunc(next.below, func(a, b *node) int { return cmp.Or(cmp.Compare(b.value, a.value), strings.Compare(a.path, b.path)) })
		keep := 0
		for keep < len(next.below) && next.below[keep].value >= least && keep < most-drawn {
			keep++
		}
		if keep == 0 {
			continue
		}
		if rest := next.below[keep:]; len(rest) > 0 {
			others := &node{path: next.path, recipe: -1}
			for _, c := range rest {
				others.addRecipePart(c.value, c.assets, c.recipe)
			}
			others.name = countOf(others.assets, "other")
			next.below = append(next.below[:keep:keep], others)
		}
		next.open = true
		drawn += len(next.below)
		for _, c := range next.below[:keep] {
			if c.asset == nil && len(c.below) > 0 {
				heap.Push(&todo, c)
			}
		}
	}
}

// A rect is a rectangle in a treemap.
type rect struct{ x, y, w, h float64 }

// A tile is the rectangle of a node.
type tile struct {
	node  *node
	place rect
	depth int
}

const titleHeight = 15

// layOutTiles returns the tiles of a node. A tile precedes the tiles inside it.
func (n *node) layOutTiles(in rect, depth int) (tiles []tile) {
	if depth > 0 {
		tiles = append(tiles, tile{n, in, depth})
	}
	if !n.open || in.w < 8 || in.h < 8 {
		return tiles
	}
	if depth > 0 && in.h > 2*titleHeight && in.w > 40 {
		in = rect{in.x + 2, in.y + titleHeight, in.w - 4, in.h - titleHeight - 2}
	}
	for i, r := range squarify(n.below, n.value, in) {
		tiles = append(tiles, n.below[i].layOutTiles(r, depth+1)...)
	}
	return tiles
}

// squarify divides a rectangle into parts with areas in proportion to the nodes' values. Each part
// is nearly a square. The nodes must be sorted, the largest first. Source: Bruls, Huizing, van
// Wijk, "Squarified Treemaps", 2000.
func squarify(nodes []*node, total float64, in rect) []rect {
	made := make([]rect, 0, len(nodes))
	scale := in.w * in.h / total
	for len(made) < len(nodes) {
		side := min(in.w, in.h)
		from, sum, worst := len(made), 0.0, 0.0
		end := from
		for ; end < len(nodes); end++ {
			next := sum + nodes[end].value*scale
			least, greatest := nodes[end].value*scale, nodes[from].value*scale
			ratio := max(side*side*greatest/(next*next), next*next/(side*side*least))
			if end > from && ratio > worst {
				break
			}
			sum, worst = next, ratio
		}
		thick := sum / side
		at := 0.0
		for _, n := range nodes[from:end] {
			long := n.value * scale / thick
			if in.w >= in.h {
				made = append(made, rect{in.x, in.y + at, thick, long})
			} else {
				made = append(made, rect{in.x + at, in.y, long, thick})
			}
			at += long
		}
		if in.w >= in.h {
			in.x, in.w = in.x+thick, max(1e-6, in.w-thick)
		} else {
			in.y, in.h = in.y+thick, max(1e-6, in.h-thick)
		}
	}
	return made
}
