package font

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
)

// letters returns options for the runes 'A' to 'H' that skip missing runes.
func letters() *fontOptions {
	return options(func(o *fontOptions) {
		o.Charset, o.Missing, o.Container, o.MaxSize = []string{"U+41-48"}, "skip", "png", 512
	})
}

// calls returns a charstring that calls a subroutine several times.
func calls(n, routine int, end byte) []byte {
	var b []byte
	for range n {
		b = append(b, type2(callOperator, routine-107)...) // a short list of subroutines has the bias 107
	}
	return append(b, end)
}

// flatGlyph returns a glyph with very many points in few bytes. It uses flags with repeat counts.
func flatGlyph(points int) []byte {
	g := words(1, 0, 0, 0, 0, points-1, 0)
	for left := points; left > 0; left -= 256 {
		const onCurve, sameX, sameY, again = 1, 0x10, 0x20, 8
		g = append(g, onCurve|sameX|sameY|again, byte(min(left, 256)-1))
	}
	return append(g, make([]byte, len(g)%2)...)
}

func TestHostileFontIsRefused(t *testing.T) {
	nested := [][]byte{{endOfGlyph}}
	for i := range 7 {
		nested = append(nested, calls(100, i, returning))
	}
	nested[0] = slices.Concat(type2(lineOperator, 1, 1), []byte{returning})
	boxes := make([][4]int, 2000)
	for i := range boxes {
		boxes[i] = [4]int{i % 50, i % 70, 400 + i%90, 300 + i%110}
	}
	nest := [][]byte{{}, flatGlyph(30000)}
	for i := range 6 {
		nest = append(nest, compoundGlyph(i+1, i+1, i+1, i+1, i+1, i+1, i+1, i+1, i+1))
	}
	good := trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 500})}, nil)
	for _, tc := range []struct {
		name, want string
		file       []byte
	}{
		{"routines that call each other a hundred times", "takes too long to read", postScript([][]byte{{endOfGlyph}, slices.Concat(type2(moveOperator, 1, 1), calls(100, 7, endOfGlyph))}, nested)},
		{"glyphs of glyphs", "takes too long to read", trueType(nest, nil)},
		{"a glyph of itself", "glyph 1", trueType([][]byte{{}, compoundGlyph(1, 1)}, nil)},
		{"too many points", "takes too long to read", trueType([][]byte{{}, flatGlyph(60000)}, nil)},
		{"boxes on boxes", "too many parts or crossings", trueType([][]byte{{}, boxGlyph(boxes...)}, nil)},
		{"a huge glyph", "more than max_size", trueType([][]byte{{}, boxGlyph([4]int{-16000, -16000, 16000, 16000})}, nil)},
		{"images", "images, which have no outlines", trueType([][]byte{{}, {}}, map[string][]byte{"loca": {}, "CBLC": {1, 2, 3, 4}})},
		{"no kerning table", "table GPOS", trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 500})}, map[string][]byte{"GPOS": {0, 1, 0, 0}})},
		{"nothing", "not a TrueType", nil},
		{"four bytes", "table directory", good[:4]},
		{"a directory", "table directory", good[:40]},
		{"half", "extends past the end of the file", good[:len(good)/2]},
		{"a web font", "compressed web font", []byte("wOF2.............................")},
		{"an image", "not a TrueType", []byte("\x89PNG\r\n\x1a\n.........................")},
		{"no units", "open the font", trueType([][]byte{{}, {}}, map[string][]byte{"head": make([]byte, 54)})},
		{"an empty collection", "face: want less than 0", collection()},
		{"a collection without its list", "list of fonts", slices.Concat([]byte("ttcf"), long(0x10000), long(9))},
		{"a collection that points nowhere", "table directory", slices.Concat([]byte("ttcf"), long(0x10000), long(1), long(-1))},
		{"a collection of itself", "not a TrueType", slices.Concat([]byte("ttcf"), long(0x10000), long(1), long(0))},
	} {
		res := cookFile(t, letters(), tc.file)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, res.Err, tc.want)
		}
	}
}

