package export

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A reading is the content of a timeline file as a reader sees it.
type reading struct {
	process string
	rows    []string
	slices  []readSlice
	marks   []readMark
	samples []readSample
	arrows  []readArrow
}

type readSlice struct {
	row, category, title string
	begin, dur           int64
}

type readMark struct {
	row, category, title string
	at                   int64
	bytes                uint64
}

type readSample struct {
	track string
	at    int64
	value float64
}

// A readArrow connects two spans, given by their titles.
type readArrow struct{ from, to string }

// sorted returns a copy of the reading, sorted so that readings of different formats compare equal.
func (r reading) sorted() reading {
	r.rows = slices.Clone(r.rows)
	slices.SortFunc(r.slices, func(a, b readSlice) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.begin, b.begin), cmp.Compare(b.dur, a.dur),
			cmp.Compare(a.category, b.category), cmp.Compare(a.title, b.title))
	})
	slices.SortFunc(r.marks, func(a, b readMark) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.at, b.at), cmp.Compare(a.category, b.category),
			cmp.Compare(a.title, b.title), cmp.Compare(a.bytes, b.bytes))
	})
	slices.SortFunc(r.samples, func(a, b readSample) int {
		return cmp.Or(cmp.Compare(a.track, b.track), cmp.Compare(a.at, b.at), cmp.Compare(a.value, b.value))
	})
	slices.SortFunc(r.arrows, func(a, b readArrow) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return r
}

// differs describes the first difference between two readings. It returns "" if they are equal.
func (r reading) differs(want reading) string {
	r, want = r.sorted(), want.sorted()
	switch {
	case r.process != want.process:
		return fmt.Sprintf("process %q, want %q", r.process, want.process)
	case !slices.Equal(r.rows, want.rows):
		return fmt.Sprintf("rows %q, want %q", r.rows, want.rows)
	}
	return cmp.Or(firstOff("slices", r.slices, want.slices), firstOff("marks", r.marks, want.marks),
		firstOff("samples", r.samples, want.samples), firstOff("arrows", r.arrows, want.arrows))
}

func firstOff[T comparable](what string, got, want []T) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%s: number %d is %+v, want %+v", what, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%s: %d, want %d: %+v, want %+v", what, len(got), len(want), got, want)
	}
	return ""
}

// mustNest fails the test unless the slices of each row nest or are disjoint. Outer slices must
// come first in the file.
func mustNest(t failer, all []readSlice) {
	t.Helper()
	open := map[string][]readSlice{}
	for _, s := range all {
		stack := open[s.row]
		for len(stack) > 0 && stack[len(stack)-1].begin+stack[len(stack)-1].dur <= s.begin {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			outer := stack[len(stack)-1]
			if s.begin < outer.begin || s.begin+s.dur > outer.begin+outer.dur {
				t.Fatalf("%+v does not nest in %+v", s, outer)
			}
		}
		open[s.row] = append(stack, s)
	}
}

// A failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func given(list ...events.Event) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func writtenBy(t failer, write func(io.Writer, Recording) error, rec Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, rec); err != nil {
		t.Fatalf("write: %v", err)
	}
	return b.Bytes()
}

// timelines lists the timeline formats with their readers.
var timelines = map[string]struct {
	write func(io.Writer, Recording) error
	read  func(failer, []byte) reading
}{
	"perfetto": {writePerfetto, readPerfetto},
	"chrome":   {writeChrome, readChrome},
}

func scope(worker int, name, detail string, begin, end int64) events.Event {
	return events.Event{Kind: events.Scope, Worker: worker, Name: name, Detail: detail, Time: begin, Dur: end - begin}
}

func point(kind events.Kind, worker int, name string, at int64) events.Event {
	return events.Event{Kind: kind, Worker: worker, Name: name, Time: at}
}

func arrowSide(kind events.Kind, worker int, flow uint64, at int64) events.Event {
	return events.Event{Kind: kind, Worker: worker, Name: "needs", Time: at, Flow: flow}
}

