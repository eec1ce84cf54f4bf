// Command locks measures the cost of waiting for a lock: a spin lock, a spin lock that yields, a
// sync.Mutex, and a channel that parks goroutines. It varies the length of the critical section,
// and uses 1 to 64 goroutines. It prints Markdown with ratios to sync.Mutex, and draws a chart:
//
//	go run ./bench/locks -svg bench/results/locks.svg >bench/results/locks.md
//
// In the best case a spin lock is as fast as a mutex. In the worst case it wastes processor time:
// if the holder is descheduled, all waiting goroutines spin until the holder runs again.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/chart"
	"github.com/assetcook/assetcook/internal/fastclock"
	"github.com/assetcook/assetcook/internal/human"
)

func main() {
	svg := flag.String("svg", "locks.svg", "`file` for the picture")
	each := flag.Duration("each", 40*time.Millisecond, "how long each measurement lasts")
	rounds := flag.Int("rounds", 5, "how often to repeat each measurement, in turns; medians are shown")
	flag.Parse()
	results := measureAll(*each, *rounds)
	page, err := picture(results)
	if err == nil {
		err = os.WriteFile(*svg, page, 0o666)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "locks: %v\n", err)
		os.Exit(1)
	}
	fmt.Print(markdown(results, filepath.Base(*svg)))
}

// A lockKind is one way to wait for a lock.
type lockKind struct {
	name string
	make func() sync.Locker
}

var kinds = []lockKind{
	{"sync.Mutex", func() sync.Locker { return new(sync.Mutex) }},
	{"spin", func() sync.Locker { return new(spin) }},
	{"spin and yield", func() sync.Locker { return new(yielding) }},
	{"parked", func() sync.Locker { return make(parked, 1) }},
}

// spin waits in a loop and does not yield its processor. It only reads until the lock looks free.
type spin struct{ held atomic.Bool }

func (s *spin) Lock() {
	for !s.held.CompareAndSwap(false, true) {
		for s.held.Load() {
		}
	}
}

func (s *spin) Unlock() { s.held.Store(false) }

// yielding lets another goroutine run after each failed attempt.
type yielding struct{ held atomic.Bool }

