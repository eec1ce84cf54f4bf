package lookup2

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Any split of the bytes, with the state saved and restored between the pieces, has the sum of the
// whole.
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

// The state does not depend on how the bytes were split, so it can be compared.
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
