package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// recordings returns two recordings of ten assets. The second recording has one more asset.
func recordings(t *testing.T) []Recording {
	var list []Recording
	for n := range 2 {
		var stream bytes.Buffer
		r := events.New(&stream, events.Options{})
		w := r.Worker("worker 0")
		id := r.Flow()
		for i := range 10 + n {
			m := w.Begin(r.Symbol("cook/asset"), r.Symbol(fmt.Sprintf("wall %d.png", i)))
			w.Begin(r.Symbol("encode"), 0).End()
			w.Value(r.Symbol("draws"), float64(i))
			w.FlowOut(id)
			m.End()
		}
		w.FlowIn(id)
		w.Instant(r.Symbol("done"), r.Symbol("all"))
		w.Begin(r.Symbol("hangs"), 0)
		w.Flush()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		list = append(list, Recording{Name: fmt.Sprint("run ", n), Tape: events.OpenTape(stream.Bytes())})
	}
	return list
}

func get(t *testing.T, v *View, path string, into any) int {
	t.Helper()
	w := httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/"+path, nil))
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v: %.200s", path, err, w.Body)
	}
	return w.Code
}

// Each endpoint must answer in the form that the page expects.
func TestTimelineEndpoints(t *testing.T) {
	v := New(Sources{Recordings: recordings(t)})
	defer v.Close()
	var i info
	get(t, v, "api/info", &i)
	if len(i.Recordings) != 2 || i.Recordings[1].Name != "run 1" || i.Recordings[0].Events != 42 || i.Recordings[0].Live ||
		i.Recordings[0].Dur <= 0 || len(i.Recordings[0].Workers) != 1 || i.Recordings[0].Start == 0 {
		t.Fatalf("%+v", i)
	}
	var w struct {
		From, To int64
		Names    []string
		Rows     []struct {
			Row, Depth int
			Name       string
			Spans      []int64
		}
		Open, Instants, Flows []int64
	}
	if code := get(t, v, fmt.Sprintf("api/timeline?rec=0&from=0&to=%d&width=100000", i.Recordings[0].Dur), &w); code != 200 ||
		len(w.Rows) != 1 || w.Rows[0].Name != "worker 0" || w.Rows[0].Depth != 2 || len(w.Rows[0].Spans) == 0 ||
		len(w.Open) != 5 || w.Names[w.Open[2]] != "hangs" || len(w.Instants) != 4 || w.Names[w.Instants[3]] != "all" || len(w.Flows)%4 != 0 || len(w.Flows) == 0 {
		t.Fatalf("%d: %+v", code, w)
	}
	count := int64(0)
	for s := w.Rows[0].Spans; len(s) > 0; s = s[6:] {
		count += s[5]
	}
	if count != 20 {
		t.Errorf("%d spans", count)
	}
	var s struct {
		Names []struct {
			Name  string
			Count int64
		}
		Slowest   []struct{ Name, Detail string }
		Histogram []struct{ Count int64 }
	}
	if get(t, v, "api/sums?rec=1&row=-1&name=cook/asset&detail=", &s); len(s.Names) != 1 || s.Names[0].Count != 11 ||
		len(s.Slowest) != 11 || len(s.Histogram) == 0 {
		t.Errorf("%+v", s)
	}
	var p struct {
		Total int64
		Names []string
		Nodes []int64
	}
	get(t, v, "api/paths?rec=1&row=0", &p)
	paths := map[string]int64{} // counts by parent and name
	for n := range slices.Chunk(p.Nodes, 5) {
		parent := "/"
		if n[0] >= 0 {
			parent = p.Names[p.Nodes[5*n[0]+1]] + "/"
		}
		paths[parent+p.Names[n[1]]] = n[2]
	}
	if want := map[string]int64{"/cook/asset": 11, "cook/asset/encode": 11, "/hangs": 1}; !maps.Equal(paths, want) || p.Total <= 0 {
		t.Errorf("%v of %+v, want %v", paths, p, want)
	}
	var calls struct {
		Count, Total, Self int64
		Callers, Callees   []struct {
			Name  string
			Count int64
		}
	}
	if get(t, v, "api/calls?rec=1&name=encode", &calls); calls.Count != 11 || len(calls.Callees) != 0 || len(calls.Callers) != 1 ||
		calls.Callers[0].Name != "cook/asset" || calls.Callers[0].Count != 11 || calls.Self != calls.Total {
		t.Errorf("%+v", calls)
	}
	var f struct {
		Count int64
		Hit   *struct {
			Name, Detail string
			Depth        int
		}
	}
	if get(t, v, "api/find?rec=0&q=WALL+3&at=0&dir=1", &f); f.Count != 1 || f.Hit == nil || f.Hit.Detail != "wall 3.png" || f.Hit.Depth != 0 {
		t.Errorf("%+v", f)
	}
	var vs struct {
		Names  []string
		Series [][]float64
	}
	if get(t, v, "api/values?rec=0&names=draws&names=none&width=1000000", &vs); len(vs.Names) != 1 || len(vs.Series) != 2 || len(vs.Series[0]) == 0 ||
		vs.Series[0][len(vs.Series[0])-1] != 9 {
		t.Errorf("%+v", vs)
	}
	var c struct {
		Scopes, Assets []struct{ Name, Detail string }
	}
	if get(t, v, "api/compare?a=0&b=1", &c); len(c.Scopes) != 2 || len(c.Assets) < 1 {
		t.Errorf("%+v", c)
	}
}

