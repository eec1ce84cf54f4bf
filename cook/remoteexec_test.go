package cook_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// An anchor is a recipe that keeps the only local worker busy until the test releases it, so that
// other machines cook everything else. It never runs on other machines.
type anchor struct{}

func (*anchor) Outputs() []string { return []string{"{path}"} }
func (*anchor) Cook(ctx context.Context, job *recipe.Job) error {
	return currentRecipe.cook(ctx, job)
}

var anchored = recipe.Recipe{Name: "anchor", Version: 1, Extensions: []string{".anchor"}, New: func() recipe.Cooker { return &anchor{} },
	Traits: func(recipe.Cooker) recipe.Traits { return recipe.Traits{Local: true} }}

// A farm is a project whose assets are cooked by other machines if possible.
type farm struct {
	*project
	server *remotetest.Server
	rec    *recorder
	ended  []string // assets, ordered by their end
	jobs   int
}

func newFarm(t *testing.T, server *remotetest.Server, files map[string]string) *farm {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	f := &farm{project: newProject(t), server: server, rec: &recorder{}}
	server.Farm.Executes, server.Farm.Env = true, append(server.Farm.Env, "GORACE="+noSleep)
	for name, text := range files {
		f.write(name, text)
	}
	f.write("0.anchor", strings.Repeat("x", 1<<20)) // the size makes 0.anchor start first; later runs use its recorded time
	if _, ok := files["tools/up.sh"]; ok {
		f.must(os.Chmod(f.asset("tools/up.sh"), 0o777))
	}
	url := server.Start(t)
	f.run.Recipes, f.run.Workers = []recipe.Recipe{anchored}, 1
	f.run.Adjust = func(p *cook.Project) {
		p.Remote = cook.Remote{URL: url, Upload: "never", NoRead: true, Program: os.Args[0], Exec: "always", Jobs: f.jobs}
	}
	return f
}

// cookAway cooks, and keeps the local worker busy until the given number of other assets have
// finished.
func (f *farm) cookAway(others int) cook.Summary {
	f.Helper()
	left := make(chan struct{})
	if others == 0 {
		close(left)
	}
	return f.cookUntil(left, others)
}

// cookUntil is like cookAway, but also releases the local worker when a channel is closed.
func (f *farm) cookUntil(left chan struct{}, others int) cook.Summary {
	f.Helper()
	recipeMu.Lock()
	defer recipeMu.Unlock()
	var once sync.Once
	noted := make(chan struct{}) // closed when the run prints a note
	currentRecipe = testRecipe{cook: func(ctx context.Context, job *recipe.Job) error {
		select {
		case <-left:
		case <-noted:
		case <-ctx.Done():
		}
		for range 8 {
			sha256.Sum256(make([]byte, 1<<20))
		}
		return job.Write(0, nil)
	}}
	f.run.Observer = cook.Observers{f.rec, &hooks{note: func(string) { once.Do(func() { close(noted) }) }, event: func(e cook.Event) {
		if e.Outcome == cook.Started || e.Outcome == cook.Warned || e.Recipe == "anchor" || e.Recipe == "copy" {
			return
		}
		f.ended = append(f.ended, e.Path)
		if others--; others == 0 {
			close(left)
		}
	}}}
	s := f.cook()
	for _, note := range f.rec.notes {
		if strings.Contains(note, "no answer in time") {
			f.Skip("the machine is too slow for the deadlines of requests")
		}
	}
	return s
}

// executed returns the number of assets that other machines cooked.
func executed(s cook.Summary) int64 {
	if s.Remote == nil {
		return 0
	}
	return s.Remote.Executed
}

// compare compares the outputs with the outputs of a single machine.
func (f *farm) compare() {
	f.Helper()
	recipeMu.Lock()
	defer recipeMu.Unlock()
	currentRecipe = testRecipe{cook: func(_ context.Context, job *recipe.Job) error { return job.Write(0, nil) }}
	alone := newProject(f.TB)
	alone.run.Dir, alone.run.Recipes = f.run.Dir, f.run.Recipes
	s := alone.cook()
	if d := alone.outputs().Diff(f.outputs()); d != "" {
		f.Errorf("alone: %s\n%s", s.String(), d)
	}
}

