package index

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/profile/guid"
)

// An earlierModel has the actions after each run of a sequence, and the records of the runs.
type earlierModel struct {
	runs    []guid.ID
	after   []map[string]*Action // actions by source
	records []byte
}

var earlierStart = time.Unix(1_700_000_000, 0)

func drawBlob(t *rapid.T) (id store.BlobID) {
	id[0], id[31] = rapid.Byte().Draw(t, "blob"), 1
	return id
}

// drawAction changes some parts of an action.
func drawAction(t *rapid.T, was Action) Action {
	is := func(part string) bool { return rapid.IntRange(0, 2).Draw(t, part) == 0 }
	if is("method") {
		was.Method = Method{{"recipe", "image"}, {"quality", rapid.SampledFrom([]string{"fast", "best"}).Draw(t, "quality")}}
	}
	if is("source") {
		was.Source = drawBlob(t)
	}
	if is("deps") {
		was.Deps = nil
		for range rapid.IntRange(0, 3).Draw(t, "deps") {
			was.Deps = append(was.Deps, Dep{On: dependency.OfNames("d", "*.x", false), Name: "*.x", Found: is("found"), Blob: drawBlob(t)})
		}
	}
	if is("made") {
		was.Made = nil
		for i := range rapid.IntRange(0, 3).Draw(t, "made") {
			was.Made = append(was.Made, Artifact{Path: fmt.Sprint(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "path"), i), Blob: drawBlob(t)})
		}
	}
	was.State = Done
	if is("failed") {
		was.State = Failed
	}
	was.ID[0] = rapid.Byte().Draw(t, "id")
	return was
}

func drawRuns(t *rapid.T) (m earlierModel) {
	now := map[string]*Action{}
	for n := range rapid.IntRange(1, 6).Draw(t, "runs") {
		c := RunChanges{Run: guid.New(), At: earlierStart.Add(time.Duration(n) * time.Second)}
		next := map[string]*Action{}
		for _, source := range []string{"a", "b"} {
			before, edit := now[source], rapid.IntRange(0, 2).Draw(t, "edit")
			after := before
			switch {
			case edit == 0 && before != nil:
				after = nil
			case edit == 1:
				is := Action{Path: source}
				if before != nil {
					is = *before
				}
				is = drawAction(t, is)
				is.Decision.At = c.At
				after = &is
			}
			if after != before {
				c.Changes = append(c.Changes, RowChange{before, after})
			}
			if after != nil {
				next[source] = after
			}
		}
		now = next
		m.runs, m.after, m.records = append(m.runs, c.Run), append(m.after, next), append(m.records, EncodeRun(&c, 1<<20)...)
	}
	return m
}

// keyParts returns the parts of an action that a record keeps.
func keyParts(a *Action) string {
	if a == nil {
		return "absent"
	}
	text := fmt.Sprint(a.Path, a.Target, a.State, a.Method, a.Source[:8], a.Decision.At.UnixNano())
	for _, d := range a.Deps {
		text += fmt.Sprint(d.On, d.Name, d.Found, d.Blob[:8])
	}
	for _, m := range a.Made {
		text += fmt.Sprint(m.Path, m.Blob[:8])
	}
	return text
}

// The records of later runs restore the actions after each earlier run.
func TestEarlierRunsAreRestored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRuns(t)
		now := m.after[len(m.after)-1]
		for n, run := range m.runs {
			for _, source := range []string{"a", "b"} {
				got, err := ActionAfter(m.records, run, source, "", now[source])
				if err != nil {
					t.Fatal(err)
				}
				if want := m.after[n][source]; keyParts(got) != keyParts(want) || got != nil && got.ID != (store.ActionID{}) && got.ID[0] != want.ID[0] {
					t.Fatalf("run %d, %s: %s", n, source, cmp.Diff(keyParts(want), keyParts(got)))
				}
			}
		}
	})
}

// Damaged records are skipped or are errors. They never cause a wrong action in silence.
func TestDamagedRecordsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRuns(t)
		now := m.after[len(m.after)-1]
		data := append([]byte("torn"), m.records...)
		at := rapid.IntRange(4, len(data)-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "cut") {
			data = data[:at]
		} else {
			data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		if len(decodeRuns(data)) == len(m.runs) {
			t.Fatal("no record is missing")
		}
		for n, run := range m.runs {
			for _, source := range []string{"a", "b"} {
				got, err := ActionAfter(data, run, source, "", now[source])
				// Without the record of the run that removed an action, the action seems to be older.
				if now[source] != nil && err == nil && got != nil && got.Decision.At.After(earlierStart.Add(time.Duration(n)*time.Second)) {
					t.Fatalf("run %d, %s: %v is from a later run", n, source, got)
				}
			}
		}
	})
}

