package main

import (
	"math"
	"slices"
)

// A distribution describes how evenly a function spreads keys over the bins of a hash table.
type distribution struct {
	keys       int
	duplicates int // number of keys that equal an earlier key; the other fields ignore these keys
	bins       int
	counts     []int // number of keys in each bin
	chains     []int // chains[n] is the number of bins with n keys; the last element is not 0

	// The number of keys whose sum equals an earlier key's sum in the low 32 or 64 bits. Both
	// numbers are equal if sums have 32 bits.
	collisions32, collisions64 int
}

// spreadKeys puts each key into a bin: the sum of the key modulo the number of bins, which must be
// positive. The function sum returns sums of less than 64 bits in its low bits.
func spreadKeys(sum func(key []byte) uint64, keys []string, bins int) distribution {
	distinct := distinctKeys(keys)
	d := distribution{keys: len(distinct), duplicates: len(keys) - len(distinct), bins: bins, counts: make([]int, bins)}
	sums := make([]uint64, len(distinct))
	longest := 0
	for i, key := range distinct {
		sums[i] = sum([]byte(key))
		bin := sums[i] % uint64(bins)
		d.counts[bin]++
		longest = max(longest, d.counts[bin])
	}
	d.chains = make([]int, longest+1)
	for _, n := range d.counts {
		d.chains[n]++
	}
	d.collisions64 = countRepeated(sums)
	for i := range sums {
		sums[i] &= math.MaxUint32
	}
	d.collisions32 = countRepeated(sums)
	return d
}

// keysInBins returns the keys that spreadKeys puts into each of the wanted bins, sorted and without
// duplicates.
func keysInBins(sum func(key []byte) uint64, keys []string, bins int, wanted ...int) [][]string {
	chains := make([][]string, len(wanted))
	at := map[uint64]int{} // indexes of the keys, in chains by bin
	for i, bin := range wanted {
		at[uint64(bin)] = i
	}
	for _, key := range distinctKeys(keys) {
		if i, ok := at[sum([]byte(key))%uint64(bins)]; ok {
			chains[i] = append(chains[i], key)
		}
	}
	for i, bin := range wanted {
		chains[i] = chains[at[uint64(bin)]]
	}
	return chains
}

// distinctKeys returns the distinct keys, sorted.
func distinctKeys(keys []string) []string { return slices.Compact(slices.Sorted(slices.Values(keys))) }

// countRepeated sorts the values and returns how many equal their predecessor.
func countRepeated(values []uint64) (n int) {
	slices.Sort(values)
	for i := 1; i < len(values); i++ {
		if values[i] == values[i-1] {
			n++
		}
	}
	return n
}

// emptyBins returns the number of bins without a key.
func (d distribution) emptyBins() int { return d.chains[0] }

// expectedEmptyBins returns the mean number of empty bins for random sums.
func (d distribution) expectedEmptyBins() float64 {
	return float64(d.bins) * math.Pow(1-1/float64(d.bins), float64(d.keys))
}

// longestChain returns the number of keys in the bin with the most keys.
func (d distribution) longestChain() int { return len(d.chains) - 1 }

// expectedCollisions returns the mean number of keys whose sum equals an earlier key's sum in the
// given number of bits, for random sums.
func (d distribution) expectedCollisions(bits int) float64 {
	n := float64(d.keys)
	return n * (n - 1) / 2 * math.Pow(2, -float64(bits))
}

// chiSquared returns the sum over all bins of (keys - expected)^2 / expected. For random sums it is
// close to the number of degrees of freedom.
func (d distribution) chiSquared() float64 {
	if d.keys == 0 {
		return 0
	}
	expected, sum := float64(d.keys)/float64(d.bins), 0.0
	for n, bins := range d.chains {
		off := float64(n) - expected
		sum += float64(bins) * off * off / expected
	}
	return sum
}

// freedom returns the degrees of freedom of chiSquared.
func (d distribution) freedom() int { return d.bins - 1 }

// probability returns the probability that random sums give a chiSquared of at least this value. It
// is near 0 if keys cluster in some bins. It is near 1 if keys are spread more evenly than random
// keys, which is not a fault. It is unreliable for fewer than about 50 keys, and for many more bins
// than keys.
func (d distribution) probability() float64 {
	if d.freedom() == 0 || d.keys == 0 {
		return 1
	}
	return upperGamma(float64(d.freedom())/2, d.chiSquared()/2)
}

// upperGamma returns the regularized incomplete gamma function Q(a, x). For small x it uses the
// series of P, and for large x the continued fraction (NIST DLMF 8.7.1, 8.9.2).
func upperGamma(a, x float64) float64 {
	if x <= 0 {
		return 1
	}
	const tiny, enough = 1e-300, 1e-14
	lg, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - lg)
	if x < a+1 {
		term, sum := 1/a, 1/a
		for k := a + 1; term > sum*enough; k++ {
			term *= x / k
			sum += term
		}
		return max(0, 1-front*sum)
	}
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for i := 1.0; i < 1e7; i++ {
		an := i * (a - i)
		b += 2
		d = 1 / nonZero(an*d+b, tiny)
		c = nonZero(b+an/c, tiny)
		h *= d * c
		if math.Abs(d*c-1) < enough {
			break
		}
	}
	return min(1, front*h)
}

func nonZero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}
