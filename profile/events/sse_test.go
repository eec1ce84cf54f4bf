package events

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
	"github.com/google/go-cmp/cmp"
)

// page splits a response body into strings "event data".
func page(t *testing.T, body string) (events []string) {
	for _, text := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if strings.HasPrefix(text, ":") {
			events = append(events, ":")
			continue
		}
		name, data, ok := strings.Cut(strings.TrimPrefix(text, "event: "), "\ndata: ")
		if !ok || !json.Valid([]byte(data)) {
			t.Fatalf("%q is not an event with JSON data", text)
		}
		events = append(events, name+" "+data)
	}
	return events
}

func TestWriteSSE(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		got := make(chan string)
		go func() {
			var body strings.Builder
			flushed := 0
			flush := func() error {
				flushed = body.Len()
				return nil
			}
			if err := f.WriteSSE(t.Context(), &body, flush); err != nil || flushed != body.Len() {
				t.Errorf("%v; %d bytes of %d flushed", err, flushed, body.Len())
			}
			got <- body.String()
		}()
		synctest.Wait() // Now the viewer has joined.

		var enc encoder
		buf := &buffer{base: 10, lost: 3}
		add := func(s ...slot) {
			buf.slots[buf.used] = s[0]
			copy(buf.slots[buf.used+1:], s[1:])
			buf.used, buf.more = buf.used+len(s), buf.more+len(s)-1
		}
		add(slot{first(Instant, 2) | 5, withDetail(3, 0)})
		add(slot{first(Scope, 2) | 20, withDetail(3, 12)})
		add(slot{first(Value, 2) | 30, math.Float64bits(0.5)})
		add(slot{first(Vector, 2) | 31, 3}, slot{math.Float64bits(math.NaN()), math.Float64bits(math.Inf(-1))},
			slot{math.Float64bits(-1e300), 0})
		add(slot{first(Free, 2) | 32, 1 << 40})
		add(slot{first(FlowOut, 0) | 33, math.MaxUint64})
		more := make([]slot, 1)
		putBytes(more, []byte("data"))
		add(slot{first(User, 2) | 34, 4}, more[0])

		stream := appendStart([]byte(magic), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		stream = appendTable(stream, blockNames, 0, []string{"", "…", "a \"name\"\n", "\xffdetail"})
		stream = appendTable(stream, blockRows, 0, []string{"worker"})
		records := enc.appendRecords(nil, buf, fastclock.Pair{Tick: 1000, Nanos: 1000}, fastclock.Pair{}, 4)
		f.Write(stream)
		f.Write(records)
		synctest.Wait()
		time.Sleep(10 * time.Second) // In the synctest bubble, this takes no real time.
		f.Write(appendTable(nil, blockRows, 1, []string{"second"}))
		time.Sleep(29 * time.Second) // 14 seconds are left until the heartbeat.
		f.Write(appendTable(nil, blockNames, 4, []string{"new"}))
		f.Write(records)
		f.Write(appendEnd(nil, 14, 6))

		events := page(t, <-got)
		list := `"events":[{"kind":"instant","name":2,"detail":3,"time":15},` +
			`{"kind":"scope","name":2,"detail":3,"time":18,"dur":12},` +
			`{"kind":"value","name":2,"time":40,"values":[0.5]},` +
			`{"kind":"vector","name":2,"time":41,"values":[null,null,-1e+300]},` +
			`{"kind":"free","name":2,"time":42,"values":[1.099511627776e+12]},` +
			`{"kind":"flow out","time":43,"flow":"18446744073709551615"},` +
			`{"kind":"user","name":2,"time":44,"data":"ZGF0YQ=="}]}`
		wantEvents := []string{
			`start {"start":"2026-01-02T03:04:05Z"}`,
			`names {"first":0,"names":["","…","a \"name\"\n","\ufffddetail"]}`,
			`workers {"first":0,"names":["worker"]}`,
			`events {"worker":0,"dropped":3,` + list,
			`workers {"first":1,"names":["second"]}`,
			":",
			`names {"first":4,"names":["new"]}`,
			`events {"worker":0,"dropped":6,` + list,
			`end {"dropped":6}`,
		}
		if diff := cmp.Diff(wantEvents, events); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// When a viewer leaves, the feed must remove it.
func TestWriteSSEGone(t *testing.T) {
	f := NewFeed()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.WriteSSE(ctx, io.Discard, func() error { return nil })
	if len(f.viewers) != 0 {
		t.Error("the feed still holds a viewer that left")
	}
}
