// Simulate computes the load of a server that a team uses to share results. It replays a history of
// edits, and prints the look-ups and bytes of each morning, how long machines wait, the storage
// needed, and which limit is reached first.
//
//	go run ./bench/remote/simulate                       200 developers, 10 M assets, 40 TB
//	go run ./bench/remote/simulate -disk 41e12,42e12     losses with this little space
//	go run ./bench/remote/simulate -check grpc://127.0.0.1:8980 -developers 3 -branches 2 -assets 300 -bytes 30e6 -edits 10 -days 4
//
// With -check, it also replays the history with a real cook and a server, over a link with the same
// latency and rate, and prints the counts of both.
//
// Assumptions:
//
//   - The edit frequencies of the assets follow Zipf's law; the sizes are log-normal.
//   - A machine cooks the most edited assets.
//   - In the morning, every developer gets the changes of the previous day.
//   - Only CI uploads results; it cooks all branches at night.
//   - Branches merge from the main branch each morning.
//   - A machine never deletes a result.
//   - The server evicts the least recently used blobs. It answers a look-up only if it has the
//     blobs.
//   - The client behaves like cook/internal/remote/share: its window of look-ups, its batches, and
//     its number of parallel transfers.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	var t team
	var assets tree
	var m machine
	var lim limits
	flag.IntVar(&t.developers, "developers", 200, "machines that cook")
	flag.IntVar(&t.branches, "branches", 10, "branches besides the main one")
	flag.IntVar(&t.edits, "edits", 30, "assets that a developer changes on a day")
	flag.IntVar(&t.life, "life", 10, "days until a branch is merged")
	flag.Float64Var(&t.switches, "switches", 0.1, "how often on a day a developer goes to another branch and back")
	flag.Float64Var(&t.fresh, "fresh", 1, "machines per day that begin with nothing")
	flag.IntVar(&assets.assets, "assets", 10_000_000, "assets in the tree")
	flag.Float64Var(&assets.bytes, "bytes", 40e12, "of all artifacts")
	flag.Float64Var(&assets.part, "part", 0.02, "part of the assets that a developer's machine cooks")
	flag.Float64Var(&assets.skew, "skew", 1.1, "exponent of Zipf's law for which assets are edited")
	flag.Float64Var(&assets.spread, "spread", 1.5, "standard deviation of the logarithm of sizes")
	flag.DurationVar(&m.latency, "latency", 2*time.Millisecond, "of the links, both ways together")
	flag.Float64Var(&m.rate, "rate", 125e6, "of the links, in bytes a second")
	flag.DurationVar(&m.request, "request", 100*time.Microsecond, "server time per request")
	flag.IntVar(&m.workers, "workers", 8, "assets that a machine cooks at once")
	flag.DurationVar(&m.cook, "cook", 2*time.Second, "time to cook an asset")
	flag.Float64Var(&lim.requests, "requests", 20_000, "requests per second that the server can answer")
	flag.Float64Var(&lim.bytes, "network", 1.25e9, "bytes per second that the server can send")
	days := flag.Int("days", 20, "`days` to replay")
	within := flag.Duration("within", time.Hour, "`time` span in which all machines begin in the morning")
	disks := flag.String("disk", "", "sizes of the server's disk in `bytes`, for comparison (default: unlimited)")
	server := flag.String("check", "", "`address` of a server for a real replay of the history")
	seed := flag.Uint64("seed", 1, "of the history")
	flag.Parse()
	if *server != "" {
		assets.part, assets.most = 1, 2<<20
		if err := checkSimulation(t, assets, m, *days, *seed, *server); err != nil {
			log.Fatal(err)
		}
		return
	}
	rooms := []int64{0}
	for _, word := range strings.FieldsFunc(*disks, func(r rune) bool { return r == ',' }) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			log.Fatal(err)
		}
		rooms = append(rooms, int64(n))
	}
	h := newHistory(t, assets, *seed)
	s := newSimulation(h, m, rooms)
	begun := s.caches[0].held
	if err := replay(h, *days, s); err != nil {
		log.Fatal(err)
	}
	s.print(lim, *within, begun)
}

// print prints the counts of a simulation.
func (s *simulation) print(lim limits, within time.Duration, begun int64) {
	r := rand.New(rand.NewPCG(3, 3))
	var looked, requests, waits, alone []float64
	var bytes []float64
	busiest := crowd{}
	for _, visitors := range s.days[1:] { // The first day has no changes from a previous day to download.
		loads := make([]demand, len(visitors))
		for i, v := range visitors {
			loads[i] = demand{r.Float64() * within.Seconds(), v.took.Seconds(), float64(v.requests), float64(v.bytes)}
			looked, requests = append(looked, float64(v.looked)), append(requests, float64(v.requests))
			bytes, alone = append(bytes, float64(v.bytes)), append(alone, v.took.Seconds())
		}
		c := together(loads, lim)
		waits = append(waits, c.took...)
		busiest.requests, busiest.bytes = max(busiest.requests, c.requests), max(busiest.bytes, c.bytes)
	}
	if len(waits) == 0 {
		log.Fatal("too few days")
	}
	fmt.Println("| a machine in the morning | median | 95 % | most |\n|---|---:|---:|---:|")
	row := func(name string, values []float64, unit float64, format string) {
		slices.Sort(values)
		at := func(q float64) string { return fmt.Sprintf(format, values[int(q*float64(len(values)-1))]/unit) }
		fmt.Printf("| %s | %s | %s | %s |\n", name, at(0.5), at(0.95), at(1))
	}
	row("look-ups", looked, 1, "%.0f")
	row("requests", requests, 1, "%.0f")
	row("GB", bytes, 1e9, "%.2f")
	row("s, alone", alone, 1, "%.1f")
	row("s, with the others", waits, 1, "%.1f")

	fmt.Println("\n| all machines | runs | look-ups | found | cooked | requests | TB | longest, s |\n|---|---:|---:|---:|---:|---:|---:|---:|")
	for what := morning; what <= fromNone; what++ {
		if u := s.sums[what]; u != nil {
			fmt.Printf("| %v | %d | %d | %d | %d | %d | %.3f | %.0f |\n", what, u.runs, u.looked, u.hits, u.cooked, u.requests, float64(u.bytes)/1e12, u.longest.Seconds())
		}
	}
	fmt.Printf("| CI | | %d | | %d | %d | %.3f | |\n", s.given.looked, s.given.looked, s.given.requests, float64(s.given.bytes)/1e12)

	fmt.Println("\n| limit | busiest second | limit | of it |\n|---|---:|---:|---:|")
	fmt.Printf("| requests/s | %.0f | %.0f | %.2f |\n", busiest.requests, lim.requests, busiest.requests/lim.requests)
	fmt.Printf("| MB/s | %.0f | %.0f | %.2f |\n", busiest.bytes/1e6, lim.bytes/1e6, busiest.bytes/lim.bytes)

	fmt.Println("\n| room, TB | held in the end, TB | forgotten | found in mornings and on other branches | found by empty machines |\n|---:|---:|---:|---:|---:|")
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	for i, c := range s.caches {
		room := "enough"
		if c.room > 0 {
			room = fmt.Sprintf("%.2f", float64(c.room)/1e12)
		}
		fmt.Printf("| %s | %.2f | %d | %.1f %% | %.1f %% |\n", room, float64(c.held)/1e12, c.evicted,
			percent(s.found[i].shared, s.asked.shared), percent(s.found[i].empty, s.asked.empty))
	}
	fmt.Printf("\nA day adds %.3f TB.\n", float64(s.caches[0].held-begun)/1e12/float64(len(s.days)))
}
