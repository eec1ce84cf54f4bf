package meshopt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAttributes checks that encoding and decoding preserve elements, whether their bytes change
// little, much or not at all.
func TestAttributes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride := 4 * rapid.IntRange(1, 64).Draw(t, "words")
		count := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(250, 520)).Draw(t, "count")
		steps := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 4, 9, 255}), stride, stride).Draw(t, "steps")
		data := make([]byte, count*stride)
		seed := rapid.Uint32().Draw(t, "seed")
		for i := stride; i < len(data); i++ {
			seed = seed*1664525 + 1013904223
			data[i] = data[i-stride] + byte(uint32(steps[i%stride])*(seed>>24)>>8)
		}
		version := rapid.IntRange(0, 1).Draw(t, "version")
		packed, err := EncodeAttributes(t.Context(), data, stride, version)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeAttributes(t.Context(), packed, count, stride)
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("other bytes, %v", err)
		}
		if _, err := DecodeAttributes(t.Context(), packed[:len(packed)-1], count, stride); err == nil {
			t.Fatal("one byte less is accepted")
		}
	})
}

// TestGroup decodes the specification's example for 4 bits, which has header 2.
func TestGroup(t *testing.T) {
	b := block{data: []byte{0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5}}
	var d [group]byte
	if err := b.readGroup(d[:], 4); err != nil || len(b.data) > 0 {
		t.Fatalf("%v, %d bytes left", err, len(b.data))
	}
	want := []int8{-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0}
	for i, v := range d {
		if have := int8(v>>1 ^ -(v & 1)); have != want[i] {
			t.Errorf("difference %d is %d, want %d", i, have, want[i])
		}
	}
	if code, size := cheapestWidth(countLarger(d[:]), widths[widthsVersion0]); code != 2 || size != 10 || !bytes.Equal(appendGroup(nil, d[:], 4), []byte{0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5}) {
		t.Errorf("written with code %d", code)
	}
}

// TestVersion1 decodes data of version 1, made by hand, with all control modes and all channel
// modes.
func TestVersion1(t *testing.T) {
	packed := []byte{attributesV1,
		0b11_10_01_00, 0b10_10_11_11, 0b10_10_10_11, // modes of the 12 bytes
		0x01, 0x02, 0x00, 8, // byte 0 of each element: one bit, or 1 for a value that follows
		0x01, 0b00_10_00_00, 0, 0, 0, // two bits per element for byte 1
		1, 3, // plain bytes for byte 3; byte 2 is constant and stores nothing
		2, 1, 0, 0,
		0x80, 0x01,
	}
	packed = append(packed, make([]byte, 24-12-3)...)
	packed = append(packed, 10, 20, 30, 40, 0xff, 0xff, 0, 0, 0, 0, 0, 0x80)
	packed = append(packed, 0, 1, 2|4<<4)
	have, err := DecodeAttributes(t.Context(), packed, 2, 12)
	if err != nil {
		t.Fatal(err)
	}
	// The 16-bit integer at offset 4 changes by one and back. The 32-bit word at offset 8 is
	// changed by the XOR differences 0x80 and 0x01, each rotated right by 4 bits.
	want := []byte{
		10, 20, 30, 39, 0, 0, 0, 0, 0x08, 0, 0, 0x80,
		14, 21, 30, 37, 0xff, 0xff, 0, 0, 0x08, 0, 0, 0x90,
	}
	if !bytes.Equal(have, want) {
		t.Errorf("have %v\nwant %v", have, want)
	}
}

