package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Chunk is the number of keys that a contender gets per call.
const Chunk = 1024

// Stream is the minimum number of keys in a contest, a multiple of Chunk. With fewer keys, the
// branch predictor would learn their order, and the results would be too good.
const Stream = 1 << 19

// Contender is one way to look up keys.
type Contender[K any] struct {
	Impl string
	Find func(keys []K) uint64 // looks up the keys and returns the sum of their values; called by several goroutines
	Want uint64                // expected sum for all keys of the contest
}

// Contest measures several contenders on the same keys.
type Contest[K any] struct {
	Name       string // benchmark name in the form key=value
	Keys       []K    // keys in the order of the lookups; the number of keys is a multiple of Chunk
	Goroutines []int  // number of goroutines in each benchmark
	Contenders []Contender[K]
}

// Run runs the benchmarks. The time per operation is the wall time divided by the number of
// lookups. Run also checks the sum of the values found.
//
// The flag -cpu does not change the number of goroutines, because testing measures a
// [testing.B.Loop] before it applies the first value of -cpu.
func (c Contest[K]) Run(b *testing.B) {
	for _, goroutines := range c.Goroutines {
		for _, contender := range c.Contenders {
			b.Run(fmt.Sprintf("%s/goroutines=%d/impl=%s", c.Name, goroutines, contender.Impl), func(b *testing.B) {
				for b.Loop() {
					if sum := c.pass(goroutines, contender); sum != contender.Want {
						b.Fatalf("the values found add up to %d, want %d", sum, contender.Want)
					}
				}
				lookups := float64(b.N) * float64(len(c.Keys))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/lookups, "ns/op")
			})
		}
	}
}

// pass looks up all keys once, divided among the goroutines. It returns the sum of the values
// found.
func (c Contest[K]) pass(goroutines int, contender Contender[K]) uint64 {
	var next atomic.Int64 // index of the next chunk
	var total atomic.Uint64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			sum := uint64(0)
			for {
				at := (int(next.Add(1)) - 1) * Chunk
				if at >= len(c.Keys) {
					break
				}
				sum += contender.Find(c.Keys[at : at+Chunk])
			}
			total.Add(sum)
		})
	}
	wg.Wait()
	return total.Load()
}

// HashRow is one implementation of a function.
type HashRow struct {
	Func, Impl string
	Sum        func(p []byte) uint64 // returns the low 64 bits of the hash of p
	Bits       int                   // number of bits of the hash, at most 64
}

// RunSums measures the throughput of each row on random bytes of several sizes.
func RunSums(b *testing.B, rows []HashRow, sizes []int) {
	data := Bytes(sizes[len(sizes)-1])
	for _, r := range rows {
		for _, size := range sizes {
			p := data[:size]
			b.Run(fmt.Sprintf("func=%s/impl=%s/size=%d", r.Func, r.Impl, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				sum := uint64(0)
				for b.Loop() {
					sum += r.Sum(p)
				}
				runtime.KeepAlive(sum)
			})
		}
	}
}

// RunQuality reports how random the rows' sums are:
//
//	bias      the worst deviation from 1/2 of the probability that one bit of 16
//	          bytes changes one bit of the sum; random sums give about 0.06 here
//	dependence how strongly two bits of the sum depend on each other when one bit of 3, 8, 11 or
//	          16 bytes changes: 0 to 1, the worst pair; random sums give about 0.04 here
//	words-x, paths-x, guids-x, pointers-x
//	          keys whose low 24 bits equal an earlier key's, relative to
//	          random sums: 1 is good, less is better
//	collide32 keys of all four sets that share 32 bits with an earlier one of their
//	          set; random sums give 8
func RunQuality(b *testing.B, rows []HashRow) {
	sets := keySets()
	for _, r := range rows {
		b.Run(fmt.Sprintf("func=%s/impl=%s", r.Func, r.Impl), func(b *testing.B) {
			var q quality
			for b.Loop() {
				q = measureQuality(r, sets)
			}
			b.ReportMetric(q.bias, "bias")
			b.ReportMetric(q.dependence, "dependence")
			for i, set := range sets {
				b.ReportMetric(q.crowding[i], set.name+"-x")
			}
			b.ReportMetric(float64(q.collisions), "collide32")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// Bytes returns n random bytes, the same in every run.
func Bytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b) // The error is always nil.
	return b
}

// Names returns n distinct names of 12 to 40 bytes, like those in asset trees and counters.
func Names(n int) []string {
	folders := strings.Fields("characters vehicles terrain weapons effects menus levels props")
	things := strings.Fields("knight wagon cliff sword spark button castle barrel statue river")
	kinds := strings.Fields(".png _albedo.png _normal.tga .gltf .ogg .vert/calls /bytes /ms")
	r := rand.New(rand.NewPCG(1, uint64(n)))
	names := make([]string, n)
	for i := range names {
		name := folders[r.IntN(len(folders))] + "/" + things[r.IntN(len(things))]
		if r.IntN(2) == 0 {
			name += "_" + things[r.IntN(len(things))]
		}
		names[i] = name + strconv.Itoa(i) + kinds[r.IntN(len(kinds))]
	}
	r.Shuffle(n, func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// Draws returns n random names of a list. Each name is a copy, as if read from a file, so that
// string comparisons cannot take the shortcut for equal pointers.
func Draws(names []string, n int) []string {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	drawn := make([]string, n)
	for i := range drawn {
		drawn[i] = names[r.IntN(len(names))]
	}
	text := strings.Join(drawn, "")
	for i, s := range drawn {
		drawn[i], text = text[:len(s)], text[len(s):]
	}
	return drawn
}

// Addresses returns two lists of n addresses in random order. The first list has the addresses of
// objects on a heap, where all objects in a page of 8 KiB have the same size. The second list has
// an address inside each of these objects.
func Addresses(n int) (in, between []uintptr) {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	for page := uintptr(0xc0000000); len(in) < n; page += 8 << 10 {
		size := uintptr(16) << r.IntN(5)
		for at := page; at < page+8<<10 && len(in) < n; at += size {
			in, between = append(in, at), append(between, at+8)
		}
	}
	for _, keys := range [][]uintptr{in, between} {
		r.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	return in, between
}

// repeated returns the keys in random order, each equally often. The length is about Stream or
// more, rounded down to a multiple of Chunk.
func repeated(keys []uintptr) []uintptr {
	r := rand.New(rand.NewPCG(4, uint64(len(keys))))
	stream := slices.Repeat(keys, (Stream+len(keys)-1)/len(keys))
	r.Shuffle(len(stream), func(i, j int) { stream[i], stream[j] = stream[j], stream[i] })
	return stream[:len(stream)/Chunk*Chunk]
}
