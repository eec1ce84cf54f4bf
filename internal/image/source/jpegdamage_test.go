package source

import (
	"bytes"
	stdimage "image"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// damageStarts returns the files in testdata/damage, which were made by cjpeg 2.1.5: one with
// restart markers, one progressive with both kinds of refinement, one with both features, and one
// with a scan for each component. They are valid, as are all other JPEG files in these tests.
func damageStarts(t testing.TB) map[string][]byte {
	t.Helper()
	starts := map[string][]byte{}
	for _, pattern := range []string{"testdata/damage/*.jpg", "testdata/*.jpg", "testdata/reference/*.jpg"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 4 {
			t.Fatalf("%s: %d files, error %v", pattern, len(files), err)
		}
		for _, file := range files {
			starts[file] = read(t, file)
		}
	}
	return starts
}

func TestValidJPEGHasNoNotes(t *testing.T) {
	for name, data := range damageStarts(t) {
		if _, info, err := Decode(t.Context(), data, ".jpg", maxSide); err != nil || info.Notes != nil {
			t.Errorf("%s: notes %q, error %v", name, info.Notes, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := stdimage.NewRGBA(stdimage.Rect(0, 0, rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")))
		state := rapid.Uint32().Draw(t, "seed")
		for i := range m.Pix {
			state = state*1664525 + 1013904223
			m.Pix[i] = byte(state >> 24)
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: rapid.IntRange(1, 100).Draw(t, "quality")}); err != nil {
			t.Fatal(err)
		}
		if n, err := jpegDamage(b.Bytes()); n != 0 || err != nil {
			t.Fatalf("%d extraneous bytes, error %v", n, err)
		}
	})
}

// markers returns the positions of the markers in and after entropy-coded data.
func markers(data []byte) (places []int) {
	scan := bytes.Index(data, []byte{0xff, 0xda})
	for i := scan + 2; i+1 < len(data); i++ {
		if data[i] == 0xff && (data[i+1]&0xf8 == 0xd0 || data[i+1] == 0xd9 || data[i+1] == 0xda || data[i+1] == 0xc4) {
			places = append(places, i)
		}
	}
	return places
}

// TestBytesBeforeMarkersAreFound inserts bytes before a marker, which is how errors in
// entropy-coded data show.
func TestBytesBeforeMarkersAreFound(t *testing.T) {
	for name, data := range damageStarts(t) {
		for _, at := range markers(data) {
			if _, err := jpeg.Decode(bytes.NewReader(slices.Insert(bytes.Clone(data), at, 0x55))); err != nil {
				t.Errorf("%s: image/jpeg sees a byte before the marker at %d: %v", name, at, err)
			}
			for _, junk := range []string{"\x55", "\x00", "\xff\x00", "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"} {
				damaged := slices.Insert(bytes.Clone(data), at, []byte(junk)...)
				_, info, err := Decode(t.Context(), damaged, ".jpg", maxSide)
				// Extra bytes between tables and the next scan are accepted.
				harmless := (data[at+1] == 0xc4 || data[at+1] == 0xda) && err == nil && len(info.Notes) == 1
				if (err == nil || !strings.Contains(err.Error(), "JPEG data is damaged")) && !harmless {
					t.Errorf("%s: %q before the marker at byte %d: notes %q, error %v", name, junk, at, info.Notes, err)
				}
			}
		}
	}
}

// TestLostRestartMarkersAreFound checks that jpegDamage or the decoder detects lost and wrong
// restart markers.
func TestLostRestartMarkersAreFound(t *testing.T) {
	for _, name := range []string{"testdata/damage/restart.jpg", "testdata/damage/progressive-restart.jpg"} {
		data, n := read(t, name), 0
		for _, at := range markers(data) {
			if data[at+1]&0xf8 != 0xd0 {
				continue
			}
			n++
			other := bytes.Clone(data)
			other[at+1] ^= 1
			for _, damaged := range [][]byte{slices.Delete(bytes.Clone(data), at, at+2), other} {
				if _, _, err := Decode(t.Context(), damaged, ".jpg", maxSide); err == nil {
					t.Errorf("%s: marker at byte %d: no error", name, at)
				}
			}
		}
		if n < 3 {
			t.Errorf("%s: %d restart markers", name, n)
		}
	}
}

// TestBogusProgressionIsDamage checks scans that refine coefficients before any scan has sent them,
// and scans that send coefficients twice.
func TestBogusProgressionIsDamage(t *testing.T) {
	data := read(t, "testdata/damage/progressive.jpg")
	for at := 0; ; at++ {
		next := bytes.Index(data[at:], []byte{0xff, 0xda})
		if next < 0 {
			return
		}
		at += next
		last := at + 1 + int(data[at+3]) // offset of the byte in the scan header that holds the bit positions
		damaged := bytes.Clone(data)
		damaged[last] += 0x11
		if _, _, err := Decode(t.Context(), damaged, ".jpg", maxSide); err == nil {
			t.Errorf("scan at byte %d: no error", at)
		}
	}
}

// TestBytesBetweenSegmentsGiveANote checks that extra bytes between the segments of the header
// change no pixel and give a note.
func TestBytesBetweenSegmentsGiveANote(t *testing.T) {
	data := read(t, "testdata/soft.jpg")
	at := bytes.Index(data, []byte{0xff, 0xdb})
	junk := slices.Insert(bytes.Clone(data), at, 1, 2, 3)
	info, err := Probe(junk, ".jpg", int64(len(junk)), maxSide)
	if err != nil || len(info.Notes) != 1 || !strings.Contains(info.Notes[0], "3 extra bytes between segments") {
		t.Errorf("Probe: notes %q, error %v", info.Notes, err)
	}
	if _, info, err = Decode(t.Context(), junk, ".jpg", maxSide); err != nil || len(info.Notes) != 1 || !strings.Contains(info.Notes[0], "3 extra bytes") {
		t.Errorf("Decode: notes %q, error %v", info.Notes, err)
	}
}

func FuzzJPEG(f *testing.F) {
	for _, data := range damageStarts(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Probe(data, ".jpg", int64(len(data)), 256); err != nil {
			return
		}
		Decode(t.Context(), data, ".jpg", 256)
		jpegDamage(data) // jpegDamage must not panic for files that Decode refuses
	})
}