// TestTriangles checks that encoding and decoding preserve the order and the winding of triangles.
func TestTriangles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var indices []uint32
		var starts []int
		for range rapid.IntRange(1, 3).Draw(t, "meshes") {
			starts = append(starts, len(indices))
			n := rapid.Uint32Range(1, 6).Draw(t, "size")
			indices = append(indices, sheet(n)...)
			for range rapid.IntRange(0, 4).Draw(t, "others") {
				for range 3 {
					indices = append(indices, rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32()).Draw(t, "corner"))
				}
			}
		}
		packed, err := EncodeTriangles(t.Context(), indices, starts)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeTriangles(t.Context(), packed, len(indices))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(indices); i += 3 {
			if !sameTriangle([3]uint32(indices[i:]), [3]uint32(back[i:])) {
				t.Fatalf("triangle %d: %v became %v", i/3, indices[i:i+3], back[i:i+3])
			}
		}
	})
}

// sheet returns the triangles of n times n quads in the order of their first vertices.
func sheet(n uint32) (indices []uint32) {
	number := map[uint32]uint32{}
	for i := range n {
		for j := range n {
			a := i*(n+1) + j
			b := a + n + 1
			for _, v := range []uint32{a, a + 1, b, b, a + 1, b + 1} {
				if _, ok := number[v]; !ok {
					number[v] = uint32(len(number))
				}
				indices = append(indices, number[v])
			}
		}
	}
	return indices
}

func sameTriangle(a, b [3]uint32) bool {
	return slices.Contains([][3]uint32{rotateTriangle(a, 0), rotateTriangle(a, 1), rotateTriangle(a, 2)}, b)
}

// TestTrianglesSmall checks that triangles in a good order take little more than one byte each,
// even if a list holds several meshes.
func TestTrianglesSmall(t *testing.T) {
	one := sheet(12)
	two := append(slices.Clone(one), one...)
	packed, err := EncodeTriangles(t.Context(), two, []int{0, len(one)})
	if err != nil {
		t.Fatal(err)
	}
	if most := len(two)/3*3/2 + tableSize; len(packed) > most {
		t.Errorf("%d triangles in %d bytes, want at most %d", len(two)/3, len(packed), most)
	}
}

func TestIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indices := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(0, 9), rapid.Uint32Range(0, 1<<30-1)), 1, 50).Draw(t, "indices")
		packed, err := EncodeIndices(t.Context(), indices)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeIndices(t.Context(), packed, len(indices))
		if err != nil || !slices.Equal(back, indices) {
			t.Fatalf("%v became %v, %v", indices, back, err)
		}
	})
	if _, err := EncodeIndices(t.Context(), []uint32{1 << 30}); err == nil {
		t.Error("an index of 31 bits is accepted")
	}
	// Two lists are interleaved, so each index takes one byte.
	var zip []uint32
	for i := range uint32(100) {
		zip = append(zip, i, 100000+i)
	}
	if packed, err := EncodeIndices(t.Context(), zip); err != nil || len(packed) > len(zip)+10 {
		t.Errorf("%d bytes for %d indices, %v", len(packed), len(zip), err)
	}
}

func TestOctahedral(t *testing.T) {
	for _, tc := range []struct {
		stride, bits int
		most         float64 // largest error in degrees
	}{{4, 8, 0.95}, {8, 8, 0.71}, {8, 10, 0.18}, {8, 16, 0.004}} {
		worst := 0.
		var e [8]byte
		for i := range 40000 {
			v := spread(i, 40000)
			PutOctahedral(e[:tc.stride], v, -7, tc.bits)
			if err := Octahedral.Apply(t.Context(), e[:tc.stride], tc.stride); err != nil {
				t.Fatal(err)
			}
			have := readComponents(e[:tc.stride])
			if have[3] != -7 {
				t.Fatalf("the fourth number became %d", have[3])
			}
			worst = max(worst, angle(v[:], have[:3]))
		}
		if worst > tc.most || worst < tc.most/2 {
			t.Errorf("%d bytes, %d bits: off by %.4f degrees, want up to %v", tc.stride, tc.bits, worst, tc.most)
		}
	}
}

