package exr

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// TestDWAIsNearlyDecodedAsByTheLibrary compares files with the pixels that OpenEXR 3.1.5 decodes. The
// program exrmaketiled of this version made the files from others in testdata with the option
// -z dwaa or -z dwab, and their decoded copies with -z zip. The DCT of the library rounds some values
// differently, to a neighboring half-precision float.
func TestDWAIsNearlyDecodedAsByTheLibrary(t *testing.T) {
	for name, most := range map[string]int{"half-dwaa": 2, "layers-dwaa": 0, "float-dwab": 2} {
		got, _, err := Decode(t.Context(), read(t, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, _, err := Decode(t.Context(), read(t, name+"-decoded"))
		if err != nil {
			t.Fatal(err)
		}
		differ := 0
		for i, v := range want.PixF {
			if off := math.Abs(float64(got.PixF[i] - v)); off > 0.005*float64(v) {
				t.Fatalf("%s: value %d is %v, want %v", name, i, got.PixF[i], v)
			} else if off > 0 {
				differ++
			}
		}
		if differ > most {
			t.Errorf("%s: %d values differ, want at most %d", name, differ, most)
		}
	}
}

// The decoded pixels must be the same on every machine.
func TestDWAGolden(t *testing.T) {
	sum := sha256.New()
	for _, name := range []string{"half-dwaa", "layers-dwaa", "float-dwab"} {
		m, _, err := Decode(t.Context(), read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := binary.Write(sum, binary.LittleEndian, m.PixF); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range linearOfDWA() {
		sum.Write([]byte{byte(h), byte(h >> 8)})
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), "fa56c5d21166205e"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// firstChunk returns the offset of the data of the first strip or tile, which is the whole image.
func firstChunk(t *testing.T, data []byte) (at int, h Header) {
	t.Helper()
	h, err := ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	at = int(binary.LittleEndian.Uint64(data[h.table:])) + 8
	if h.tiled {
		at += 12
	}
	return at, h
}

// Waves that are compressed by DEFLATE must decode to the same pixels as waves that are compressed by
// Huffman codes.
func TestDWAWithDeflatedWaves(t *testing.T) {
	data := read(t, "float-dwab")
	want, _, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := firstChunk(t, data)
	s, rest, err := readDWASizes(data[at:])
	if err != nil {
		t.Fatal(err)
	}
	_, parts, err := readDWARules(rest)
	if err != nil {
		t.Fatal(err)
	}
	rules := rest[:len(rest)-len(parts)]
	waves := make([]uint16, s.waves)
	if err := new(huffman).unhuffman(waves, parts[s.deflatedPacked:][:s.wavesPacked]); err != nil {
		t.Fatal(err)
	}
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	if err := binary.Write(z, binary.LittleEndian, waves); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Clone(data[at : at+88])
	binary.LittleEndian.PutUint64(chunk[3*8:], uint64(deflated.Len()))
	binary.LittleEndian.PutUint64(chunk[10*8:], 1)
	chunk = append(append(chunk, rules...), parts[:s.deflatedPacked]...)
	chunk = append(append(chunk, deflated.Bytes()...), parts[s.deflatedPacked+s.wavesPacked:]...)
	binary.LittleEndian.PutUint32(data[at-4:], uint32(len(chunk)))
	got, _, err := Decode(t.Context(), append(data[:at:at], chunk...))
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("the pixels differ, or there is the error %v", err)
	}
}

// Sizes and rules that contradict the channels must be refused before anything is allocated for them.
func TestBadDWAIsRefused(t *testing.T) {
	whole := read(t, "float-dwab")
	at, _ := firstChunk(t, whole)
	for name, change := range map[string]func(chunk []byte){
		"too many waves":      func(c []byte) { binary.LittleEndian.PutUint64(c[8*8:], 1<<60) },
		"too few means":       func(c []byte) { c[9*8]-- },
		"too many runs":       func(c []byte) { binary.LittleEndian.PutUint64(c[6*8:], 1<<40) },
		"other run bytes":     func(c []byte) { c[7*8]++ },
		"deflated channels":   func(c []byte) { c[8]++ },
		"unknown compression": func(c []byte) { c[10*8] = 2 },
		"short rules":         func(c []byte) { c[88] = 1 },
		"rules without end":   func(c []byte) { c[88]-- },
		"unknown kind":        func(c []byte) { c[88+2+3] = 9 },
	} {
		data := bytes.Clone(whole)
		change(data[at:])
		if _, _, err := Decode(t.Context(), data); err == nil || !strings.Contains(err.Error(), "DWA") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each half-precision float must round to itself, and values between two to the nearer one, or to
// the even one.
func TestNearestHalf(t *testing.T) {
	for h := range uint16(0x7bff) {
		a, b := pixmap.HalfValue(h), pixmap.HalfValue(h+1)
		middle := a + (b-a)/2
		if got := nearestHalf(a); got != h {
			t.Fatalf("%#x became %#x", h, got)
		}
		if got := nearestHalf(-a); got != h|0x8000 {
			t.Fatalf("-%#x became %#x", h, got)
		}
		if got, want := nearestHalf(middle), (h+1)&^1; got != want {
			t.Fatalf("the middle after %#x became %#x, want %#x", h, got, want)
		}
		if got := nearestHalf(math.Nextafter32(middle, 0)); got != h {
			t.Fatalf("a value nearer to %#x became %#x", h, got)
		}
	}
	if got := nearestHalf(65520); got != 0x7c00 {
		t.Errorf("65520 became %#x", got)
	}
}
