package gltfcheck

import (
	"bytes"
	"encoding/base64"
	"runtime"
	"strings"
	"testing"
)

func TestReadsAFileOnce(t *testing.T) {
	reads := 0
	c := check{doc: &Document{}, size: func(string) (int64, error) { reads++; return 8, nil }}
	for _, uri := range []string{"a", "./a", "b/../a", "%61"} {
		c.doc.Buffers = append(c.doc.Buffers, Buffer{URI: &uri, ByteLength: 8})
	}
	if err := c.buffers(t.Context()); err != nil || c.faults.err() != nil || reads != 1 {
		t.Errorf("%d reads, %v, %v", reads, err, c.faults.err())
	}
}

// The documents that take most memory for their size stay inside the estimate.
func TestStaysInsideItsMemory(t *testing.T) {
	repeat := func(field, item string, n int) string {
		return `{"` + field + `":[` + strings.Repeat(item+",", n) + item + `]}`
	}
	for name, text := range map[string]string{
		"objects":    repeat("accessors", `{"count":1  }`, 100_000),
		"attributes": `{"meshes":[` + repeat("primitives", `{"attributes":{"P":0,"Q":0}}`, 50_000) + `]}`,
		"children":   `{"nodes":[{"children":[` + strings.Repeat("0,", 1_000_000) + `0]}]}`,
		"data":       `{"buffers":[{"uri":"data:;base64,` + strings.Repeat("AAAA", 500_000) + `","byteLength":1}]}`,
	} {
		estimate := Memory(int64(len(text)))
		data := []byte(text)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		doc, err := Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := int64(after.HeapAlloc) - int64(before.HeapAlloc) + int64(len(data))
		if held > estimate {
			t.Errorf("%s: %d bytes of text need %d, estimate %d", name, len(data), held, estimate)
		}
		runtime.KeepAlive(doc)
	}
}

func FuzzDataURI(f *testing.F) {
	f.Add("data:;base64,AAAA")
	f.Add("data:text/plain,a%20b")
	f.Add("data:image/png;x=y;base64,AAA=")
	f.Add("data:;base64,AAAAA")
	f.Add("0,a") // no scheme, shorter than one
	f.Fuzz(func(t *testing.T, uri string) {
		size, err := dataURISize(uri)
		data, _, dataErr := DataURI(uri)
		if (err == nil) != (dataErr == nil) || err == nil && size != int64(len(data)) {
			t.Fatalf("%q: %d bytes, %v, but measured %d, %v", uri, len(data), dataErr, size, err)
		}
		head, body, _ := strings.Cut(uri, ",")
		if err != nil || !strings.HasSuffix(strings.ToLower(head), ";base64") {
			return
		}
		want, wantErr := base64.StdEncoding.DecodeString(body)
		if wantErr != nil {
			want, wantErr = base64.RawStdEncoding.DecodeString(body)
		}
		if wantErr != nil || !bytes.Equal(data, want) {
			t.Fatalf("%q: have %q, want %q, %v", uri, data, want, wantErr)
		}
	})
}
