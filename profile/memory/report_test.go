package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// cooked returns a tracker whose two workers hold two slices each.
func cooked() *Tracker {
	t := New(Options{})
	images, files := t.Group("images", GroupOptions{Budget: 1000}), t.Group("files", GroupOptions{})
	pixels, content := images.Pool("pixels", PoolOptions{}), files.Pool("content", PoolOptions{})
	for i := range 2 {
		w := t.Worker(fmt.Sprint("worker ", i)).Push("a.png")
		content.Free(nil, content.Bytes(w, 50)) // This leaves an empty row.
		w.Push("decode")
		pixels.Bytes(w, 300)
		pixels.Bytes(w, 300)
		images.Grow(w, 7)
	}
	content.Bytes(nil, 20)
	return t
}

func TestTexts(t *testing.T) {
	s := cooked().Snapshot()
	for _, tt := range []struct {
		name  string
		write func(out *strings.Builder) error
		want  string
	}{
		{"leaks", func(out *strings.Builder) error { return s.WriteLeaks(out) }, `
leak: 1200 bytes in 4 of images/pixels from a.png;decode
leak: 20 bytes in 1 of files/content
leak: 14 bytes in 2 of images from a.png;decode
`},
		{"CSV", func(out *strings.Builder) error { return s.WriteCSV(out) }, `
worker,group,name,scope,bytes,count,peak
,files,content,,20,1,20
worker 0,files,content,a.png,0,0,50
worker 0,images,,a.png;decode,7,1,7
worker 0,images,pixels,a.png;decode,600,2,600
worker 1,files,content,a.png,0,0,50
worker 1,images,,a.png;decode,7,1,7
worker 1,images,pixels,a.png;decode,600,2,600
`},
		{"groups", func(out *strings.Builder) error { return s.writeGroups(out) }, `
     held  count     peak  budget  exceeded  refused  waited  group
     20 B      1     50 B    none         0        0       0  files
  1.2 KiB      6  1.2 KiB  1000 B         1        0       0  images
`},
		{"tree", func(out *strings.Builder) error { return s.Tree(Query{}).WriteText(out) }, `
bytes  count
 1234      7  total
  607      3    worker 0
  607      3      a.png
  607      3        decode
  600      2          images/pixels
    7      1          images
  607      3    worker 1
  607      3      a.png
  607      3        decode
  600      2          images/pixels
    7      1          images
   20      1    (no worker)
   20      1      files/content
`},
		{"difference to itself", func(out *strings.Builder) error { return s.Sub(s).WriteLeaks(out) }, "\n"},
		{"nothing", func(out *strings.Builder) error { return New(Options{}).Snapshot().Tree(Query{}).WriteText(out) }, `
bytes  count
    0      0  total
`},
	} {
		var out strings.Builder
		out.WriteString("\n")
		if err := tt.write(&out); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if out.String() != tt.want {
			t.Errorf("%s:%s\nwant:%s", tt.name, out.String(), tt.want)
		}
	}
}

func TestFilters(t *testing.T) {
	s := cooked().Snapshot()
	for _, tt := range []struct {
		f    Query
		want int64
	}{
		{Query{}, 1234},
		{Query{Scope: "png;dec"}, 1214},
		{Query{Scope: "nowhere"}, 0},
		{Query{Group: "mag"}, 1214},
		{Query{Name: "pix"}, 1200},
		{Query{Name: "con"}, 20},
		{Query{Group: "files", Name: "pix"}, 0},
	} {
		if got := s.Tree(tt.f).Bytes; got != tt.want {
			t.Errorf("%+v takes %d bytes, want %d", tt.f, got, tt.want)
		}
	}
}

func TestSub(t *testing.T) {
	tracker := New(Options{Live: 2, Scopes: 2})
	g := tracker.Group("g", GroupOptions{Budget: 10})
	p, w := g.Pool("p", PoolOptions{}), tracker.Worker("w")
	old := g.Grow(w, 5)
	p.Free(nil, p.Bytes(w, 9))
	empty := g.Grow(nil, 0)
	before := tracker.Snapshot()

	old.Shrink()
	empty.Shrink()
	w.Push("a").Push("b")
	for range 3 {
		p.Bytes(w, 6)
	}
	after := tracker.Snapshot()
	got := after.Sub(before)
	want := &Snapshot{
		Groups: []GroupRow{{Name: "g", Bytes: 12 - 5, Count: 0, Peak: 14, Budget: 10, Exceeded: 1}},
		Rows: []Row{
			{Key{"", "g", "", ""}, 0, -1, 0, 0, 1},
			{Key{"w", "g", "", ""}, -5, -1, 5, 5, 1},
			{Key{"w", "g", "p", "a"}, 12, 2, 12, 0, 0},
		},
		Held: after.Held - before.Held, Warm: after.Warm - before.Warm, Untracked: 1, Coarse: 1,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("difference\n%+v, want\n%+v", got, want)
	}
}

func TestJSON(t *testing.T) {
	s := cooked().Snapshot()
	for _, tt := range []struct {
		value, back any
		want        string
	}{
		{s, new(Snapshot), `{"worker":"worker 1","group":"images","name":"pixels","scope":"a.png;decode","bytes":600,"count":2,"peak":600}`},
		{s, new(Snapshot), `{"name":"images","bytes":1214,"count":6,"peak":1214,"budget":1000,"exceeded":1}`},
		{s.Tree(Query{}), new(Node), `{"name":"(no worker)","kind":"worker","bytes":20,"count":1,"peak":20,"children":[{"name":"files/content","kind":"pool","bytes":20,"count":1,"peak":20}]}`},
	} {
		text, err := json.Marshal(tt.value)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), tt.want) {
			t.Errorf("%s\nhas no %s", text, tt.want)
		}
		if err := json.Unmarshal(text, tt.back); err != nil || !reflect.DeepEqual(tt.back, tt.value) {
			t.Errorf("read back as %+v, %v", tt.back, err)
		}
	}
}

// full is a writer to a full disk.
type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWritersReturnErrors(t *testing.T) {
	s := cooked().Snapshot()
	for name, err := range map[string]error{
		"leaks":  s.WriteLeaks(full{}),
		"CSV":    s.WriteCSV(full{}),
		"groups": s.writeGroups(full{}),
		"tree":   s.Tree(Query{}).WriteText(full{}),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v, want the error of a full disk", name, err)
		}
	}
}
