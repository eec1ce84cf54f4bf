package lookup2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// words are names from a published table with their hashes for initial value 0. The table prints
// every name in lower case, but its hash of "seavir" is the hash of "Seavir".
var words = []struct {
	word string
	sum  uint32
}{
	{"hairbrush", 0x7f3ef2bb},
	{"encomiums", 0xa758b2bb},
	{"engrained", 0x32abb2bb},
	{"Seavir", 0x32abb2bb},
	{"phrenologically", 0x888fb2ba},
	{"Alfreda", 0xee9432ba},
	{"centillion", 0xb44232bc},
	{"cyclometer", 0xc5a172bc},
}

func TestPublishedWords(t *testing.T) {
	for _, w := range words {
		if got := Sum32([]byte(w.word), 0); got != w.sum {
			t.Errorf("Sum32(%q, 0) = %08x, want %08x", w.word, got, w.sum)
		}
		if got := String(w.word, 0); got != w.sum {
			t.Errorf("String(%q, 0) = %08x, want %08x", w.word, got, w.sum)
		}
	}
	for _, w := range []string{"seavir", "alfreda"} {
		if got := String(w, 0); got == 0x32abb2bb || got == 0xee9432ba {
			t.Errorf("%q has the sum %08x of the capitalised word", w, got)
		}
	}
}

// bytewise computes the hash one byte at a time, as the paper defines it.
func bytewise(k []byte, initial uint32) uint32 {
	v := [3]uint32{0x9e3779b9, 0x9e3779b9, initial}
	mix := func() {
		for _, r := range [...]struct {
			i     int
			shift uint
			left  bool
		}{{0, 13, false}, {1, 8, true}, {2, 13, false}, {0, 12, false}, {1, 16, true},
			{2, 5, false}, {0, 3, false}, {1, 10, true}, {2, 15, false}} {
			x, y := v[(r.i+1)%3], v[(r.i+2)%3]
			v[r.i] -= x
			v[r.i] -= y
			if r.left {
				v[r.i] ^= y << r.shift
			} else {
				v[r.i] ^= y >> r.shift
			}
		}
	}
	n := len(k)
	for ; len(k) >= 12; k = k[12:] {
		for i, c := range k[:12] {
			v[i/4] += uint32(c) << (8 * (i % 4))
		}
		mix()
	}
	v[2] += uint32(n)
	for i, c := range k {
		if i >= 8 {
			i++
		}
		v[i/4] += uint32(c) << (8 * (i % 4))
	}
	mix()
	return v[2]
}

// noise returns n bytes of a fixed xorshift sequence.
func noise(n int) []byte {
	b := make([]byte, n+8)
	x := uint64(n)*0x9e3779b97f4a7c15 + 1
	for i := 0; i < n; i += 8 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		binary.LittleEndian.PutUint64(b[i:], x)
	}
	return b[:n]
}

func TestAgainstDefinition(t *testing.T) {
	for n := range 100 {
		for at := range 8 {
			b := noise(at + n)[at:]
			for _, initial := range []uint32{0, 1, 0xffffffff, 0xdeadbeef} {
				if got, want := Sum32(b, initial), bytewise(b, initial); got != want {
					t.Fatalf("%d bytes at %d: Sum32(%08x) = %08x, want %08x", n, at, initial, got, want)
				}
			}
		}
	}
}