// Invalid queries must return an error. Queries for too much must return an answer of limited size.
func TestHostileQueries(t *testing.T) {
	v := New(Sources{Recordings: recordings(t)})
	defer v.Close()
	values := []string{"", "-1", "1e300", "-1e300", "NaN", "Inf", "9223372036854775807", "-9223372036854775808", "12.5", "0x10",
		strings.Repeat("9", 5000), "x\x00\"<script>", "%zz", "1;2"}
	for _, path := range []string{"api/timeline", "api/sums", "api/paths", "api/calls", "api/find", "api/values", "api/compare", "api/framestrip", "api/frame"} {
		for _, name := range []string{"rec", "from", "to", "width", "row", "name", "detail", "q", "at", "dir", "names", "a", "b", "limit", "number"} {
			for _, value := range values {
				w := httptest.NewRecorder()
				req := httptest.NewRequest("GET", "http://127.0.0.1/"+path+"?q=a&names=draws&"+name+"="+url.QueryEscape(value), nil)
				v.ServeHTTP(w, req)
				if w.Code != 200 && w.Code != 400 || !json.Valid(w.Body.Bytes()) || w.Body.Len() > 1<<20 {
					t.Errorf("%s with %s=%.20q: %d, %d bytes: %.200s", path, name, value, w.Code, w.Body.Len(), w.Body)
				}
				if w.Code == 400 && (!strings.Contains(w.Body.String(), `"error"`) || w.Body.Len() > 300) {
					t.Errorf("%s with %s=%.20q: %s", path, name, value, w.Body)
				}
			}
		}
	}
	for _, path := range []string{"api/timeline?rec=2", "api/sums?rec=-1", "api/compare?a=0&b=7", "api/find?rec=x", "api/timeline?from=x"} {
		var e map[string]string
		if code := get(t, v, path, &e); code != 400 || e["error"] == "" {
			t.Errorf("%s: %d %v", path, code, e)
		}
	}
	var e map[string]string
	if code := get(t, New(Sources{}), "api/timeline", &e); code != 400 || e["error"] == "" {
		t.Errorf("without recordings: %d %v", code, e)
	}
}

// TestEventsBeforeTheFirstRequest expects the events and the frames of a program before anybody
// opens its page.
func TestEventsBeforeTheFirstRequest(t *testing.T) {
	feed, set := events.NewFeed(), counters.New(counters.Options{Frames: 5})
	v := New(Sources{Counters: set, Events: feed})
	defer v.Close()
	r := events.New(feed, events.Options{})
	w := r.Worker("main")
	hitch := r.Symbol("hitch")
	deadline := time.Now().Add(time.Minute)
	wait := func(there func(events.TapeState) bool) {
		t.Helper()
		for !there(v.lines.live.State()) {
			if runtime.Gosched(); time.Now().After(deadline) {
				t.Fatal("the view does not read the feed")
			}
		}
	}
	w.Begin(r.Symbol("frame"), 0).End()
	w.Flush()
	wait(func(s events.TapeState) bool { return len(s.Workers) > 0 })
	for n := range 7 {
		set.Counter("drawn").Add(int64(n))
		set.PushFrame(time.Now())
	}
	w.Begin(hitch, 0).End()
	w.Flush()
	wait(func(s events.TapeState) bool { return slices.Contains(s.Names, "hitch") && len(s.Blocks) > 0 })
	w.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	wait(func(s events.TapeState) bool { return s.Ended })

	var f struct{ Count int64 }
	if get(t, v, "api/find?q=hitch", &f); f.Count != 1 {
		t.Errorf("%d scopes before the first request, want 1", f.Count)
	}
	if got := set.History("drawn"); !slices.Equal(got, []float64{2, 3, 4, 5, 6}) {
		t.Errorf("frames before the first request: %v", got)
	}
	v.Close()
	if got := set.History("drawn"); got != nil {
		t.Errorf("after Close, the set still keeps %v", got)
	}
}

// The program's own events must be available from the first request on.
func TestLiveTimeline(t *testing.T) {
	feed := events.NewFeed()
	v := New(Sources{Title: "game", Events: feed})
	var i info
	if get(t, v, "api/info", &i); len(i.Recordings) != 1 || !i.Recordings[0].Live || i.Recordings[0].Name != "game" {
		t.Fatalf("%+v", i)
	}
	r := events.New(feed, events.Options{})
	w := r.Worker("main")
	m := w.Begin(r.Symbol("frame"), 0)
	w.Flush()
	// When the worker is known, the feed is being read.
	deadline := time.Now().Add(time.Minute)
	for len(i.Recordings[0].Workers) == 0 && time.Now().Before(deadline) {
		runtime.Gosched()
		get(t, v, "api/info", &i)
	}
	m.End()
	w.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for i.Recordings[0].Live && time.Now().Before(deadline) {
		runtime.Gosched()
		i = info{}
		get(t, v, "api/info", &i)
	}
	var f struct{ Count int64 }
	if get(t, v, "api/find?q=frame", &f); f.Count != 1 {
		t.Errorf("%d frames", f.Count)
	}
	v.Close()
}