// spread returns point i of n points on the unit sphere (a Fibonacci lattice).
func spread(i, n int) [3]float32 {
	z := 1 - (2*float64(i)+1)/float64(n)
	r, phi := math.Sqrt(1-z*z), float64(i)*math.Pi*(3-math.Sqrt(5))
	return [3]float32{float32(r * math.Cos(phi)), float32(r * math.Sin(phi)), float32(z)}
}

// angle returns the angle between two vectors in degrees.
func angle(a []float32, b []int) float64 {
	dot, aa, bb := 0., 0., 0.
	for k := range a {
		x, y := float64(a[k]), float64(b[k])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return math.Acos(min(dot/math.Sqrt(aa*bb), 1)) * 180 / math.Pi
}

// TestQuaternion compares errors with their upper bound. Let e be sqrt(1/2)/(2^(bits-1)-1). Three
// components are off by at most e/2. The fourth follows from them; if all are 1/2, it is off by
// 3e/2. The rotation is off by twice the error of the quaternion. Values decoded to 16 bits are
// rounded once more, by up to 0.0035 degrees.
func TestQuaternion(t *testing.T) {
	for _, bits := range []int{8, 12, 16} {
		most := (math.Sqrt(6)/float64(int(1)<<(bits-1)-1) + 2.0/math.MaxInt16) * 180 / math.Pi
		rapid.Check(t, func(t *rapid.T) {
			q, sum := [4]float32{}, 0.
			for k := range q {
				x := rapid.Float64Range(-1, 1).Draw(t, "number")
				q[k], sum = float32(x), sum+x*x
			}
			if sum < 0.01 {
				return
			}
			for k := range q {
				q[k] /= float32(math.Sqrt(sum))
			}
			var e [8]byte
			PutQuaternion(e[:], q, bits)
			if err := Quaternion.Apply(t.Context(), e[:], 8); err != nil {
				t.Fatal(err)
			}
			v := readComponents(e[:])
			off := angle(q[:], v[:])
			if off = 2 * min(off, 180-off); off > most {
				t.Fatalf("%d bits: %v became %v, off by %v degrees, want %v at most", bits, q, v, off, most)
			}
		})
	}
}

func TestExponential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float32Range(-1e20, 1e20).Draw(t, "x")
		e := rapid.IntRange(-100, 60).Draw(t, "exponent")
		var b [4]byte
		PutExponential(b[:], x, e)
		if err := Exponential.Apply(t.Context(), b[:], 4); err != nil {
			t.Fatal(err)
		}
		have := math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
		most := max(math.Ldexp(0.5, e), math.Abs(float64(x))*math.Ldexp(1, -22), math.Ldexp(0.5, -100))
		if off := math.Abs(float64(have) - float64(x)); off > most {
			t.Fatalf("%g in multiples of 2^%d became %g", x, e, have)
		}
	})
}

