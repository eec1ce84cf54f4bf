package smokerun

import (
	"math"
	"slices"
)

// median returns the median of the values, or 0 if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return sorted[mid-1]/2 + sorted[mid]/2
}

// deviation estimates the standard deviation from the median absolute deviation, so that a few
// outliers have no effect.
func deviation(values []float64) float64 {
	m := median(values)
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - m)
	}
	return 1.4826 * median(distances)
}

// UTest is the one-sided U test of Mann and Whitney. It returns the probability that two samples of
// the same distribution differ as much as a and b, with b higher. It is exact for small samples
// without equal values. Otherwise it uses the normal approximation with a correction for equal
// values. It returns 1 if a sample is empty.
func UTest(a, b []float64) float64 {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return 1
	}
	u, ties := 0.0, false
	for _, y := range b {
		for _, x := range a {
			switch {
			case y > x:
				u++
			case y == x:
				u += 0.5
			}
		}
	}
	all := slices.Sorted(slices.Values(append(slices.Clone(a), b...)))
	tied := 0.0 // sum of t^3 - t over all groups of t equal values
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		if t := float64(j - i); t > 1 {
			ties, tied = true, tied+t*t*t-t
		}
		i = j
	}
	if !ties && n <= 50 && m <= 50 {
		return exactU(n, m, int(u))
	}
	total := float64(n + m)
	spread := float64(n) * float64(m) / 12 * (total + 1 - tied/(total*(total-1)))
	if spread <= 0 {
		return 1
	}
	z := (u - float64(n)*float64(m)/2 - 0.5) / math.Sqrt(spread)
	return math.Erfc(z/math.Sqrt2) / 2
}

// exactU returns the probability that U is at least u, for n and m values without equal values. The
// number of orders with a given U satisfies f(n,m,u) = f(n-1,m,u) + f(n,m-1,u-n). The highest value
// is either one of the n, or one of the m and thus higher than all n.
func exactU(n, m, u int) float64 {
	// rows[i][v] is the probability that U = v for i values of a and j values of b, with the
	// current j.
	size := n*m + 1
	rows := make([][]float64, n+1)
	for i := range rows {
		rows[i] = make([]float64, size)
		rows[i][0] = 1
	}
	for j := 1; j <= m; j++ {
		for i := 1; i <= n; i++ {
			next := make([]float64, size)
			ofA := float64(i) / float64(i+j)
			for v := range next {
				next[v] = ofA * rows[i-1][v]
				if v >= i {
					next[v] += (1 - ofA) * rows[i][v-i]
				}
			}
			rows[i] = next
		}
	}
	p := 0.0
	for _, q := range rows[n][max(0, u):] {
		p += q
	}
	return min(1, p)
}
