package ptrhash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// A hashing puts a key into one of 2^b bins. The prime modulus uses slightly fewer bins.
type hashing struct {
	name string
	bins func(b uint) int
	bin  func(key uint64, b uint) int
}

// masked returns a hashing that uses the low bits of a hash.
func masked(name string, hash func(uint64) uint64) hashing {
	return hashing{name, powerOfTwo, func(key uint64, b uint) int { return int(hash(key) & (1<<b - 1)) }}
}

func powerOfTwo(b uint) int { return 1 << b }

func shifted(n uint) hashing {
	return masked(fmt.Sprintf("key >> %d", n), func(k uint64) uint64 { return k >> n })
}

// hashings returns the compared functions. The 32-bit functions get the low half of the address, as
// in a program with 32-bit addresses.
func hashings(maxBits uint) []hashing {
	prime, primes := map[uint]int{}, newSieve(1<<maxBits)
	for b := uint(0); b <= maxBits; b++ {
		prime[b] = primes.largestPrime(1 << b)
	}
	return []hashing{
		masked("identity", func(k uint64) uint64 { return k }),
		shifted(3), shifted(4), shifted(6),
		{"prime modulus", func(b uint) int { return prime[b] }, func(k uint64, b uint) int { return int(k % uint64(prime[b])) }},
		{"Fibonacci", powerOfTwo, func(k uint64, b uint) int { return int(k * 0x9e3779b97f4a7c15 >> (64 - b)) }},
		masked("Wang32", func(k uint64) uint64 { return uint64(Wang32(uint32(k))) }),
		masked("Wang32Shift", func(k uint64) uint64 { return uint64(wang32Shift(uint32(k))) }),
		masked("Wang32Older", func(k uint64) uint64 { return uint64(wang32Older(uint32(k))) }),
		masked("Wang64", Wang64),
		masked("Wang64to32", func(k uint64) uint64 { return uint64(Wang64to32(k)) }),
		masked("fmix64", func(k uint64) uint64 {
			h := mix(uintptr(k))
			return h ^ h>>33
		}),
	}
}

// A keySet is the addresses in one kind of program, in the order of allocation.
type keySet struct {
	name string
	keys []uint64
}

// alike returns typical addresses of C programs, which are the same in every run.
func alike(n int) []keySet {
	r := rand.New(rand.NewPCG(7, 7))
	small, pages, stack := make([]uint64, 0, n), make([]uint64, 0, n), make([]uint64, 0, n)
	// These are chunks with a header of 16 bytes, in runs of the same size.
	for at := uint64(0x555555770010); len(small) < n; {
		size := 32 + 16*uint64(r.IntN(8))*uint64(r.IntN(8))
		for range min(1+r.IntN(64), n-len(small)) {
			small = append(small, at)
			at += size
		}
	}
	// These are large allocations, each with its own mapping or run of pages.
	for at := uint64(0x7f3a5c021000); len(pages) < n; at += 4096 * uint64(1+r.IntN(4)) {
		pages = append(pages, at)
	}
	// These are stack frames of 48 to 512 bytes, up to 128 deep, on stacks of 8 MiB.
	for top := uint64(0x7ffd9c3fe000); len(stack) < n; top -= 8 << 20 {
		at := top - 16*uint64(r.IntN(256))
		for range min(128, n-len(stack)) {
			at -= 48 + 16*uint64(r.IntN(30))
			stack = append(stack, at)
		}
	}
	return []keySet{{"malloc: chunks of 16-byte alignment", small}, {"page-aligned blocks", pages}, {"stack frames", stack}}
}

// fromHeap returns addresses of live Go objects of 8 to 1,024 bytes, which differ in every run. It
// also returns the objects, to keep them alive.
func fromHeap(n int) (keySet, []any) {
	r := rand.New(rand.NewPCG(9, 9))
	keys, objects := make([]uint64, n), make([]any, n)
	for i := range keys {
		switch r.IntN(6) {
		case 0:
			p := new(*int)
			keys[i], objects[i] = uint64(Key(p)), p
		case 1:
			p := new([3]*int)
			keys[i], objects[i] = uint64(Key(p)), p
		case 2:
			p := new([48]byte)
			keys[i], objects[i] = uint64(Key(p)), p
		case 3:
			p := new([12]*int)
			keys[i], objects[i] = uint64(Key(p)), p
		case 4:
			p := new([300]byte)
			keys[i], objects[i] = uint64(Key(p)), p
		default:
			p := new([1024]byte)
			keys[i], objects[i] = uint64(Key(p)), p
		}
	}
	return keySet{"Go heap: objects of 8 to 1,024 bytes", keys}, objects
}

// spread describes how evenly n keys are distributed over n bins.
type spread struct {
	longest int     // number of keys in the fullest bin
	empty   float64 // number of empty bins divided by n/e, which is the expected number for random keys
	chi2    float64 // chi-square per degree of freedom; 1 for random keys
}

