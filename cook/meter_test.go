package cook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// recorded summarizes a recording.
type recorded struct {
	scopes  map[string]int64
	details map[string]string
	last    map[string]float64
	workers []string
}

func readRecording(t *testing.T, data []byte) recorded {
	t.Helper()
	r := recorded{map[string]int64{}, map[string]string{}, map[string]float64{}, nil}
	stream := events.Read(bytes.NewReader(data))
	for e, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case events.Scope:
			r.scopes[e.Name]++
			if e.Detail != "" {
				r.details[e.Detail] = e.Name
			}
		case events.Value:
			r.last[e.Name] = e.Values[0]
		}
	}
	if n := stream.Dropped(); n > 0 {
		t.Errorf("%d events were dropped", n)
	}
	r.workers = stream.Workers()
	return r
}

func cookMeasured(t *testing.T, opt oracle.Run) (cook.Summary, recorded, profile.Probe) {
	t.Helper()
	var stream bytes.Buffer
	opt.Probe = profile.Probe{
		Counters: counters.New(counters.Options{Max: 256}),
		Events:   events.New(&stream, events.Options{}),
		Memory:   memory.New(memory.Options{}),
	}
	opt.Probe.Counters.WatchAll(math.MaxInt)
	defer readLive(opt.Probe)()
	s, err := opt.Cook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := opt.Probe.Events.Close(); err != nil {
		t.Fatal(err)
	}
	return s, readRecording(t, stream.Bytes()), opt.Probe
}

// readLive reads all measurements repeatedly, like a page that shows a running cook.
func readLive(p profile.Probe) (stop func()) {
	quit := make(chan bool)
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
			}
			p.Counters.WritePrometheus(io.Discard)
			p.Counters.Table(0, "cook/cook/count", "cook/run/recipe")
			p.Memory.Snapshot().WriteCSV(io.Discard)
			p.Events.Stats()
		}
	})
	return func() { close(quit); reading.Wait() }
}

// TestMeasurementsAgree compares the summary, counters and recording of a run while another
// goroutine reads them.
func TestMeasurementsAgree(t *testing.T) {
	p := sampleProject(t)
	p.run.Workers = 3
	edits := []func() error{
		func() error { return nil },
		func() error { return nil },
		func() error { return os.WriteFile(p.asset("new.json"), []byte("[1]"), 0o666) },
		func() error { return os.WriteFile(p.asset("new.json"), []byte("["), 0o666) },
		func() error { return os.RemoveAll(p.run.Out) },
	}
	for round, edit := range edits {
		p.must(edit())
		s, rec, probe := cookMeasured(t, p.run)
		counted := probe.Counters.Snapshot()
		for name, want := range s.Values() {
			if got, _ := counted.Of(name); got.Int != want {
				t.Errorf("round %d: counter %s is %d, the summary has %d", round, name, got.Int, want)
			}
			frames := 0.0
			for _, value := range probe.Counters.History(name) {
				frames += value
			}
			if frames != float64(want) {
				t.Errorf("round %d: the frames of %s add up to %v, the summary has %d", round, name, frames, want)
			}
			if got := rec.last[name]; got != float64(want) {
				t.Errorf("round %d: the recording has %v for %s, the summary %d", round, got, name, want)
			}
		}
		recipes := 0
		for _, sample := range counted {
			if sample.Kind != counters.KindTimer {
				continue
			}
			if got := rec.scopes[sample.Name]; got != sample.Timer.Calls {
				t.Errorf("round %d: %d scopes of %s, %d calls counted", round, got, sample.Name, sample.Timer.Calls)
			}
			if strings.HasPrefix(sample.Name, "cook/recipe/") {
				recipes += int(sample.Timer.Calls)
			}
		}
		if worked := s.Found.Assets - s.UpToDate(); recipes != worked {
			t.Errorf("round %d: recipes were timed %d times, work was done on %d assets: %s", round, recipes, worked, s.String())
		}
		if round == 0 {
			if n := len(rec.workers); n < 2 || rec.workers[0] != "cook" {
				t.Errorf("rows %q", rec.workers)
			}
			if len(rec.details) != s.Found.Assets {
				t.Errorf("%d assets are named, of %d", len(rec.details), s.Found.Assets)
			}
		}
		var leaks strings.Builder
		held := probe.Memory.Snapshot()
		if held.WriteLeaks(&leaks); leaks.Len() > 0 {
			t.Errorf("round %d: still held:\n%s", round, &leaks)
		}
		if round > 0 {
			continue
		}
		groups := []string{"decoded images", "decoded sound", "documents", "file contents", "meshes", "recipes", "texels"}
		for i, group := range groups {
			if len(held.Groups) != len(groups) || held.Groups[i].Name != group || held.Groups[i].Peak == 0 {
				t.Fatalf("memory %+v", held.Groups)
			}
		}
	}
}

// TestMeasuringChangesNothing cooks sources that each name a new kind of memory. All must be
// cooked, and at most 70 kinds may be recorded.
func TestMeasuringChangesNothing(t *testing.T) {
	const files = 300
	p := newProject(t)
	p.run.Recipes = []recipe.Recipe{{Name: "holder", Version: 1, Extensions: []string{".kinds"}, New: func() recipe.Cooker { return &holder{} }}}
	for i := range files {
		p.write(fmt.Sprintf("%d.kinds", i), fmt.Sprint(i))
	}
	s, _, probe := cookMeasured(t, p.run)
	if s.Cooked.Assets != files {
		t.Error(s.String())
	}
	if n := len(probe.Memory.Snapshot().Groups); n > 70 {
		t.Errorf("%d kinds of memory", n)
	}
}

// A holder is a recipe that names a new kind of memory for each source.
type holder struct{}

func (*holder) Outputs() []string { return []string{"{path}"} }
func (*holder) Cook(_ context.Context, j *recipe.Job) error {
	text, err := j.Source()
	if err != nil {
		return err
	}
	j.Hold("buffer of "+string(text), 100)
	return j.Write(0, text)
}

// TestNegativeEstimate expects a negative memory estimate to fail only its own asset.
func TestNegativeEstimate(t *testing.T) {
	p := sampleProject(t)
	p.write("a.json", "[1]")
	p.write("cook.toml", "[[rule]]\nmatch = 'a.json'\nrecipe = 'negative'\n")
	p.run.Recipes = []recipe.Recipe{{Name: "negative", Version: 1, New: func() recipe.Cooker { return &negative{} }, Traits: func(recipe.Cooker) recipe.Traits {
		return recipe.Traits{Estimate: func(head []byte, size int64) (int64, error) { return -size, nil }}
	}}}
	if s := p.cook(); s.Failed.Assets != 1 || s.Cooked.Assets == 0 {
		t.Error(s.String())
	}
}

type negative struct{}

func (*negative) Outputs() []string                       { return []string{"{path}"} }
func (*negative) Cook(context.Context, *recipe.Job) error { return nil }