func (s *yielding) Lock() {
	for !s.held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (s *yielding) Unlock() { s.held.Store(false) }

// parked is a lock whose waiting goroutines sleep in a queue, first come, first served.
type parked chan struct{}

func (p parked) Lock()   { p <- struct{}{} }
func (p parked) Unlock() { <-p }

var (
	lengths = []int{10, 100, 1000} // lengths of the critical sections, in calls of step
	crowds  = []int{1, 2, 8, 64}   // numbers of goroutines
)

// A setting is one measured combination of lock, length and number of goroutines.
type setting struct {
	kind          string
	length, crowd int
}

// A result is one measurement.
type result struct {
	throughput float64 // critical sections per second
	cpu        float64 // processor time per critical section in nanoseconds; 0 if unknown
	longest    float64 // longest wait in nanoseconds
}

// measureAll measures all settings in turn, several times, and returns the medians.
func measureAll(each time.Duration, rounds int) map[setting]result {
	all := map[setting][]result{}
	for range rounds {
		for _, length := range lengths {
			for _, crowd := range crowds {
				for _, k := range kinds {
					s := setting{k.name, length, crowd}
					all[s] = append(all[s], measure(k.make(), length, crowd, each))
				}
			}
		}
	}
	medians := map[setting]result{}
	for s, list := range all {
		median := func(field func(result) float64) float64 {
			values := make([]float64, len(list))
			for i, r := range list {
				values[i] = field(r)
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		medians[s] = result{
			median(func(r result) float64 { return r.throughput }),
			median(func(r result) float64 { return r.cpu }),
			median(func(r result) float64 { return r.longest }),
		}
	}
	return medians
}

// step does a unit of work that the compiler cannot remove (Marsaglia's xorshift64).
func step(x uint64) uint64 {
	x ^= x << 13
	x ^= x >> 7
	return x ^ x<<17
}

// measure lets several goroutines compete for a critical section. Each goroutine does the same
// amount of work outside the lock before it competes again, and enters the section at least once.
func measure(lock sync.Locker, length, crowd int, each time.Duration) result {
	var (
		work            sync.WaitGroup
		stop            atomic.Bool
		state           uint64 = 1                                          // guarded by lock
		counts, longest        = make([]int64, crowd), make([]int64, crowd) // number of critical sections and longest wait of each goroutine
		own                    = make([]uint64, crowd)
		gate                   = make(chan struct{})
	)
	for i := range crowd {
		work.Go(func() {
			var most, n int64
			x := uint64(i + 1)
			<-gate
			for again := true; again; again = !stop.Load() {
				asked := fastclock.Now()
				lock.Lock()
				waited := fastclock.Now() - asked
				for range length {
					state = step(state)
				}
				lock.Unlock()
				most = max(most, waited)
				n++
				for range length {
					x = step(x)
				}
			}
			counts[i], longest[i], own[i] = n, most, x
		})
	}
	begin, used := fastclock.Mark(), cpuTime()
	close(gate)
	time.Sleep(each)
	stop.Store(true)
	work.Wait()
	end, usedThen := fastclock.Mark(), cpuTime()

	count := int64(0)
	for _, n := range counts {
		count += n
	}
	return result{
		throughput: float64(count) / (float64(end.Nanos-begin.Nanos) / 1e9),
		cpu:        float64(usedThen-used) / float64(max(count, 1)),
		longest:    float64(fastclock.Between(begin, end).Duration(slices.Max(longest))),
	}
}

// markdown formats throughput and processor time as ratios to the first kind of lock, and waits as
// absolute times.
func markdown(results map[setting]result, svg string) string {
	var md strings.Builder
	fmt.Fprintf(&md, "# What waiting for a lock costs\n\n%s, %s/%s, %d processors. Medians, taken in turns:\n\n```\ngo run ./bench/locks\n```\n\n![locks](%s)\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), svg)
	fmt.Fprintf(&md, "Each cell has critical sections per second / processor time for each section, both as multiples of %s's, / the longest wait.\n\n| steps in the section | goroutines |", kinds[0].name)
	for _, k := range kinds {
		fmt.Fprintf(&md, " %s |", k.name)
	}
	md.WriteString("\n|---|---|" + strings.Repeat("---|", len(kinds)) + "\n")
	for _, length := range lengths {
		for _, crowd := range crowds {
			fmt.Fprintf(&md, "| %d | %d |", length, crowd)
			base := results[setting{kinds[0].name, length, crowd}]
			for _, k := range kinds {
				r := results[setting{k.name, length, crowd}]
				fmt.Fprintf(&md, " %s / %s / %s |", ratio(r.throughput, base.throughput), ratio(r.cpu, base.cpu), nanos(r.longest))
			}
			md.WriteByte('\n')
		}
	}
	return md.String()
}

// ratio formats a/b, or returns a dash if a or b is unknown.
func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}

// pictured is the length of the critical section in the chart, in calls of step.
const pictured = 100

// picture draws charts of throughput, processor time and waits, by number of goroutines.
func picture(results map[setting]result) ([]byte, error) {
	const left, right, height, gap, top = 90, 560, 170, 80, 80
	title := fmt.Sprintf("Waiting for a lock: sections of %d steps", pictured)
	page := chart.New(title, 760, top+3*(height+gap), len(kinds))
	page.Text(left, 26, chart.Title, title)
	page.Text(left, 46, chart.Soft, "all axes are logarithmic; goroutines from left to right")
	for i, what := range []struct {
		name  string
		label func(float64) string
		value func(result) float64
	}{
		{"sections a second", func(v float64) string { return fmt.Sprintf("%.0f", v) }, func(r result) float64 { return r.throughput }},
		{"processor time of each", nanos, func(r result) float64 { return r.cpu }},
		{"longest wait", nanos, func(r result) float64 { return r.longest }},
	} {
		y := top + i*(height+gap)
		plot := chart.Plot{Left: left, Right: right, Top: y, Bottom: y + height, Legend: i == 0}
		plot.X = chart.Axis{Log: true, Label: func(v float64) string { return fmt.Sprint(v) }}
		for _, crowd := range crowds {
			plot.X.Marks = append(plot.X.Marks, float64(crowd))
		}
		low, high := 0.0, 1.0
		for _, k := range kinds {
			line := chart.Line{Name: k.name}
			for _, crowd := range crowds {
				v := max(what.value(results[setting{k.name, pictured, crowd}]), 1)
				if low == 0 || v < low {
					low = v
				}
				high = max(high, v)
				line.Points = append(line.Points, chart.Point{X: float64(crowd), Y: v,
					Label: fmt.Sprintf("%s, %d goroutines: %s", k.name, crowd, what.label(v))})
			}
			plot.Lines = append(plot.Lines, line)
		}
		page.Text(left, float64(y-14), "", what.name)
		plot.Y = chart.Axis{Log: true, Marks: chart.Decades(low, high), Label: what.label}
		if err := page.Draw(&plot); err != nil {
			return nil, err
		}
	}
	return page.Bytes(), nil
}

func nanos(v float64) string {
	if v < 1000 {
		return fmt.Sprintf("%.0fns", v)
	}
	return human.Duration(time.Duration(v))
}