var farmed = map[string]string{
	"a.txt":         strings.Repeat("one ", 100),
	"empty.txt":     "",
	"models/a.gltf": `{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":4},{"uri":"sub/b.bin","byteLength":4}]}`,
	"models/a.bin":  "1234", "models/sub/b.bin": "5678",
	"data/a.up": "text", "lib/a.h": "A", "lib/b.h": "B", "lib/deep/c.h": "C",
	"tools/up.sh": "#!/bin/sh\ncat \"$1\" lib/*.h lib/*/*.h | tr a-z A-Z > \"$2\"\n",
	"cook.toml": `[[rule]]
match  = "*.txt"
recipe = "zstd"
[[rule]]
match   = "*.up"
command = ["tools/up.sh", "{in}", "{out}"]
outputs = ["{path}"]
reads   = ["/lib/**/*.h", "/lib/none.h"]
[[rule]]
match  = ["*.bin", "*.h", "tools/*.sh"]
recipe = "copy"
`,
}

// TestExecutedElsewhere cooks various sources on other machines: single files, sources with
// dependencies, and sources that run programs. The results must equal local results, and later runs
// must find them.
func TestExecutedElsewhere(t *testing.T) {
	files := farmed
	want := int64(4)
	if sandbox.Supported() == nil {
		files["data/b.tr"] = "text"
		files["data/more.h"] = "more"
		files["cook.toml"] += `[[rule]]
match   = "*.tr"
command = ["sh", "-c", 'cat "$1" data/*.h > "$2"', "sh", "{in}", "{out}"]
outputs = ["{path}"]
deps    = "trace"
`
		want++
	}
	for _, blake := range []bool{true, false} {
		f := newFarm(t, &remotetest.Server{BLAKE3: blake}, files)
		f.run.Workers = 1
		s := f.cookAway(int(want))
		if executed(s) != want || s.Failed.Assets > 0 || len(f.rec.notes)+len(f.rec.failed) > 0 {
			t.Errorf("%d executed, want %d: %s; %q, %q", executed(s), want, s.String(), f.rec.notes, f.rec.failed)
		}
		f.compare()
		f.tick()
		if s := f.cook(); s.Cooked.Assets+s.Restored.Assets+s.Failed.Assets > 0 {
			t.Errorf("again: %s", s.String())
		}
		os.RemoveAll(f.run.Out)
		f.run.Adjust = nil
		if s := f.cook(); int64(s.Restored.Assets) < want {
			t.Errorf("from the store: %s", s.String())
		}
	}
}

// follow is a recipe that reads the file that its source names, then the file that this file names,
// and so on. A missing file ends the chain and changes the output.
type follow struct{}

