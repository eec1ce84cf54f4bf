package bench

import (
	"fmt"
	"runtime"
	"testing"
)

// HashRow is one implementation of a function.
type HashRow struct {
	Func, Impl string
	Sum        func(p []byte) uint64 // low 64 bits of the sum
	Bits       int                   // of the function, at most 64
}

// RunSums measures the rows' throughput on random bytes, by size.
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
				runtime.KeepAlive(sum) // keeps the compiler from removing the work
			})
		}
	}
}

// RunQuality reports how random the rows' sums are:
//
//	bias      the worst deviation from 1/2 of the probability that one bit of 16
//	          bytes changes one bit of the sum; random sums give about 0.06 here
//	dependence how far two bits of the sum change together when one bit of 3, 8, 11 or
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
			b.ReportMetric(0, "ns/op") // meaningless here
		})
	}
}