// TestUndo checks that the filter restores the elements that Undo has encoded.
func TestUndo(t *testing.T) {
	random := func(seed *uint32) float32 {
		*seed = *seed*1664525 + 1013904223
		return float32(*seed>>8)/(1<<23) - 1
	}
	for _, tc := range []struct {
		filter       Filter
		stride, bits int
	}{{Octahedral, 4, 8}, {Octahedral, 4, 5}, {Octahedral, 8, 10}, {Octahedral, 8, 16}, {Quaternion, 8, 8}, {Quaternion, 8, 12}, {Quaternion, 8, 16}, {Exponential, 12, 0}} {
		const n = 4000
		seed, data := uint32(tc.bits), make([]byte, n*tc.stride)
		for i := range n {
			e, v := data[i*tc.stride:][:tc.stride], spread(i, n)
			switch tc.filter {
			case Octahedral:
				PutOctahedral(e, v, i%3, tc.bits)
			case Quaternion:
				half := float64(random(&seed)) * math.Pi
				q := [4]float32{0, 0, 0, float32(math.Cos(half))}
				for k := range v {
					q[k] = v[k] * float32(math.Sin(half))
				}
				PutQuaternion(e, q, tc.bits)
			case Exponential:
				for k := 0; k < len(e); k += 4 {
					PutExponential(e[k:], 1000*random(&seed), -9)
				}
			}
		}
		if err := tc.filter.Apply(t.Context(), data, tc.stride); err != nil {
			t.Fatal(err)
		}
		again := bytes.Clone(data)
		done, err := tc.filter.Undo(t.Context(), again, tc.stride, tc.bits)
		if err != nil || !done {
			t.Errorf("%v with %d bits: not undone, %v", tc.filter, tc.bits, err)
			continue
		}
		if err := tc.filter.Apply(t.Context(), again, tc.stride); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%v with %d bits: something else, %v", tc.filter, tc.bits, err)
		}
	}
	// Undo refuses elements that the filter cannot produce: a vector whose length is not 1, a
	// quaternion that is not a rotation, and a float with more than 23 bits.
	var wide [4]byte
	binary.LittleEndian.PutUint32(wide[:], math.Float32bits(1+1./(1<<23)))
	for _, tc := range []struct {
		filter Filter
		data   []byte
		bits   int
	}{{Octahedral, []byte{3, 1, 2, 0}, 8}, {Quaternion, []byte{1, 0, 2, 0, 3, 0, 9, 0}, 12}, {Exponential, wide[:], 0}} {
		if done, err := tc.filter.Undo(t.Context(), tc.data, len(tc.data), tc.bits); done || err != nil {
			t.Errorf("%v: undone, %v", tc.filter, err)
		}
	}
}

// TestColor decodes the example of the specification's color formulas, computed by hand. K is 7.
func TestColor(t *testing.T) {
	e := []byte{60, 10, 0xfb, 0x40 | 63} // luma 60, Co 10, Cg -5, and alpha 63 of 63
	if err := Color.Apply(t.Context(), e, 4); err != nil {
		t.Fatal(err)
	}
	// The components are 60+10+5, 60-5 and 60-10+5 of 127, and full alpha.
	if want := []byte{151, 110, 110, 255}; !bytes.Equal(e, want) {
		t.Errorf("have %v, want %v", e, want)
	}
}

func TestRefuses(t *testing.T) {
	for _, tc := range []struct {
		layout Layout
		data   string
		want   string
	}{
		{Layout{Attributes, None, 1, 6}, "\xa0", "byteStride is 6"},
		{Layout{Attributes, None, 0, 8}, "\xa0", "count is 0"},
		{Layout{Attributes, Quaternion, 1, 4}, "\xa0", "filter QUATERNION"},
		{Layout{Triangles, None, 4, 2}, "\xe1", "multiple of 3"},
		{Layout{Indices, Octahedral, 4, 4}, "\xd1", "mode INDICES does not allow filter"},
		{Layout{Indices, None, 4, 8}, "\xd1", "want 2 or 4"},
		{Layout{Attributes, None, 1, 4}, "", "not an attribute stream"},
		{Layout{Attributes, None, 1 << 30, 256}, "\xa0" + strings.Repeat("\x00", 400), "is truncated"},
		{Layout{Attributes, None, 1, 4}, "\xa0" + strings.Repeat("\x00", 37), "extra bytes after"},
		{Layout{Attributes, None, 16, 4}, "\xa0\x01\x01\x01\x01" + strings.Repeat("\x00", 32), "is truncated"},
		{Layout{Attributes, None, 1, 4}, "\xa1\xaa" + strings.Repeat("\x00", 23) + "\x03", "channel mode 0x3"},
		{Layout{Attributes, None, 1, 4}, "\xa1\xaa" + strings.Repeat("\x00", 23) + "\x10", "channel mode 0x10"},
		{Layout{Triangles, None, 3, 2}, "\xe1\x00" + strings.Repeat("\x00", 16), "does not exist yet"},
		{Layout{Triangles, None, 3, 2}, "\xe1\xf0" + strings.Repeat("\x00", 15) + "\x01", "invalid entries"},
		{Layout{Triangles, None, 3, 2}, "\xe1\xff\xff\x80" + strings.Repeat("\x00", 16), "is truncated"},
		{Layout{Triangles, None, 3 << 20, 2}, "\xe1\xf0" + strings.Repeat("\x00", 16), "is truncated"},
		{Layout{Indices, None, 1, 2}, "\xd1\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00", "is truncated"},
		{Layout{Indices, None, 1, 2}, "\xd1\x01\x01\x00\x00\x00\x00", "extra bytes after"},
	} {
		if _, err := Decode(t.Context(), []byte(tc.data), tc.layout); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc.layout, err, tc.want)
		}
	}
}

