package view

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

// frameAt returns the time of a test's frame.
func frameAt(n int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(n)) }

// serve starts a server for a view until the test ends.
func serve(t *testing.T, s Sources) (*View, string) {
	t.Helper()
	v := New(s)
	server := httptest.NewServer(v)
	t.Cleanup(func() {
		v.Close()
		server.Close()
	})
	return v, server.URL
}

func post(t *testing.T, url, body string) *http.Response {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// getJSON requests a path and decodes the JSON answer.
func getJSON[T any](t *testing.T, v *View, path string) (into T) {
	t.Helper()
	w := httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1"+path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &into); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	return into
}

type list struct {
	Frame int64
	At    float64
	Count int
	Names []struct {
		Name, Kind          string
		Value, Total        *float64
		Calls               int64
		Own, Min, Max, Mean float64
	}
}

func TestListCounters(t *testing.T) {
	set := counters.New(counters.Options{})
	v := New(Sources{Counters: set})
	if got := getJSON[list](t, v, "/api/counters"); got.Frame != -1 || got.Count != 0 || got.Names == nil {
		t.Errorf("an empty set: %+v", got)
	}
	v.catalogs.now = nil
	set.Counter("a").Add(3)
	set.PushFrame(frameAt(0))
	set.Counter("a").Add(4)
	set.Gauge("g").Set(math.NaN())
	set.Timer("t").Record(3 * time.Millisecond)
	set.Timer("t").Record(1 * time.Millisecond)
	set.PushFrame(frameAt(1))
	got := getJSON[list](t, v, "/api/counters")
	if got.Frame != 1 || got.At != float64(frameAt(1).UnixMilli()) || got.Count != 3 || len(got.Names) != 3 {
		t.Fatalf("%+v", got)
	}
	if a := got.Names[0]; a.Name != "a" || a.Kind != "counter" || *a.Value != 4 || *a.Total != 7 {
		t.Errorf("%+v", a)
	}
	if g := got.Names[1]; g.Kind != "gauge" || g.Value != nil {
		t.Errorf("%+v", g)
	}
	if m := got.Names[2]; m.Kind != "timer" || *m.Value != 4 || m.Calls != 2 || m.Min != 1 || m.Max != 3 {
		t.Errorf("%+v", m)
	}
	if some := getJSON[list](t, v, "/api/counters?names=t&names=none"); len(some.Names) != 1 || some.Count != 3 {
		t.Errorf("%+v", some)
	}
}

func TestListManyCounters(t *testing.T) {
	set := counters.New(counters.Options{Max: 20_000})
	for i := range 10_000 {
		set.Counter(fmt.Sprintf("group%d/part%d/counter%d", i%10, i%100, i)).Add(int64(i))
	}
	set.PushFrame(frameAt(0))
	v := New(Sources{Counters: set})
	got := getJSON[list](t, v, "/api/counters")
	sum := 0.0
	for _, n := range got.Names {
		sum += *n.Value
	}
	if len(got.Names) != 10_000 || sum != 9999*10_000/2 {
		t.Errorf("%d names with the sum %v", len(got.Names), sum)
	}
}

// readRows reads a number of rows, each with the given number of values.
func readRows(t *testing.T, from io.Reader, rows, values int) [][]float64 {
	t.Helper()
	list := make([][]float64, rows)
	for i := range list {
		list[i] = make([]float64, values)
		if err := binary.Read(from, binary.LittleEndian, list[i]); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	return list
}

func TestFramesAreStreamedToPages(t *testing.T) {
	set := counters.New(counters.Options{})
	v, url := serve(t, Sources{Counters: set})
	a, m := set.Counter("a"), set.Timer("m")
	answer := post(t, url+"/api/frames", `{"names": ["a", "m", "later"], "detail": ["m"]}`)
	push := func(n int) {
		a.Add(int64(n))
		m.Record(time.Duration(n) * time.Millisecond)
		m.Record(time.Millisecond)
		set.PushFrame(frameAt(n))
	}
	push(5)
	push(6)
	got := readRows(t, answer.Body, 2, 2+3+4)
	set.Timer("later").Record(9 * time.Millisecond)
	push(7)
	got = append(got, readRows(t, answer.Body, 1, 2+3+4)...)
	for i, row := range got {
		n := float64(5 + i)
		want := []float64{float64(i), float64(frameAt(5 + i).UnixMilli()), n, n + 1, math.NaN(), 2, n + 1, 1, n}
		if i == 2 {
			want[4] = 9
		}
		if fmt.Sprint(row) != fmt.Sprint(want) {
			t.Errorf("row %d is %v, want %v", i, row, want)
		}
	}
	// A second page must get the frames in the history, from the requested frame on.
	second := post(t, url+"/api/frames", `{"names": ["a"], "from": 1}`)
	if row := readRows(t, second.Body, 1, 3)[0]; row[0] != 1 || row[2] != 6 {
		t.Errorf("from 1: %v", row)
	}
	// This page has seen more frames of an earlier program, so it must get all frames.
	third := post(t, url+"/api/frames", `{"names": ["a"], "from": 1000000}`)
	if row := readRows(t, third.Body, 1, 3)[0]; row[0] != 0 {
		t.Errorf("from far: %v", row)
	}

	answer.Body.Close()
	waitFor(t, func() bool {
		_, details := set.TimerHistory("m", 0)
		return details == nil
	})
	if set.History("a") == nil || set.History("m") == nil {
		t.Error("the counters have no history")
	}
	second.Body.Close()
	v.Close()
	waitFor(t, func() bool { return set.History("a") == nil })
	if _, err := io.ReadAll(third.Body); err != nil {
		t.Errorf("the stream of a view that was closed ends with %v", err)
	}
}

// waitFor waits until the work of another goroutine is done.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); runtime.Gosched() {
		if time.Since(began) > 20*time.Second {
			t.Fatal("timed out waiting")
		}
	}
}

