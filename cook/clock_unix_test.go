//go:build linux || darwin

package cook_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
)

// all is what a run checksums of a pantry whose stamps it does not trust: sources
// and outputs.
func (p *pantry) all() int { return 2 * p.files }

// mistrusts proves that runs read every file and write none, for as long as the
// clocks are what they are, and still see an edit.
func (p *pantry) mistrusts() {
	p.Helper()
	p.cook() // which notes that the stamps are not to be trusted
	p.tick()
	before := p.stamps()
	for round := range 3 {
		if s := p.cook(); s.UpToDate() != p.files || s.Checksummed.Assets != p.all() {
			p.Errorf("round %d: %s, %d files were read, want %d", round, s.Line(), s.Checksummed.Assets, p.all())
		}
		if names, _ := p.written(before); len(names) > 0 {
			p.Errorf("round %d wrote %q", round, names)
		}
	}
	p.write(p.source(1), fmt.Sprintf("%0*d", cheapSize, -1))
	if s := p.sameAsFromScratch(); s.Cooked.Assets != 1 {
		p.Errorf("after an edit: %s", s.Line())
	}
}

// touchAll gives everything that a run looks at a stamp of now.
func (p *pantry) touchAll() {
	p.Helper()
	for _, tree := range []string{"assets", "cooked"} {
		for _, name := range list(p, filepath.Join(p.dir, tree), false) {
			now := time.Now()
			p.must(os.Chtimes(filepath.Join(p.dir, tree, filepath.FromSlash(name)), now, now))
		}
	}
}

// trusts proves that runs read nothing any more.
func (p *pantry) trusts() {
	p.Helper()
	p.cook()
	if s := p.cook(); s.ByStamp.Assets != p.files || s.Checksummed.Assets != 0 {
		p.Errorf("%s, %d files were read", s.Line(), s.Checksummed.Assets)
	}
}

// A clock that is behind makes every stamp one of the future. That costs the
// reading and nothing else, and ends when the clock is right.
func TestStampsFromTheFuture(t *testing.T) {
	p := newPantry(t, 30)
	late := p.opt.Now
	p.opt.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	p.write(p.source(0), "edited")
	p.write("1/new.txt", "new")
	p.files++
	p.touchAll()
	p.sameAsFromScratch()
	p.mistrusts()
	p.opt.Now = late
	p.trusts()
}

// A file system whose clock is behind ours gives old stamps to what has just been
// written. So it is asked for its time, and that is believed if it is earlier.
func TestClockOfFileSystem(t *testing.T) {
	p := newPantry(t, 30)
	right := p.opt
	behind := func(s scan.Stamp) scan.Stamp {
		s.MTime, s.CTime = s.MTime-int64(time.Minute), s.CTime-int64(time.Minute)
		return s
	}
	p.opt = cook.FileTime(right, behind)
	p.touchAll()
	p.mistrusts()
	p.opt = cook.FileTime(right, func(s scan.Stamp) scan.Stamp {
		s.MTime, s.CTime = s.MTime+int64(time.Hour), s.CTime+int64(time.Hour)
		return s
	})
	p.trusts()
}

// Without a clock of the caller's, the time of the file system is what the lock
// was written at, which is now.
func TestLockTellsTheTime(t *testing.T) {
	p := newPantry(t, 3)
	asked := 0
	begin := time.Now()
	p.opt = cook.FileTime(p.opt, func(s scan.Stamp) scan.Stamp {
		asked++
		// The clock of a file system may be behind by some ticks, or by its 2 s.
		if at := time.Unix(0, s.MTime); at.Before(begin.Add(-scan.SettleTime)) || at.After(time.Now().Add(scan.SettleTime)) {
			t.Errorf("the lock is from %v, it is %v", at, begin)
		}
		info, err := os.Lstat(filepath.Join(p.dir, "cooked", ".cook", "lock"))
		p.must(err)
		if scan.StampOf(info) != s {
			t.Errorf("told %+v, the lock has %+v", s, scan.StampOf(info))
		}
		return s
	})
	p.cook()
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// What no stamp shows: the index vouches for a file under the stamp that it has
// now, and the content is another one. A run that trusts stamps takes it for what
// it was; -verify finds it, whatever file it is.
func TestVerifyFindsWhatNoStampShows(t *testing.T) {
	const gltf = `{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`
	for what, file := range map[string]string{
		"source":     "assets/0/0000.txt",
		"dependency": "assets/0/a.bin",
		"output":     "cooked/0/0000.txt",
		"rules":      "assets/cook.toml",
		"ignore":     "assets/.cookignore",
	} {
		t.Run(what, func(t *testing.T) {
			p := newPantry(t, 3)
			p.write("0/a.bin", "12345678")
			p.write("0/a.gltf", gltf)
			p.write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n")
			p.sameAsFromScratch()
			p.cook()

			name := filepath.Join(p.dir, filepath.FromSlash(file))
			data, err := os.ReadFile(name)
			p.must(err)
			switch what {
			case "rules":
				data = bytes.Replace(data, []byte("copy"), []byte("zstd"), 1)
			case "ignore":
				copy(data, "*.txt    ")
			default:
				data[0] ^= 1
			}
			p.must(os.WriteFile(name, data, 0o666))
			p.vouch(name, file)
			before := readTree(t, filepath.Join(p.dir, "cooked"))
			p.cook()
			if d := before.Diff(readTree(t, filepath.Join(p.dir, "cooked"))); d != "" {
				t.Fatalf("the edit was found without -verify: there is nothing to test\n%s", d)
			}
			p.opt.Verify = true
			p.sameAsFromScratch()
		})
	}
}

// vouch makes the index say that a file is as it knows it.
func (p *pantry) vouch(name, file string) {
	p.Helper()
	state := filepath.Join(p.dir, "cooked", ".cook")
	base, err := os.ReadFile(filepath.Join(state, "index"))
	p.must(err)
	id, err := index.ReadID(base)
	p.must(err)
	changes, err := os.ReadFile(filepath.Join(state, "changes-"+id))
	p.must(err)
	live, err := index.OpenLive(base, changes)
	p.must(err)
	live.Count([]string{""})
	info, err := os.Lstat(name)
	p.must(err)
	tree, rel := index.Assets, file[len("assets/"):]
	if file[:len("cooked/")] == "cooked/" {
		tree, rel = index.Out, file[len("cooked/"):]
	}
	found := false
	for part, x := range live.Parts() {
		for node := range x.Nodes() {
			if q := x.Probe(node); !q.Idle() && x.Folder(x.NodeFolder(node)).Tree == tree && x.NodePath(node) == rel {
				live.Restamp(part, node, scan.StampOf(info), true)
				found = true
			}
		}
	}
	if !found {
		p.Fatalf("the index has no %s", file)
	}
	p.must(live.Load())
	p.must(os.WriteFile(filepath.Join(state, "changes-"+id), live.Changes(), 0o666))
}
