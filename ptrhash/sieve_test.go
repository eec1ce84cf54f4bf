package ptrhash

import (
	"fmt"
	"strings"
	"testing"
)

// A sieve has the smallest prime factor of each number up to a limit.
type sieve struct {
	least  []uint32 // smallest prime factor; 0 for the numbers 0 and 1
	primes []uint32
}

// newSieve visits each composite once, through its smallest prime factor. A prime p is multiplied
// with the numbers whose smallest factor is at least p (Gries and Misra, "A Linear Sieve Algorithm
// for Finding Prime Numbers", 1978).
func newSieve(limit int) *sieve {
	s := &sieve{least: make([]uint32, limit+1)}
	for i := uint32(2); i <= uint32(limit); i++ {
		if s.least[i] == 0 {
			s.least[i] = i
			s.primes = append(s.primes, i)
		}
		for _, p := range s.primes {
			if p > s.least[i] || uint64(p)*uint64(i) > uint64(limit) {
				break
			}
			s.least[p*i] = p
		}
	}
	return s
}

// largestPrime returns the largest prime that is at most n, or 2 if there is none.
func (s *sieve) largestPrime(n int) int {
	for ; n > 2; n-- {
		if s.least[n] == uint32(n) {
			return n
		}
	}
	return 2
}

type factor struct{ prime, power int }

// factors returns the prime factors of n with their powers, the smallest prime first. It returns
// nil for 1.
func (s *sieve) factors(n int) (list []factor) {
	for n > 1 {
		p := int(s.least[n])
		power := 0
		for ; n%p == 0; n /= p {
			power++
		}
		list = append(list, factor{p, power})
	}
	return list
}

// common returns the greatest common divisor of two positive numbers, computed from their factors.
func (s *sieve) common(a, b int) int {
	product := 1
	for _, f := range s.factors(a) {
		for range f.power {
			if b%f.prime == 0 {
				b /= f.prime
				product *= f.prime
			}
		}
	}
	return product
}

// product formats a factorization, such as 2^4·3.
func product(list []factor) string {
	var parts []string
	for _, f := range list {
		part := fmt.Sprint(f.prime)
		if f.power > 1 {
			part += fmt.Sprint("^", f.power)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "·")
}

func TestSieve(t *testing.T) {
	const limit = 100_000
	s := newSieve(limit)
	if len(s.primes) != 9592 { // the number of primes below 10^5
		t.Errorf("%d primes up to %d, want 9592", len(s.primes), limit)
	}
	for n := 2; n <= limit; n++ {
		back, last := 1, 1
		for _, f := range s.factors(n) {
			if f.prime <= last || s.least[f.prime] != uint32(f.prime) || f.power < 1 {
				t.Fatalf("%d = %v", n, s.factors(n))
			}
			for range f.power {
				back *= f.prime
			}
			last = f.prime
		}
		if back != n {
			t.Fatalf("%d = %v, which is %d", n, s.factors(n), back)
		}
	}
	for _, tt := range []struct{ n, want int }{
		{0, 2}, {2, 2}, {4, 3}, {25, 23}, {1 << 10, 1021}, {1 << 16, 65521},
	} {
		if got := s.largestPrime(tt.n); got != tt.want {
			t.Errorf("the largest prime up to %d is %d, want %d", tt.n, got, tt.want)
		}
	}
	if got := product(s.factors(720)); got != "2^4·3^2·5" {
		t.Errorf("720 = %s", got)
	}
}

// tableSizes are typical table sizes: powers of two, smooth numbers, a prime, and two and three
// times a prime.
var tableSizes = []int{4096, 4095, 4032, 4080, 4000, 3840, 3072, 4093, 2 * 2039, 3 * 1361}

// strides are distances between pointers in arrays: size classes of allocators, a record of 24
// words with a header, and pages.
var strides = []int{8, 16, 24, 48, 80, 112, 200, 1024, 4096}

// TestTableSizes prints, with -v, the longest chain of addresses with one distance, modulo the
// table's size. A size loses the factors that it shares with the distance: a prime loses none, and
// a shared small factor costs that factor.
func TestTableSizes(t *testing.T) {
	s := newSieve(1 << 13)
	var md strings.Builder
	fmt.Fprintf(&md, "\nlongest chain of as many pointers as bins, by their distance\n\n| size | factors |")
	for _, stride := range strides {
		fmt.Fprintf(&md, " %d |", stride)
	}
	md.WriteString("\n|---|---|" + strings.Repeat("---|", len(strides)))
	for _, size := range tableSizes {
		modulus := hashing{"modulus", func(uint) int { return size }, func(k uint64, _ uint) int { return int(k % uint64(size)) }}
		fmt.Fprintf(&md, "\n| %d | %s |", size, product(s.factors(size)))
		for _, stride := range strides {
			keys := make([]uint64, size)
			for i := range keys {
				keys[i] = 0x7f3a5c021000 + uint64(i*stride)
			}
			got := measure(modulus, keys, 0).longest
			fmt.Fprintf(&md, " %d |", got)
			if want := s.common(size, stride); got != want {
				t.Errorf("%d bins, pointers %d apart: a chain of %d, want %d", size, stride, got, want)
			}
		}
	}
	t.Log(md.String())
}
