package bench

import (
	"fmt"
	"testing"

	"github.com/assetcook/assetcook/hashing"
)

// BenchmarkSum runs every function of the registry, one shot.
func BenchmarkSum(b *testing.B) {
	data := Bytes(64 << 20)
	for _, name := range hashing.Names() {
		f := function(b, name)
		for _, size := range []int{4, 16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 64 << 20} {
			p := data[:size]
			b.Run(fmt.Sprintf("func=%s/size=%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					f.Sum(p)
				}
			})
		}
	}
}

func function(tb testing.TB, name string) hashing.Func {
	tb.Helper()
	f, ok := hashing.Lookup(name)
	if !ok {
		tb.Fatalf("there is no function %s", name)
	}
	return f
}