func TestDamagedFontGivesErrorOrAtlas(t *testing.T) {
	quad := trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 500}), compoundGlyph(1, 1)}, map[string][]byte{"kern": kernOf(1, 1, 5)})
	cubic := postScript([][]byte{{endOfGlyph}, roundGlyph(250, 250, 200), calls(2, 0, endOfGlyph)}, [][]byte{slices.Concat(type2(moveOperator, 5, 5), type2(lineOperator, 50, 9, 4, 80), []byte{returning})})
	for _, whole := range [][]byte{quad, cubic} {
		if res := cookFile(t, letters(), whole); res.Err != nil {
			t.Fatal(res.Err)
		}
		for n := 0; n < len(whole)-3; n += 29 {
			if res := cookFile(t, letters(), whole[:n]); res.Err == nil {
				t.Errorf("cut at %d of %d: no error", n, len(whole))
			}
		}
		for i := 0; i < len(whole); i += 3 { // the offsets are odd and even, to change both bytes of 16-bit numbers
			bent := slices.Clone(whole)
			bent[i] ^= []byte{0xff, 0x01}[i%2]
			res := cookFile(t, letters(), bent)
			if res.Err == nil && (len(res.Outputs[atlasOutput]) == 0 || len(res.Outputs[metricsOutput]) == 0) {
				t.Errorf("byte %d: neither an error nor an atlas", i)
			}
		}
	}
}

