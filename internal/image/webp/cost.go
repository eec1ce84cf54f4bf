package webp

import (
	"math/bits"
	"sync"
)

// A cost is a number of bits, times 1<<costBits. Costs are integers, so that they are equal on all
// processors.
const costBits = 12

// oneBit is the cost of one bit.
const oneBit = 1 << costBits

// logs holds the base-2 logarithms of the integers below its length.
var logs = sync.OnceValue(func() *[1 << 12]uint32 {
	var table [1 << 12]uint32
	for v := 2; v < len(table); v++ {
		table[v] = logOf(uint32(v))
	}
	return &table
})

// logOf computes a base-2 logarithm by repeated squaring. v must be greater than 0.
func logOf(v uint32) uint32 {
	whole := bits.Len32(v) - 1
	log := uint32(whole) << costBits
	x := uint64(v) << (31 - whole) // mantissa from 1 to 2, with 31 fractional bits
	for bit := uint32(oneBit / 2); bit > 0; bit /= 2 {
		x = x * x >> 31
		if x >= 2<<31 {
			x >>= 1
			log |= bit
		}
	}
	return log
}

// log2 returns the base-2 logarithm of v, or 0 for 0.
func log2(v uint32) int64 {
	table := logs()
	if v < uint32(len(table)) {
		return int64(table[v])
	}
	shift := bits.Len32(v) - 12
	return int64(shift)<<costBits + int64(table[v>>shift])
}

// entropy returns the cost of all symbols with the given counts in an optimal code with
// fractional bit lengths.
func entropy(counts []uint32) int64 {
	var sum uint32
	var cost int64
	for _, c := range counts {
		if c > 1 {
			cost -= int64(c) * log2(c)
		}
		sum += c
	}
	return cost + int64(sum)*log2(sum)
}

// codeCost estimates the cost of storing a prefix code.
func codeCost(counts []uint32) int64 {
	used, runs := 0, 0
	before := uint32(1)
	for _, c := range counts {
		if c > 0 {
			used++
		} else if before > 0 {
			runs++
		}
		before = c
	}
	if used < 3 {
		return int64(4+8*used) * oneBit
	}
	return 40*oneBit + int64(used)*(7*oneBit/2) + int64(runs)*4*oneBit
}

// symbolCosts returns the cost of each symbol. A symbol that does not occur is treated as if it
// occurred half a time.
func symbolCosts(counts []uint32) []uint32 {
	var sum uint32
	used := 0
	for _, c := range counts {
		sum += c
		if c > 0 {
			used++
		}
	}
	costs := make([]uint32, len(counts))
	if used < 2 {
		for i, c := range counts {
			if c == 0 {
				costs[i] = uint32(log2(sum) + oneBit)
			}
		}
		return costs
	}
	for i, c := range counts {
		if c > 0 {
			costs[i] = uint32(max(0, log2(sum)-log2(c)))
		} else {
			costs[i] = uint32(log2(sum) + oneBit)
		}
	}
	return costs
}
