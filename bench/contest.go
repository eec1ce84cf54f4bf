package bench

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// Chunk is how many keys a contender gets at once.
const Chunk = 1024

// Stream is the minimum number of keys in a contest, a multiple of Chunk. The branch predictor
// would learn a shorter stream, which would make all results too good.
const Stream = 1 << 19

// Contender is one way to look up keys.
type Contender[K any] struct {
	Impl string                // name in the benchmark
	Find func(keys []K) uint64 // looks up Chunk keys, sums the values; called concurrently
	Want uint64                // expected sum over all keys of the contest
}

// Contest measures several contenders on the same keys.
type Contest[K any] struct {
	Name       string // key=value
	Keys       []K    // in the order of the lookups; a multiple of Chunk
	Goroutines []int  // number of goroutines in each benchmark
	Contenders []Contender[K]
}

// Run runs the benchmarks. An operation is one lookup: the wall time of passes over all keys,
// divided by the number of lookups. The sum of each pass is checked.
//
// The number of goroutines does not follow -cpu, because testing measures a [testing.B.Loop]
// before it applies the first value of that flag.
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

// pass distributes the keys over the goroutines, and returns the sum of the values found.
func (c Contest[K]) pass(goroutines int, contender Contender[K]) uint64 {
	var next atomic.Int64 // next chunk to look up
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
