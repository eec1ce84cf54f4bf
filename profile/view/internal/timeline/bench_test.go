package timeline

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/internal/mapped"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/process"
)

// loop runs a benchmark, and reports the processor time summed over all cores. Other running
// programs hardly affect this time.
func loop(b *testing.B, do func() error) {
	set := counters.New(counters.Options{})
	defer process.Publish(set)()
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	used := set.Snapshot()
	user, _ := used.Of("process/cpu/user_ns")
	system, _ := used.Of("process/cpu/system_ns")
	b.ReportMetric((user.Value()+system.Value())/1e6/float64(b.N), "cpu-ms/op")
}

const markers = 20_000_000

// record writes a recording of about 20 million scopes on 8 rows. The scopes are assets with stages
// and steps.
func record(b *testing.B, name string) {
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	r := events.New(file, events.Options{})
	var asset, stage, step, details []events.Symbol
	for i := range 20 {
		asset = append(asset, r.Symbol(fmt.Sprint("cook/asset ", i)))
		stage = append(stage, r.Symbol(fmt.Sprint("stage ", i)))
		step = append(step, r.Symbol(fmt.Sprint("step ", i)))
	}
	for i := range 5000 {
		details = append(details, r.Symbol(fmt.Sprintf("textures/wall %d.png", i)))
	}
	var workers sync.WaitGroup
	for row := range 8 {
		workers.Go(func() {
			w := r.Worker(fmt.Sprint("worker ", row))
			defer w.Release()
			outer := w.Begin(r.Symbol("run"), 0)
			defer outer.End()
			for n := 0; n < markers/8; {
				d := details[n%len(details)]
				a := w.Begin(asset[n%20], d)
				for s := range 4 {
					m := w.Begin(stage[s], d)
					for k := range 5 {
						w.Begin(step[k], d).End()
					}
					m.End()
				}
				a.End()
				if n += 25; n%5000 == 0 {
					for s := r.Stats(); int64(n)*8-s.Events > 200_000; s = r.Stats() {
						runtime.Gosched() // Wait for the writer.
					}
				}
			}
		})
	}
	workers.Wait()
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	s := r.Stats()
	b.Logf("%d events, %d dropped, %.1f MB", s.Events, s.Dropped, float64(s.Bytes)/1e6)
}

// BenchmarkWindows measures the first window of a recording of 20 million scopes, and windows
// within the recording.
func BenchmarkWindows(b *testing.B) {
	name := filepath.Join(b.TempDir(), "large.events")
	record(b, name)
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	data, err := mapped.Of(f)
	if err != nil {
		b.Fatal(err)
	}
	defer data.Close()
	ctx := context.Background()
	const width = 1920
	var rec *Recording
	var after runtime.MemStats
	b.Run("first", func(b *testing.B) {
		loop(b, func() error {
			rec = New(events.OpenTape(data.Data))
			_, err := rec.Window(ctx, 0, farthest, width)
			return err
		})
		runtime.ReadMemStats(&after)
		cells := 0
		for _, row := range rec.rows {
			for i := range row.blocks {
				cells += len(row.blocks[i].cells)
			}
		}
		b.ReportMetric(float64(after.HeapSys)/1e6, "MB-heap-at-most")
		b.ReportMetric(float64(cells), "cells")
	})
	b.Run("read", func(b *testing.B) { // This measures reading all events in order, which is a lower bound for indexing.
		loop(b, func() error {
			for _, err := range events.Read(bytes.NewReader(data.Data)).All() {
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	for name, question := range map[string]func() error{
		"sums": func() error {
			_, err := rec.Sums(ctx, Query{To: farthest, Row: -1})
			return err
		},
		"call paths": func() error {
			rec.latest.calls.Store(nil)
			_, err := rec.Paths(ctx, 0, farthest, -1)
			return err
		},
		"call paths of a tenth": func() error {
			rec.latest.calls.Store(nil)
			_, err := rec.Paths(ctx, rec.last/2, rec.last/2+rec.last/10, -1)
			return err
		},
		"callers": func() error {
			_, err := rec.Calls(ctx, rec.last/2, rec.last/2+rec.last/10, -1, "step 3")
			return err
		},
		"search": func() error {
			rec.latest.search.Store(nil)
			_, err := rec.Find(ctx, "wall 77", 0, false)
			return err
		},
		"next hit": func() error {
			_, err := rec.Find(ctx, "wall 77", rec.last/2, false)
			return err
		},
		"compare": func() error {
			_, err := Compare(ctx, rec, rec)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) { loop(b, question) })
	}
	for part := int64(1); part <= 1<<24; part *= 8 {
		b.Run(fmt.Sprint("part ", part), func(b *testing.B) {
			span := rec.last / part
			at := rec.last / 3
			spans := 0
			loop(b, func() error {
				from := min(at, rec.last-span)
				w, err := rec.Window(ctx, from, from+span, width)
				if err != nil {
					return err
				}
				spans = 0
				for _, r := range w.Rows {
					spans += len(r.Spans) / spanFields
				}
				return nil
			})
			b.ReportMetric(float64(spans), "spans")
		})
	}
	b.Run("between", func(b *testing.B) { // One pixel of this window is just narrower than a bin, so cells cannot be used.
		span := width * (rec.bins.width - 1)
		loop(b, func() error {
			_, err := rec.Window(ctx, 0, span, width)
			return err
		})
		b.ReportMetric(float64(rec.last)/float64(span), "part")
	})
}
