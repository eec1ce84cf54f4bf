package hashing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/hashtest"
	"pgregory.net/rapid"
)

// TestParallelFunctionsAreListed compares the functions that can process parts in parallel with a
// list.
func TestParallelFunctionsAreListed(t *testing.T) {
	var got []string
	for _, f := range registry {
		if f.Parallel() {
			got = append(got, f.Name)
		}
	}
	slices.Sort(got)
	want := []string{"adler32", "blake3", "crc32", "crc32-bzip2", "crc32c", "crc32k", "crc64", "crc64nvme", "unreal-memcrc"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestJoinedSumsAreTheWhole joins the parts of pieces of any length, for functions that accept
// blocks of any size.
func TestJoinedSumsAreTheWhole(t *testing.T) {
	data := hashtest.Bytes(20_000)
	for _, f := range registry {
		if !f.Parallel() || f.Name == "blake3" {
			continue
		}
		t.Run(f.Name, rapid.MakeCheck(func(t *rapid.T) {
			sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 2000), rapid.Just(777)), 1, 10).Draw(t, "sizes")
			join, at := f.joints.join(), 0
			for i, n := range sizes {
				join.joinPart(f.joints.part(data[at:at+n], int64(i)), n)
				at += n
			}
			if got, want := join.sum(), f.Sum(data[:at]); got != want {
				t.Fatalf("%v: %v, want %v", sizes, got, want)
			}
		}))
	}
}

// TestJoiningHugeInputs joins 2^40 zero bytes, whose checksum is computed by doubling.
func TestJoiningHugeInputs(t *testing.T) {
	for _, f := range registry {
		if !f.Parallel() || f.Name == "blake3" {
			continue
		}
		one := f.joints.part([]byte{0}, 0)
		joined := func(a, b part, n int64) part {
			return part{f.joints.join().(*narrowJoiner).combine(a[0], b[0], n)}
		}
		doubled := one
		for k := range 40 {
			doubled = joined(doubled, doubled, 1<<k)
		}
		first := f.joints.part([]byte("asset"), 0)
		want := first
		for k := range 40 {
			piece := one
			for i := range k {
				piece = joined(piece, piece, 1<<i)
			}
			want = joined(want, piece, 1<<k)
		}
		want = joined(want, one, 1)
		if got := joined(first, doubled, 1<<40); got != want {
			t.Errorf("%s: %x, want %x", f.Name, got, want)
		}
	}
}

// TestTreesOfAllShapes uses inputs of up to 17 blocks, which cover all tree shapes up to that
// height, with last blocks of many lengths.
func TestTreesOfAllShapes(t *testing.T) {
	f, _ := Lookup("blake3")
	data := make([]byte, 17*blockSize)
	copy(data, hashtest.Bytes(blockSize+12345))
	copy(data[5*blockSize:], hashtest.Bytes(3*blockSize/2))
	parts := make([]part, 17)
	for i := range parts {
		parts[i] = f.joints.part(data[i*blockSize:][:blockSize], int64(i))
	}
	lasts := []int{1, 64, 65, 1023, 1024, 1025, 2048, 16383, 16384, 16385, 17408, 32768, 49152, 49153, blockSize/2 + 1, blockSize - 1, blockSize}
	for n := 2; n <= len(parts); n++ {
		last := lasts[n-1]
		for _, last := range []int{last, lasts[(n*5)%len(lasts)]} {
			join := f.joints.join()
			for i := range n - 1 {
				join.joinPart(parts[i], blockSize)
			}
			begin := (n - 1) * blockSize
			join.joinPart(f.joints.part(data[begin:begin+last:begin+blockSize], int64(n-1)), last)
			if got, want := join.sum(), f.Sum(data[:begin+last]); got != want {
				t.Errorf("%d blocks, the last of %d bytes: %v, want %v", n, last, got, want)
			}
		}
	}
}

func BenchmarkJoin(b *testing.B) {
	data := hashtest.Bytes(blockSize)
	for _, f := range registry {
		if !f.Parallel() {
			continue
		}
		b.Run(fmt.Sprintf("%s/part", f.Name), func(b *testing.B) {
			b.SetBytes(blockSize)
			for b.Loop() {
				f.joints.part(data, 3)
			}
		})
		p := f.joints.part(data, 3)
		b.Run(fmt.Sprintf("%s/add", f.Name), func(b *testing.B) {
			join := f.joints.join()
			for b.Loop() {
				join.joinPart(p, blockSize)
			}
		})
	}
}
