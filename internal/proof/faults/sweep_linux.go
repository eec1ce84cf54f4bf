//go:build amd64 || arm64

package faults

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

	"github.com/assetcook/assetcook/internal/faultfs"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A Fault is injected into one system call of a cook.
type Fault struct {
	Name   string
	Action faultfs.Action
	// Persistent means that all later calls that need disk space fail, too.
	Persistent bool
	// Harmless means that cook must succeed despite the fault.
	Harmless bool
}

// Faults returns the faults of a sweep.
func Faults() []Fault {
	return []Fault{
		{Name: "ENOSPC", Action: faultfs.Fail(syscall.ENOSPC)},
		{Name: "full disk", Action: faultfs.Fail(syscall.ENOSPC), Persistent: true},
		{Name: "EIO", Action: faultfs.Fail(syscall.EIO)},
		{Name: "EACCES", Action: faultfs.Fail(syscall.EACCES)},
		{Name: "EMFILE", Action: faultfs.Fail(syscall.EMFILE)},
		{Name: "EINTR", Action: faultfs.Fail(syscall.EINTR), Harmless: true},
		{Name: "short", Action: faultfs.Short, Harmless: true},
		{Name: "kill", Action: faultfs.Kill},
	}
}

// applies reports whether a fault can be injected into a call. Only a call that transfers bytes can
// be cut short.
func (f Fault) applies(c faultfs.Call) bool {
	return f.Action != faultfs.Short || c.Moves
}

// A Sweep runs cook many times with one worker. Each run has a fault at another system call on a
// file of the sources, the outputs or the store. After each run, the sweep checks that cook's
// messages and exit status are correct and that no output is partially written. The next cook must
// repair everything.
type Sweep struct {
	// Command returns a cook command with the given arguments. The executable that runs the sweep
	// must call faultfs.Init first.
	Command func(args ...string) *exec.Cmd
	// Dir is an empty directory to work in.
	Dir string
	// Scenes lists the scenes to play; nil means all.
	Scenes []string
	// Only selects the calls of a scene that get faults. nil selects all. Only is never called
	// concurrently.
	Only func(scene string, c faultfs.Call, f Fault) bool
	// Sample limits the number of runs. 0 means every fault at every call. A sample is random, but
	// includes each pair of call name and fault before it repeats one.
	Sample int
	Seed   uint64 // seed of the sample
	// Workers is the number of concurrent cooks, each in its own directory.
	Workers int
	// Found is called for each finding, never concurrently.
	Found func(Finding)
	// SceneDone is called after the runs of each scene. It may be nil.
	SceneDone func(scene string, runs int)
}

// A Finding is a failed check.
type Finding struct {
	Scene, Fault string
	Call         faultfs.Call
	Kind         Kind
	What         string // description; may have several lines
}

// A Kind is a kind of finding.
type Kind string

const (
	Wrong  Kind = "wrong"  // wrong outputs, wrong exit status, or a wrong next run
	Silent Kind = "silent" // failed without reporting path and cause
	Hang   Kind = "hang"   // the command exceeded its timeout
)

func (f Finding) String() string {
	to := ""
	if f.Call.To != "" {
		to = " to " + f.Call.To
	}
	return fmt.Sprintf("%s: %s, %s at call %d, %s %s%s: %s", f.Kind, f.Scene, f.Fault, f.Call.N, f.Call.Name, f.Call.Path, to, f.What)
}

// A Tally counts the runs of a sweep.
type Tally struct {
	Calls map[string]int // number of system calls of each scene, without faults
	Runs  int
	// Missed counts the runs that never reached the call with the fault. The calls depend slightly
	// on the clock, because it affects which file stamps are trusted.
	Missed int
	Kinds  map[Kind]int
}

// patience is the timeout for a cook that normally takes 0.1 s.
const patience = 2 * time.Minute

