package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/memtemp"
	"github.com/assetcook/assetcook/recipes"
)

// gitIn runs git in a directory.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", args, err, out)
	}
}

// A sinceTree makes random edits in an asset directory.
type sinceTree struct {
	random *rand.Rand
	dir    string
}

// sinceFiles has the texts that each file of a sinceTree may have.
var sinceFiles = map[string][]string{
	"cook.toml": {
		"[[rule]]\nmatch = \"*.tmpl\"\nrecipe = \"list\"\n",
		"[[rule]]\nmatch = \"*.tmpl\"\nrecipe = \"list\"\n\n[[rule]]\nmatch = \"*.json\"\nrecipe = \"json\"\nminify = false\n",
		"[[rule]]\nmatch = \"*.tmpl\"\nrecipe = \"list\"\n\n[[rule]]\nmatch = \"*.txt\"\nrecipe = \"copy\"\noutput = \"moved/{stem}.txt\"\n",
	},
	"sub/cook.toml": {"[[rule]]\nmatch = \"*.json\"\nrecipe = \"copy\"\n", "[[rule]]\nmatch = \"*.json\"\nrecipe = \"json\"\n"},
	".cookignore":   {"*.skip\n", "*.skip\nb.txt\n"},
	"a.txt":         {"one", "two two", "three"},
	"b.txt":         {"b", "bb"},
	"c.skip":        {"1", "2"},
	"d.json":        {"{\"a\": 1}", "[1, 2]"},
	"sub/d.json":    {"{\"a\": 1}", "[1, 2]"},
	"sub/e.txt":     {"e", "ee"},
	"list.tmpl": {
		"{{range artifacts \"*.txt\"}}{{range .Outputs}}{{.Path}} {{.Size}}\n{{end}}{{end}}",
		"{{range artifacts \"sub/**\"}}{{range .Outputs}}{{.Path}} {{.Size}}\n{{end}}{{end}}",
	},
	"m.obj": {
		"mtllib sub/m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n",
		"v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n",
	},
	"sub/m.mtl": {"newmtl a\nKd 1 0 0\n", "newmtl a\nKd 0 1 0\n"},
}

// editSome writes or removes some files.
func (s *sinceTree) editSome(t *testing.T, most int) {
	t.Helper()
	names := make([]string, 0, len(sinceFiles))
	for name := range sinceFiles {
		names = append(names, name)
	}
	slices.Sort(names)
	for range 1 + s.random.IntN(most) {
		name := names[s.random.IntN(len(names))]
		file := filepath.Join(s.dir, filepath.FromSlash(name))
		if s.random.IntN(4) == 0 && name != "cook.toml" {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			continue
		}
		texts := sinceFiles[name]
		s.writeFile(t, name, texts[s.random.IntN(len(texts))])
	}
}

func (s *sinceTree) writeFile(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// A cookedSet is an observer that collects the assets that a run worked on.
type cookedSet struct {
	cook.Observers
	done map[string]bool
}

func (c cookedSet) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Cooked, cook.Restored, cook.Unchanged, cook.Failed:
		c.done[e.Path] = true
	}
}

