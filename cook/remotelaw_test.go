package cook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A badFarm is a team whose server has unreliable machines, which may fail or send detectably wrong
// results.
type badFarm struct {
	*team
	executed, failed atomic.Int64
}

// spoil changes some results of actions, at random.
func (f *badFarm) spoil(r *repb.ActionResult) {
	fault := f.dice(40)
	if fault > 12 || len(r.OutputFiles) == 0 {
		return
	}
	f.failed.Add(1)
	one := r.OutputFiles[f.dice(len(r.OutputFiles))]
	switch fault {
	case 0:
		r.OutputFiles = nil
	case 1:
		r.ExitCode = 1
	case 2: // use the digest of another output, or of the record
		one.Digest = r.OutputFiles[0].Digest
	case 3:
		one.Path = "out/1"
	case 4:
		r.OutputSymlinks = []*repb.OutputSymlink{{Path: "out/0", Target: "/etc/passwd"}}
	case 5: // the server loses the output
		f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) { delete(blobs, one.Digest.Hash) })
	case 6:
		f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) { clear(blobs) })
	default:
		f.forge(r, fault)
	}
}

// forge changes the record of an action so that it contains false information.
func (f *badFarm) forge(r *repb.ActionResult, how int) {
	for _, file := range r.OutputFiles {
		if file.Path != "out/record" {
			continue
		}
		f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
			var rec remote.Record
			if json.Unmarshal(blobs[file.Digest.Hash], &rec) != nil {
				return
			}
			switch how {
			case 7:
				rec.Error = "forged"
			case 8:
				rec.Refused = "forged"
			case 9:
				for i := range rec.Artifacts {
					rec.Artifacts[i].Blob = hashing.DigestOf([]byte("forged")).String()
				}
			case 10:
				rec.Reads = []remote.Reading{{Asked: dependency.OfFile("../../../../etc/passwd"), Found: true, Blob: hashing.DigestOf(nil).String()}}
			case 11:
				rec.Reads = append(rec.Reads, remote.Reading{Asked: dependency.OfFile("~"), Found: true, Blob: hashing.DigestOf([]byte("forged")).String()})
			default:
				for i := range rec.Reads {
					rec.Reads[i].Found = !rec.Reads[i].Found
				}
				rec.Artifacts = append(rec.Artifacts, rec.Artifacts...)
			}
			text, err := json.Marshal(rec)
			if err != nil {
				return
			}
			file.Digest = &repb.Digest{Hash: f.hash(text), SizeBytes: int64(len(text))}
			blobs[file.Digest.Hash] = text
		})
	}
}

