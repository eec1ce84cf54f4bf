package share_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/profile/guid"
)

// origin returns the origin of a result according to the server.
func (m *machine) origin(j job) store.Origin {
	m.t.Helper()
	c := m.run()
	defer c.Close(m.t.Context())
	known := c.Look(m.t.Context(), j.key, "", time.Minute)
	if known.Result == nil {
		m.t.Fatal("no result")
	}
	return known.Result.Origin
}

// TestResultNamesTheRunThatCookedIt checks that the origin of a result is the run that cooked it,
// even if a later run uploads the result.
func TestResultNamesTheRunThatCookedIt(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	held := make(chan struct{})
	server.Fault = func(ctx context.Context, call string) error {
		if call == "FindMissingBlobs" {
			select {
			case <-held:
			case <-ctx.Done():
			}
		}
		return nil
	}
	giver := newMachine(t, url)
	giver.name = guid.New().String()
	c := giver.run()
	before := time.Now().Truncate(time.Millisecond)
	all := jobs(9)
	giver.keep(c, all[2])
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if stats := c.Close(ended); stats.Left != 1 {
		t.Errorf("%+v", stats)
	}
	close(held)
	after := time.Now()
	first := giver.name
	giver.name = guid.New().String()
	c = giver.run()
	giver.keep(c, all[4])
	c.Close(t.Context())

	taker := newMachine(t, url)
	got := taker.origin(all[2])
	if got.Server != url || got.Run != first || got.Host != "host" || got.Key != "" || got.At.Before(before) || got.At.After(after) {
		t.Errorf("%+v, want run %s between %v and %v", got, first, before, after)
	}
	if got := taker.origin(all[4]); got.Run != giver.name {
		t.Errorf("%+v, want run %s", got, giver.name)
	}
}

// TestHostileOriginIsHarmless sends arbitrary text as the origin of a result.
func TestHostileOriginIsHarmless(t *testing.T) {
	j := jobs(7)[5]
	j.key.Reads, j.set = false, nil
	at := time.UnixMilli(1_000_000_000_000).UTC()
	for name, tc := range map[string]struct {
		made any
		meta *repb.ExecutedActionMetadata
		want store.Origin
	}{
		"run":      {map[string]any{"run": "rm -rf\x1b[2J", "host": "h"}, nil, store.Origin{Host: "h"}},
		"long":     {map[string]any{"run": strings.Repeat("0", 1<<20), "host": strings.Repeat("h", 254), "at": at}, nil, store.Origin{At: at}},
		"past":     {map[string]any{"host": "h", "at": "0001-01-01T00:00:00Z"}, nil, store.Origin{Host: "h"}},
		"future":   {map[string]any{"host": "h", "at": "9999-12-31T23:59:59.9999-23:59"}, nil, store.Origin{Host: "h"}},
		"none":     {nil, nil, store.Origin{}},
		"metadata": {nil, &repb.ExecutedActionMetadata{Worker: "w", ExecutionCompletedTimestamp: timestamppb.New(at)}, store.Origin{Host: "w", At: at}},
		"no time":  {nil, &repb.ExecutedActionMetadata{Worker: "w", ExecutionCompletedTimestamp: &timestamppb.Timestamp{Seconds: math.MaxInt64}}, store.Origin{Host: "w"}},
	} {
		t.Run(name, func(t *testing.T) {
			server, url := shared(t, j)
			server.Change(func(_ map[string][]byte, results map[string]*repb.ActionResult) {
				for _, r := range results {
					rewrite(r, func(f map[string]any) {
						if f["made"] = tc.made; tc.made == nil {
							delete(f, "made")
						}
					})
					r.ExecutionMetadata = tc.meta
				}
			})
			tc.want.Server = url
			if got := newMachine(t, url).origin(j); got != tc.want {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestMergedResultKeepsItsOrigin(t *testing.T) {
	j := jobs(7)[5]
	j.key.Reads, j.set = false, nil
	_, url := shared(t, j)
	want := newMachine(t, url).origin(j)
	adds := newMachine(t, url)
	adds.name = guid.New().String()
	if err := adds.store.AddReadSet(j.key.Action, filesRead("a")); err != nil {
		t.Fatal(err)
	}
	c := adds.run()
	c.Keep("a.png", remote.Key{Action: j.key.Action, Result: j.key.Result})
	c.Close(t.Context())
	if got := newMachine(t, url).origin(j); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEqualResultIsNotReplaced checks that a run that cooks a result before it has asked the server
// does not replace the equal result of another run.
func TestEqualResultIsNotReplaced(t *testing.T) {
	for name, j := range map[string]job{"reads only its source": jobs(7)[4], "reads more": jobs(7)[5]} {
		t.Run(name, func(t *testing.T) {
			_, url := shared(t, j)
			want := newMachine(t, url).origin(j)
			racer := newMachine(t, url)
			racer.name = guid.New().String()
			c := racer.run()
			racer.keep(c, j)
			if stats := c.Close(t.Context()); stats.Uploaded != 0 || stats.Left != 0 {
				t.Errorf("%+v", stats)
			}
			if got := newMachine(t, url).origin(j); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}
