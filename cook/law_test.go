package cook_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/proof/damage"
	"github.com/assetcook/assetcook/internal/proof/minimal"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// defaultSequences is the default of the flag -oracle.sequences.
const defaultSequences = 60

var (
	sequences = flag.Int("oracle.sequences", defaultSequences, "how many random scripts to play")
	rounds    = flag.Int("oracle.rounds", 2, "rounds of edits in each script")
	seed      = flag.Uint64("oracle.seed", 1, "seed of the first script, the same each time so that a failure is that of a change; 0 picks one by the time, as proof/reliability does")
)

// scripts returns the number of random scripts to run. It divides the flag -oracle.sequences by the
// first argument, and with -short also by 4. The second argument is the minimum.
func scripts(each, least int) uint64 {
	n := *sequences / each
	if testing.Short() {
		n /= 4
	}
	return uint64(max(n, least))
}

// cookInProcess is like oracle.InProcess but also supports Mode.List and Mode.Full.
func cookInProcess(ctx context.Context, f oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
	ctx, opt := options(ctx, f, mode)
	return oracle.Cook(ctx, opt)
}

func options(ctx context.Context, f oracle.Folders, mode oracle.Mode) (context.Context, oracle.Run) {
	full := mode.Full
	mode.Full = false
	ctx, opt := mode.Options(ctx, f)
	opt.Adjust = func(p *cook.Project) {
		if ctx.Value(manifestParts{}) != nil {
			p.Manifest = "parts"
		}
		if mode.List {
			p.SetListAll()
		}
		if full {
			p.SetFullScan()
		}
		if ctx.Value(stateElsewhere{}) != nil {
			p.State = filepath.Join(filepath.Dir(f.Out), "state")
		}
	}
	return ctx, opt
}

type (
	// stateElsewhere is a context key. If set, runs keep their state beside the output directory.
	stateElsewhere struct{}
	// manifestParts is a context key. If set, the manifest has parts.
	manifestParts struct{}
)

// cookCompared makes an incremental dry run and a dry run that lists the whole tree, and then cooks
// like cookInProcess. All three must do the same work.
func cookCompared(ctx context.Context, f oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
	home := f.Out
	if ctx.Value(stateElsewhere{}) != nil {
		home = filepath.Join(filepath.Dir(f.Out), "state")
	}
	if _, err := os.Lstat(filepath.Join(home, ".cook", "index")); err != nil {
		return cookForetold(ctx, f, mode, foretold(ctx, f, mode))
	}
	question := mode
	question.Full = false
	incremental := foretold(ctx, f, question)
	question.Full = true
	if full := foretold(ctx, f, question); full.text != incremental.text {
		return oracle.Result{}, fmt.Errorf("an incremental run would do\n%s\nand a full scan\n%s", incremental.text, full.text)
	}
	return cookForetold(ctx, f, mode, incremental)
}

type forecast struct {
	text     string
	outcomes map[string]cook.Outcome
	err      error
}

func event(e cook.Event) string {
	if e.Outcome == cook.Removed {
		return fmt.Sprint("outputs ", e.Outputs)
	}
	return fmt.Sprintf("%s [%s]", e.Path, e.Target)
}

// foretold makes a dry run and returns the predicted work.
func foretold(ctx context.Context, f oracle.Folders, mode oracle.Mode) forecast {
	mode.ByFolder, mode.Cancel, mode.FirstFailure = false, 0, false
	ctx, opt := options(ctx, f, mode)
	var lines []string
	said := forecast{outcomes: map[string]cook.Outcome{}}
	opt.DryRun = true
	opt.Observer = hooks{event: func(e cook.Event) {
		if e.Outcome != cook.Started && e.Outcome != cook.UpToDate && e.Outcome != cook.Warned {
			lines = append(lines, fmt.Sprintf("%s %s [%s] %v: %v", e.Outcome, e.Path, e.Target, e.Reasons, e.Err))
			said.outcomes[event(e)] = e.Outcome
		}
	}}
	sum, err := opt.Cook(ctx)
	slices.Sort(lines)
	said.err = err
	said.text = fmt.Sprintf("%s\nfound %d of %d and %d bytes, up to date %d, %v", strings.Join(lines, "\n"),
		sum.Found.Assets, sum.Found.In, sum.Found.Out, sum.UpToDate(), err)
	return said
}

// cookForetold cooks, and returns an error unless the run does the predicted work. A predicted cook
// may also fail or be restored. Runs that end early and runs with a damaged store are not compared.
func cookForetold(ctx context.Context, f oracle.Folders, mode oracle.Mode, said forecast) (oracle.Result, error) {
	if said.err != nil || mode.ByFolder || mode.Cancel > 0 || mode.FirstFailure || !storeIntact(f.Cache) {
		return cookInProcess(ctx, f, mode)
	}
	ctx, opt := options(ctx, f, mode)
	var wrong []string
	met := map[string]bool{}
	opt.Observer = hooks{event: func(e cook.Event) {
		name := event(e)
		would, foretold := said.outcomes[name]
		met[name] = true
		switch e.Outcome {
		case cook.Started, cook.UpToDate, cook.Warned, would:
		case cook.Removed:
		case cook.Cooked, cook.Restored, cook.Unchanged, cook.Failed:
			// A restored asset fails if it names an artifact that cannot be cooked.
			nameless := e.Outcome == cook.Failed && would == cook.Restored && strings.Contains(e.Err.Error(), "contains the name of")
			if would != cook.Cooked && !nameless {
				wrong = append(wrong, fmt.Sprintf("%s: %s, foretold as %q: %v", name, e.Outcome, would, e.Err))
			}
		default:
			if !foretold {
				wrong = append(wrong, fmt.Sprintf("%s: %s, and nothing was foretold: %v", name, e.Outcome, e.Err))
			}
		}
	}}
	result, err := oracle.Cook(ctx, opt)
	for name, would := range said.outcomes {
		if !met[name] && err == nil {
			wrong = append(wrong, fmt.Sprintf("%s: foretold as %s, and nothing happened", name, would))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return result, fmt.Errorf("a dry run was wrong:\n%s", strings.Join(wrong, "\n"))
	}
	return result, err
}

// storeIntact reports whether the content of each blob in a store matches the blob's name.
func storeIntact(dir string) bool {
	intact := true
	filepath.WalkDir(filepath.Join(dir, "v1", "blobs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			digest := hashing.DigestOf(data)
			intact = intact && err == nil && strings.HasSuffix(digest.String(), filepath.Base(name))
		}
		return nil
	})
	return intact
}

