package main

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
)

var (
	lengths = []int{10, 100, 1000} // lengths of critical sections, in calls of step
	crowds  = []int{1, 2, 8, 64}   // goroutines
)

// A setting is a measured combination.
type setting struct {
	kind          string
	length, crowd int
}

// A result is one measurement.
type result struct {
	throughput float64 // critical sections per second
	cpu        float64 // nanoseconds of processor time each; 0 if unknown
	longest    float64 // longest wait in nanoseconds
}

// measureAll measures all settings in turns and returns the medians.
func measureAll(each time.Duration, rounds int) map[setting]result {
	all := map[setting][]result{}
	for range rounds {
		for _, length := range lengths {
			for _, crowd := range crowds {
				for _, k := range kinds {
					s := setting{k.name, length, crowd}
					all[s] = append(all[s], measure(k.make(), length, crowd, each))
				}
			}
		}
	}
	medians := map[setting]result{}
	for s, list := range all {
		median := func(field func(result) float64) float64 {
			values := make([]float64, len(list))
			for i, r := range list {
				values[i] = field(r)
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		medians[s] = result{
			median(func(r result) float64 { return r.throughput }),
			median(func(r result) float64 { return r.cpu }),
			median(func(r result) float64 { return r.longest }),
		}
	}
	return medians
}

// step is a unit of work that the compiler cannot remove (Marsaglia's xorshift64).
func step(x uint64) uint64 {
	x ^= x << 13
	x ^= x >> 7
	return x ^ x<<17
}

// measure lets a crowd of goroutines take turns at a critical section, with as much private work
// in between.
func measure(lock sync.Locker, length, crowd int, each time.Duration) result {
	var (
		work            sync.WaitGroup
		stop            atomic.Bool
		state           uint64 = 1                                          // guarded by lock
		counts, longest        = make([]int64, crowd), make([]int64, crowd) // by goroutine; waits in ticks
		own                    = make([]uint64, crowd)
		gate                   = make(chan struct{})
	)
	for i := range crowd {
		work.Go(func() {
			var most, n int64
			x := uint64(i + 1)
			<-gate
			for !stop.Load() {
				asked := fastclock.Now()
				lock.Lock()
				waited := fastclock.Now() - asked
				for range length {
					state = step(state)
				}
				lock.Unlock()
				most = max(most, waited)
				n++
				for range length {
					x = step(x)
				}
			}
			counts[i], longest[i], own[i] = n, most, x
		})
	}
	begin, used := fastclock.Mark(), cpuTime()
	close(gate)
	time.Sleep(each)
	stop.Store(true)
	work.Wait()
	end, usedThen := fastclock.Mark(), cpuTime()

	count := int64(0)
	for _, n := range counts {
		count += n
	}
	return result{
		throughput: float64(count) / (float64(end.Nanos-begin.Nanos) / 1e9),
		cpu:        float64(usedThen-used) / float64(max(count, 1)),
		longest:    float64(fastclock.Between(begin, end).Duration(slices.Max(longest))),
	}
}
