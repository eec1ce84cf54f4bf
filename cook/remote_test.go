package cook_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/memtemp"
	"github.com/assetcook/assetcook/internal/proof/oracle"
	"github.com/assetcook/assetcook/recipes"
)

// noSleep is a setting of the race detector. It makes programs exit at once instead of sleeping for
// a second.
const noSleep = "atexit_sleep_ms=0"

// This test binary is also the child process that communicates with a server, and the cook on
// another machine. The first argument selects the role.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "run-action" {
		cli.Main(append(recipes.All(), anchored, failsThere, following, painterRecipe)...)
	}
	if len(os.Args) > 1 && os.Args[1] == "serve-remote" {
		os.Exit(process.Serve(context.Background(), os.Args[2:], os.Stdin, silent{os.Stdout, os.Getenv(holdVar)}, os.Stderr))
	}
	os.Setenv("GORACE", noSleep)
	os.Unsetenv("CI") // runs on machines of CI wait longer for a server that has failed
	memtemp.Use()
	os.Exit(m.Run())
}

// holdVar is an environment variable that names a file. Until the file exists, the child process of
// a remote server sends nothing to cook.
const holdVar = "TEST_COOK_REMOTE_HOLD"

type silent struct {
	io.Writer
	until string
}

func (h silent) Write(p []byte) (int, error) {
	for h.until != "" {
		if _, err := os.Lstat(h.until); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return h.Writer.Write(p)
}

// A team is a group of machines that share a server, which may fail, lose data and send wrong data.
// From time to time, a machine with an empty store takes over. Some teams sign their results.
type team struct {
	server *remotetest.Server
	share  cook.Remote
	alone  atomic.Int64 // number of runs on machines that share nothing

	mu sync.Mutex // guards r
	r  *rand.Rand
}

// dice returns a random number below n.
func (tm *team) dice(n int) int {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return tm.r.IntN(n)
}

func newTeam(t *testing.T, seed uint64) *team {
	tm := &team{server: &remotetest.Server{BLAKE3: seed%2 == 0, Zstd: seed%3 == 0}, r: rand.New(rand.NewPCG(seed, 21))}
	tm.server.Fault = func(context.Context, string) error {
		if tm.dice(30) == 0 {
			return status.Error(codes.Unavailable, "is being updated")
		}
		return nil
	}
	tm.share = cook.Remote{URL: tm.server.Start(t), Upload: "always", Program: os.Args[0]}
	if seed%2 == 1 {
		private, public := keyPair(t, "team")
		tm.share.SignKey, tm.share.Trust = private, []string{public}
	}
	return tm
}

// cook is an oracle.Cooker. It cooks on a machine of the team. A cook from scratch uses a machine
// that shares nothing.
func (tm *team) cook(ctx context.Context, f oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
	if filepath.Base(f.Cache) == "store" && filepath.Base(filepath.Dir(f.Cache)) == "new" {
		tm.alone.Add(1)
		return cookInProcess(ctx, f, mode)
	}
	if tm.dice(3) == 0 {
		os.RemoveAll(f.Cache)
	}
	tm.server.Change(func(blobs map[string][]byte, results map[string]*repb.ActionResult) {
		switch tm.dice(10) {
		case 0: // evict a blob
			for hash := range blobs {
				delete(blobs, hash)
				break
			}
		case 1: // exchange two blobs
			exchange(blobs)
		case 2:
			exchange(results)
		}
	})
	ctx, run := options(ctx, f, mode)
	adjust := run.Adjust
	run.Adjust = func(p *cook.Project) {
		adjust(p)
		p.Remote = tm.share
		p.Remote.NoRace = tm.dice(2) == 0
	}
	return oracle.Cook(ctx, run)
}

// exchange swaps the values of two keys.
func exchange[V any](all map[string]V) {
	first, second, n := "", "", 0
	for key := range all {
		first, second = key, first
		if n++; n == 2 {
			all[first], all[second] = all[second], all[first]
			return
		}
	}
}

// TestSharedEqualsFromScratch makes random edits on machines that share results. Their outputs must
// equal a cook from scratch without sharing, and they must do no needless work.
func TestSharedEqualsFromScratch(t *testing.T) {
	first, alone, given, fetched := *seed, int64(0), int64(0), int64(0)
	for i := range scripts(10, 12) {
		tm := newTeam(t, first+i)
		place := newPlace(t)
		script := oracle.Random(first+i, oracle.Options{Rounds: *rounds, Tools: true, Targets: i%3 == 0})
		err := oracle.Play(t.Context(), place, script, tm.cook)
		os.RemoveAll(filepath.Dir(place.Dir))
		if err != nil {
			t.Fatalf("seed %d: %v", first+i, err)
		}
		fetched += tm.server.Calls("BatchReadBlobs") + tm.server.Calls("Read")
		alone += tm.alone.Load()
		given += tm.server.Calls("UpdateActionResult")
	}
	if alone == 0 || given == 0 || fetched == 0 {
		t.Errorf("%d runs from scratch, %d results given, artifacts fetched %d times", alone, given, fetched)
	}
}

// TestSharedIsStored expects that results from a server are also put into the machine's store.
func TestSharedIsStored(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	p := smallFiles(t, 50)
	p.write("cook.toml", "[[rule]]\nmatch = \"*\"\nrecipe = \"zstd\"\n")
	share := func(p *cook.Project) {
		p.Remote = cook.Remote{URL: url, Upload: "always", Program: os.Args[0], NoRace: true}
	}
	for n, step := range []struct {
		store    string
		adjust   func(*cook.Project)
		restored int
	}{{"one", share, 0}, {"two", share, 50}, {"two", nil, 50}, {"three", nil, 0}} {
		p.run.Out, p.run.Cache, p.run.Adjust = filepath.Join(t.TempDir(), "out"), filepath.Join(p.dir, step.store), step.adjust
		s := p.cook()
		if s.Cooked.Assets+s.Restored.Assets != 50 || s.Restored.Assets != step.restored {
			t.Errorf("run %d: %s", n, s.String())
		}
	}
}

// TestRace expects an asset to be cooked while its result is downloaded. A download that finishes
// first must end the cook.
func TestRace(t *testing.T) {
	server := &remotetest.Server{}
	p := newProject(t)
	first := true
	begun := filepath.Join(t.TempDir(), "begun")
	var ended atomic.Int64
	slow := hook(".slow", false, func(ctx context.Context, _ *recipe.Job) error {
		if first {
			return nil
		}
		os.WriteFile(begun, nil, 0o666)
		<-ctx.Done()
		ended.Add(1)
		return ctx.Err()
	})
	p.run.Recipes = []recipe.Recipe{slow}
	for i := range 5 {
		p.write(fmt.Sprintf("%d.slow", i), fmt.Sprint("text ", i))
	}
	share := cook.Remote{URL: server.Start(t), Upload: "always", Program: os.Args[0]}
	p.run.Adjust = func(p *cook.Project) { p.Remote = share }
	p.cook()
	t.Setenv(holdVar, begun)
	first = false
	p.run.Out, p.run.Cache = filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "store")
	if s := p.cook(); s.Restored.Assets != 5 || s.Cooked.Assets+s.Failed.Assets > 0 {
		t.Error(s.String())
	}
	if ended.Load() == 0 {
		t.Error("nothing was cooked meanwhile")
	}
}

// TestSilence uses a server that stays silent until all assets are cooked. No asset may fail or
// wait for the server.
func TestSilence(t *testing.T) {
	p := newProject(t)
	release := filepath.Join(t.TempDir(), "release")
	t.Setenv(holdVar, release)
	var cooked atomic.Int64
	p.run.Recipes = []recipe.Recipe{hook(".slow", false, func(context.Context, *recipe.Job) error {
		if cooked.Add(1) == 20 {
			return os.WriteFile(release, nil, 0o666)
		}
		return nil
	})}
	for i := range 20 {
		p.write(fmt.Sprintf("%d.slow", i), strings.Repeat("text ", i*i*1000))
	}
	server := &remotetest.Server{}
	url := server.Start(t)
	p.run.Adjust = func(p *cook.Project) { p.Remote = cook.Remote{URL: url, Program: os.Args[0]} }
	if s := p.cook(); s.Cooked.Assets != 20 {
		t.Error(s.String())
	}
}
