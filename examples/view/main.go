// Command view simulates a game and serves a page with its measurements. The game has a camera,
// frame times with subsystems and hitches, a stepping value, memory of levels, and any number of
// counters and events.
//
//	go run ./examples/view
//	go run ./examples/view -counters 1000 -events 1000000
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/heap"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/process"
	"github.com/assetcook/assetcook/profile/view"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7357", "address of the page")
	count := flag.Int("counters", 1000, "counters besides the counters of the game")
	rate := flag.Int("events", 10_000, "events a second")
	fps := flag.Int("fps", 60, "frames a second")
	dumps := flag.String("dumps", "", "directory for recordings of \"when\"")
	line := flag.String("do", "", "a line for the console at the start")
	flag.Parse()

	set := counters.New(counters.Options{Max: *count + 1000})
	feed := events.NewFeed()
	rec := events.New(feed, events.Options{})
	defer process.Publish(set)()
	tracker := memory.New(memory.Options{Totals: true, Sites: true})
	probe := profile.Probe{Counters: set, Events: rec, Memory: tracker}
	defer probe.PublishMemory().Close()
	token := view.NewToken()
	v := view.New(view.Sources{Title: "a game", Counters: set, Events: feed, Memory: tracker, Heap: heap.Read, Token: token, Dumps: *dumps})
	for _, line := range append(graphs, *line) {
		if line == "" {
			continue
		}
		if _, err := v.Do(line); err != nil {
			log.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/#token=%s\n", listener.Addr(), token)
	go func() { log.Fatal(http.Serve(listener, v)) }()
	g := newGame(set, rec, *count, *rate / *fps)
	g.storage = newStorage(tracker)
	g.play(*fps)
}

// graphs are the graphs that the page initially shows.
var graphs = []string{
	"graph add frame game/frame",
	"graph add systems game/physics game/ai game/animation game/render/submit",
	"graph add_vector camera",
	"graph add step game/step",
	"graph add memory memory/images/bytes memory/meshes/bytes",
}

type game struct {
	set      *counters.Set
	worker   *events.Worker
	rec      *events.Recorder
	systems  []system
	frame    *counters.Timer
	rate     *counters.Gauge
	camera   [3]*counters.Gauge
	step     *counters.Gauge
	storage  *storage
	drawn    *counters.Counter
	bytes    *counters.Float
	many     []*counters.Counter
	perFrame int // number of events in each frame
	symbol   events.Symbol
}

type system struct {
	name   events.Symbol
	timer  *counters.Timer
	millis float64
}

func newGame(set *counters.Set, rec *events.Recorder, many, perFrame int) *game {
	g := &game{set: set, rec: rec, worker: rec.Worker("main"), perFrame: perFrame, symbol: rec.Symbol("entity"),
		frame: set.Timer("game/frame"), step: set.Gauge("game/step"), rate: set.Gauge("game/fps"), drawn: set.Counter("render/drawn"), bytes: set.Float("stream/MiB")}
	for i, axis := range []string{"x", "y", "z"} {
		g.camera[i] = set.Gauge("camera/" + axis)
	}
	for name, millis := range map[string]float64{"input": .2, "physics": 2.4, "ai": 1.1, "animation": 1.6, "render/cull": .8, "render/submit": 3.2, "audio": .4} {
		g.systems = append(g.systems, system{rec.Symbol(name), set.Timer("game/" + name), millis})
	}
	for i := range many {
		g.many = append(g.many, set.Counter(fmt.Sprintf("world/sector%d/cell%02d/entities%d", i/100, i/10%10, i%10)))
	}
	return g
}

func (g *game) play(fps int) {
	every := time.NewTicker(time.Second / time.Duration(fps))
	for n := 0; ; n++ {
		<-every.C
		mark := g.worker.Begin(g.rec.Symbol("frame"), 0)
		phase := float64(n) / 120
		load := 1 + .25*math.Sin(phase) + .1*rand.Float64()
		if n%211 == 100 || n%733 < 4 { // a single hitch, or several in a row
			load *= 3
		}
		frame := g.frame.Begin()
		began := time.Now()
		for i, s := range g.systems {
			took := s.millis * load * (.9 + .2*rand.Float64()) * 60 / float64(fps)
			scope := g.worker.Begin(s.name, 0)
			for range g.perFrame / len(g.systems) {
				g.worker.Instant(g.symbol, 0)
			}
			calls := 1 + i%3
			for range calls {
				span := s.timer.Begin()
				time.Sleep(time.Duration(took * 1e6 / float64(calls))) // simulates work but leaves the CPU to the page
				span.End()
			}
			scope.End()
		}
		frame.End()
		g.rate.Set(1 / max(time.Since(began), time.Second/time.Duration(fps)).Seconds())
		g.camera[0].Set(20 * math.Cos(phase))
		g.camera[1].Set(3 + math.Sin(phase*3))
		g.camera[2].Set(20 * math.Sin(phase))
		g.step.Set(float64(10 * (1 + n/200%2))) // steps show the lag of EMA and SMA
		g.storage.play(n)
		g.drawn.Add(int64(1500 + 600*math.Sin(phase/3) + 50*rand.Float64()))
		g.bytes.Add(rand.ExpFloat64())
		for i, c := range g.many {
			c.Add(int64((i + n) % 100))
		}
		mark.End()
		g.worker.Flush()
		g.set.PushFrame(time.Now())
	}
}