// TestIncrementalEqualsFromScratch compares incremental cooks after random edits with a cook from
// scratch, and expects no needless work. proof/reliability does the same for longer.
func TestIncrementalEqualsFromScratch(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) >> 10
	}
	t.Logf("-oracle.seed=%d", first)
	count := scripts(1, 1)
	if *sequences == defaultSequences && !testing.Short() {
		count /= 3 // ./check plays many more
	}
	var next atomic.Uint64
	var players sync.WaitGroup
	for range 4 {
		players.Go(func() {
			for i := next.Add(1) - 1; i < count && !t.Failed(); i = next.Add(1) - 1 {
				play(t, first+i, oracle.Options{Rounds: *rounds, Tools: true, Targets: (first+i)%3 == 0, Twins: (first+i)%5 == 0})
			}
		})
	}
	players.Wait()
}

// TestHashedNamesEqualFromScratch is TestIncrementalEqualsFromScratch with output names that
// contain hashes, and with files that contain these names.
func TestHashedNamesEqualFromScratch(t *testing.T) {
	for i := range scripts(4, 1) {
		play(t, *seed+i, oracle.Options{Rounds: *rounds, Hashed: true, Targets: i%3 == 0})
	}
}

// TestFullScan expects a full scan to list the whole tree but to keep the index.
func TestFullScan(t *testing.T) {
	p := smallFiles(t, 20)
	for _, full := range []bool{false, true} {
		if full {
			p.run.Adjust = (*cook.Project).SetFullScan
		}
		if s := p.cook(); s.Looked.Listed > 0 != full || s.ByStamp.Assets != 20 || s.Checksummed.Assets > 0 {
			t.Errorf("full scan %v: %s, %+v", full, s.String(), s.Looked)
		}
	}
}

// newPlace makes a temporary directory. Its removal may fail, because scripts change the
// permissions of directories.
func newPlace(t *testing.T) oracle.Place {
	dir, err := os.MkdirTemp("", "law")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return oracle.Place{Dir: filepath.Join(dir, "place"), Scratch: filepath.Join(dir, "scratch")}
}

// play runs a random script. If it fails, play prints a shorter failing script.
func play(t *testing.T, seed uint64, opt oracle.Options) {
	script := oracle.Random(seed, opt)
	ctx := t.Context()
	if seed%7 == 0 {
		ctx = context.WithValue(ctx, stateElsewhere{}, true)
	}
	if seed%2 == 0 {
		ctx = context.WithValue(ctx, manifestParts{}, true)
	}
	once := func(s oracle.Script) (d *oracle.Difference) {
		place := newPlace(t)
		defer os.RemoveAll(filepath.Dir(place.Dir))
		if err := oracle.Play(ctx, place, s, cookCompared); err != nil && !errors.As(err, &d) {
			t.Errorf("seed %d: %v", seed, err)
		}
		return d
	}
	if d := once(script); d != nil {
		t.Errorf("seed %d: %v", seed, d)
		t.Logf("run again with -oracle.seed=%d -oracle.sequences=1; shrunk:\n%s", seed,
			oracle.Shrink(script[:d.Step+1], func(s oracle.Script) bool { return once(s) != nil }).Txtar())
	}
}

// TestDamage damages files in cook's state and store. No run may panic, hang or leave wrong
// outputs. The test takes a sample; "go run ./proof/reliability damage" tries every truncation and
// every bit.
func TestDamage(t *testing.T) {
	opt := damage.Options{Stride: 3989, Offset: rand.IntN(3989)}
	kinds := 0
	err := damage.Sweep(t.Context(), t.TempDir(), opt, func(tally damage.Tally) {
		kinds++
		for _, f := range tally.Wrong {
			t.Error(f)
		}
		t.Logf("%s: %d files, %d faults, %d noted, %d refused", tally.Kind, tally.Files, tally.Faults, tally.Noted, tally.Refused)
	})
	if err != nil || kinds < 7 {
		t.Errorf("offset %d, %d kinds of files: %v", opt.Offset, kinds, err)
	}
}

// TestEditsAreCookedMinimally makes random trees of programs that read files and artifacts of each
// other. The outputs must equal the outputs of a model, and each edit must cook only the assets with new
// inputs. proof/reliability tests more trees.
func TestEditsAreCookedMinimally(t *testing.T) {
	const first = 20_000
	var all minimal.Counts
	for i := range scripts(4, 20) {
		place := newPlace(t)
		counts, err := minimal.Play(t.Context(), place.Dir, first+*seed+i, minimal.Options{Steps: 5, Tools: runtime.GOOS == "linux" && i%4 == 0})
		if err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(place.Dir)
		all.Runs += counts.Runs
		all.Cooked += counts.Cooked
	}
	if all.Runs == 0 || all.Cooked == 0 {
		t.Errorf("played %+v", all)
	}
}