// TestSurroundingBytesDoNotMatter changes bytes before the slice and within its capacity.
func TestSurroundingBytesDoNotMatter(t *testing.T) {
	for n := range 40 {
		b := noise(n + 16)
		in := b[8 : 8+n]
		want := Sum32(in, 0)
		for i := range b {
			if i < 8 || i >= 8+n {
				b[i] ^= 0xff
			}
		}
		if got := Sum32(in, 0); got != want {
			t.Errorf("%d bytes: the sum changed with the bytes around them", n)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	b, s := noise(29), string(noise(31))
	d := New(0)
	if n := testing.AllocsPerRun(100, func() {
		_ = Sum32(b, 1)
		_ = String(s, 2)
		d.Reset()
		d.Write(b)
		_ = d.Sum32()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSum32(b *testing.B) {
	for _, n := range []int{4, 11, 16, 32, 256, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := noise(n)
			b.SetBytes(int64(n))
			for b.Loop() {
				Sum32(p, 0)
			}
		})
	}
}

// TestAnySplitHasTheSameSum writes the input in pieces, and saves and restores the state between
// them.
func TestAnySplitHasTheSameSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		initial := rapid.Uint32().Draw(t, "initial")
		d := New(initial)
		var all []byte
		for _, piece := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 40)).Draw(t, "pieces") {
			if n, err := d.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			all = append(all, piece...)
			if got, want := d.Sum32(), Sum32(all, initial); got != want {
				t.Fatalf("after %d bytes: %08x, want %08x", len(all), got, want)
			}
			if rapid.Bool().Draw(t, "save") {
				state, err := d.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				d = New(^initial)
				if err := d.UnmarshalBinary(state); err != nil {
					t.Fatal(err)
				}
			}
		}
		d.Reset()
		if got, want := d.Sum32(), Sum32(nil, initial); got != want {
			t.Fatalf("after Reset: %08x, want %08x", got, want)
		}
	})
}

func TestEverySplit(t *testing.T) {
	b := noise(40)
	for i := range b {
		for j := i; j <= len(b); j++ {
			d := New(7)
			d.Write(b[:i])
			d.Write(b[i:j])
			d.Write(b[j:])
			if got, want := d.Sum32(), Sum32(b, 7); got != want {
				t.Fatalf("split at %d and %d: %08x, want %08x", i, j, got, want)
			}
		}
	}
}

func TestSumAppendsMostSignificantFirst(t *testing.T) {
	d := New(0)
	d.Write([]byte("hairbrush"))
	want := []byte{0xaa, 0x7f, 0x3e, 0xf2, 0xbb}
	if got := d.Sum([]byte{0xaa}); !bytes.Equal(got, want) {
		t.Errorf("Sum = %x, want %x", got, want)
	}
	if d.Size() != 4 || d.BlockSize() != 12 {
		t.Errorf("Size, BlockSize = %d, %d", d.Size(), d.BlockSize())
	}
}

// TestStateIsCanonical checks that the state does not depend on how the input was split, so that
// states can be compared.
func TestStateIsCanonical(t *testing.T) {
	one, two := New(3), New(3)
	one.Write([]byte("abcdefghijklmnopq"))
	two.Write([]byte("abcdefghijk"))
	two.Write([]byte("lmnopq"))
	x, _ := one.MarshalBinary()
	y, err := two.AppendBinary([]byte("before"))
	if err != nil || string(y) != "before"+string(x) {
		t.Errorf("states differ:\n%x\n%x (%v)", x, y, err)
	}
}

func TestBadStatesAreRefused(t *testing.T) {
	d := New(3)
	d.Write([]byte("abcdefghijklmnopq"))
	good, _ := d.MarshalBinary()
	dirty := bytes.Clone(good)
	dirty[len(dirty)-1] = 1
	for _, c := range []struct {
		name  string
		state []byte
		want  string
	}{
		{"nothing", nil, "not a saved state"},
		{"another hash", append([]byte("crc\x01"), good[4:]...), "not a saved state"},
		{"short", good[:len(good)-1], "has 39 bytes, want 40"},
		{"long", append(bytes.Clone(good), 0), "has 41 bytes, want 40"},
		{"dirty", dirty, "not zero"},
	} {
		before := *d
		err := d.UnmarshalBinary(c.state)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
		if *d != before {
			t.Errorf("%s: the digest changed", c.name)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	d := New(3)
	d.Write([]byte("abcdefghijklmnopq"))
	good, _ := d.MarshalBinary()
	f.Add(good)
	f.Fuzz(func(t *testing.T, state []byte) {
		d := New(0)
		if d.UnmarshalBinary(state) != nil {
			return
		}
		if again, err := d.MarshalBinary(); err != nil || !bytes.Equal(again, state) {
			t.Errorf("%x was saved again as %x, %v", state, again, err)
		}
	})
}
