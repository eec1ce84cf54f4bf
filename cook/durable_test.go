package cook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/hashing"
)

// larder is a folder of assets whose stamps are all trusted.
func larder(t *testing.T, files map[string]string) (opt Options, notes *noteTaker) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, "assets", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	notes = &noteTaker{}
	return Options{
		Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"), Observer: notes,
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	}, notes
}

type noteTaker struct {
	report.Multi
	text strings.Builder
}

func (n *noteTaker) Note(text string) { n.text.WriteString(text + "\n") }

func mustCook(t *testing.T, opt Options) report.Summary {
	t.Helper()
	s, err := Cook(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The index is to vouch for what is new to it, and only that has to be put on the
// disk; a file changed in place is told from one that came in another's place.
func TestDebt(t *testing.T) {
	const home, away = 1, 2
	stamp := func(device, inode uint64, ctime int64) scan.Stamp {
		return scan.Stamp{Size: 4, MTime: ctime, CTime: ctime, Inode: inode, Device: device}
	}
	sum := func(text string) hashing.Sum128 {
		f, _ := hashing.Lookup("xxh128")
		return f.Sum128([]byte(text))
	}
	b := index.NewBuilder("xxh128")
	for path, device := range map[string]uint64{"near": home, "far": away} {
		b.AddFile(index.File{Path: path, Stamp: stamp(device, 10, 100), Settled: true, Sum: sum("old")})
	}
	last, err := index.Open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		what           string
		file           index.File
		owes           uint64 // device, 0 for none
		inPlace, aside bool
	}{
		{"as it was", index.File{Path: "near", Stamp: stamp(home, 10, 100), Sum: sum("old")}, 0, false, false},
		{"same stamp, other content", index.File{Path: "near", Stamp: stamp(home, 10, 100), Sum: sum("new")}, home, true, false},
		{"touched", index.File{Path: "near", Stamp: stamp(home, 10, 200), Sum: sum("old")}, home, false, false},
		{"edited in place", index.File{Path: "near", Stamp: stamp(home, 10, 200), Sum: sum("new")}, home, true, false},
		{"replaced", index.File{Path: "near", Stamp: stamp(home, 11, 200), Sum: sum("new")}, home, false, false},
		{"new", index.File{Path: "new", Stamp: stamp(home, 12, 200), Sum: sum("new")}, home, false, false},
		{"far, touched", index.File{Path: "far", Stamp: stamp(away, 10, 200), Sum: sum("old")}, away, false, false},
		{"far, edited in place", index.File{Path: "far", Stamp: stamp(away, 10, 200), Sum: sum("new")}, away, false, true},
		{"far, replaced", index.File{Path: "far", Stamp: stamp(away, 11, 200), Sum: sum("new")}, away, false, false},
	}
	for _, row := range rows {
		d := &debt{home: home, files: map[uint64]string{}, edited: map[bool]bool{}}
		d.oweFile(last, row.file)
		_, owes := d.files[row.owes]
		if owes != (row.owes != 0) || len(d.files) > 1 || d.edited[true] != row.inPlace || d.edited[false] != row.aside {
			t.Errorf("%s: owes %v, edited %v", row.what, d.files, d.edited)
		}
	}
}

// A run that is cut off while sources on another file system are put on the disk
// leaves a doubt, and the next one trusts no stamp.
func TestDoubt(t *testing.T) {
	opt, notes := larder(t, map[string]string{"a.txt": "one", "b/c.txt": "two"})
	mustCook(t, opt)
	if s := mustCook(t, opt); s.ByStamp.Assets != 2 || s.Checksummed.Assets != 0 {
		t.Fatalf("%s, %d checksummed", s.Line(), s.Checksummed.Assets)
	}
	k, err := begin(opt)
	if err != nil {
		t.Fatal(err)
	}
	d := &debt{files: map[uint64]string{}, edited: map[bool]bool{false: true}}
	if err = k.takeOut(); err == nil {
		err = k.pay(d)
	}
	k.close()
	if err != nil {
		t.Fatal(err)
	}
	doubt := filepath.Join(opt.Out, filepath.FromSlash(doubtName))
	if _, err := os.Stat(doubt); err != nil {
		t.Fatal("no doubt is raised before the sources are put on the disk")
	}
	part := opt
	part.Patterns = []string{"a.txt"}
	for i, o := range []Options{part, opt} {
		notes.text.Reset()
		s := mustCook(t, o)
		if s.Checksummed.Assets < 1 || s.ByStamp.Assets > 0 || !strings.Contains(notes.text.String(), "cut off") {
			t.Errorf("run %d: %s, %d checksummed, notes %q", i, s.Line(), s.Checksummed.Assets, notes.text.String())
		}
		if _, err := os.Stat(doubt); (err == nil) != (i == 0) {
			t.Errorf("run %d: doubt: %v; only a run that looks at everything ends it", i, err)
		}
	}
	notes.text.Reset()
	if s := mustCook(t, opt); s.Checksummed.Assets != 0 || notes.text.Len() > 0 {
		t.Errorf("afterwards: %s, %d checksummed, notes %q", s.Line(), s.Checksummed.Assets, notes.text.String())
	}
}

// A source is broken, mended, and broken again as it was. Meanwhile a run was
// killed after it had made the output. That must not stay.
func TestOutputOfKilledRunGoesWithItsSource(t *testing.T) {
	opt, _ := larder(t, map[string]string{"a.json": "", "b.txt": "two"})
	if s := mustCook(t, opt); s.Failed.Assets != 1 {
		t.Fatal(s.Line())
	}
	output := filepath.Join(opt.Out, "a.json")
	err := os.WriteFile(filepath.Join(opt.Out, filepath.FromSlash(journalName)), []byte(journalLine(plan.Claim{Output: "a.json", Source: "a.json"})), 0o666)
	if err == nil {
		err = os.WriteFile(output, []byte(`{}`), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s := mustCook(t, opt); s.Failed.Assets != 1 {
		t.Error(s.Line())
	}
	if _, err := os.Stat(output); !os.IsNotExist(err) {
		t.Errorf("the output of a source that is broken is there: %v", err)
	}
}

// What an action that failed has left from before stays cook's own even if the
// index is lost: the manifest does not list it.
func TestOutputOfFailedActionStaysOurs(t *testing.T) {
	opt, _ := larder(t, map[string]string{"a.txt": "one"})
	mustCook(t, opt)
	k, err := begin(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	if err := k.takeOut(); err != nil {
		t.Fatal(err)
	}
	k.last = &index.Index{}
	if err := os.Remove(filepath.Join(opt.Out, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	failed := []index.Action{{Path: "a.txt", State: index.Failed, Made: []index.Artifact{{Path: "a.txt"}}}}
	if err := k.closeJournal(&plan.Plan{}, failed); err != nil {
		t.Fatal(err)
	}
	if err := k.readClaims(); err != nil || len(k.claims) == 0 || k.claims[0].Output != "a.txt" {
		t.Errorf("claims %v, %v", k.claims, err)
	}
	failed[0].State = index.Done // then the manifest has it
	if err := k.closeJournal(&plan.Plan{}, failed); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(opt.Out, filepath.FromSlash(journalName))); !os.IsNotExist(err) {
		t.Errorf("journal left: %v", err)
	}
}