func (f *badFarm) hash(content []byte) string {
	if f.server.BLAKE3 {
		return hashing.DigestOf(content).String()
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// cook is an oracle.Cooker, like team.cook.
func (f *badFarm) cook(ctx context.Context, folders oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
	if filepath.Base(folders.Cache) == "store" && filepath.Base(filepath.Dir(folders.Cache)) == "new" {
		f.alone.Add(1)
		return cookInProcess(ctx, folders, mode)
	}
	if f.dice(3) == 0 {
		os.RemoveAll(folders.Cache)
	}
	ctx, run := options(ctx, folders, mode)
	adjust := run.Adjust
	how := [...]string{"always", "auto"}[f.dice(2)]
	run.Workers = 1
	run.Adjust = func(p *cook.Project) {
		adjust(p)
		p.Remote = cook.Remote{URL: f.share.URL, Upload: "never", NoRead: f.dice(2) == 0, NoRace: f.dice(2) == 0, Program: os.Args[0], Exec: how, Jobs: 1 + f.dice(4)}
	}
	return oracle.Cook(ctx, run)
}

// TestExecutedEqualsFromScratch makes random edits while other machines fail. The outputs must
// equal the outputs of a cook from scratch on one machine.
func TestExecutedEqualsFromScratch(t *testing.T) {
	var executed, failed, alone int64
	for i := range scripts(75, 2) {
		t.Run(fmt.Sprint("seed ", *seed+i), func(t *testing.T) { // a subtest, so that the memory of its server can be freed
			f := &badFarm{team: newTeam(t, *seed+i)}
			f.play(t, oracle.Random(*seed+i, oracle.Options{Rounds: *rounds, Tools: true, Targets: i%3 == 0}))
			alone += f.alone.Load()
			executed += f.executed.Load()
			failed += f.failed.Load()
		})
	}
	if t.Logf("%d executions, %d failed", executed, failed); alone == 0 || executed == 0 {
		t.Errorf("%d runs from scratch", alone)
	}
}

func (f *badFarm) play(t *testing.T, script oracle.Script) {
	f.server.Farm.Executes, f.server.Farm.Env, f.server.Farm.Result = true, []string{"GORACE=" + noSleep}, f.spoil
	fault := f.server.Fault
	f.server.Fault = func(ctx context.Context, call string) error {
		if (call == "Execute" || call == "WaitExecution") && f.dice(6) == 0 {
			f.failed.Add(1)
			return status.Error([]codes.Code{codes.Unavailable, codes.Internal, codes.ResourceExhausted, codes.FailedPrecondition, codes.DeadlineExceeded}[f.dice(5)], "broken")
		}
		if call != "Execute" {
			return fault(ctx, call)
		}
		f.executed.Add(1)
		return nil
	}
	place := newPlace(t)
	defer os.RemoveAll(filepath.Dir(place.Dir))
	if err := oracle.Play(t.Context(), place, script, f.cook); err != nil {
		t.Fatal(err)
	}
}

var (
	troubleRuns   = flag.Int("trouble.runs", 10, "how many runs TestTroubledServers makes")
	troubleSeed   = flag.Uint64("trouble.seed", 1, "seed of the first run")
	troubleBeside = flag.Int("trouble.beside", 10, "how many runs go side by side")
)

// TestTroubledServers simulates faults of the server, the connection and the credentials. A cook
// must have the same outputs and failures as without a server, and its store must restore the same
// outputs.
func TestTroubledServers(t *testing.T) {
	alone := sampleProject(t)
	alone.write("data/broken.json", "{")
	want := alone.cook()
	if want.Failed.Assets == 0 || want.Cooked.Assets < 10 {
		t.Fatal(want.String())
	}
	outputs := alone.outputs()

	kinds := remotetest.Troubles()
	var restored, given atomic.Int64
	var players sync.WaitGroup
	runs := make(chan int)
	for range *troubleBeside {
		players.Go(func() {
			for n := range runs {
				t.Run(kinds[n%len(kinds)], func(t *testing.T) {
					w := &troubledPlay{T: t, assets: alone.run.Dir, want: &want, outputs: outputs}
					r, g := w.play(kinds[n%len(kinds)], *troubleSeed+uint64(n))
					restored.Add(int64(r))
					given.Add(int64(g))
				})
			}
		})
	}
	for n := range *troubleRuns {
		runs <- n
	}
	close(runs)
	players.Wait()
	t.Logf("%d runs: %d results given, %d assets restored, 0 wrong", *troubleRuns, given.Load(), restored.Load())
	// On a busy machine, the lookups may all reach the server too late. A few runs may therefore
	// restore nothing.
	if given.Load() == 0 || restored.Load() == 0 && *troubleRuns > 10 {
		t.Error("the troubles are too hard")
	}
}

type troubledPlay struct {
	*testing.T
	assets  string
	want    *cook.Summary
	outputs oracle.Tree
	dir     string
}

// play lets one machine upload its results to a server and another machine download them.
func (w *troubledPlay) play(kind string, seed uint64) (restored, given int) {
	r := rand.New(rand.NewPCG(seed, 3))
	var mu sync.Mutex
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	dir, err := os.MkdirTemp("", "troubled")
	if err != nil {
		w.Fatal(err)
	}
	w.dir = dir
	defer os.RemoveAll(dir)
	server := remotetest.StartTroubled(w, kind, draw)
	from := server.Faulty
	if draw(2) == 0 {
		server.Calm.Store(true)
		from = server.Direct
	}
	w.cook("giver", "giver", &from)
	given = int(server.Server.Calls("UpdateActionResult") + server.Server.Calls("PUT ac"))
	server.Calm.Store(false)
	s := w.cook("taker", "taker", &server.Faulty)
	w.cook("taker", "again", nil)
	return s.Restored.Assets, given
}

// cook cooks with a given store into a new directory, and compares the outputs with the expected
// outputs.
func (w *troubledPlay) cook(store, out string, at *remotetest.Address) cook.Summary {
	run := oracle.Run{Dir: w.assets, Out: filepath.Join(w.dir, "out-"+out), Cache: filepath.Join(w.dir, "store-"+store), Workers: 2}
	if at != nil {
		token, ca := filepath.Join(w.dir, out+".token"), ""
		if err := os.WriteFile(token, []byte(strings.TrimPrefix(at.Authorization, "Bearer ")), 0o600); err != nil {
			w.Fatal(err)
		}
		if at.CA != nil {
			ca = filepath.Join(w.dir, "ca.pem")
			if err := os.WriteFile(ca, at.CA, 0o600); err != nil {
				w.Fatal(err)
			}
		}
		run.Adjust = func(p *cook.Project) {
			p.Remote = cook.Remote{URL: at.URL, Upload: "always", TokenFile: token, CA: ca, Program: os.Args[0]}
		}
	}
	s, err := run.Cook(context.Background())
	if err != nil {
		w.Errorf("%s: %v", out, err)
	}
	if s.Failed.Assets != w.want.Failed.Assets || s.Found.Assets != w.want.Found.Assets || s.Cooked.Assets+s.Restored.Assets+s.NotShipped.Assets+s.Failed.Assets != s.Found.Assets {
		w.Errorf("%s: %s, alone: %s", out, s.String(), w.want.String())
	}
	if diff := w.outputs.Diff(readTree(w, run.Out)); diff != "" {
		w.Errorf("%s: %s", out, diff)
	}
	return s
}
