package prune

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/model"
)

// reach finds what scenes, animations and names to keep lead to. In a document in whose
// scenes no nodes are, a library, all that a game may ask for stays.
func (p *pruning) reach() error {
	var todo []one
	mark := func(l list, n int) {
		if n < len(p.used[l]) && !p.used[l][n] {
			p.used[l][n] = true
			todo = append(todo, one{l, n})
		}
	}
	parents, isLibrary, err := p.trees()
	if err != nil {
		return err
	}
	p.reached, p.referenced = true, make([]bool, len(p.elements[nodes]))
	w := walker{visit: func(l list, n int, isChild bool) (int, bool) {
		mark(l, n)
		if l == nodes && !isChild && n < len(p.referenced) {
			p.referenced[n] = true
		}
		return n, true
	}}
	for l, elements := range p.elements {
		l := list(l)
		for i, text := range elements {
			keep, err := p.keeps(text)
			switch {
			case err != nil:
				return fmt.Errorf("%s %d: %w", l.key(), i, err)
			case keep || l == scenes || isLibrary && l < textures:
				mark(l, i)
			case l == animations:
				if moves, err := movesAnything(text); err != nil {
					return fmt.Errorf("%s %d: %w", l.key(), i, err)
				} else if moves {
					mark(l, i)
				}
			}
			if keep && l == nodes {
				p.referenced[i] = true
			}
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, err := p.element(&w, p.elements[at.of][at.n], at); err != nil {
			return err
		}
		if at.of == nodes && parents[at.n] >= 0 {
			mark(nodes, parents[at.n])
		}
	}
	return nil
}

// one is an element of a list.
type one struct {
	of list
	n  int
}

// trees returns the parent of each node, -1 for none, and whether no node is in a scene.
func (p *pruning) trees() (parents []int, isLibrary bool, err error) {
	parents, isLibrary = slices.Repeat([]int{-1}, len(p.elements[nodes])), true
	parent := -1
	w := walker{visit: func(l list, n int, isChild bool) (int, bool) {
		switch {
		case !isChild || n >= len(parents):
		case parent >= 0:
			parents[n] = parent
		default:
			isLibrary = false
		}
		return n, true
	}}
	for _, l := range []list{scenes, nodes} {
		for i, text := range p.elements[l] {
			if l == nodes {
				parent = i
			}
			if _, err := p.element(&w, text, one{l, i}); err != nil {
				return nil, false, err
			}
		}
	}
	return parents, isLibrary, nil
}

// keeps reports whether an element has a name that is to stay.
func (p *pruning) keeps(text json.RawMessage) (bool, error) {
	if p.options.Keep == nil {
		return false, nil
	}
	o, err := model.ParseObject(text)
	if err != nil {
		return false, err
	}
	var name string
	if m := o.Member("name"); m == nil || json.Unmarshal(m, &name) != nil {
		return false, nil
	}
	return p.options.Keep(name), nil
}
