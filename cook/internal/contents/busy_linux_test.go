package contents

import (
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// TestOpenForWriting keeps files open for writing. Each run must read them again, until one run has
// read them after they were closed.
func TestOpenForWriting(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one", "b": "two", ".cookignore": "b\n"})
	var writers []*os.File
	for _, name := range []string{"a", "b"} {
		w, err := os.OpenFile(tr.path(name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		writers = append(writers, w)
	}
	for i, how := range []How{ByReading, ByChecksum, ByChecksum, ByChecksum, ByStamp} {
		if i == 3 {
			for _, w := range writers {
				w.Close()
			}
		}
		_, files := tr.look(false, dependency.OfFile("b"))
		tr.want("survey", files, map[string]How{"a": how, "b": how})
		for _, name := range []string{"a", "b"} {
			if files[name].Settled != (i >= 3) {
				t.Errorf("survey %d: %s settled: %v", i, name, files[name].Settled)
			}
		}
	}
	s, _ := tr.look(false)
	for i := range 2 {
		tool, err := s.Tool(t.Context(), tr.path("a"))
		if i == 0 {
			w, err := os.OpenFile(tr.path("a"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			s, _ = tr.look(true)
		}
		if err != nil || tool.Settled != (i == 0) {
			t.Errorf("tool %d: settled %v, %v", i, tool.Settled, err)
		}
	}
}

// TestHolds checks that Holds compares size and checksum, and that it rejects a file that another
// process may still write.
func TestHolds(t *testing.T) {
	tr := newTree(t, map[string]string{"quiet": "text", "busy": "text"})
	w, err := os.OpenFile(tr.path("busy"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fn, _ := hashing.Lookup(tr.sum)
	for _, tt := range []struct {
		file, content string
		size          int64
		want          bool
	}{
		{"quiet", "text", 4, true},
		{"quiet", "TEXT", 4, false},
		{"quiet", "text", 5, false},
		{"busy", "text", 4, false},
		{"gone", "text", 4, false},
	} {
		m := index.Artifact{Sum: fn.Sum128([]byte(tt.content))}
		m.Stamp.Size = tt.size
		if got := Holds(t.Context(), hashing.NewSummer(fn), tr.dir, tt.file, &m); got != tt.want {
			t.Errorf("%s, %q of %d bytes: %v", tt.file, tt.content, tt.size, got)
		}
	}
}

func TestOutputOpenForWriting(t *testing.T) {
	tr := newTree(t, map[string]string{"quiet": "1", "busy": "2"})
	_, files := tr.look(false)
	var made []index.Artifact
	for _, name := range []string{"busy", "quiet"} {
		f := files[name]
		made = append(made, index.Artifact{Path: name, Stamp: f.Stamp, Sum: f.Sum, Blob: f.Blob})
	}
	known := []index.Action{{Path: "a", Made: made}}
	w, err := os.OpenFile(tr.path("busy"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fn, _ := hashing.Lookup(tr.sum)
	s := New(Options{Assets: tr.dir, Known: tr.last.Files(), Checksum: fn, Workers: 2, Clock: clockAt(later)})
	before, err := s.Outputs(t.Context(), tr.dir, known, func(*index.Action) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range before[0].Outputs {
		if o.State != Intact || o.Settled != (o.Artifact.Path == "quiet") {
			t.Errorf("%s: %d, settled %v", o.Artifact.Path, o.State, o.Settled)
		}
	}
}
