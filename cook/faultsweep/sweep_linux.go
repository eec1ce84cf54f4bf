//go:build amd64 || arm64

package faultsweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/internal/faultfs"
)

// A Fault is what happens to one system call of a cook.
type Fault struct {
	Name   string
	Action faultfs.Action
	// Onward makes all calls after it that ask for room on the disk share its lot.
	Onward bool
	// Harmless says that cook must come to a good end all the same.
	Harmless bool
}

// Faults are those that a sweep goes through.
func Faults() []Fault {
	return []Fault{
		{Name: "ENOSPC", Action: faultfs.Fail(syscall.ENOSPC)},
		{Name: "full disk", Action: faultfs.Fail(syscall.ENOSPC), Onward: true},
		{Name: "EIO", Action: faultfs.Fail(syscall.EIO)},
		{Name: "EACCES", Action: faultfs.Fail(syscall.EACCES)},
		{Name: "EMFILE", Action: faultfs.Fail(syscall.EMFILE)},
		{Name: "EINTR", Action: faultfs.Fail(syscall.EINTR), Harmless: true},
		{Name: "short", Action: faultfs.Short, Harmless: true},
		{Name: "kill", Action: faultfs.Kill},
	}
}

// does reports whether a fault does anything to a call: only what moves bytes can
// be cut short.
func (f Fault) does(c faultfs.Call) bool {
	return f.Action != faultfs.Short || c.Moves
}

// A Sweep cooks again and again with one worker, and each time breaks another
// system call that concerns a file of the sources, the outputs or the store. After
// each it asks whether what cook said is true, whether anything is half written,
// and whether the next cook mends it all.
type Sweep struct {
	// Command is cook with arguments. The executable that runs the sweep calls
	// faultfs.Init first.
	Command func(args ...string) *exec.Cmd
	// Dir is an empty folder to work in.
	Dir string
	// Scenes are the names of those to play; nil for all.
	Scenes []string
	// Only says which calls of a scene are broken by which faults; nil for all by
	// all. It is called by one goroutine.
	Only func(scene string, c faultfs.Call, f Fault) bool
	// Sample is how often a call is broken; 0 is as often as there are calls and
	// faults. A sample has each pair of a kind of call and a fault before it has one
	// twice; for the rest it is random.
	Sample int
	Seed   uint64 // of what is random
	// Workers is how many cooks are broken at once, each in a folder of its own.
	Workers int
	// Found is told of each finding, by one goroutine at a time.
	Found func(Finding)
	// Played is told when all calls of a scene have been broken; nil for nobody.
	Played func(scene string, runs int)
}

// A Finding is a broken promise.
type Finding struct {
	Scene, Fault string
	Call         faultfs.Call
	Kind         Kind
	What         string // what is wrong, in lines
}

// Kind sorts the findings.
type Kind string

const (
	Wrong  Kind = "wrong"  // a tree, an exit code or a next run that must not be
	Silent Kind = "silent" // it failed and did not say where and why
	Hang   Kind = "hang"   // it did not end
)

func (f Finding) String() string {
	to := ""
	if f.Call.To != "" {
		to = " to " + f.Call.To
	}
	return fmt.Sprintf("%s: %s, %s at call %d, %s %s%s: %s", f.Kind, f.Scene, f.Fault, f.Call.N, f.Call.Name, f.Call.Path, to, f.What)
}

// Tally is what came of a sweep.
type Tally struct {
	Calls map[string]int // of each scene, without a fault
	Runs  int
	// Missed is how many of the runs never came to the call that was to be broken:
	// what cook does depends on the clock a little, by which it trusts stamps.
	Missed int
	Kinds  map[Kind]int
}

// patience is how long a cook may take that takes a tenth of a second when nothing
// is wrong.
const patience = 2 * time.Minute

// Run plays the scenes. Its error says that the sweep itself could not go on.
func (s Sweep) Run(ctx context.Context) (Tally, error) {
	tally := Tally{Calls: map[string]int{}, Kinds: map[Kind]int{}}
	var all []breakage
	var played []scene
	for _, sc := range scenes() {
		if !s.plays(sc.name) {
			continue
		}
		breakages, calls, err := s.list(ctx, sc)
		if err != nil {
			return tally, fmt.Errorf("%s: %w", sc.name, err)
		}
		tally.Calls[sc.name] = calls
		played = append(played, sc)
		all = append(all, breakages...)
	}
	all = s.pick(all)
	for _, sc := range played {
		before := tally.Runs
		if err := s.playAll(ctx, sc, all, &tally); err != nil {
			return tally, err
		}
		if s.Played != nil {
			s.Played(sc.name, tally.Runs-before)
		}
	}
	return tally, nil
}

