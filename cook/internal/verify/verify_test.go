package verify_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/verify"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

func TestNoDifferences(t *testing.T) {
	tr := cooked(t)
	before := tr.files(t)
	found, sum := tr.verify(t, "all")
	mustFind(t, found)
	if sum.Outputs != assets || sum.Assets != assets || sum.Again != assets || sum.Blobs == 0 || sum.Bytes == 0 || sum.Seed == 0 {
		t.Errorf("%+v", sum)
	}
	o := tr.observer
	if want := []string{"scan", "read", "plan", "store", "cook"}; !slices.Equal(o.stages, want) {
		t.Errorf("stages %q, want %q", o.stages, want)
	}
	if o.planned != assets || o.started != assets || o.cooked != assets || o.overlaps.Load() {
		t.Errorf("planned %d, started %d, cooked %d, at once: %v", o.planned, o.started, o.cooked, o.overlaps.Load())
	}
	if o.read != o.of || o.read < 2*assets {
		t.Errorf("read %d of %d files", o.read, o.of)
	}
	after := tr.files(t)
	for name := range after {
		if before[name] != after[name] {
			t.Errorf("%s changed", name)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
	if done := tr.cook(t); done.Stats.Outcomes.ByStamp.Assets+done.Stats.Outcomes.ByChecksum.Assets != assets {
		t.Errorf("the next cook has work: %+v", done.Stats)
	}
}

// harms are ways to damage a cooked tree, and the findings that they must cause.
var harms = map[string]struct {
	harm func(t *testing.T, tr *tree)
	want []verify.FindingKind
	text string
}{
	"edited output": {
		harm: func(t *testing.T, tr *tree) { flip(t, tr.output("a.txt")) },
		want: []verify.FindingKind{verify.OutputDamaged},
		text: "a.txt differs from the cooked artifact; cook again ignoring timestamps",
	},
	"longer output": {
		harm: func(t *testing.T, tr *tree) { must(t, os.WriteFile(tr.output("a.txt"), []byte("longer"), 0o666)) },
		want: []verify.FindingKind{verify.OutputDamaged},
		text: "a.txt has 6 bytes, but was cooked with 5; cook again ignoring timestamps",
	},
	"missing output": {
		harm: func(t *testing.T, tr *tree) { must(t, os.Remove(tr.output("sub/c.txt"))) },
		want: []verify.FindingKind{verify.OutputMissing},
		text: "sub/c.txt is missing; run cook",
	},
	"other mode": {
		harm: func(t *testing.T, tr *tree) {
			if runtime.GOOS == "windows" {
				t.Skip("files have no mode")
			}
			must(t, os.Chmod(tr.output("a.txt"), 0o600))
		},
		want: []verify.FindingKind{verify.OutputMode},
		text: "; remove the file and run cook",
	},
	"edited source": {
		harm: func(t *testing.T, tr *tree) { flip(t, tr.asset("a.txt")) },
		want: []verify.FindingKind{verify.NotUpToDate},
		text: "; cook again ignoring timestamps",
	},
	"new source": {
		harm: func(t *testing.T, tr *tree) { tr.write(t, "new.txt", "new") },
		want: []verify.FindingKind{verify.NotUpToDate},
		text: "not up to date (new); run cook",
	},
	"source gone": {
		harm: func(t *testing.T, tr *tree) { must(t, os.Remove(tr.asset("sub/c.txt"))) },
		want: []verify.FindingKind{verify.NotUpToDate},
		text: "no source makes sub/c.txt any more; run cook",
	},
	"lost index": {
		harm: func(t *testing.T, tr *tree) { must(t, os.Remove(tr.output(".cook/index"))) },
		want: []verify.FindingKind{verify.StateDamaged},
		text: "missing; run cook",
	},
	"lost index and edited output": {
		harm: func(t *testing.T, tr *tree) {
			must(t, os.Remove(tr.output(".cook/index")))
			flip(t, tr.output("a.txt"))
		},
		want: []verify.FindingKind{verify.StateDamaged, verify.OutputDamaged},
		text: "missing; run cook",
	},
	"damaged index": {
		harm: func(t *testing.T, tr *tree) { flip(t, tr.output(".cook/index")) },
		want: []verify.FindingKind{verify.StateDamaged},
		text: "; run cook",
	},
	"damaged manifest": {
		harm: func(t *testing.T, tr *tree) { flip(t, tr.output("manifest.json")) },
		want: []verify.FindingKind{verify.StateDamaged},
		text: "does not list the cooked artifacts; cook again ignoring timestamps",
	},
	"lost manifest": {
		harm: func(t *testing.T, tr *tree) { must(t, os.Remove(tr.output("manifest.json"))) },
		want: []verify.FindingKind{verify.StateDamaged},
		text: "missing; cook again ignoring timestamps",
	},
	"directory that cannot be listed": {
		harm: func(t *testing.T, tr *tree) { must(t, os.Mkdir(tr.asset("sub/.cookignore"), 0o777)) },
		want: []verify.FindingKind{verify.Unreadable},
	},
}

// Each kind of damage is found by verify and repaired by the next cook. Without a sample, verify
// checks the assets one by one, but finds the same.
func TestDifferences(t *testing.T) {
	for what, tt := range harms {
		t.Run(what, func(t *testing.T) {
			tr := cooked(t)
			tt.harm(t, tr)
			for _, sample := range []string{"0", "all"} {
				found, _ := tr.verify(t, sample)
				mustFind(t, found, tt.want...)
				if len(found) > 0 && !strings.HasSuffix(found[0].Text, tt.text) {
					t.Errorf("sample %s: %q, want %q", sample, found[0].Text, tt.text)
				}
			}
			if what == "directory that cannot be listed" {
				return // the next cook would fail in the same way
			}
			tr.Mode.IgnoreStamps = true
			tr.cook(t)
			found, _ := tr.verify(t, "0")
			mustFind(t, found)
		})
	}
}

// A damaged blob is reported and removed. A missing blob is not a difference.
func TestDamagedStore(t *testing.T) {
	tr := cooked(t)
	blobs, err := filepath.Glob(filepath.Join(tr.Place.Cache, "v1", "blobs", "*", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("no blobs: %v", err)
	}
	must(t, os.Chmod(blobs[0], 0o600))
	flip(t, blobs[0])
	found, _ := tr.verify(t, "0")
	mustFind(t, found, verify.StoreDamaged)
	if _, err := os.Lstat(blobs[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the blob is still there: %v", err)
	}
	found, _ = tr.verify(t, "0")
	mustFind(t, found)
}

func TestTargets(t *testing.T) {
	tr := cooked(t)
	tr.write(t, "cook.toml", sources["cook.toml"]+"[target.pc.zstd]\nlevel = 9\n[target.web.zstd]\nlevel = 1\n")
	tr.Scope.Targets = []string{"pc", "web"}
	tr.cook(t)
	flip(t, tr.output("pc/a.txt"))
	for _, tt := range []struct {
		targets []string
		outputs int
		want    []verify.FindingKind
	}{
		{nil, 3 * assets, []verify.FindingKind{verify.OutputDamaged}},
		{[]string{"pc"}, assets, []verify.FindingKind{verify.OutputDamaged}},
		{[]string{"web"}, assets, nil},
	} {
		tr.Scope.Targets = tt.targets
		found, sum := tr.verify(t, "all")
		mustFind(t, found, tt.want...)
		if sum.Outputs != tt.outputs || sum.Again != tt.outputs {
			t.Errorf("targets %q: %+v", tt.targets, sum)
		}
	}
}

// A tree that was never cooked is refused, and nothing is created.
func TestNothingCooked(t *testing.T) {
	tr := cooked(t)
	tr.Place.Out = filepath.Join(t.TempDir(), "other")
	_, err := verify.Run(t.Context(), verify.Options{Pass: tr.Options})
	var config *session.ConfigError
	if !errors.As(err, &config) || !strings.Contains(err.Error(), "nothing was cooked into "+tr.Place.Out+" yet") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(tr.Place.Out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output directory was made: %v", err)
	}
}

// Equal checksums do not hide a change: these two words have the same CRC-32.
func TestEqualChecksums(t *testing.T) {
	const one, two = "plumless", "buckeroo"
	tr := newTree(t)
	tr.Checksum = "crc32"
	tr.write(t, "word.txt", one)
	tr.cook(t)
	for _, tt := range []struct {
		dir  string
		want verify.FindingKind
	}{
		{tr.Place.Dir, verify.NotUpToDate},
		{tr.Place.Out, verify.OutputDamaged},
	} {
		name := filepath.Join(tt.dir, "word.txt")
		must(t, os.WriteFile(name, []byte(two), 0o666))
		if done := tr.cook(t); done.Stats.Outcomes.ByChecksum.Assets != 1 {
			t.Fatalf("the words do not have the same checksum: %+v", done.Stats)
		}
		found, _ := tr.verify(t, "all")
		mustFind(t, found, tt.want)
		must(t, os.WriteFile(name, []byte(one), 0o666))
		tr.cook(t)
		found, _ = tr.verify(t, "all")
		mustFind(t, found)
	}
}

// A verification measures its stages and the memory of recipes. At its end, no recipe memory is in
// use.
func TestProbe(t *testing.T) {
	tr := cooked(t)
	var stream bytes.Buffer
	tr.Probe = profile.Probe{Events: events.New(&stream, events.Options{}), Memory: memory.New(memory.Options{})}
	found, _ := tr.verify(t, "all")
	mustFind(t, found)
	must(t, tr.Probe.Events.Close())
	for _, stage := range tr.observer.stages {
		if !strings.Contains(stream.String(), "cook/stage/"+stage) {
			t.Errorf("no stage %s was recorded", stage)
		}
	}
	if recipes := tr.Probe.Memory.Groups()[0]; recipes.Name != "recipes" || recipes.Peak == 0 || recipes.Bytes != 0 {
		t.Errorf("the recipes had at most %d bytes and still have %d", recipes.Peak, recipes.Bytes)
	}
}
