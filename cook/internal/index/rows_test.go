package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// checkRows checks that the rows for a prefix are the actions of the sources that begin with it.
func checkRows(t *rapid.T, x *Index) {
	prefix := rapid.SampledFrom([]string{"", "a", "a\xff", "d", "d/", "d/e/a", "e", "\xff"}).Draw(t, "prefix")
	var want, got []string
	var wantSum, gotSum Totals
	for a := range x.Results().Actions() {
		if !strings.HasPrefix(a.Path, prefix) {
			continue
		}
		f, known := x.Files().File(a.Path)
		text := fmt.Sprintf("%q for %q, state %d, %v, %v, source %t of %d bytes", a.Path, a.Target, a.State, a.Method, a.CookTime, known, f.Stamp.Size)
		for _, m := range a.Made {
			text += fmt.Sprintf(", %q of %d bytes", m.Path, m.Stamp.Size)
		}
		want = append(want, text)
		wantSum.Add(a, f.Stamp.Size)
	}
	for row := range x.Results().Rows(prefix) {
		ref, size, known := row.Source()
		text := fmt.Sprintf("%q for %q, state %d, %v, %v, source %t of %d bytes", row.Path(), row.Target(), row.State(), row.Method(), row.CookTime(), known, size)
		if at, _, _ := x.Files().Find(row.Path()); known && at != ref {
			t.Fatalf("%q at %d, is at %d", row.Path(), ref, at)
		}
		for k := range row.Made() {
			ref, size := row.Artifact(k)
			path := x.Path(ref)
			text += fmt.Sprintf(", %q of %d bytes", path, size)
			if n := x.Node(ref); n.Role != Made || n.Stamp.Size != size || !row.IsArtifact(k, path) || row.IsArtifact(k, path+"x") {
				t.Fatalf("%q is node %+v", path, n)
			}
		}
		got = append(got, text)
		gotSum.AddRow(row)
	}
	if !slices.Equal(want, got) || wantSum != gotSum {
		t.Fatalf("prefix %q: %s\n%+v, want %+v", prefix, gocmp.Diff(want, got), gotSum, wantSum)
	}
	for range x.Results().Rows("") {
		break // stopping early must be possible
	}
}

// TestPassedMemoryIsReleased checks that unmodified memory is released while rows are read. After
// an edit, no memory may be released.
func TestPassedMemoryIsReleased(t *testing.T) {
	b := newIndexBuilder("xxh3")
	const files = 20_000
	for i := range files {
		b.AddFile(File{Path: fmt.Sprintf("f%05d", i), Role: Asset})
		b.AddAction(Action{Path: fmt.Sprintf("f%05d", i)})
	}
	data := b.Bytes()
	first := mustLive(t, data, noChanges(mustOpen(t, data), vouching{}))
	editor{first}.putFileRecord(File{Path: "f10000", Role: Asset, Settled: true})
	x := mustLive(t, data, encodeChanges(first))
	node, _ := x.Files().baseNode("f10000")
	written := x.base.sections[secNodes].offset + node*nodeSize
	given, kept := 0, true
	x.ReleaseBy(func(from, to int) {
		given += to - from
		kept = kept && (to <= written || from >= written+nodeSize)
	})
	if x.Passed(1 << 19); given != 0 {
		t.Errorf("%d bytes were released early", given)
	}
	if x.Passed(1 << 19); given < len(data)/2 || given >= len(data) || !kept {
		t.Errorf("%d of %d bytes were released; modified bytes kept: %t", given, len(data), kept)
	}
	for what, pass := range map[string]func() error{
		"rows": func() error {
			for range x.Results().Rows("") {
			}
			return nil
		},
		"check": x.CheckRows,
	} {
		given = 0
		if err := pass(); err != nil || given == 0 {
			t.Errorf("%s: %v, %d bytes were released", what, err, given)
		}
	}
	given = 0
	x.Edit()
	if x.Passed(1 << 20); given != 0 {
		t.Errorf("%d bytes were released after an edit", given)
	}
}
