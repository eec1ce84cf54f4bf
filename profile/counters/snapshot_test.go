package counters

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"expvar"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var _ expvar.Var = (*Set)(nil)

// shown returns a set with names and values that are hard to format.
func shown() *Set {
	set := New(Options{})
	set.Counter("scan/files").Add(12)
	set.Counter("scan/bytes").Add(-1 << 62)
	set.Counter("a,\"b\"\n")
	set.Float("load").Add(0.1)
	set.Float("nan").Add(math.NaN())
	set.Float("up").Add(math.Inf(1))
	set.Float("down").Add(math.Inf(-1))
	set.Timer("scan").Record(1500)
	set.Timer("scan").Record(500)
	set.Timer("never")
	return set
}

func TestSnapshotIsSorted(t *testing.T) {
	snap := shown().Snapshot()
	if len(snap) != 9 || !slices.IsSortedFunc(snap, func(a, b Sample) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%+v", snap)
	}
	if s, ok := snap.Of("scan"); !ok || s.Kind != KindTimer || s.Timer != (Stat{2, 2000, 2000, 500, 1500}) {
		t.Errorf("scan is %+v, %v", s, ok)
	}
	if s, ok := snap.Of("scan/"); ok || s != (Sample{}) {
		t.Errorf("found %+v", s)
	}
}

func TestSub(t *testing.T) {
	set := New(Options{})
	c, f, tm, idle := set.Counter("c"), set.Float("f"), set.Timer("t"), set.Timer("idle")
	c.Add(5)
	f.Add(1)
	tm.Record(10)
	idle.Record(3)
	earlier := set.Snapshot()
	set.PushFrame(time.Time{}) // A frame must not affect snapshots.
	c.Add(7)
	f.Add(0.5)
	tm.Record(4)
	set.Counter("new").Add(1)
	later := set.Snapshot()
	got := later.Sub(earlier)
	want := map[string]Sample{
		"c":    {Int: 7},
		"f":    {Float: 0.5},
		"t":    {Timer: Stat{1, 4, 4, 4, 10}},
		"idle": {},
		"new":  {Int: 1},
	}
	for name, w := range want {
		s, ok := got.Of(name)
		if !ok || s.Int != w.Int || s.Float != w.Float || s.Timer != w.Timer {
			t.Errorf("%s: %+v, want %+v", name, s, w)
		}
	}
	if len(got) != len(want) || earlier[0].Int != 5 || later[0].Int != 12 {
		t.Errorf("%+v; of %+v and %+v", got, later, earlier)
	}
	if s, _ := (Snapshot{{Name: "x", Int: 3}}).Sub(Snapshot{{Name: "x", Kind: KindFloat, Float: 1}}).Of("x"); s.Int != 3 || s.Float != 0 {
		t.Errorf("another kind was subtracted: %+v", s)
	}
}

func TestWriteTable(t *testing.T) {
	var b bytes.Buffer
	if err := shown().Snapshot().WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	want := `"a,\"b\"\n"  0
down         -Inf
load         0.1
nan          NaN
scan/bytes   -4611686018427387904
scan/files   12
up           +Inf
timer  calls  total  own  mean  min    max
never  0      0s     0s   0s    0s     0s
scan   2      2µs    2µs  1µs   500ns  1.5µs
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

func TestWriteCSV(t *testing.T) {
	var b bytes.Buffer
	if err := shown().Snapshot().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(&b).ReadAll()
	want := [][]string{
		{"name", "kind", "value", "calls", "total_ns", "own_ns", "min_ns", "max_ns"},
		{"a,\"b\"\n", "counter", "0", "", "", "", "", ""},
		{"down", "float", "-Inf", "", "", "", "", ""},
		{"load", "float", "0.1", "", "", "", "", ""},
		{"nan", "float", "NaN", "", "", "", "", ""},
		{"never", "timer", "", "0", "0", "0", "0", "0"},
		{"scan", "timer", "", "2", "2000", "2000", "500", "1500"},
		{"scan/bytes", "counter", "-4611686018427387904", "", "", "", "", ""},
		{"scan/files", "counter", "12", "", "", "", "", ""},
		{"up", "float", "+Inf", "", "", "", "", ""},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestJSON(t *testing.T) {
	want := `{"a,\"b\"\n":0,"down":"-Inf","load":0.1,"nan":"NaN",` +
		`"never":{"calls":0,"total_ns":0,"own_ns":0,"min_ns":0,"max_ns":0},` +
		`"scan":{"calls":2,"total_ns":2000,"own_ns":2000,"min_ns":500,"max_ns":1500},` +
		`"scan/bytes":-4611686018427387904,"scan/files":12,"up":"+Inf"}`
	set := shown()
	if got := set.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got, err := json.Marshal(set.Snapshot()) // Marshal fails if the JSON is invalid.
	if err != nil || string(got) != want {
		t.Errorf("marshalled %s, %v", got, err)
	}
	set.Float("\xff<").Add(1)
	if !json.Valid([]byte(set.String())) {
		t.Errorf("not JSON: %s", set)
	}
}

type broken struct{ after int }

var errBroken = errors.New("broken")

func (b *broken) Write(p []byte) (int, error) {
	if b.after -= len(p); b.after < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// TestWriteErrors makes a writer fail after 0, 100 and 200 bytes, and expects its error.
func TestWriteErrors(t *testing.T) {
	set := shown()
	for what, write := range map[string]func(*broken) error{
		"table":      func(w *broken) error { return set.Snapshot().WriteTable(w) },
		"csv":        func(w *broken) error { return set.Snapshot().WriteCSV(w) },
		"prometheus": func(w *broken) error { return set.WritePrometheus(w) },
	} {
		for _, after := range []int{0, 100, 200} {
			if err := write(&broken{after}); !errors.Is(err, errBroken) {
				t.Errorf("%s, broken after %d: %v", what, after, err)
			}
		}
	}
}

func TestTableRoundsDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 1234: "1.23µs", 99999999: "100ms", 1234567890: "1.23s", -1234567: "-1.23ms", 3723 * time.Second: "1h2m0s",
	} {
		if got := rounded(d).String(); got != want {
			t.Errorf("%d ns is shown as %s, want %s", d, got, want)
		}
	}
}
