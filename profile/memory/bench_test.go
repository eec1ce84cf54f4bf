package memory

import (
	"fmt"
	"testing"
)

func BenchmarkAccount(b *testing.B) {
	t := New(Options{})
	g := t.Group("g", GroupOptions{Budget: 1 << 40})
	b.Run("one", func(b *testing.B) {
		w := t.Worker("w").Push("a.png").Push("decode")
		for b.Loop() {
			g.Grow(w, 4096)
		}
	})
	b.Run("and back", func(b *testing.B) {
		w := t.Worker("w").Push("b.png").Push("decode")
		for b.Loop() {
			a := g.Grow(w, 4096)
			a.Shrink()
		}
	})
	b.Run("contended", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			w := t.Worker("w").Push("c.png")
			for pb.Next() {
				a := g.Grow(w, 4096)
				a.Shrink()
			}
		})
	})
	b.Run("nil", func(b *testing.B) {
		var g *Group
		for b.Loop() {
			a := g.Grow(nil, 4096)
			a.Shrink()
		}
	})
}

func BenchmarkScope(b *testing.B) {
	w := New(Options{}).Worker("w")
	for b.Loop() {
		w.Push("textures/wall.png").Pop()
	}
}

// The benchmark writes once to each page of a buffer, because creating the pages of a new buffer
// takes most of the time.
func BenchmarkPool(b *testing.B) {
	touch := func(mem []byte) {
		for i := 0; i < len(mem); i += 4096 {
			mem[i] = 1
		}
	}
	for _, n := range []int{4 << 10, 64 << 10, 1 << 20, 4 << 20} {
		pool := New(Options{}).Group("g", GroupOptions{}).Pool("p", PoolOptions{})
		w := pool.group.tracker.Worker("w").Push("a.png")
		b.Run(fmt.Sprintf("%dKiB/pool", n>>10), func(b *testing.B) {
			for b.Loop() {
				mem := pool.Bytes(w, n)
				touch(mem)
				pool.Free(nil, mem)
			}
		})
		b.Run(fmt.Sprintf("%dKiB/untouched", n>>10), func(b *testing.B) {
			for b.Loop() {
				pool.Free(nil, pool.Bytes(w, n))
			}
		})
		b.Run(fmt.Sprintf("%dKiB/make", n>>10), func(b *testing.B) {
			for b.Loop() {
				mem := make([]byte, n)
				touch(mem)
			}
		})
	}
	b.Run("contended", func(b *testing.B) {
		pool := New(Options{}).Group("g", GroupOptions{}).Pool("p", PoolOptions{})
		b.RunParallel(func(pb *testing.PB) {
			w := pool.group.tracker.Worker("w")
			for pb.Next() {
				pool.Free(nil, pool.Bytes(w, 4<<20))
			}
		})
	})
}