// TestSinceOmitsNoAffectedAsset makes random edits in a git repository. Two laws hold. Since names
// every asset that a cook from the state of the revision works on. It also does so if the index
// already describes the current files, or the files in between.
func TestSinceOmitsNoAffectedAsset(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	rounds, omitted := 0, 0
	for seed := range uint64(5) {
		root := memtemp.Dir(t)
		s := &sinceTree{random: rand.New(rand.NewPCG(seed, 7)), dir: filepath.Join(root, "assets")}
		for name, texts := range sinceFiles {
			s.writeFile(t, name, texts[0])
		}
		gitIn(t, root, "init", "-q")
		project := func(out string) cook.Project {
			return cook.Project{Dir: s.dir, Out: filepath.Join(root, out), Cache: filepath.Join(root, "store-"+out), Engine: "own", Recipes: recipes.All()}
		}
		cookNow := func(out string) map[string]bool {
			done := cookedSet{done: map[string]bool{}}
			if _, err := cook.Cook(context.Background(), project(out), cook.CookOptions{Observer: done, Limits: cook.Limits{Workers: 1}}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return done.done
		}
		names := func(out string) (listed map[string]bool, all string) {
			p := project(out)
			var stdout, stderr strings.Builder
			c := command{cook.Cook, recipes.All()}
			args := []string{"list", "-dir", p.Dir, "-out", p.Out, "-cache", p.Cache, "-engine", p.Engine, "-since", "HEAD", "-columns", "path"}
			if code := c.runArguments(t.Context(), func() {}, args, &stdout, &stderr); code != frontend.OK {
				t.Fatalf("seed %d: exit status %d: %s", seed, code, stderr.String())
			}
			listed = map[string]bool{}
			for _, name := range strings.Fields(stdout.String()) {
				listed[name] = true
			}
			return listed, stderr.String()
		}
		for round := range 4 {
			gitIn(t, root, "add", "-A", "assets")
			gitIn(t, root, "commit", "-q", "--allow-empty", "-m", "a")
			cookNow("revision") // the state at the revision
			s.editSome(t, 2)
			cookNow("between")
			s.editSome(t, 2)
			stale, _ := names("between")
			known, _ := names("revision")
			cookNow("between")
			current, all := names("between")
			for p := range cookNow("revision") {
				for index, listed := range map[string]map[string]bool{"the revision": known, "edits in between": stale, "the current files": current} {
					if !listed[p] {
						t.Errorf("seed %d, round %d: with the index of %s, %s is missing", seed, round, index, p)
					}
				}
			}
			rounds++
			if all == "" && len(current) < len(sinceFiles)-3 {
				omitted++
			}
		}
	}
	if omitted < rounds/4 {
		t.Errorf("only %d of %d rounds list fewer than all assets", omitted, rounds)
	}
}

// TestShardsPartitionTheAssets expects that each asset is in exactly one of n shards. Runs for all
// shards must make the outputs of one run, keep the outputs of each other, and leave no work.
func TestShardsPartitionTheAssets(t *testing.T) {
	root := memtemp.Dir(t)
	s := &sinceTree{dir: filepath.Join(root, "assets")}
	want := 0
	for i := range 12 {
		s.writeFile(t, fmt.Sprintf("d%d/%d.txt", i%3, i), strings.Repeat("x", i))
		want++
	}
	s.writeFile(t, "cook.toml", "[[rule]]\nmatch = \"*.in\"\nrecipe = \"copy\"\n\n[[rule]]\nfrom = \"artifacts\"\nmatch = \"*.in\"\nrecipe = \"zstd\"\n")
	s.writeFile(t, "chain.in", "a chain stays in one shard")
	want++
	for n := 1; n <= 9; n++ {
		p := cook.Project{Dir: s.dir, Out: filepath.Join(root, fmt.Sprint(n)), Cache: filepath.Join(root, "store"), Engine: "own", Recipes: recipes.All()}
		seen := map[string]int{}
		for i := 1; i <= n; i++ {
			done := cookedSet{done: map[string]bool{}}
			sum, err := cook.Cook(context.Background(), p, cook.CookOptions{Shard: fmt.Sprintf("%d/%d", i, n), Observer: done, Limits: cook.Limits{Workers: 1}})
			if err != nil || sum.Removed.Assets > 0 || sum.Found.Assets != len(done.done) {
				t.Fatalf("shard %d/%d: %v, %v, %d assets done", i, n, err, sum, len(done.done))
			}
			for p := range done.done {
				seen[p] = i
			}
			want -= len(done.done)
		}
		if want != 0 {
			t.Errorf("%d shards differ from the whole by %d assets", n, want)
		}
		want = len(seen)
		sum, err := cook.Cook(context.Background(), p, cook.CookOptions{Limits: cook.Limits{Workers: 1}})
		if err != nil || sum.UpToDate() != want || sum.Found.Assets != want {
			t.Errorf("after %d shards: %v, %v", n, err, sum)
		}
	}
}