func amount(kind events.Kind, worker int, name string, at int64, values ...float64) events.Event {
	return events.Event{Kind: kind, Worker: worker, Name: name, Time: at, Values: values}
}

// kitchen returns a small recording with an event of every kind.
func kitchen() Recording {
	return Recording{
		Process: "cook",
		Start:   time.Date(2026, 3, 14, 9, 26, 53, 589793238, time.UTC),
		Workers: func() []string { return []string{"main", "worker 1", "idle"} },
		Dropped: func() int64 { return 12 },
		Events: given(
			amount(events.Value, 0, "queue", 10, 2),
			point(events.Instant, 1, "cook/start", 15),
			amount(events.Alloc, 1, "pixels", 40, 4096),
			scope(1, "cook/read", "", 30, 90),
			amount(events.Alloc, 0, "pixels", 70, 1024),
			events.Event{Kind: events.User, Worker: 1, Name: "cook/log", Detail: "3 mips", Time: 95, Data: []byte("abc")},
			scope(1, "cook/encode", "", 90, 1090),
			arrowSide(events.FlowOut, 1, 77, 1095),
			scope(1, "cook/asset", "textures/wall.png", 30, 1100),
			amount(events.Free, 1, "pixels", 1101, 4096),
			arrowSide(events.FlowIn, 0, 77, 1210),
			scope(0, "cook/asset", "materials/wall.toml", 1200, 1300),
			amount(events.Vector, 0, "camera", 1290, 1.5, -2, 0.25),
			scope(0, "cook", "", 0, 1400),
			amount(events.Value, 0, "queue", 1400, 0),
		),
	}
}

// kitchenRead returns the expected reading of kitchen.
func kitchenRead() reading {
	return reading{
		process: "cook",
		rows:    []string{"main", "worker 1", "idle"},
		slices: []readSlice{
			{"main", "cook", "cook", 0, 1400},
			{"main", "cook/asset", "materials/wall.toml", 1200, 100},
			{"worker 1", "cook/asset", "textures/wall.png", 30, 1070},
			{"worker 1", "cook/read", "cook/read", 30, 60},
			{"worker 1", "cook/encode", "cook/encode", 90, 1000},
		},
		marks: []readMark{
			{"worker 1", "cook/start", "cook/start", 15, 0},
			{"worker 1", "cook/log", "3 mips", 95, 3},
		},
		samples: []readSample{
			{"dropped events", 0, 12},
			{"queue", 10, 2}, {"queue", 1400, 0},
			{"pixels bytes", 40, 4096}, {"pixels bytes", 70, 5120}, {"pixels bytes", 1101, 1024},
			{"camera[0]", 1290, 1.5}, {"camera[1]", 1290, -2}, {"camera[2]", 1290, 0.25},
		},
		arrows: []readArrow{{"textures/wall.png", "materials/wall.toml"}},
	}
}

func TestTimelines(t *testing.T) {
	for name, format := range timelines {
		t.Run(name, func(t *testing.T) {
			got := format.read(t, writtenBy(t, format.write, kitchen()))
			if off := got.differs(kitchenRead()); off != "" {
				t.Error(off)
			}
		})
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// The files under testdata are the expected outputs for a small recording with an event of every
// kind. The two compressed formats are stored uncompressed, because compressors may change.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file string
		got  []byte
	}{
		{"kitchen.pftrace", writtenBy(t, writePerfetto, kitchen())},
		{"kitchen.json", unpacked(t, writtenBy(t, writeChrome, kitchen()))},
		{"kitchen.folded", writtenBy(t, writeFolded, kitchen())},
		{"kitchen.pprof.txt", []byte(readPprof(t, writtenBy(t, writePprof, kitchen())).String())},
	} {
		file := filepath.Join("testdata", c.file)
		if *update {
			if err := os.WriteFile(file, c.got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.got, want) {
			t.Errorf("%s: the output has changed; if that is intended, run go test -update\n%q", file, c.got)
		}
	}
}
