package hashing

import (
	"iter"
	"math"
	"slices"
)

// Distribution describes how evenly a function spreads keys over the bins of a
// hash table.
type Distribution struct {
	Keys       int // distinct keys
	Duplicates int // repeated keys, not counted elsewhere
	Bins       int
	Counts     []int // Counts[bin] is the number of keys in a bin
	Chains     []int // Chains[n] is the number of bins with n keys; the last is not 0

	// The number of keys whose sum equals an earlier key's sum in the low 32 or 64 bits. For
	// functions of 32 bits both are equal.
	Collisions32, Collisions64 int
}

// Distribute spreads keys over bins by a function: a key's bin is its sum modulo the number of
// bins. The function is [Func.Sum64] or the caller's own; shorter sums are in the low bits. Keys
// may hold any bytes. Distribute panics if bins is not positive.
func Distribute[K ~string | ~[]byte](sum func(key []byte) uint64, keys iter.Seq[K], bins int) Distribution {
	distinct, all := distinctKeys(keys)
	d := Distribution{Keys: len(distinct), Duplicates: all - len(distinct), Bins: bins, Counts: make([]int, bins)}
	sums := make([]uint64, len(distinct))
	longest := 0
	for i, key := range distinct {
		sums[i] = sum([]byte(key))
		bin := sums[i] % uint64(bins)
		d.Counts[bin]++
		longest = max(longest, d.Counts[bin])
	}
	d.Chains = make([]int, longest+1)
	for _, n := range d.Counts {
		d.Chains[n]++
	}
	d.Collisions64 = equals(sums)
	for i := range sums {
		sums[i] &= math.MaxUint32
	}
	d.Collisions32 = equals(sums)
	return d
}

// KeysInBins returns the keys that [Distribute] puts into each of the wanted bins, sorted and
// without duplicates.
func KeysInBins[K ~string | ~[]byte](sum func(key []byte) uint64, keys iter.Seq[K], bins int, wanted ...int) [][]K {
	chains := make([][]K, len(wanted))
	at := map[uint64]int{} // by bin: index in chains
	for i, bin := range wanted {
		at[uint64(bin)] = i
	}
	distinct, _ := distinctKeys(keys)
	for _, key := range distinct {
		if i, ok := at[sum([]byte(key))%uint64(bins)]; ok {
			chains[i] = append(chains[i], K(key))
		}
	}
	for i, bin := range wanted {
		chains[i] = chains[at[uint64(bin)]]
	}
	return chains
}

// distinctKeys returns the distinct keys, sorted, and the number of all keys.
func distinctKeys[K ~string | ~[]byte](keys iter.Seq[K]) (distinct []string, all int) {
	for key := range keys {
		distinct = append(distinct, string(key))
	}
	slices.Sort(distinct)
	return slices.Compact(distinct), len(distinct)
}

// equals sorts the values and counts the values that equal their predecessor.
func equals(values []uint64) (n int) {
	slices.Sort(values)
	for i := 1; i < len(values); i++ {
		if values[i] == values[i-1] {
			n++
		}
	}
	return n
}

// Empty returns the number of bins without a key.
func (d Distribution) Empty() int { return d.Chains[0] }

// ExpectedEmpty returns the mean number of empty bins for random sums.
func (d Distribution) ExpectedEmpty() float64 {
	return float64(d.Bins) * math.Pow(1-1/float64(d.Bins), float64(d.Keys))
}

// Longest returns the number of keys in the fullest bin.
func (d Distribution) Longest() int { return len(d.Chains) - 1 }

// ExpectedCollisions returns the mean number of keys whose sum equals an earlier one in this many
// bits, for random sums.
func (d Distribution) ExpectedCollisions(bits int) float64 {
	n := float64(d.Keys)
	return n * (n - 1) / 2 * math.Pow(2, -float64(bits))
}

// ChiSquared returns the sum over all bins of (keys - expected)^2 / expected. For random sums it
// is near Freedom.
func (d Distribution) ChiSquared() float64 {
	if d.Keys == 0 {
		return 0
	}
	expected, sum := float64(d.Keys)/float64(d.Bins), 0.0
	for n, bins := range d.Chains {
		off := float64(n) - expected
		sum += float64(bins) * off * off / expected
	}
	return sum
}

// Freedom returns the degrees of freedom of ChiSquared.
func (d Distribution) Freedom() int { return d.Bins - 1 }

// P returns the probability that random sums give a ChiSquared of at least this value: near 0 if
// keys crowd in some bins, near 1 if they are spread more evenly than at random, which is not a
// fault. It means little for fewer than about 50 keys, and for many more bins than keys.
func (d Distribution) P() float64 {
	if d.Freedom() == 0 || d.Keys == 0 {
		return 1
	}
	return upperGamma(float64(d.Freedom())/2, d.ChiSquared()/2)
}

// upperGamma returns the regularized incomplete gamma function Q(a, x). It uses the series of P
// below the mean and the continued fraction above it (NIST DLMF 8.7.1, 8.9.2).
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