// Run plays the scenes. It returns an error only if the sweep itself fails.
func (s Sweep) Run(ctx context.Context) (Tally, error) {
	tally := Tally{Calls: map[string]int{}, Kinds: map[Kind]int{}}
	var all []target
	var played []scene
	for _, sc := range scenes() {
		if !s.plays(sc.name) {
			continue
		}
		targets, calls, err := s.listFaults(ctx, sc)
		if err != nil {
			return tally, fmt.Errorf("%s: %w", sc.name, err)
		}
		tally.Calls[sc.name] = calls
		played = append(played, sc)
		all = append(all, targets...)
	}
	all = s.drawFaultSample(all)
	for _, sc := range played {
		before := tally.Runs
		if err := s.playAll(ctx, sc, all, &tally); err != nil {
			return tally, err
		}
		if s.SceneDone != nil {
			s.SceneDone(sc.name, tally.Runs-before)
		}
	}
	return tally, nil
}

// drawFaultSample returns a random sample of the targets.
func (s Sweep) drawFaultSample(all []target) []target {
	if s.Sample == 0 || s.Sample >= len(all) {
		return all
	}
	rand.New(rand.NewPCG(s.Seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	seen := map[[2]string]int{}
	turn := make(map[target]int, len(all))
	for _, b := range all {
		kind := [2]string{b.call.name, b.fault.Name}
		turn[b] = seen[kind]
		seen[kind]++
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(turn[a], turn[b]) })
	return all[:s.Sample]
}

func (s Sweep) playAll(ctx context.Context, sc scene, all []target, tally *Tally) error {
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
	todo := make(chan target)
	var group sync.WaitGroup
	for i := range max(1, s.Workers) {
		group.Go(func() {
			if err := s.playTargets(ctx, i, sc, todo, count); err != nil {
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

// listFaults plays a scene without faults. It returns one target for each fault and system call.
func (s Sweep) listFaults(ctx context.Context, sc scene) (all []target, calls int, err error) {
	ws, err := s.newWorkspace(sc, "list")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(ws.dir)
	r, err := ws.playFault(ctx, target{})
	if err == nil && len(r.found) > 0 {
		err = errors.New(r.found[0].String())
	}
	turns := map[callID]int{}
	for _, c := range r.calls {
		id := ws.idOf(c)
		for _, f := range Faults() {
			if f.applies(c) && (s.Only == nil || s.Only(sc.name, c, f)) {
				all = append(all, target{sc.name, f, id, turns[id]})
			}
		}
		turns[id]++
	}
	return all, len(r.calls), err
}

// playTargets plays the targets that it receives from a channel.
func (s Sweep) playTargets(ctx context.Context, worker int, sc scene, todo <-chan target, count func(outcome)) error {
	var ws *workspace
	defer func() {
		if ws != nil {
			os.RemoveAll(ws.dir)
		}
	}()
	for b := range todo {
		if ctx.Err() != nil {
			continue // continue to receive, so that the sender does not block
		}
		if ws == nil {
			var err error
			if ws, err = s.newWorkspace(sc, fmt.Sprintf("worker%d", worker)); err != nil {
				return err
			}
		}
		r, err := ws.playFault(ctx, b)
		if err != nil {
			return fmt.Errorf("%s, %s at %s %s: %w", sc.name, b.fault.Name, b.call.name, b.call.path, err)
		}
		count(r)
		if len(r.found) > 0 { // the workspace may be in an invalid state after a finding
			if err := os.RemoveAll(ws.dir); err != nil {
				return err
			}
			ws = nil
		}
	}
	return nil
}

// newWorkspace creates the directories of one worker and prepares the scene.
func (s Sweep) newWorkspace(sc scene, name string) (*workspace, error) {
	dir := filepath.Join(s.Dir, sc.name, name)
	ws := &workspace{
		command: s.Command, scene: sc, dir: dir,
		src: filepath.Join(dir, "src"), out: filepath.Join(dir, "out"), store: filepath.Join(dir, "store"),
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := oracle.Sample(ws.src); err != nil {
		return nil, err
	}
	return ws, ws.computeExpected()
}
