package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/internal/faultlink"
)

// A real world replays a history with real directories, stores and a server.
type real struct {
	h       *history
	machine machine
	dir     string
	server  string
	states  map[int]map[int32]int32 // current version of each asset, for each machine
	nobody  int                     // number of machines so far that started empty
	salt    [32]byte                // random bytes that make all contents new to the server
	sums    map[occasion]*sum
	given   transfer
}

// ci is the number that identifies the CI machine.
const ci = -2

func newReal(h *history, m machine, server string) (*real, error) {
	dir, err := os.MkdirTemp("", "simulate")
	if err != nil {
		return nil, err
	}
	w := &real{h: h, machine: m, dir: dir, states: map[int]map[int32]int32{}, sums: map[occasion]*sum{}}
	for i := range w.salt {
		w.salt[i] = byte(rand.Uint32())
	}
	at, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	over, err := faultlink.Open(at.Host, faultlink.Options{Delay: m.latency / 2, Rate: m.rate})
	if err != nil {
		return nil, err
	}
	at.Host = over.Addr()
	w.server = at.String()
	out, err := exec.Command("go", "build", "-o", dir, "./cmd/cook").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return w, nil
}

func (w *real) sync(who, branch int, versions []int32, what occasion) error {
	if who < 0 {
		w.nobody++
		who = -2 - w.nobody
	}
	state := map[int32]int32{}
	for _, v := range versions {
		state[w.h.asset(v)] = v
	}
	if what != edit {
		for a := range int32(w.h.parted()) {
			state[a] = w.h.version(branch, a)
		}
	}
	t, err := w.cook(who, state)
	if err != nil {
		return err
	}
	if w.sums[what] == nil {
		w.sums[what] = &sum{}
	}
	w.sums[what].addTransfer(t)
	return nil
}

func (w *real) build(branch int, _ []int32) error {
	state := map[int32]int32{}
	for a := range int32(w.h.assets) {
		state[a] = w.h.version(branch, a)
	}
	t, err := w.cook(ci, state, "-remote-upload", "always")
	w.given.looked += t.looked
	w.given.requests += t.requests
	w.given.bytes += t.bytes
	return err
}

// cook writes the assets of a machine in the given versions, and cooks them.
func (w *real) cook(who int, state map[int32]int32, more ...string) (transfer, error) {
	if w.states[who] == nil {
		w.states[who] = map[int32]int32{}
	}
	place := filepath.Join(w.dir, fmt.Sprint("machine", who))
	assets := filepath.Join(place, "assets")
	for a, v := range state {
		if old, ok := w.states[who][a]; ok && old == v {
			continue
		}
		w.states[who][a] = v
		if err := w.writeVersion(assets, a, v); err != nil {
			return transfer{}, err
		}
	}
	rules := fmt.Sprintf("[[rule]]\nmatch = \"*.bin\"\ncommand = [\"sh\", \"-c\", \"sleep %f; cp $0 $1\", \"{in}\", \"{out}\"]\noutputs = [\"{stem}.out\"]\n", w.machine.cook.Seconds())
	if err := os.WriteFile(filepath.Join(assets, "cook.toml"), []byte(rules), 0o666); err != nil {
		return transfer{}, err
	}
	args := []string{
		"-dir", assets, "-out", filepath.Join(place, "out"), "-cache", filepath.Join(place, "store"),
		"-j", fmt.Sprint(w.machine.workers), "-remote", w.server, "-json", "-q",
	}
	cmd := exec.Command(filepath.Join(w.dir, "cook"), append(args, more...)...)
	cmd.Stderr = os.Stderr
	begun := time.Now()
	data, err := cmd.Output()
	if err != nil {
		return transfer{}, err
	}
	t := transfer{took: time.Since(begun)}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var last struct {
		Summary struct {
			Cooked struct{ Assets int }
			Remote *struct {
				Looked, Hits, Requests int
				Down                   int64 `json:"bytes_down"`
				Up                     int64 `json:"bytes_up"`
			}
		}
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		return t, err
	}
	t.cooked = last.Summary.Cooked.Assets
	if r := last.Summary.Remote; r != nil {
		t.looked, t.hits, t.requests, t.bytes = r.Looked, r.Hits, r.Requests, r.Down+r.Up
	}
	return t, nil
}

// writeVersion writes the source of a version, whose artifact has the given size.
func (w *real) writeVersion(assets string, asset, version int32) error {
	name := filepath.Join(assets, fmt.Sprint(asset%100), fmt.Sprintf("%d.bin", asset))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	seed := w.salt
	copy(seed[:], fmt.Sprint(version))
	content := make([]byte, w.h.sizeOf(asset))
	rand.NewChaCha8(seed).Read(content)
	return os.WriteFile(name, content, 0o666)
}

// checkSimulation replays a history twice, simulated and with a real server. It prints the counts
// of both.
func checkSimulation(t team, assets tree, m machine, days int, seed uint64, server string) error {
	// A replay modifies its history, so each replay generates a history from the same seed.
	first := newHistory(t, assets, seed)
	s := newSimulation(first, m, []int64{0})
	second := newHistory(t, assets, seed)
	r, err := newReal(second, m, server)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	for _, w := range []struct {
		world
		h *history
	}{{s, first}, {r, second}} {
		if err := w.build(0, w.h.all(0)); err != nil {
			return err
		}
		for d := range w.h.workers {
			if err := w.sync(d, 0, w.h.all(0), fromNone); err != nil {
				return err
			}
		}
		if err := replay(w.h, days, w); err != nil {
			return err
		}
	}
	worlds := []string{"simulated", "real"}
	fmt.Println("| | runs | look-ups | found | cooked | requests | MB | longest, s |\n|---|---:|---:|---:|---:|---:|---:|---:|")
	for what := morning; what <= fromNone; what++ {
		for i, sums := range []map[occasion]*sum{s.sums, r.sums} {
			if u := sums[what]; u != nil {
				fmt.Printf("| %v, %s | %d | %d | %d | %d | %d | %.1f | %.2f |\n", what, worlds[i], u.runs, u.looked, u.hits, u.cooked, u.requests, float64(u.bytes)/1e6, u.longest.Seconds())
			}
		}
	}
	for i, t := range []transfer{s.given, r.given} {
		fmt.Printf("| CI, %s | | %d | | | %d | %.1f | |\n", worlds[i], t.looked, t.requests, float64(t.bytes)/1e6)
	}
	return nil
}