func measure(h hashing, keys []uint64, b uint) spread {
	counts := make([]int, h.bins(b))
	for _, key := range keys {
		counts[h.bin(key, b)]++
	}
	var s spread
	mean, empty := float64(len(keys))/float64(len(counts)), 0
	for _, n := range counts {
		s.longest = max(s.longest, n)
		s.chi2 += (float64(n) - mean) * (float64(n) - mean) / mean
		if n == 0 {
			empty++
		}
	}
	s.chi2 /= float64(len(counts) - 1)
	s.empty = float64(empty) / (float64(len(counts)) * math.Exp(-mean))
	return s
}

// longestOfRandom returns an upper bound for the fullest of n bins with n random keys. One bin gets
// k or more keys with a probability below 1/k!, so any of n bins does with a probability below
// n/k!. For the result plus 1, this is less than one in a million.
func longestOfRandom(n int) int {
	k, chance := 1, float64(n)
	for chance >= 1e-6 {
		k++
		chance /= float64(k)
	}
	return k - 1
}

const minBits, maxBits = 10, 16

// report formats the results for a set of keys as a Markdown table.
func report(set keySet, hashings []hashing) string {
	var md strings.Builder
	fmt.Fprintf(&md, "\n### %s\n\n| function |", set.name)
	for b := minBits; b <= maxBits; b++ {
		fmt.Fprintf(&md, " 2^%d |", b)
	}
	md.WriteString("\n|---|" + strings.Repeat("---|", maxBits-minBits+1))
	for _, h := range hashings {
		fmt.Fprintf(&md, "\n| %s |", h.name)
		for b := uint(minBits); b <= maxBits; b++ {
			s := measure(h, set.keys[:1<<b], b)
			fmt.Fprintf(&md, " %d / %.2f / %.3g |", s.longest, s.empty, s.chi2)
		}
	}
	return md.String() + "\n"
}

// TestDistribution prints, with -v, how evenly the functions distribute addresses. It checks limits
// for the sets that are the same in every run.
func TestDistribution(t *testing.T) {
	hashings := hashings(maxBits)
	heap, objects := fromHeap(1 << maxBits)
	sets := alike(1 << maxBits)
	md := ""
	for _, set := range append([]keySet{heap}, sets...) {
		md += report(set, hashings)
	}
	runtime.KeepAlive(objects)
	t.Log("longest chain / empty bins against n/e / chi-square per degree of freedom\n" + md)

	mixing := map[string]bool{"Wang32": true, "Wang32Shift": true, "Wang32Older": true, "Wang64": true, "Wang64to32": true, "fmix64": true}
	for _, set := range sets {
		for b := uint(minBits); b <= maxBits; b++ {
			n := 1 << b
			longest := map[string]int{}
			for _, h := range hashings {
				s := measure(h, set.keys[:n], b)
				longest[h.name] = s.longest
				if !mixing[h.name] {
					continue
				}
				if bound := longestOfRandom(n); s.longest > bound {
					t.Errorf("%s, %s, %d bins: a chain of %d, random keys have at most %d", set.name, h.name, n, s.longest, bound)
				}
				// The limit is six standard deviations above the value for random keys.
				if bound := 1 + 6*math.Sqrt(2/float64(n-1)); s.chi2 > bound {
					t.Errorf("%s, %s, %d bins: chi-square %.3f, want at most %.3f", set.name, h.name, n, s.chi2, bound)
				}
			}
			if set.name != "page-aligned blocks" {
				continue
			}
			// These keys all have the same low 12 bits. With up to 2^12 bins, the function identity
			// puts all of them into one bin.
			if identity := longest["identity"]; b <= 12 && identity != n || identity < 100*longest["Wang64"] {
				t.Errorf("%s, %d bins: identity's longest chain is %d, Wang64's %d", set.name, n, identity, longest["Wang64"])
			}
		}
	}
}

// TestMeasure expects the measurement to recognize random keys, and to report that repeated keys
// are not random.
func TestMeasure(t *testing.T) {
	const b = 12
	low := masked("low bits", func(k uint64) uint64 { return k })
	r := rand.New(rand.NewPCG(5, 5))
	random, once, same := make([]uint64, 1<<b), make([]uint64, 1<<b), make([]uint64, 1<<b)
	for i := range random {
		random[i], once[i] = r.Uint64(), uint64(i)
	}
	if s := measure(low, random, b); s.longest > longestOfRandom(1<<b) || math.Abs(s.empty-1) > .1 || math.Abs(s.chi2-1) > .15 {
		t.Errorf("random keys: %+v", s)
	}
	if s := measure(low, once, b); s != (spread{longest: 1}) {
		t.Errorf("a key for each bin: %+v", s)
	}
	if s := measure(low, same, b); s.longest != 1<<b || s.chi2 < 1<<b-1 {
		t.Errorf("one key for all: %+v", s)
	}
	// 12! = 479001600 is below 4096e6, but 13! = 6227020800 is not.
	if got := longestOfRandom(1 << b); got != 12 {
		t.Errorf("longestOfRandom(4096) = %d, want 12", got)
	}
}
