package webp

import (
	"math"
	"slices"
)

// A grouping assigns each tile of an image to a group of prefix codes.
type grouping struct {
	tileBits uint
	tiles    []uint16 // group of each tile, row by row
	groups   []histogram
}

// tilesOf returns the number of tiles that cover a side of the image. Each tile has a side of
// 1<<tileBits pixels.
func tilesOf(side int, tileBits uint) int { return (side + 1<<tileBits - 1) >> tileBits }

// oneGroup returns a grouping that has a single group.
func oneGroup(tokens []token, cacheBits uint) *grouping {
	return &grouping{groups: []histogram{histogramOf(tokens, cacheBits)}}
}

// A tally is the sparse histogram of a tile.
type tally struct {
	symbols []uint32 // indices in histogram.counts
	counts  []uint32
}

// groupTiles groups tiles with similar symbols into at most the given number of groups. It
// returns nil if a single group costs less.
func groupTiles(tokens []token, width, height int, cacheBits uint, most int) *grouping {
	tileBits := uint(3)
	for tileBits < 9 && tilesOf(width, tileBits)*tilesOf(height, tileBits) > 4096 {
		tileBits++
	}
	across := tilesOf(width, tileBits)
	g := &grouping{tileBits: tileBits, tiles: make([]uint16, across*tilesOf(height, tileBits))}
	if len(g.tiles) < 2 {
		return nil
	}
	tallies := talliesOf(tokens, width, across, g, cacheBits)
	g.learn(tallies, cacheBits, most)
	g.merge(tallies, cacheBits)
	g.assign(tallies)
	g.collect(tallies, cacheBits)
	if len(g.groups) < 2 {
		return nil
	}
	return g
}

// talliesOf counts the symbols of each tile.
func talliesOf(tokens []token, width, across int, g *grouping, cacheBits uint) []tally {
	each := make([][]token, len(g.tiles))
	at := 0
	for _, t := range tokens {
		tile := (at/width>>g.tileBits)*across + at%width>>g.tileBits
		each[tile] = append(each[tile], t)
		at += t.pixels()
	}
	h := newHistogram(cacheBits)
	tallies := make([]tally, len(each))
	for i, tokens := range each {
		for _, t := range tokens {
			h.addToken(t)
		}
		for s, n := range h.counts {
			if n > 0 {
				tallies[i].symbols = append(tallies[i].symbols, uint32(s))
				tallies[i].counts = append(tallies[i].counts, n)
			}
		}
		clear(h.counts)
	}
	return tallies
}

// cost returns the cost of the symbols in t.
func (t *tally) cost(costs []uint32) (sum int64) {
	for i, s := range t.symbols {
		sum += int64(costs[s]) * int64(t.counts[i])
	}
	return sum
}

// learn finds groups by clustering. It sorts the tiles by average cost per symbol and splits them
// into groups of equal size. Then it repeatedly moves each tile to the group with the lowest cost.
func (g *grouping) learn(tallies []tally, cacheBits uint, most int) {
	whole := newHistogram(cacheBits)
	for i := range tallies {
		whole.addTally(&tallies[i])
	}
	costs := costsOf(&whole)
	type ranked struct {
		tile int
		cost int64
	}
	var order []ranked
	for i := range tallies {
		var n int64 = 1
		for _, c := range tallies[i].counts {
			n += int64(c)
		}
		order = append(order, ranked{i, tallies[i].cost(costs) / n})
	}
	slices.SortStableFunc(order, func(a, b ranked) int {
		switch {
		case a.cost < b.cost:
			return -1
		case a.cost > b.cost:
			return 1
		}
		return 0
	})
	n := min(most, (len(tallies)+1)/2)
	for rank, r := range order {
		g.tiles[r.tile] = uint16(rank * n / len(order))
	}
	g.collect(tallies, cacheBits)
	for range learningRounds {
		g.assign(tallies)
		g.collect(tallies, cacheBits)
	}
}

// addTally adds the counts of a tile to h.
func (h *histogram) addTally(t *tally) {
	for i, s := range t.symbols {
		h.counts[s] += t.counts[i]
	}
}

// costsOf returns the cost of all symbols, in the order of h.counts.
func costsOf(h *histogram) (costs []uint32) {
	for i := range codes {
		costs = append(costs, symbolCosts(h.code(i))...)
	}
	return costs
}

// assign moves each tile to the group with its lowest cost.
func (g *grouping) assign(tallies []tally) {
	costs := make([][]uint32, len(g.groups))
	for i := range costs {
		costs[i] = costsOf(&g.groups[i])
	}
	for i := range tallies {
		least := int64(math.MaxInt64)
		for k := range costs {
			if c := tallies[i].cost(costs[k]); c < least {
				g.tiles[i], least = uint16(k), c
			}
		}
	}
}

// collect recomputes the histograms of the groups, and drops groups without tiles.
func (g *grouping) collect(tallies []tally, cacheBits uint) {
	number := map[uint16]uint16{}
	g.groups = g.groups[:0]
	for i, old := range g.tiles {
		k, there := number[old]
		if !there {
			k = uint16(len(g.groups))
			number[old] = k
			g.groups = append(g.groups, newHistogram(cacheBits))
		}
		g.tiles[i] = k
		g.groups[k].addTally(&tallies[i])
	}
}

// merge repeatedly joins the two groups whose union reduces the cost most, until no union
// reduces it.
func (g *grouping) merge(tallies []tally, cacheBits uint) {
	cost := make([]int64, len(g.groups))
	for i := range g.groups {
		cost[i] = g.groups[i].cost()
	}
	joint := newHistogram(cacheBits)
	gain := func(a, b int) int64 {
		for i, n := range g.groups[a].counts {
			joint.counts[i] = n + g.groups[b].counts[i]
		}
		return cost[a] + cost[b] - joint.cost()
	}
	gains := make([][]int64, len(g.groups))
	for a := range gains {
		gains[a] = make([]int64, a)
		for b := range a {
			gains[a][b] = gain(a, b)
		}
	}
	gone := make([]bool, len(g.groups))
	into := make([]uint16, len(g.groups))
	for i := range into {
		into[i] = uint16(i)
	}
	for {
		var best int64
		first, second := -1, -1
		for a := range gains {
			for b, v := range gains[a] {
				if !gone[a] && !gone[b] && v > best {
					best, first, second = v, b, a
				}
			}
		}
		if first < 0 {
			break
		}
		gone[second] = true
		for i, k := range into {
			if int(k) == second {
				into[i] = uint16(first)
			}
		}
		for i, n := range g.groups[second].counts {
			g.groups[first].counts[i] += n
		}
		cost[first] = g.groups[first].cost()
		for i := range gone {
			switch {
			case gone[i] || i == first:
			case i < first:
				gains[first][i] = gain(first, i)
			default:
				gains[i][first] = gain(i, first)
			}
		}
	}
	for i, k := range g.tiles {
		g.tiles[i] = into[k]
	}
	g.collect(tallies, cacheBits)
}
