package profile_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// The worker counts, records events and tracks memory.
func Example() {
	var stream bytes.Buffer
	probe := profile.Probe{
		Counters: counters.New(counters.Options{}),
		Events:   events.New(&stream, events.Options{}),
		Memory:   memory.New(memory.Options{}),
	}
	w := probe.Worker("worker 0")
	for _, name := range []string{"wall.png", "door.png"} {
		span := w.Begin("encode", name)
		w.Memory().Push(name)
		pixels := probe.Memory.Group("images", memory.GroupOptions{}).Grow(w.Memory(), 1<<20)
		pixels.Shrink()
		w.Memory().Pop()
		span.End()
	}
	w.Release()
	probe.Events.Close()

	fmt.Println(probe.Counters.Timer("encode").Stat().Calls, "calls")
	for e := range events.Read(&stream).All() {
		fmt.Println(e.Kind, e.Name, e.Detail)
	}
	fmt.Println(probe.Memory.Groups()[0].Peak, "bytes at most")
	probe.Memory.Snapshot().WriteLeaks(os.Stdout)
	// Output:
	// 2 calls
	// scope encode wall.png
	// scope encode door.png
	// 1048576 bytes at most
}

func TestPartsMayBeLeftOut(t *testing.T) {
	all := profile.Probe{
		Counters: counters.New(counters.Options{}),
		Events:   events.New(new(bytes.Buffer), events.Options{}),
		Memory:   memory.New(memory.Options{}),
	}
	defer all.Events.Close()
	for parts := range 8 {
		var p profile.Probe
		if parts&1 != 0 {
			p.Counters = all.Counters
		}
		if parts&2 != 0 {
			p.Events = all.Events
		}
		if parts&4 != 0 {
			p.Memory = all.Memory
		}
		if p.On() != (parts != 0) {
			t.Errorf("parts %03b: on is %v", parts, p.On())
		}
		before := all.Counters.Timer("step").Stat().Calls
		w := p.Worker("w")
		w.Begin("step", "detail").End()
		w.Row().Flush()
		w.Memory().Push("scope").Pop()
		w.Flush()
		if got := all.Counters.Timer("step").Stat().Calls - before; got != int64(parts&1) {
			t.Errorf("parts %03b: %d calls counted", parts, got)
		}
		if (w.Row() != nil) != (parts&2 != 0) || (w.Memory() != nil) != (parts&4 != 0) {
			t.Errorf("parts %03b: row %v, memory %v", parts, w.Row(), w.Memory())
		}
		w.Release()
	}
	var off profile.Probe
	if n := testing.AllocsPerRun(100, func() {
		w := off.Worker("w")
		w.Begin("step", "detail").End()
		w.Flush()
		w.Release()
	}); n > 0 {
		t.Errorf("%v allocations with nothing measured", n)
	}
}

// Flush must show events to viewers before the worker is released or its buffer is full.
func TestFlushPublishesRecordedEvents(t *testing.T) {
	var stream bytes.Buffer
	p := profile.Probe{Events: events.New(&stream, events.Options{Open: -1})}
	w := p.Worker("w")
	w.Begin("step", "").End()
	w.Flush()
	if err := p.Events.Close(); err != nil {
		t.Fatal(err)
	}
	scopes := 0
	for e, err := range events.Read(&stream).All() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == events.Scope {
			scopes++
		}
	}
	if scopes != 1 {
		t.Errorf("the recording has %d scopes, want 1", scopes)
	}
	w.Release()
}