// pick takes the sample.
func (s Sweep) pick(all []breakage) []breakage {
	if s.Sample == 0 || s.Sample >= len(all) {
		return all
	}
	rand.New(rand.NewPCG(s.Seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	seen := map[[2]string]int{}
	turn := make(map[breakage]int, len(all))
	for _, b := range all {
		kind := [2]string{b.call.name, b.fault.Name}
		turn[b] = seen[kind]
		seen[kind]++
	}
	slices.SortStableFunc(all, func(a, b breakage) int { return cmp.Compare(turn[a], turn[b]) })
	return all[:s.Sample]
}

// playAll breaks the calls of one scene.
func (s Sweep) playAll(ctx context.Context, sc scene, all []breakage, tally *Tally) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	count := func(o outcome) {
		mu.Lock()
		defer mu.Unlock()
		tally.Runs++
		if !o.met {
			tally.Missed++
		}
		for _, f := range o.found {
			tally.Kinds[f.Kind]++
			s.Found(f)
		}
	}
	todo := make(chan breakage)
	var group sync.WaitGroup
	for i := range max(1, s.Workers) {
		group.Go(func() {
			if err := s.work(ctx, i, sc, todo, count); err != nil {
				cancel(err)
			}
		})
	}
	for _, b := range all {
		if b.scene != sc.name {
			continue
		}
		select {
		case todo <- b:
		case <-ctx.Done():
		}
	}
	close(todo)
	group.Wait()
	return context.Cause(ctx)
}

func (s Sweep) plays(scene string) bool {
	for _, name := range s.Scenes {
		if name == scene {
			return true
		}
	}
	return s.Scenes == nil
}

// list plays a scene with nothing broken, and says what can be.
func (s Sweep) list(ctx context.Context, sc scene) (all []breakage, calls int, err error) {
	st, err := s.newStage(sc, "list")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(st.dir)
	r, err := st.play(ctx, breakage{})
	if err == nil && len(r.found) > 0 {
		err = errors.New(r.found[0].String())
	}
	turns := map[callID]int{}
	for _, c := range r.calls {
		id := st.idOf(c)
		for _, f := range Faults() {
			if f.does(c) && (s.Only == nil || s.Only(sc.name, c, f)) {
				all = append(all, breakage{sc.name, f, id, turns[id]})
			}
		}
		turns[id]++
	}
	return all, len(r.calls), err
}

// work breaks what it is told to.
func (s Sweep) work(ctx context.Context, worker int, sc scene, todo <-chan breakage, count func(outcome)) error {
	var st *stage
	defer func() {
		if st != nil {
			os.RemoveAll(st.dir)
		}
	}()
	for b := range todo {
		if ctx.Err() != nil {
			continue // to empty todo
		}
		if st == nil {
			var err error
			if st, err = s.newStage(sc, fmt.Sprintf("worker%d", worker)); err != nil {
				return err
			}
		}
		r, err := st.play(ctx, b)
		if err != nil {
			return fmt.Errorf("%s, %s at %s %s: %w", sc.name, b.fault.Name, b.call.name, b.call.path, err)
		}
		count(r)
		if len(r.found) > 0 { // what is left may not be what the scene begins with
			if err := os.RemoveAll(st.dir); err != nil {
				return err
			}
			st = nil
		}
	}
	return nil
}

// newStage makes the folders of one worker and what the scene begins with.
func (s Sweep) newStage(sc scene, name string) (*stage, error) {
	dir := filepath.Join(s.Dir, sc.name, name)
	st := &stage{
		command: s.Command, scene: sc, dir: dir,
		src: filepath.Join(dir, "src"), out: filepath.Join(dir, "out"), store: filepath.Join(dir, "store"),
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := cooktest.Sample(st.src); err != nil {
		return nil, err
	}
	return st, st.learn()
}
