package prune

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// markReached marks the elements reachable from scenes, animations and kept names. A document whose
// scenes contain no nodes is a library. A game may use any of its elements, so all are kept.
func (p *pruning) markReached() error {
	var todo []one
	mark := func(l gltf.List, n int) {
		if n < len(p.used[l]) && !p.used[l][n] {
			p.used[l][n] = true
			todo = append(todo, one{l, n})
		}
	}
	parents, isLibrary, err := p.trees()
	if err != nil {
		return err
	}
	p.reached, p.referenced = true, make([]bool, len(p.elements[gltf.Nodes]))
	w := gltf.References{Visit: func(l gltf.List, n int, isChild bool) (int, bool) {
		mark(l, n)
		if l == gltf.Nodes && !isChild && n < len(p.referenced) {
			p.referenced[n] = true
		}
		return n, true
	}}
	for l, elements := range p.elements {
		l := gltf.List(l)
		for i, text := range elements {
			keep, err := p.keepsElement(text)
			switch {
			case err != nil:
				return fmt.Errorf("%s %d: %w", l.Key(), i, err)
			case keep || l == gltf.Scenes || isLibrary && l < gltf.Textures:
				mark(l, i)
			case l == gltf.Animations:
				if moves, err := movesAnything(text); err != nil {
					return fmt.Errorf("%s %d: %w", l.Key(), i, err)
				} else if moves {
					mark(l, i)
				}
			}
			if keep && l == gltf.Nodes {
				p.referenced[i] = true
			}
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, err := p.visitElement(&w, p.elements[at.of][at.n], at); err != nil {
			return err
		}
		if at.of == gltf.Nodes && parents[at.n] >= 0 {
			mark(gltf.Nodes, parents[at.n])
		}
	}
	return nil
}

// one identifies an element of a list.
type one struct {
	of gltf.List
	n  int
}

// trees returns the parent of each node, -1 for roots. isLibrary reports whether no node is in a
// scene.
func (p *pruning) trees() (parents []int, isLibrary bool, err error) {
	parents, isLibrary = slices.Repeat([]int{-1}, len(p.elements[gltf.Nodes])), true
	parent := -1
	w := gltf.References{Visit: func(l gltf.List, n int, isChild bool) (int, bool) {
		switch {
		case !isChild || n >= len(parents):
		case parent >= 0:
			parents[n] = parent
		default:
			isLibrary = false
		}
		return n, true
	}}
	for _, l := range []gltf.List{gltf.Scenes, gltf.Nodes} {
		for i, text := range p.elements[l] {
			if l == gltf.Nodes {
				parent = i
			}
			if _, err := p.visitElement(&w, text, one{l, i}); err != nil {
				return nil, false, err
			}
		}
	}
	return parents, isLibrary, nil
}

// keepsElement reports whether the options keep an element by its name.
func (p *pruning) keepsElement(text json.RawMessage) (bool, error) {
	if p.options.Keep == nil {
		return false, nil
	}
	o, err := gltf.ParseObject(text)
	if err != nil {
		return false, err
	}
	var name string
	if m := o.Member("name"); m == nil || json.Unmarshal(m, &name) != nil {
		return false, nil
	}
	return p.options.Keep(name), nil
}

// dropEmptyNodes marks empty nodes as unused if the options request it. An empty node shows nothing
// and has no children. Only its parent or a scene refers to it.
func (p *pruning) dropEmptyNodes() error {
	if !p.options.Empty {
		return nil
	}
	parents, _, err := p.trees()
	if err != nil {
		return err
	}
	children := make([]int, len(parents)) // number of remaining children
	for i, parent := range parents {
		if p.used[gltf.Nodes][i] && parent >= 0 {
			children[parent]++
		}
	}
	var leaves []int
	for i, n := range children {
		if p.used[gltf.Nodes][i] && n == 0 {
			leaves = append(leaves, i)
		}
	}
	for len(leaves) > 0 {
		i := leaves[len(leaves)-1]
		leaves = leaves[:len(leaves)-1]
		node, err := gltf.ParseObject(p.elements[gltf.Nodes][i])
		if err != nil {
			return fmt.Errorf("nodes %d: %w", i, err)
		}
		if p.referenced[i] || slices.ContainsFunc(node, carries) {
			continue
		}
		p.used[gltf.Nodes][i] = false
		if parent := parents[i]; parent >= 0 {
			if children[parent]--; children[parent] == 0 {
				leaves = append(leaves, parent)
			}
		}
	}
	return nil
}

// carries reports whether a member of a node is not its name, its children or its transform.
func carries(m gltf.Member) bool {
	switch m.Key {
	case "name", "children", "translation", "rotation", "scale", "matrix":
		return false
	}
	return true
}
