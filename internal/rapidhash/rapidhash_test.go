package rapidhash

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/hashtest"
)

var seeds = []uint64{0, 1, 0x9e3779b97f4a7c15, 0xffffffffffffffff}

// TestSumsAgreeWithTheReference compares the sums of all lengths up to 1100 bytes with four seeds.
// The digest of the reference was made by calling rapidhash_withSeed of rapidhash.h in this order
// and writing each sum with its most significant byte first.
func TestSumsAgreeWithTheReference(t *testing.T) {
	const want = "d2feb4b6339d784b6fd49771da93d2a6466d89f72988cb1e06fa2dc99ed0a036"
	data, all := hashtest.Bytes(1100), sha256.New()
	for _, seed := range seeds {
		for n := range len(data) + 1 {
			all.Write(binary.BigEndian.AppendUint64(nil, Sum64Seed(data[:n], seed)))
		}
	}
	if got := hex.EncodeToString(all.Sum(nil)); got != want {
		t.Errorf("the sums of all lengths have SHA-256 %s, want %s", got, want)
	}
	// The lengths cover all code paths. A failure shows which path is wrong.
	for _, tt := range []struct {
		n    int
		want uint64
	}{
		{0, 0x0338dc4be2cecdae}, {1, 0xe8d3b882671125a6}, {2, 0x7552e4a591bd1fda}, {3, 0xcef34ffd3955ea5d},
		{4, 0xa37bfbe454580505}, {5, 0x282dd687520d4d34}, {9, 0xe14b3a5f5dc451cf}, {17, 0x6108427650ad958d},
		{37, 0x2ccf919af7674b5f}, {53, 0x86b904c757afb743}, {69, 0x3803626e79aa9479}, {85, 0xb105df311d436825},
		{101, 0xfd5277eb35638685}, {117, 0x02ad8512fdfdaa9b}, {133, 0x2c65fb4cfff39e9a}, {933, 0x79656a1bb4098b5c},
	} {
		if got := Sum64(data[:tt.n]); got != tt.want {
			t.Errorf("%d bytes: %016x, want %016x", tt.n, got, tt.want)
		}
	}
}

// TestAnySplitHasTheWholesSum writes the input in pieces, and saves and restores the state between
// them.
func TestAnySplitHasTheWholesSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SampledFrom(seeds).Draw(t, "seed")
		d := New(seed)
		var all []byte
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 0, 6).Draw(t, "pieces") {
			piece := hashtest.Bytes(len(all) + n)[len(all):]
			if written, err := d.Write(piece); written != n || err != nil {
				t.Fatalf("Write = %d, %v", written, err)
			}
			all = append(all, piece...)
			if got, want := d.Sum64(), Sum64Seed(all, seed); got != want {
				t.Fatalf("after %d bytes: %016x, want %016x", len(all), got, want)
			}
			state, err := d.MarshalBinary()
			if err != nil || len(state) != marshalSize {
				t.Fatalf("%d bytes of state, %v", len(state), err)
			}
			d = New(^seed)
			if err := d.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestEverySplit(t *testing.T) {
	data := hashtest.Bytes(3*BlockSize + 2)
	for i := range data {
		for j := i; j <= len(data); j += 1 + (j-i)%7 {
			d := New(7)
			d.Write(data[:i])
			d.Write(data[i:j])
			d.Write(data[j:])
			if got, want := d.Sum64(), Sum64Seed(data, 7); got != want {
				t.Fatalf("split at %d and %d: %016x, want %016x", i, j, got, want)
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, n := range []int{0, 5, BlockSize, BlockSize + 1, 1000} {
		d := New(3)
		d.Write(hashtest.Bytes(n))
		state, _ := d.MarshalBinary()
		f.Add(state)
		f.Add(state[1:])
		f.Add(append(state[:len(state)-1:len(state)-1], 1))
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		d := New(0)
		before := *d
		if err := d.UnmarshalBinary(state); err != nil {
			if *d != before {
				t.Errorf("%x was refused and changed the digest", state)
			}
			return
		}
		if again, err := d.MarshalBinary(); err != nil || string(again) != string(state) {
			t.Errorf("%x was saved again as %x, %v", state, again, err)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	data, d := hashtest.Bytes(500), New(0)
	if n := testing.AllocsPerRun(100, func() {
		_ = Sum64(data)
		d.Reset()
		d.Write(data)
		_ = d.Sum64()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSum64(b *testing.B) {
	for _, n := range []int{4, 16, 32, 64, 256, 4096, 64 << 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := hashtest.Bytes(n)
			b.SetBytes(int64(n))
			for b.Loop() {
				Sum64(p)
			}
		})
	}
}
