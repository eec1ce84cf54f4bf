package gltf

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestObject checks that members keep their order and text when other members are set.
func TestObject(t *testing.T) {
	o, err := ParseObject([]byte(` {"b" : 1.50, "<&>" : {"x":[1, 2]}, "a":"\u0041"}`))
	if err != nil {
		t.Fatal(err)
	}
	o.SetInt("<&>", 7)
	o.Set("new", Quote("</\n\""))
	o.Delete("b")
	o.Delete("no such")
	if have, want := string(o.Text()), `{"<&>":7,"a":"\u0041","new":"</\n\""}`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if string(o.Member("a")) != `"\u0041"` || o.Member("b") != nil {
		t.Errorf("members %s, %s", o.Member("a"), o.Member("b"))
	}
	for _, bad := range []string{``, `[]`, `{"a"`, `{"a":}`, `{"a":1`, `7`} {
		if _, err := ParseObject([]byte(bad)); err == nil {
			t.Errorf("%q: accepted", bad)
		}
	}
	if list, err := ParseList(nil); err != nil || len(list) != 0 {
		t.Errorf("no list: %v, %v", list, err)
	}
}

// FuzzObject checks that parsing a text and writing it again keeps its values.
func FuzzObject(f *testing.F) {
	f.Add(`{"a":[{"b":1e5},"\ud83d\ude00"],"c":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseObject([]byte(text))
		if err != nil || !json.Valid([]byte(text)) {
			return
		}
		var want, have any
		if json.Unmarshal([]byte(text), &want) != nil || json.Unmarshal(o.Text(), &have) != nil {
			t.Fatalf("%q became %q", text, o.Text())
		}
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(have)
		if !bytes.Equal(a, b) {
			t.Fatalf("%s became %s", a, b)
		}
	})
}

func TestGLB(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(`{"a":"` + strings.Repeat("x", rapid.IntRange(0, 9).Draw(t, "text")) + `"}`)
		var parts [][]byte
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			parts = append(parts, bytes.Repeat([]byte{1, 2, 3, 4}, rapid.IntRange(0, 5).Draw(t, "size")))
		}
		var file bytes.Buffer
		if err := WriteGLB(&file, text, parts); err != nil {
			t.Fatal(err)
		}
		haveText, chunk, _, err := SplitGLB(file.Bytes())
		if err != nil || !bytes.Equal(bytes.TrimRight(haveText, " "), text) || !bytes.Equal(chunk, bytes.Join(parts, nil)) {
			t.Fatalf("%q and %v: %v", haveText, chunk, err)
		}
		if file.Len()%4 != 0 || len(haveText)%4 != 0 {
			t.Fatalf("%d bytes, %d of text: chunks must be of whole words", file.Len(), len(haveText))
		}
		if n, err := TextSize(file.Bytes()[:HeaderSize], int64(file.Len())); err != nil || int(n) != len(haveText) {
			t.Fatalf("a text of %d, %v", n, err)
		}
	})
}

func TestGLBRefuses(t *testing.T) {
	var file bytes.Buffer
	if err := WriteGLB(&file, []byte(`{"a":1}`), [][]byte{{1, 2, 3, 4}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		at   int
		with string
		want string
	}{
		{4, "\x01", "glTF 1.0"},
		{4, "\x03", "version 3, want 2"},
		{8, "\xff\xff", "it was cut short"},
		{12, "\xff\xff", "does not fit into the GLB file"},
		{16, "BIN\x00", "is not JSON"},
		{28, "\x05", "a chunk claims 5 bytes, but the GLB file has only 4 more; copy or export it again"},
	} {
		data := bytes.Clone(file.Bytes())
		copy(data[tc.at:], tc.with)
		if _, _, _, err := SplitGLB(data); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%d: %v, want %q", tc.at, err, tc.want)
		}
	}
	if _, _, _, err := SplitGLB([]byte("glTF")); err == nil {
		t.Error("a magic number alone: accepted")
	}
	// The reader skips an unknown chunk.
	data := append(bytes.Clone(file.Bytes()[:28]), "\x04\x00\x00\x00what1234"...)
	data = append(data, file.Bytes()[28:]...)
	data[8] = byte(len(data))
	if _, chunk, _, err := SplitGLB(data); err != nil || len(chunk) != 4 || chunk[0] != 1 {
		t.Errorf("chunk %v, %v", chunk, err)
	}
}

const document = `{"asset":{"version":"2.0"},
	"accessors":[
		{"bufferView":0,"byteOffset":2,"componentType":5122,"count":3,"type":"VEC2"},
		{"bufferView":1,"componentType":5120,"count":2,"type":"MAT2"},
		{"componentType":5121,"count":4,"type":"SCALAR","sparse":{"count":2,
			"indices":{"bufferView":2,"componentType":5123},"values":{"bufferView":1,"byteOffset":4}}},
		{"bufferView":0,"componentType":5121,"normalized":true,"count":3,"type":"SCALAR"}],
	"bufferViews":[
		{"buffer":0,"byteLength":22,"byteStride":8},
		{"buffer":0,"byteOffset":24,"byteLength":14},
		{"buffer":0,"byteOffset":40,"byteLength":4}],
	"buffers":[{"uri":"a","byteLength":44}]}`

func open(t *testing.T) *Document {
	t.Helper()
	parsed, err := Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	size := func(string) (int64, error) { return 44, nil }
	if err := parsed.Check(t.Context(), NoChunk, size); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 44)
	for i := range data {
		data[i] = byte(i)
	}
	copy(data[40:], "\x01\x00\x03\x00")
	read := func(string, int64) ([]byte, error) { return data, nil }
	if err := parsed.Load(t.Context(), nil, read); err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestAccessors(t *testing.T) {
	d := open(t)
	dense, err := d.Dense(t.Context(), 0)
	if err != nil || !bytes.Equal(dense.Data, []byte{2, 3, 4, 5, 10, 11, 12, 13, 18, 19, 20, 21}) {
		t.Errorf("strided: %v, %v", dense.Data, err)
	}
	if f := dense.Floats(); f[0] != 3<<8+2 || dense.Width != 2 || dense.Count != 3 {
		t.Errorf("strided: %v of %d", f, dense.Width)
	}
	// Each column of a byte matrix starts at a multiple of four bytes. The last column has no
	// padding.
	m, err := d.Dense(t.Context(), 1)
	if err != nil || m.Size != 8 || !bytes.Equal(m.Data, []byte{24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 0, 0}) {
		t.Errorf("matrices: %v, %v", m, err)
	}
	first, err := d.First(t.Context(), 2, 3)
	if err != nil || !bytes.Equal(first.Data, []byte{0, 28, 0}) {
		t.Errorf("sparse: %v, %v", first.Data, err)
	}
	gathered, err := d.Gather(t.Context(), 2, []uint32{3, 0}, []uint32{1, Nowhere, Nowhere, 0})
	if err != nil || !bytes.Equal(gathered.Data, []byte{29, 0}) {
		t.Errorf("gathered: %v, %v", gathered.Data, err)
	}
	shares, err := d.Dense(t.Context(), 3)
	if err != nil || shares.Floats()[1] != 8./255 || shares.Uints()[2] != 16 {
		t.Errorf("shares: %v, %v", shares.Floats(), err)
	}
	copy(d.Data[0][40:], "\x01\x00\x04\x00")
	if _, err := d.First(t.Context(), 2, 3); err == nil || !strings.Contains(err.Error(), "sparse index 4 is beyond its 4") {
		t.Errorf("sparse index: %v", err)
	}
	d.Data[0] = nil
	if _, err := d.Dense(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "has no uri, so it has no bytes") {
		t.Errorf("no bytes: %v", err)
	}
}

func TestArrays(t *testing.T) {
	a := FloatArray([]float32{1, 2, 3, -4, 5, 6}, 2)
	picked, err := a.Pick(t.Context(), []uint32{2, 0, 2})
	if f := picked.Floats(); err != nil || f[0] != 5 || f[2] != 1 || f[5] != 6 {
		t.Errorf("picked %v, %v", f, err)
	}
	moved, err := a.Move(t.Context(), []uint32{1, Nowhere, 0}, 2)
	if f := moved.Floats(); err != nil || f[0] != 5 || f[2] != 1 || moved.Count != 2 {
		t.Errorf("moved %v, %v", f, err)
	}
	if low, high := a.Bounds(); low[0] != 1 || low[1] != -4 || high[0] != 5 || high[1] != 6 {
		t.Errorf("bounds %v, %v", low, high)
	}
	if err := a.Finite(t.Context(), "vertex"); err != nil {
		t.Error(err)
	}
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		bad := FloatArray([]float32{1, 2, 3, x}, 2)
		if err := bad.Finite(t.Context(), "vertex"); err == nil || !strings.Contains(err.Error(), "vertex 1 is") {
			t.Errorf("%g: %v", x, err)
		}
	}
	signed := NewArray(Int16, true, 1, 2)
	copy(signed.Data, "\x00\x80\xff\x7f")
	if f := signed.Floats(); f[0] != -1 || f[1] != 1 {
		t.Errorf("the ends of 16 bits are %v", f)
	}
}

// TestSetObjects expects an empty list to be removed, because glTF forbids empty lists.
func TestSetObjects(t *testing.T) {
	d := open(t)
	views, err := d.Objects("bufferViews")
	if err != nil || len(views) != 3 {
		t.Fatalf("%d views, %v", len(views), err)
	}
	d.Root.SetObjects("bufferViews", views[:1])
	d.Root.SetObjects("accessors", nil)
	if have := string(d.Root.Text()); !strings.Contains(have, `"bufferViews":[{"buffer":0,"byteLength":22,"byteStride":8}],`) || strings.Contains(have, "accessors") {
		t.Errorf("root %s", have)
	}
}

// TestChunks checks that work is divided into chunks, with a check of the context before each.
func TestChunks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var ends []int
	err := Chunks(ctx, 3*chunk+5, func(from, to int) error {
		if len(ends) > 0 && from != ends[len(ends)-1] {
			t.Errorf("went on at %d", from)
		}
		if ends = append(ends, to); len(ends) == 3 {
			cancel()
		}
		return nil
	})
	if len(ends) != 3 || ends[0] != chunk || ends[2] != 3*chunk || err != context.Canceled {
		t.Errorf("pieces end at %v, %v", ends, err)
	}
	if err := Chunks(t.Context(), 1, func(from, to int) error { return io.EOF }); err != io.EOF {
		t.Errorf("error %v", err)
	}
	last := 0
	if err := Chunks(t.Context(), chunk+5, func(_, to int) error { last = to; return nil }); err != nil || last != chunk+5 {
		t.Errorf("ended at %d, %v", last, err)
	}
	if chunk > 1<<16 {
		t.Error("some kinds of work take more than 20 ms for a piece")
	}
}
