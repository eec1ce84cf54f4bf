package survey

import (
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/hashing"
)

// What somebody has open for writing is read each time, until he closes it and it
// has been read once more.
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
		_, files := tr.survey(false, "b")
		tr.want("survey", files, map[string]How{"a": how, "b": how})
		for _, name := range []string{"a", "b"} {
			if files[name].Settled != (i >= 3) {
				t.Errorf("survey %d: %s settled: %v", i, name, files[name].Settled)
			}
		}
	}
	s, _ := tr.survey(false)
	for i := range 2 {
		tool, err := s.Tool(t.Context(), tr.path("a"))
		if i == 0 {
			w, err := os.OpenFile(tr.path("a"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			s, _ = tr.survey(true)
		}
		if err != nil || tool.Settled != (i == 0) {
			t.Errorf("tool %d: settled %v, %v", i, tool.Settled, err)
		}
	}
}

func TestOutputOpenForWriting(t *testing.T) {
	tr := newTree(t, map[string]string{"quiet": "1", "busy": "2"})
	_, files := tr.survey(false)
	b := index.NewBuilder(tr.sum)
	var made []index.Artifact
	for _, name := range []string{"busy", "quiet"} {
		f := files[name]
		made = append(made, index.Artifact{Path: name, Stamp: f.Stamp, Sum: f.Sum, Blob: f.Blob})
	}
	b.AddAction(index.Action{Path: "a", Made: made, Method: b.AddMethod(nil)})
	var err error
	if tr.last, err = index.Open(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(tr.path("busy"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fn, _ := hashing.Lookup(tr.sum)
	s := New(Options{Assets: tr.dir, Index: tr.last, Checksum: fn, Workers: 2, Clock: clockAt(later)})
	all, err := s.Outputs(t.Context(), tr.dir, func(int) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.State != Intact || o.Settled != (o.Artifact.Path == "quiet") {
			t.Errorf("%s: %d, settled %v", o.Artifact.Path, o.State, o.Settled)
		}
	}
}