func TestMemoryStaysBelowTheEstimate(t *testing.T) {
	many := make([][4]int, 1500)
	for i := range many {
		many[i] = [4]int{10 * (i % 40), 20 * (i / 40), 10*(i%40) + 5, 20*(i/40) + 11}
	}
	for _, tc := range []struct {
		name string
		file []byte
		set  func(*fontOptions)
	}{
		{"regular", goregular.TTF, func(o *fontOptions) { o.Charset = []string{"U+41"} }},
		{"a large atlas", goregular.TTF, func(o *fontOptions) { o.Charset, o.Size, o.MaxSize, o.Range = []string{"U+4D"}, 900, 1024, 128 }},
		{"a large atlas of channels", goregular.TTF, func(o *fontOptions) {
			o.Charset, o.Size, o.MaxSize, o.Range, o.Field, o.Container = []string{"U+4D"}, 900, 1024, 128, "msdf", "png"
		}},
		{"many boxes of channels", trueType([][]byte{{}, boxGlyph(many...)}, nil), func(o *fontOptions) { o.Charset, o.Field = []string{"U+41"}, "mtsdf" }},
		{"many boxes", trueType([][]byte{{}, boxGlyph(many...)}, nil), func(o *fontOptions) { o.Charset = []string{"U+41"} }},
	} {
		o := options(tc.set)
		want, err := o.estimateMemory(tc.file[:min(len(tc.file), 64<<10)], int64(len(tc.file)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if res := cookFile(t, o, tc.file); res.Err != nil {
			t.Fatal(res.Err)
		}
		runtime.ReadMemStats(&after)
		got := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: allocates %d KiB in all, estimated %d KiB", tc.name, got>>10, want>>10)
		if got > want {
			t.Errorf("%s: allocates %d, estimated %d", tc.name, got, want)
		}
	}
	for _, tc := range []struct {
		head string
		size int64
		want error
	}{
		{"wOFF", 1000, errWebFont},
		{"GIF89a", 1000, errFormat},
		{"", 0, errFormat},
		{"OTTO", maxSource + 1, errLarge},
		{"ttcf", 1000, nil},
		{"true", 1000, nil},
	} {
		if _, err := options().estimateMemory([]byte(tc.head), tc.size); !errors.Is(err, tc.want) {
			t.Errorf("%q of %d: %v, want %v", tc.head, tc.size, err, tc.want)
		}
	}
	small, _ := options().estimateMemory([]byte("OTTO"), 1000)
	for name, o := range map[string]*fontOptions{
		"max_size": options(func(o *fontOptions) { o.MaxSize *= 2 }),
		"text":     options(func(o *fontOptions) { o.Text = []string{"a.txt"} }),
		"charset":  options(func(o *fontOptions) { o.Charset = []string{"U+20-7FFF"} }),
		"zstd":     options(func(o *fontOptions) { o.Zstd = 19 }),
		"field":    options(func(o *fontOptions) { o.Field = "msdf" }),
	} {
		if large, _ := o.estimateMemory([]byte("OTTO"), 1000); large <= small {
			t.Errorf("%s: the estimate %d is not larger than %d", name, large, small)
		}
	}
}

func TestEstimateIncludesTheAtlas(t *testing.T) {
	for _, container := range []string{"png", "ktx2"} {
		small, _ := options(func(o *fontOptions) { o.Container, o.Zstd = container, 0 }).estimateMemory([]byte("OTTO"), 1000)
		large, _ := options(func(o *fontOptions) { o.Container, o.Zstd, o.MaxSize = container, 0, 4096 }).estimateMemory([]byte("OTTO"), 1000)
		if large-small < 4096*4096-2048*2048 {
			t.Errorf("%s: %d more", container, large-small)
		}
	}
}

// The library must read the meter's header, and then the whole file.
func TestMeterShowsHeaderAndFile(t *testing.T) {
	file := trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 500})}, map[string][]byte{"GPOS": {1, 2}, "post": {3, 4}, "OS/2": {5}})
	m, err := newGlyphMeter(t.Context(), file, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, len(m.header)+len(file))
	if n, err := m.ReadAt(all, 0); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	if !slices.Equal(all[len(m.header):], file) {
		t.Error("the file differs")
	}
	if n, err := m.ReadAt(make([]byte, 2), int64(len(all)-1)); n != 1 || err == nil {
		t.Error(n, err)
	}
	tables, _, err := readFontTables(all, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range tables {
		names = append(names, x.name)
		if x.name == "post" && binary.BigEndian.Uint32(all[x.offset:]) != 0x30000 {
			t.Error("table post is not the replacement")
		}
	}
	if want := []string{"OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "post"}; !slices.Equal(names, want) {
		t.Error(names)
	}
	if _, err := m.ReadAt(make([]byte, 1<<20), 0); !errors.Is(err, errCostly) {
		t.Error(err)
	}
	if _, err := m.ReadAt(make([]byte, 1), math.MaxInt64); err == nil {
		t.Error("the meter reads after it was stopped")
	}
}

// A panic of the library must become an error. An error of the meter must have precedence.
func TestPanicOfTheLibraryIsAnError(t *testing.T) {
	f := &face{meter: &meter{}}
	if err := f.callLibrary(func() error { panic("index out of range") }); err == nil || !strings.Contains(err.Error(), "damaged (index out of range)") {
		t.Error(err)
	}
	f.meter.err = errCostly
	if err := f.callLibrary(func() error { panic("nil") }); !errors.Is(err, errCostly) {
		t.Error(err)
	}
}

func FuzzCook(f *testing.F) {
	f.Add(trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 500}), compoundGlyph(1, 1)}, map[string][]byte{"kern": kernOf(1, 1, 5)}))
	f.Add(postScript([][]byte{{endOfGlyph}, roundGlyph(250, 250, 200), calls(2, 0, endOfGlyph)}, [][]byte{{returning}}))
	f.Add(collection(trueType([][]byte{{}, boxGlyph([4]int{0, 0, 100, 100})}, nil)))
	f.Fuzz(func(t *testing.T, file []byte) {
		o := letters()
		o.Field = []string{"sdf", "mtsdf"}[len(file)%2]
		if _, err := o.estimateMemory(file, int64(len(file))); err != nil {
			return
		}
		if res := cookFile(t, o, file); res.Err == nil && len(res.Outputs[metricsOutput]) == 0 {
			t.Error("neither an error nor metrics")
		}
	})
}