func TestGapsAreErrors(t *testing.T) {
	runs := []guid.ID{guid.New(), guid.New(), guid.New()}
	action := func(n int) *Action {
		return &Action{Path: "a", Method: Method{{"quality", fmt.Sprint(n)}}, Decision: Decision{At: earlierStart.Add(time.Duration(n) * time.Second)}}
	}
	record := func(n, limit int) []byte {
		return EncodeRun(&RunChanges{runs[n], action(n).Decision.At, []RowChange{{action(n - 1), action(n)}}}, limit)
	}
	all := append(record(0, 1000), record(1, 1000)...)
	for _, tc := range []struct {
		name string
		data []byte
		run  int
		err  error
	}{
		{"complete", append(all[:len(all):len(all)], record(2, 1000)...), 0, nil},
		{"latest run", append(all[:len(all):len(all)], record(2, 1000)...), 2, nil},
		{"unknown run", all, 2, ErrNoRun},
		{"no records", nil, 0, ErrNoRun},
		{"missing record", all, 0, ErrRunGap},
		{"too many changes", append(all[:len(all):len(all)], record(2, 100)...), 0, ErrRunGap},
		{"too many changes in the run", append(all[:len(all):len(all)], record(2, 100)...), 2, nil},
	} {
		if tc.name == "missing record" {
			tc.data = append(record(0, 1000), record(2, 1000)[:20]...)
		}
		if got, err := ActionAfter(tc.data, runs[tc.run], "a", "", action(2)); !errors.Is(err, tc.err) || err == nil && keyParts(got) != keyParts(action(tc.run)) {
			t.Errorf("%s: %v %v, want %v", tc.name, got, err, tc.err)
		}
	}
	if kept := LastRuns(all, len(all)-1); len(decodeRuns(kept)) != 1 || decodeRuns(kept)[0].run != runs[1] {
		t.Errorf("%d records kept, want the last one", len(decodeRuns(kept)))
	}
}

func FuzzActionAfter(f *testing.F) {
	run := guid.New()
	c := RunChanges{run, earlierStart, []RowChange{{&Action{Path: "a", Method: Method{{"k", "v"}}, Deps: []Dep{{On: dependency.OfFile("p"), Name: "p"}}, Made: []Artifact{{Path: "x"}}}, nil}}}
	f.Add(EncodeRun(&c, 1000)[runHead:])
	f.Fuzz(func(t *testing.T, body []byte) {
		first := EncodeRun(&RunChanges{Run: run}, 1000)
		sum := seal(body)
		data := append(first, runMagic[:]...)
		data = append(data, byte(len(body)), byte(len(body)>>8), byte(len(body)>>16), 0)
		data = append(append(data, sum[:]...), body...)
		for _, now := range []*Action{nil, {Path: "a", Made: []Artifact{{Path: "y"}}}} {
			ActionAfter(data, run, "a", "", now)
		}
	})
}

// BenchmarkEncodeRun reports the bytes of a record for each asset.
func BenchmarkEncodeRun(b *testing.B) {
	const assets = 100_000
	for _, bc := range []struct {
		name string
		edit func(a *Action)
	}{
		{"option", func(a *Action) { a.Method = Method{{"recipe", "image"}, {"quality", "best"}}; a.Made[0].Blob[0]++ }},
		{"source", func(a *Action) { a.Source[0]++; a.Made[0].Blob[0]++ }},
		{"dependency", func(a *Action) {
			a.Deps = []Dep{{On: dependency.OfFile("p.json"), Name: "../p.json", Found: true, Blob: store.BlobID{1}}}
			a.Made[0].Blob[0]++
		}},
		{"new", nil},
	} {
		b.Run(bc.name, func(b *testing.B) {
			c := RunChanges{Run: guid.New(), At: earlierStart}
			for i := range assets {
				a := Action{Path: fmt.Sprintf("textures/%d/wood_%d.png", i/100, i), Method: Method{{"recipe", "image"}, {"quality", "fast"}}, Source: store.BlobID{byte(i), byte(i >> 8), byte(i >> 16)},
					Made: []Artifact{{Path: fmt.Sprintf("textures/%d/wood_%d.ktx2", i/100, i), Blob: store.BlobID{1, byte(i), byte(i >> 8), byte(i >> 16)}}},
					Deps: []Dep{{On: dependency.OfFile("p.json"), Name: "../p.json", Found: true}}, Decision: Decision{At: earlierStart}}
				if bc.edit == nil {
					c.Changes = append(c.Changes, RowChange{nil, &a})
					continue
				}
				before := a
				a.Made = []Artifact{a.Made[0]}
				bc.edit(&a)
				c.Changes = append(c.Changes, RowChange{&before, &a})
			}
			var record []byte
			for b.Loop() {
				record = EncodeRun(&c, 100<<20)
			}
			b.ReportMetric(float64(len(record))/assets, "B/asset")
		})
	}
}
