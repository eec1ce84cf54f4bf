package font

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/font/kerning"
)

// A pair is two runes, and the distance in font units that the second is moved to the right when
// it follows the first.
type pair struct {
	first, second rune
	units         int16
}

// maxPairs limits the pairs, because class tables multiply and could make huge metrics.
const maxPairs = 1 << 18

// pairs returns the kerning between the runes, sorted.
func (s *subject) pairs(ctx context.Context) ([]pair, error) {
	if !s.o.Kerning {
		return nil, nil
	}
	indices := make([]uint16, len(s.glyphs))
	runes := map[uint16][]rune{}
	for i, g := range s.glyphs {
		indices[i] = g.index
	}
	for _, c := range s.chars {
		index := s.glyphs[c.glyph].index
		runes[index] = append(runes[index], c.r)
	}
	tooMany := fmt.Errorf("more than %d kerning pairs among %d runes; take fewer, or set kerning = false", maxPairs, len(s.chars))
	found, err := kerning.Pairs(ctx, s.face.gpos, s.face.kern, indices, maxPairs)
	if errors.Is(err, kerning.ErrPairs) {
		return nil, tooMany
	}
	if err != nil {
		return nil, err
	}
	var list []pair
	for _, c := range s.chars {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start, index := len(list), s.glyphs[c.glyph].index
		from, _ := slices.BinarySearchFunc(found, index, func(p kerning.Pair, i uint16) int { return cmp.Compare(p.First, i) })
		for _, p := range found[from:] {
			if p.First != index {
				break
			}
			for _, second := range runes[p.Second] {
				list = append(list, pair{c.r, second, p.Units})
			}
		}
		if len(list) > maxPairs {
			return nil, tooMany
		}
		slices.SortFunc(list[start:], func(a, b pair) int { return cmp.Compare(a.second, b.second) })
	}
	return list, nil
}
