package cook_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// verify calls Verify, and returns the findings and the totals.
func (p *project) verify(how oracle.Check) (found []cook.Finding, sum cook.Verified) {
	p.Helper()
	how.Found = func(f cook.Finding) { found = append(found, f) }
	sum, err := p.run.Check(p.Context(), how)
	p.must(err)
	if sum.Differences != len(found) {
		p.Errorf("%d differences, but %d were reported", sum.Differences, len(found))
	}
	return found, sum
}

// mustFind fails the test unless the findings are of exactly these kinds.
func mustFind(t *testing.T, found []cook.Finding, want ...string) {
	t.Helper()
	var kinds []string
	for _, f := range found {
		kinds = append(kinds, string(f.Kind))
	}
	slices.Sort(kinds)
	slices.Sort(want)
	if !slices.Equal(kinds, want) {
		t.Errorf("found %q, want %q: %v", kinds, want, found)
	}
}

// flip inverts a bit of a file. It keeps the mode and the modification time.
func flip(t *testing.T, name string, at int) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[at] ^= 1
	err = errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, data, 0o600), os.Chmod(name, info.Mode()),
		os.Chtimes(name, info.ModTime(), info.ModTime()))
	if err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestVerifyChangesNothing(t *testing.T) {
	for _, workers := range []int{1, 5} {
		p := sampleProject(t)
		p.cookAll()
		p.run.Workers = workers
		before := stampsOf(t, isLockOrFolder, p.run.Dir, p.run.Out)
		found, sum := p.verify(oracle.Check{Sample: "all"})
		mustFind(t, found)
		if sum.Again != oracle.Shipped || sum.Assets != oracle.Shipped || sum.Outputs != oracle.Shipped || sum.Blobs == 0 {
			t.Error(sum.String())
		}
		checkStamps(t, fmt.Sprint(workers, " workers"), before, stampsOf(t, isLockOrFolder, p.run.Dir, p.run.Out))
	}
}

// TestVerifyFindsEveryDamagedOutput changes a byte of each output, and expects a finding about this
// output only.
func TestVerifyFindsEveryDamagedOutput(t *testing.T) {
	p := sampleProject(t)
	p.cookAll()
	n := 0
	for i, name := range files(t, p.run.Out) {
		rel, err := filepath.Rel(p.run.Out, name)
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() == 0 || strings.HasPrefix(rel, ".cook/") || rel == "manifest.json" || rel == "CACHEDIR.TAG" || rel == ".gitignore" {
			continue
		}
		at := i * 7 % int(info.Size())
		flip(t, name, at)
		how := oracle.Check{Sample: "0"}
		if n == 0 { // cook all assets again; Verify must still not report the recipe
			how.Sample = "all"
		}
		found, _ := p.verify(how)
		mustFind(t, found, "output damaged")
		if len(found) == 1 && found[0].Output != rel {
			t.Errorf("%s is damaged, but the finding is %v", rel, found[0])
		}
		flip(t, name, at)
		n++
	}
	if n < oracle.Shipped-1 { // one output may be empty, and cannot be damaged
		t.Errorf("only %d outputs were damaged", n)
	}
	found, _ := p.verify(oracle.Check{})
	mustFind(t, found)
}

func TestVerifyIgnoresTimestamps(t *testing.T) {
	p := sampleProject(t)
	p.cookAll()
	for name, kind := range map[string]int{"plain.txt": 1, "mesh/cart.bin": 2} {
		flip(t, filepath.Join(p.run.Dir, filepath.FromSlash(name)), 3)
		found, sum := p.verify(oracle.Check{Sample: "all"})
		mustFind(t, found, slices.Repeat([]string{"not up to date"}, kind)...)
		if sum.Again != oracle.Shipped-1 {
			t.Errorf("%s: %s", name, sum.String()) // a stale asset must not be cooked again
		}
		flip(t, filepath.Join(p.run.Dir, filepath.FromSlash(name)), 3)
	}
}

// TestVerifyIgnoresChecksums replaces a word with another word of the same CRC-32, and expects a
// finding.
func TestVerifyIgnoresChecksums(t *testing.T) {
	const one, two = "plumless", "buckeroo"
	p := sampleProject(t)
	p.cookAll()
	p.run.Checksum = "crc32"
	p.write("word.txt", one)
	p.cookAll()
	for _, tc := range []struct {
		dir  string
		want []string
	}{
		{p.run.Dir, []string{"not up to date"}},
		{p.run.Out, []string{"output damaged"}},
	} {
		for _, word := range []string{two, one} {
			if err := os.WriteFile(filepath.Join(tc.dir, "word.txt"), []byte(word), 0o666); err != nil {
				t.Fatal(err)
			}
			if s, err := p.run.Cook(t.Context()); err != nil || s.UpToDate() != oracle.Assets+1 {
				t.Fatalf("the words do not have the same checksum: %s, %v", s.String(), err)
			}
			found, _ := p.verify(oracle.Check{})
			if word == one {
				tc.want = nil
			}
			mustFind(t, found, tc.want...)
		}
	}
}

// TestVerifyRemovesDamagedStoreFiles damages each file of the store. Verify must report and remove
// the file, and the next cook must make the same outputs.
func TestVerifyRemovesDamagedStoreFiles(t *testing.T) {
	p := sampleProject(t)
	p.cookAll()
	want := p.outputs()
	n := 0
	for _, name := range files(t, p.run.Cache) {
		if kind := filepath.Base(filepath.Dir(filepath.Dir(name))); kind != "blobs" && kind != "reads" && kind != "results" {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		flip(t, name, int(info.Size()/2))
		found, _ := p.verify(oracle.Check{Sample: "0"})
		mustFind(t, found, "store damaged")
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
		n++
	}
	if n < oracle.Assets {
		t.Errorf("only %d files of the store were damaged", n)
	}
	found, _ := p.verify(oracle.Check{})
	mustFind(t, found)
	for name := range want {
		if !strings.HasSuffix(name, "/") && name != "manifest.json" {
			p.must(os.Remove(filepath.Join(p.run.Out, filepath.FromSlash(name))))
		}
	}
	p.cookAll()
	if d := want.Diff(p.outputs()); d != "" {
		t.Error(d)
	}
}

// TestVerifyTargets expects Verify to check all cooked targets by default, including the unnamed
// target of the first cook.
func TestVerifyTargets(t *testing.T) {
	p := sampleProject(t)
	p.cookAll()
	rules, err := os.ReadFile(filepath.Join(p.run.Dir, "cook.toml"))
	if err != nil {
		t.Fatal(err)
	}
	p.write("cook.toml", string(rules)+"[target.pc.image]\nmips = true\n[target.mobile.image]\nmips = false\n")
	p.run.Targets = []string{"mobile", "pc"}
	p.cookAll()
	flip(t, filepath.Join(p.run.Out, "pc", "tex", "sky.png.ktx2"), 90)
	for _, tc := range []struct {
		targets []string
		outputs int
		want    []string
	}{
		{nil, 3 * oracle.Shipped, []string{"output damaged"}},
		{[]string{"pc"}, oracle.Shipped, []string{"output damaged"}},
		{[]string{"mobile"}, oracle.Shipped, nil},
	} {
		p.run.Targets = tc.targets
		found, sum := p.verify(oracle.Check{Sample: "all"})
		mustFind(t, found, tc.want...)
		if sum.Outputs != tc.outputs || sum.Again != tc.outputs {
			t.Errorf("targets %q: %s", tc.targets, sum.String())
		}
	}
}
