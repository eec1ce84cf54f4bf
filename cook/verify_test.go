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
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/report"
)

// A verifiable is a tree that has been cooked.
type verifiable struct {
	cook.Options
	out string
}

// cookedSample cooks the sample tree.
func cookedSample(t *testing.T) *verifiable {
	t.Helper()
	dir := t.TempDir()
	v := &verifiable{out: filepath.Join(dir, "out")}
	v.Options = cook.Options{Dir: filepath.Join(dir, "assets"), Out: v.out, Cache: filepath.Join(dir, "store")}
	if err := cooktest.Sample(v.Dir); err != nil {
		t.Fatal(err)
	}
	v.cook(t)
	return v
}

func (v *verifiable) write(t *testing.T, asset, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(v.Dir, asset), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (v *verifiable) cook(t *testing.T) {
	t.Helper()
	if s, err := cook.Cook(t.Context(), v.Options); err != nil || s.Failed.Assets > 0 {
		t.Fatal(s.Line(), err)
	}
}

// verify returns what is found, one line each, and what it amounts to.
func (v *verifiable) verify(t *testing.T, how cook.VerifyOptions) (found []report.Finding, sum report.Verified) {
	t.Helper()
	how.Found = func(f report.Finding) { found = append(found, f) }
	sum, err := cook.Verify(t.Context(), v.Options, how)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Differences != len(found) {
		t.Errorf("%d differences, but %d were told", sum.Differences, len(found))
	}
	return found, sum
}

// mustFind fails unless all that is found, and nothing else, is of these kinds.
func mustFind(t *testing.T, found []report.Finding, want ...report.FindingKind) {
	t.Helper()
	var kinds []report.FindingKind
	for _, f := range found {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	slices.Sort(want)
	if !slices.Equal(kinds, want) {
		t.Errorf("found %q, want %q: %v", kinds, want, found)
	}
}

// flip inverts a byte of a file and keeps its mode and times.
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

// files lists the regular files below a folder.
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

// stateOf is everything below the folders, times and the cooker's own files
// included.
func stateOf(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	state := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			state[name] = info.Mode().String()
			if d.IsDir() {
				return nil // its times change when scratch files come and go
			}
			data, err := os.ReadFile(name)
			state[name] += fmt.Sprint(info.ModTime().UnixNano(), string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return state
}

func TestVerifyChangesNothing(t *testing.T) {
	for _, workers := range []int{1, 5} {
		v := cookedSample(t)
		v.Workers = workers
		before := stateOf(t, v.Dir, v.out)
		found, sum := v.verify(t, cook.VerifyOptions{Sample: "all"})
		mustFind(t, found)
		if sum.Again != cooktest.Assets || sum.Assets != cooktest.Assets || sum.Outputs != cooktest.Assets || sum.Blobs == 0 {
			t.Error(sum.Line())
		}
		after := stateOf(t, v.Dir, v.out)
		for name := range before {
			if filepath.Base(name) != "lock" && before[name] != after[name] {
				t.Errorf("%s was %.60q, is %.60q", name, before[name], after[name])
			}
		}
		for name := range after {
			if _, ok := before[name]; !ok {
				t.Errorf("%s is new", name)
			}
		}
	}
}

// Whatever byte of whatever output changes, it is found, and nothing else is.
func TestVerifyFindsEveryDamagedOutput(t *testing.T) {
	v := cookedSample(t)
	n := 0
	for i, name := range files(t, v.out) {
		rel, err := filepath.Rel(v.out, name)
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() == 0 || strings.HasPrefix(rel, ".cook/") || rel == "manifest.json" {
			continue
		}
		at := i * 7 % int(info.Size())
		flip(t, name, at)
		how := cook.VerifyOptions{Sample: "0"}
		if n == 0 { // a new cook does not blame the recipe
			how.Sample = "all"
		}
		found, _ := v.verify(t, how)
		mustFind(t, found, report.OutputDamaged)
		if len(found) == 1 && found[0].Output != rel {
			t.Errorf("%s is damaged, and told is %v", rel, found[0])
		}
		flip(t, name, at)
		n++
	}
	if n < cooktest.Assets-1 { // one may be empty
		t.Errorf("only %d outputs were damaged", n)
	}
	found, _ := v.verify(t, cook.VerifyOptions{})
	mustFind(t, found)
}

// A source of which no stamp tells that it changed is found.
func TestVerifyTrustsNoStamp(t *testing.T) {
	v := cookedSample(t)
	for name, kind := range map[string]int{"plain.txt": 1, "mesh/cart.bin": 2} { // the source of one, and a dependency
		flip(t, filepath.Join(v.Dir, filepath.FromSlash(name)), 3)
		found, sum := v.verify(t, cook.VerifyOptions{Sample: "all"})
		mustFind(t, found, slices.Repeat([]report.FindingKind{report.NotUpToDate}, kind)...)
		if sum.Again != cooktest.Assets-kind {
			t.Errorf("%s: %s", name, sum.Line()) // what is not up to date is not cooked
		}
		flip(t, filepath.Join(v.Dir, filepath.FromSlash(name)), 3)
	}
}

// Nor does a checksum vouch for anything: these two words have the same CRC-32.
func TestVerifyTrustsNoChecksum(t *testing.T) {
	const one, two = "plumless", "buckeroo"
	v := cookedSample(t)
	v.Checksum = "crc32"
	v.write(t, "word.txt", one)
	v.cook(t)
	for _, tc := range []struct {
		dir  string
		want []report.FindingKind
	}{
		{v.Dir, []report.FindingKind{report.NotUpToDate}},
		{v.out, []report.FindingKind{report.OutputDamaged}},
	} {
		for _, word := range []string{two, one} {
			if err := os.WriteFile(filepath.Join(tc.dir, "word.txt"), []byte(word), 0o666); err != nil {
				t.Fatal(err)
			}
			if s, err := cook.Cook(t.Context(), v.Options); err != nil || s.UpToDate() != cooktest.Assets+1 {
				t.Fatalf("the words do not have one checksum: %s, %v", s.Line(), err)
			}
			found, _ := v.verify(t, cook.VerifyOptions{})
			if word == one {
				tc.want = nil
			}
			mustFind(t, found, tc.want...)
		}
	}
}

// Each file of the store, damaged, is told of and removed; the next cook that
// would need it makes the same outputs without.
func TestVerifyClearsDamagedStore(t *testing.T) {
	v := cookedSample(t)
	want, err := cooktest.ReadTree(v.out)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files(t, v.Cache) {
		if kind := filepath.Base(filepath.Dir(filepath.Dir(name))); kind != "blobs" && kind != "reads" && kind != "results" {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		flip(t, name, int(info.Size()/2))
		found, _ := v.verify(t, cook.VerifyOptions{Sample: "0"})
		mustFind(t, found, report.StoreDamaged)
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
		n++
	}
	if n < cooktest.Assets {
		t.Errorf("only %d files of the store were damaged", n)
	}
	found, _ := v.verify(t, cook.VerifyOptions{})
	mustFind(t, found)
	for name := range want {
		if !strings.HasSuffix(name, "/") && name != "manifest.json" {
			if err := os.Remove(filepath.Join(v.out, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	v.cook(t)
	got, err := cooktest.ReadTree(v.out)
	if err != nil {
		t.Fatal(err)
	}
	if d := want.Diff(got); d != "" {
		t.Error(d)
	}
}

// Without targets all that were cooked are verified: here the first cook's, which
// has no name, as well.
func TestVerifyTargets(t *testing.T) {
	v := cookedSample(t)
	rules, err := os.ReadFile(filepath.Join(v.Dir, "cook.toml"))
	if err != nil {
		t.Fatal(err)
	}
	v.write(t, "cook.toml", string(rules)+"[target.pc.image]\nmips = true\n[target.mobile.image]\nmips = false\n")
	v.Targets = []string{"mobile", "pc"}
	v.cook(t)
	flip(t, filepath.Join(v.out, "pc", "tex", "sky.png.ktx2"), 90)
	for _, tc := range []struct {
		targets []string
		outputs int
		want    []report.FindingKind
	}{
		{nil, 3 * cooktest.Assets, []report.FindingKind{report.OutputDamaged}},
		{[]string{"pc"}, cooktest.Assets, []report.FindingKind{report.OutputDamaged}},
		{[]string{"mobile"}, cooktest.Assets, nil},
	} {
		v.Targets = tc.targets
		found, sum := v.verify(t, cook.VerifyOptions{Sample: "all"})
		mustFind(t, found, tc.want...)
		if sum.Outputs != tc.outputs || sum.Again != tc.outputs {
			t.Errorf("targets %q: %s", tc.targets, sum.Line())
		}
	}
}
