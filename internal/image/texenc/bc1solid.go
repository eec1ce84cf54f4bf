package texenc

import "sync"

// A pair is the two ends, in stored steps, between which a value lies best.
type pair struct{ a, b uint8 }

// solidPairs are the pairs for values from 0 to 255 that lie 1 of 3 steps, and 1
// of 2, from a to b, for channels of five and six bits.
var solidPairs = sync.OnceValue(func() *[2][2][256]pair {
	all := new([2][2][256]pair)
	for i, steps := range [2]int{3, 2} {
		for j, bits := range [2]int{5, 6} {
			all[i][j] = pairsOf(steps, bits)
		}
	}
	return all
})

func pairsOf(steps, bits int) (out [256]pair) {
	top := 1<<bits - 1
	wide := func(x int) int { return x<<(8-bits) | x>>(2*bits-8) }
	for v := range out {
		best := -1
		for a := range top + 1 {
			// The best b for this a is next to the one that would leave no error.
			near := (steps*v - (steps-1)*wide(a)) * top / 255
			for b := max(0, min(near-1, top)); b <= max(0, min(near+1, top)); b++ {
				// Of equal errors, decoders that round in their own way differ
				// least where the ends lie together.
				miss := (steps-1)*wide(a) + wide(b) - steps*v
				spread := wide(a) - wide(b)
				cost := 1000*max(miss, -miss) + max(spread, -spread)
				if best < 0 || cost < best {
					best, out[v] = cost, pair{uint8(a), uint8(b)}
				}
			}
		}
	}
	return out
}

// solidLine stores a block of one color: all of it lies one step from the first
// end to the second.
func solidLine(c *colorBlock, steps int32) colorLine {
	tables := &solidPairs()[3-steps]
	l := colorLine{steps: steps}
	p := c.pix[0]
	for k, table := range [3]*[256]pair{&tables[0], &tables[1], &tables[0]} {
		found := table[toByte(p[k])]
		l.a[k], l.b[k] = int32(found.a), int32(found.b)
	}
	from, to := l.a.wide(), l.b.wide()
	for i := range c.pix[:c.n] {
		l.index[i] = 1
		for k := range 3 {
			d := (float32(float32(steps-1)*from[k])+to[k])/float32(steps) - p[k]
			l.err += float32(d * d)
		}
	}
	return l
}