// A page that has not read for a long time must get the last frames, with their numbers.
func TestSlowPageGetsTheLastFrames(t *testing.T) {
	set := counters.New(counters.Options{})
	a := set.Counter("a")
	set.Watch("a")
	push := func(frames int) {
		for range frames {
			a.Add(1)
			set.PushFrame(frameAt(0))
		}
	}
	rows := frameRows{set: set, catalogs: &catalogs{set: set}, names: []string{"a"}}
	const size = 3 * 8
	for _, tc := range []struct{ pushed, want int }{
		{400, 400}, // A new page gets all frames in the history.
		{framesBehind, framesBehind},
		{framesBehind + 1, framesKept},
		{0, 0},
		{1, 1},
	} {
		push(tc.pushed)
		b := rows.takeRows()
		if len(b) != tc.want*size {
			t.Errorf("after %d frames: %d bytes, want %d rows", tc.pushed, len(b), tc.want)
		}
		if len(b) > 0 {
			last := readRows(t, bytes.NewReader(b[len(b)-size:]), 1, 3)[0]
			if last[0] != float64(rows.next-1) {
				t.Errorf("the last row is of frame %v, not %d", last[0], rows.next-1)
			}
		}
	}
}

func TestFramesHostile(t *testing.T) {
	v := New(Sources{Counters: counters.New(counters.Options{})})
	names := make([]string, maxStreamed+1)
	many, _ := json.Marshal(map[string]any{"names": names})
	for _, body := range []string{
		"", "{}", "null", "[]", `{"names": 3}`, `{"names": ["a"], "from": 1e300}`, `{"names": ["a"], "from": "x"}`,
		`{"what": 1}`, string(many), `{"names": ["` + strings.Repeat("x", 2<<20) + `"]}`,
	} {
		w := httptest.NewRecorder()
		v.ServeHTTP(w, httptest.NewRequest("POST", "http://127.0.0.1/api/frames", strings.NewReader(body)))
		var answer struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); w.Code != http.StatusBadRequest || err != nil || answer.Error == "" {
			t.Errorf("%.40q: %d %.100s", body, w.Code, w.Body)
		}
	}
}

func TestTableCSV(t *testing.T) {
	set := counters.New(counters.Options{})
	set.Watch("a", "m")
	set.Counter("a").Add(2)
	set.Timer("m").Record(1500 * time.Microsecond)
	set.PushFrame(frameAt(0))
	v := New(Sources{Counters: set})
	w := httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/api/table.csv?names=a&names=m&names=none", nil))
	records, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(records) != 2 {
		t.Fatalf("%q, %v", records, err)
	}
	if want := []string{"frame", "time", "a", "m ms", "none"}; !slices.Equal(records[0], want) {
		t.Errorf("header %q", records[0])
	}
	if r := records[1]; r[0] != "0" || r[2] != "2" || r[3] != "1.5" || r[4] != "" {
		t.Errorf("record %q", r)
	}
	w = httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/api/table.csv?"+url.Values{"names": make([]string, maxStreamed+1)}.Encode(), nil))
	if w.Code != http.StatusBadRequest {
		t.Errorf("too many names: %d", w.Code)
	}
}

// The gauges for the extremes of a gauge can be requested by name, but must not be in the list of
// names.
func TestExtremesAreNotListed(t *testing.T) {
	set := counters.New(counters.Options{})
	least, greatest := Extremes("dt")
	for _, name := range []string{"dt", least, greatest, "odd\nmin", "camera/x"} {
		set.Gauge(name).Set(1)
	}
	catalogs := catalogs{set: set}
	c := catalogs.get(0)
	if want := []string{"camera/x", "dt", "odd\nmin"}; !slices.Equal(c.names, want) {
		t.Errorf("names are %q, want %q", c.names, want)
	}
	for name, spans := range map[string]bool{"dt": true, "camera/x": false} {
		sample, ok := c.last.Of(name)
		if row := c.row(sample); !ok || row.Spans != spans {
			t.Errorf("%s is %+v", name, row)
		}
	}
	if kind, ok := c.kind(greatest); !ok || kind != counters.KindGauge {
		t.Error("the extremes cannot be queried")
	}
}