func (*follow) Outputs() []string { return []string{"{path}"} }
func (*follow) Cook(_ context.Context, job *recipe.Job) error {
	text, err := job.Source()
	trail := ""
	for err == nil {
		trail += string(text) + " "
		text, err = job.Read(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return job.Write(0, []byte(trail))
}

var following = recipe.Recipe{Name: "follow", Version: 1, Extensions: []string{".follow"}, New: func() recipe.Cooker { return &follow{} }}

// TestLooksForInVainElsewhere expects an action to be sent again, a limited number of times, with
// the files that it lacked on the other machine.
func TestLooksForInVainElsewhere(t *testing.T) {
	const rounds = 4
	for files, want := range map[int]int64{0: 1, 1: 2, 3: rounds, 4: rounds} {
		trail := map[string]string{"cook.toml": "[[rule]]\nmatch = \"?\"\nrecipe = \"copy\"\n", "x.follow": "0"}
		for i := range files {
			trail[strconv.Itoa(i)] = strconv.Itoa(i + 1)
		}
		server := &remotetest.Server{}
		all := executions(server, rounds)
		f := newFarm(t, server, trail)
		f.run.Recipes = append(f.run.Recipes, following)
		var s cook.Summary
		if files < 4 {
			if s = f.cookAway(1); executed(s) != 1 {
				t.Errorf("%d files: %s", files, s.String())
			}
		} else if s = f.cookUntil(all, 0); executed(s) != 0 {
			t.Errorf("%d files: %s", files, s.String())
		}
		if n := f.server.Calls("Execute"); n != want {
			t.Errorf("%d files: %d executions, want %d", files, n, want)
		}
		f.compare()
		if files == 0 {
			continue
		}
		// The first cook has recorded the dependencies, so the edited source is sent together with
		// its files.
		f.tick()
		f.write("x.follow", "1")
		f.write("0.anchor", strings.Repeat("y", 1<<20))
		if s := f.cookAway(1); executed(s) != 1 || files < 4 && f.server.Calls("Execute") != want+1 {
			t.Errorf("%d files, edited: %s; %d executions", files, s.String(), f.server.Calls("Execute"))
		}
		f.compare()
	}
}

// executions returns a channel that is closed after n requests to execute actions.
func executions(s *remotetest.Server, n int64) chan struct{} {
	done, once := make(chan struct{}), sync.Once{}
	s.Fault = func(_ context.Context, call string) error {
		if call == "Execute" && s.Calls(call) >= n {
			once.Do(func() { close(done) })
		}
		return nil
	}
	return done
}

// TestNothingExecutesElsewhere uses servers that cannot execute actions. The run must print one
// note and cook everything locally.
func TestNothingExecutesElsewhere(t *testing.T) {
	server := &remotetest.Server{}
	for _, url := range []string{server.Start(t), server.StartHTTP(t)} {
		f := newFarm(t, &remotetest.Server{}, farmed)
		f.run.Adjust = func(p *cook.Project) {
			p.Remote = cook.Remote{URL: url, Upload: "never", NoRead: true, Program: os.Args[0], Exec: "always"}
		}
		s := f.cookUntil(make(chan struct{}), 0)
		if executed(s) != 0 || s.Failed.Assets > 0 || len(f.rec.notes) != 1 || !strings.Contains(f.rec.notes[0], "executes no actions") {
			t.Errorf("%s; %q", s.String(), f.rec.notes)
		}
		f.compare()
	}
}

// TestStaysHere expects local recipes, chains of recipes, copies and forced assets to be cooked on
// this machine.
func TestStaysHere(t *testing.T) {
	f := newFarm(t, &remotetest.Server{}, map[string]string{
		"a.open": "open", "a.sys": "system", "a.chain": "chain", "a.copy": "copy", "a.list": `{{len (artifacts "*.copy")}}`,
		"z.zst": "this one leaves, and comes last",
		"cook.toml": `[[rule]]
match   = "*.open"
command = ["cp", "{in}", "{out}"]
outputs = ["{path}"]
sandbox = false
[[rule]]
match   = "*.sys"
command = ["cp", "{in}", "{out}"]
outputs = ["{path}"]
system  = ["/srv"]
[[rule]]
match  = "*.chain"
recipe = "text"
output = "{stem}.made"
[[rule]]
from   = "artifacts"
match  = "*.made"
recipe = "zstd"
[[rule]]
match  = "*.copy"
recipe = "copy"
[[rule]]
match   = "*.list"
recipe  = "list"
[[rule]]
match   = "*.zst"
recipe  = "zstd"
`})
	f.jobs = 1
	s := f.cookAway(1)
	if s.Failed.Assets > 0 || executed(s) != 1 || f.server.Calls("Execute") != 1 || f.ended[0] != "z.zst" {
		t.Errorf("%s; %q; %q", s.String(), f.ended, f.rec.failed)
	}
	f.run.Force = true
	if s := f.cookAway(0); s.Failed.Assets > 0 || f.server.Calls("Execute") != 1 {
		t.Errorf("%s; %d executed; %q", s.String(), f.server.Calls("Execute"), f.rec.failed)
	}
}

// TestFailsElsewhere expects an asset that fails on all machines to fail with the local error. An
// asset that fails only on other machines must not fail.
func TestFailsElsewhere(t *testing.T) {
	f := newFarm(t, &remotetest.Server{Farm: remotetest.Farm{Env: []string{"COOK_TEST_ELSEWHERE=1"}}}, map[string]string{
		"a.gltf": "{", "b.there": "there",
		"cook.toml": "[[rule]]\nmatch = \"*.there\"\nrecipe = \"there\"\n",
	})
	f.run.Recipes = append(f.run.Recipes, failsThere)
	s := f.cookUntil(executions(f.server, 2), 0)
	if s.Failed.Assets != 1 || executed(s) != 0 || f.server.Calls("Execute") != 2 || len(f.rec.notes) > 0 {
		t.Errorf("%s; %d executed; %q", s.String(), f.server.Calls("Execute"), f.rec.notes)
	}
	f.compare()
	alone := newProject(t)
	rec := &recorder{}
	alone.run.Dir, alone.run.Recipes, alone.run.Observer = f.run.Dir, f.run.Recipes, rec
	recipeMu.Lock()
	defer recipeMu.Unlock()
	currentRecipe = testRecipe{cook: func(_ context.Context, job *recipe.Job) error { return job.Write(0, nil) }}
	if alone.cook(); rec.failure("a.gltf") == "" || rec.failure("a.gltf") != f.rec.failure("a.gltf") {
		t.Errorf("alone %q, with a farm %q", rec.failed, f.rec.failed)
	}
}

type there struct{}

func (*there) Outputs() []string { return []string{"{path}"} }
func (*there) Cook(_ context.Context, job *recipe.Job) error {
	if os.Getenv("COOK_TEST_ELSEWHERE") != "" {
		return errors.New("not here")
	}
	return job.Write(0, []byte("made"))
}

var failsThere = recipe.Recipe{Name: "there", Version: 1, New: func() recipe.Cooker { return &there{} }}

// TestUnchangedElsewhere expects an unchanged output from another machine to stay in place, and its
// result to be recorded.
func TestUnchangedElsewhere(t *testing.T) {
	f := newFarm(t, &remotetest.Server{}, map[string]string{"b.there": "one", "cook.toml": "[[rule]]\nmatch = \"*.there\"\nrecipe = \"there\"\n"})
	f.run.Recipes = append(f.run.Recipes, failsThere)
	for round, text := range []string{"one", "two"} {
		f.write("b.there", text)
		f.write("0.anchor", strings.Repeat(text, 1<<19))
		s := f.cookAway(1)
		if executed(s) != 1 || s.Failed.Assets > 0 || s.Unchanged.Assets != 2*round || len(f.rec.notes) > 0 {
			t.Errorf("%d executed, %s; %q", executed(s), s.String(), f.rec.notes)
		}
		f.tick()
	}
	os.RemoveAll(f.run.Out)
	if s := f.cookAway(0); s.Restored.Assets != 2 {
		t.Errorf("from the store: %s", s.String())
	}
}

// TestRefusedElsewhere expects an action that the server refused not to be sent again. One line
// must give the reason.
func TestRefusedElsewhere(t *testing.T) {
	f := newFarm(t, &remotetest.Server{}, map[string]string{
		"a.here": "one", "b.here": "two", "cook.toml": "[[rule]]\nmatch = \"*.here\"\nrecipe = \"here\"\n",
	})
	f.run.Recipes = append(f.run.Recipes, recipe.Recipe{Name: "here", Version: 1, New: func() recipe.Cooker { return &there{} }}) // the other machines lack this recipe
	f.jobs = 1
	refused := make(chan struct{})
	f.server.Farm.Result = func(*repb.ActionResult) { close(refused) }
	s := f.cookUntil(refused, 0)
	if s.Cooked.Assets != 3 || executed(s) != 0 || f.server.Calls("Execute") != 1 || len(f.rec.notes) != 1 || !strings.Contains(f.rec.notes[0], `: there is no recipe "here"`) {
		t.Errorf("%s; %d executed; %q", s.String(), f.server.Calls("Execute"), f.rec.notes)
	}
}

// TestSilentFarm uses machines that do not respond. A run must not wait for these machines after
// all other work is done.
func TestSilentFarm(t *testing.T) {
	asked := make(chan struct{})
	f := newFarm(t, &remotetest.Server{Fault: func(ctx context.Context, call string) error {
		if call == "Execute" {
			close(asked)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}, map[string]string{"a.txt": "one", "b.txt": "two", "cook.toml": "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n"})
	adjust := f.run.Adjust
	f.run.Adjust = func(p *cook.Project) {
		adjust(p)
		p.Remote.Exec = "auto"
	}
	if s := f.cookUntil(asked, 0); s.Cooked.Assets != 3 || executed(s) != 0 {
		t.Errorf("%s", s.String())
	}
	f.compare()
}
