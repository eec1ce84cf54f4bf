package optimize

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestWeld(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name    string
		n       int
		streams []Stream
		want    []uint32
	}{
		{"nothing", 0, nil, nil},
		{"no stream", 3, nil, []uint32{0, 0, 0}},
		{"order of first use", 4, []Stream{{[]byte("baab"), 1}}, []uint32{0, 1, 1, 0}},
		{"all streams count", 3, []Stream{{[]byte("aaa"), 1}, {[]byte("112233"), 2}}, []uint32{0, 1, 2}},
		{"the last byte counts", 2, []Stream{{[]byte("abcdefghijkabcdefghijl"), 11}}, []uint32{0, 1}},
		{"more data than vertices", 2, []Stream{{[]byte("xxyy"), 1}}, []uint32{0, 0}},
		{"zeros", 2, []Stream{FloatStream([]float32{0, 1, negative, 1}, 2)}, []uint32{0, 0}},
	} {
		got, unique, err := Weld(t.Context(), c.n, c.streams...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		if c.n > 0 && unique != int(slices.Max(got))+1 {
			t.Errorf("%s: %d unique of %v", c.name, unique, got)
		}
	}
}

// Two vertices become one if and only if their bytes are equal, and welding again changes
// nothing.
func TestWeldLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		var streams []Stream
		for range rapid.IntRange(1, 3).Draw(t, "streams") {
			stride := rapid.IntRange(1, 20).Draw(t, "stride")
			data := make([]byte, n*stride)
			for _, at := range rapid.SliceOfN(rapid.IntRange(0, max(0, len(data)-1)), 0, 40).Draw(t, "ones") {
				if at < len(data) {
					data[at] = 1
				}
			}
			streams = append(streams, Stream{data, stride})
		}
		key := func(v int) string {
			var b bytes.Buffer
			for _, s := range streams {
				b.Write(s.Data[v*s.Stride:][:s.Stride])
			}
			return b.String()
		}
		remap, unique, err := Weld(t.Context(), n, streams...)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]uint32{}
		for v, u := range remap {
			want, ok := seen[key(v)]
			if !ok {
				want = uint32(len(seen))
				seen[key(v)] = want
			}
			if u != want {
				t.Fatalf("vertex %d became %d, want %d", v, u, want)
			}
		}
		if unique != len(seen) {
			t.Fatalf("%d unique, want %d", unique, len(seen))
		}
	})
}

// Colliding places in the table do not mix up vertices.
func TestWeldMany(t *testing.T) {
	const n = 1 << 17
	values := make([]float32, n)
	for v := range values {
		values[v] = float32(v % (n / 2))
	}
	remap, unique, err := Weld(t.Context(), n, FloatStream(values, 1))
	if err != nil || unique != n/2 {
		t.Fatalf("%d unique, %v, want %d", unique, err, n/2)
	}
	for v, u := range remap {
		if int(u) != v%(n/2) {
			t.Fatalf("vertex %d became %d", v, u)
		}
	}
}
