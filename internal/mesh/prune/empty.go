package prune

import (
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/model"
)

// dropEmpty takes nodes for unused that show nothing, have nothing below them and are named
// by nothing but the tree that they are in, if the options ask for it.
func (p *pruning) dropEmpty() error {
	if !p.options.Empty {
		return nil
	}
	parents, _, err := p.trees()
	if err != nil {
		return err
	}
	children := make([]int, len(parents)) // that are left
	for i, parent := range parents {
		if p.used[nodes][i] && parent >= 0 {
			children[parent]++
		}
	}
	var leaves []int
	for i, n := range children {
		if p.used[nodes][i] && n == 0 {
			leaves = append(leaves, i)
		}
	}
	for len(leaves) > 0 {
		i := leaves[len(leaves)-1]
		leaves = leaves[:len(leaves)-1]
		node, err := model.ParseObject(p.elements[nodes][i])
		if err != nil {
			return fmt.Errorf("nodes %d: %w", i, err)
		}
		if p.referenced[i] || slices.ContainsFunc(node, carries) {
			continue
		}
		p.used[nodes][i] = false
		if parent := parents[i]; parent >= 0 {
			if children[parent]--; children[parent] == 0 {
				leaves = append(leaves, parent)
			}
		}
	}
	return nil
}

// carries reports whether a member of a node says more than where it is.
func carries(m model.Member) bool {
	switch m.Key {
	case "name", "children", "translation", "rotation", "scale", "matrix":
		return false
	}
	return true
}