// FuzzDecode decodes any bytes and expects an error, or a result of the size that the layout
// declares.
func FuzzDecode(f *testing.F) {
	data := bytes.Repeat([]byte{1, 2, 3, 4, 1, 2, 3, 5}, 20)
	packed, err := EncodeAttributes(f.Context(), data, 8, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed, uint8(0), uint8(0), 20, 8)
	f.Add(packed, uint8(0), uint8(2), 20, 8)
	triangles, err := EncodeTriangles(f.Context(), sheet(3), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(triangles, uint8(1), uint8(0), 54, 2)
	f.Add([]byte{indicesV1, 2, 4, 6, 0, 0, 0, 0}, uint8(2), uint8(0), 3, 4)
	f.Fuzz(func(t *testing.T, data []byte, mode, filter uint8, count, stride int) {
		l := Layout{Mode(mode % 3), Filter(filter % 5), count, stride}
		view, err := Decode(t.Context(), data, l)
		if err == nil && int64(len(view)) != l.Size() {
			t.Fatalf("%d bytes, want %d", len(view), l.Size())
		}
	})
}

// TestPeer decodes files that the npm package meshoptimizer 1.3.0 wrote, with both versions of
// attributes, all modes and all filters. It expects the values of that package's decoder. The
// specification allows filtered integers to differ by one. Attributes that are encoded again must
// take at most as many bytes.
func TestPeer(t *testing.T) {
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var views []struct {
		Name, Mode, Filter string
		Count, Stride      int
		Packed, Plain      []byte
	}
	if err := json.Unmarshal(text, &views); err != nil || len(views) < 20 {
		t.Fatalf("%d views, %v", len(views), err)
	}
	for _, v := range views {
		l := Layout{Count: v.Count, Stride: v.Stride}
		if l.Mode, err = ParseMode(v.Mode); err != nil {
			t.Fatal(err)
		}
		if l.Filter, err = ParseFilter(v.Filter); err != nil {
			t.Fatal(err)
		}
		have, err := Decode(t.Context(), v.Packed, l)
		if err != nil || len(have) != len(v.Plain) {
			t.Errorf("%s: %d bytes, %v", v.Name, len(have), err)
			continue
		}
		if l.Mode == Attributes {
			raw, err := DecodeAttributes(t.Context(), v.Packed, v.Count, v.Stride)
			if err != nil {
				t.Fatal(err)
			}
			again, err := EncodeAttributes(t.Context(), raw, v.Stride, int(v.Packed[0]-attributesV0))
			if err != nil || len(again) > len(v.Packed) {
				t.Errorf("%s: %d bytes, want at most %d, %v", v.Name, len(again), len(v.Packed), err)
			}
		}
		if l.Filter != Octahedral && l.Filter != Quaternion && l.Filter != Color {
			if !bytes.Equal(have, v.Plain) {
				t.Errorf("%s: other bytes", v.Name)
			}
			continue
		}
		for at := 0; at < len(have); at += v.Stride {
			a, b := readComponents(have[at:][:v.Stride]), readComponents(v.Plain[at:][:v.Stride])
			for k := range a {
				if off := a[k] - b[k]; off > 1 || off < -1 {
					t.Errorf("%s: element %d is %v, want %v", v.Name, at/v.Stride, a, b)
				}
			}
		}
	}
}
