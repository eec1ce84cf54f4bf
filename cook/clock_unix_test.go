//go:build linux || darwin

package cook_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// checkUntrusted checks that runs trust no stamp. Each run must read all sources and outputs,
// notice an edit, and otherwise write nothing.
func (p *project) checkUntrusted() {
	p.Helper()
	p.cook()
	p.tick()
	before := p.outputStamps()
	for round := range 3 {
		if s := p.cook(); s.UpToDate() != p.files || s.Checksummed.Assets != 2*p.files {
			p.Errorf("round %d: %s, %d files were read, want %d", round, s.String(), s.Checksummed.Assets, 2*p.files)
		}
		if names, _ := p.written(before); len(names) > 0 {
			p.Errorf("round %d wrote %q", round, names)
		}
	}
	p.write(p.source(1), fmt.Sprintf("%0*d", smallSize, -1))
	if s := p.compareWithScratch(); s.Cooked.Assets != 1 {
		p.Errorf("after an edit: %s", s.String())
	}
}

// touchAll sets the modification time of all sources and outputs to the current time.
func (p *project) touchAll() {
	p.Helper()
	for _, tree := range []string{"assets", "cooked"} {
		for _, name := range list(p, p.path(tree), false) {
			now := time.Now()
			p.must(os.Chtimes(p.path(tree+"/"+name), now, now))
		}
	}
}

// checkTrusted checks that runs trust all stamps and read no files.
func (p *project) checkTrusted() {
	p.Helper()
	p.cook()
	if s := p.cook(); s.ByStamp.Assets != p.files || s.Checksummed.Assets != 0 {
		p.Errorf("%s, %d files were read", s.String(), s.Checksummed.Assets)
	}
}

// TestStampsFromTheFuture sets cook's clock back, so that all stamps are in the future. Runs must
// read all files until the clock is right again.
func TestStampsFromTheFuture(t *testing.T) {
	p := smallFiles(t, 30)
	late := p.run.Now
	p.run.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	p.write(p.source(0), "edited")
	p.write("1/new.txt", "new")
	p.files++
	p.touchAll()
	p.compareWithScratch()
	p.checkUntrusted()
	p.run.Now = late
	p.checkTrusted()
}

// TestFileSystemClock sets the file system's clock back, so that new files have old stamps. Cook
// must use the earlier of the two clocks.
func TestFileSystemClock(t *testing.T) {
	p := smallFiles(t, 30)
	right := p.run
	behind := func(s scan.Stamp) scan.Stamp {
		s.MTime, s.CTime = s.MTime-int64(time.Minute), s.CTime-int64(time.Minute)
		return s
	}
	p.run = fileTime(right, behind)
	p.touchAll()
	p.checkUntrusted()
	p.run = fileTime(right, func(s scan.Stamp) scan.Stamp {
		s.MTime, s.CTime = s.MTime+int64(time.Hour), s.CTime+int64(time.Hour)
		return s
	})
	p.checkTrusted()
}

// TestLockShowsFileSystemTime expects a run to take the time of the file system from the lock file,
// which the run has just written.
func TestLockShowsFileSystemTime(t *testing.T) {
	p := smallFiles(t, 3)
	asked := 0
	begin := time.Now()
	p.run = fileTime(p.run, func(s scan.Stamp) scan.Stamp {
		asked++
		// A file system's clock may be behind by some ticks, or by the 2 s resolution of FAT.
		if at := time.Unix(0, s.MTime); at.Before(begin.Add(-scan.SettleTime)) || at.After(time.Now().Add(scan.SettleTime)) {
			t.Errorf("the lock is from %v, now is %v", at, begin)
		}
		info, err := os.Lstat(p.path("cooked/.cook/lock"))
		p.must(err)
		if scan.StampOf(info) != s {
			t.Errorf("got %+v, the lock has %+v", s, scan.StampOf(info))
		}
		return s
	})
	p.cook()
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestIgnoreTimestampsFindsUnstampedEdits changes files without changing their stamps. Only a run
// with IgnoreTimestamps must notice the changes.
func TestIgnoreTimestampsFindsUnstampedEdits(t *testing.T) {
	const gltf = `{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`
	for what, file := range map[string]string{
		"source":     "assets/0/0000.txt",
		"dependency": "assets/0/a.bin",
		"output":     "cooked/0/0000.txt",
		"rules":      "assets/cook.toml",
		"ignore":     "assets/.cookignore",
	} {
		t.Run(what, func(t *testing.T) {
			p := smallFiles(t, 3)
			p.write("0/a.bin", "12345678")
			p.write("0/a.gltf", gltf)
			p.write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n")
			p.compareWithScratch()
			p.cook()

			name := p.path(file)
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
			p.forgeStamp(name, file)
			before := p.outputs()
			p.cook()
			if d := before.Diff(p.outputs()); d != "" {
				t.Fatalf("the edit was found by its stamp: there is nothing to test\n%s", d)
			}
			p.run.Verify = true
			p.compareWithScratch()
		})
	}
}

// forgeStamp replaces the stamp of a file in the index with the file's current stamp.
func (p *project) forgeStamp(name, file string) {
	p.Helper()
	state := p.path("cooked/.cook")
	base, err := os.ReadFile(filepath.Join(state, "index"))
	p.must(err)
	id, err := index.ReadID(base)
	p.must(err)
	changes, err := os.ReadFile(filepath.Join(state, "changes-"+id))
	p.must(err)
	last, err := index.Open(base, changes)
	p.must(err)
	p.must(last.Check())
	info, err := os.Lstat(name)
	p.must(err)
	tree, rel := index.Assets, strings.TrimPrefix(file, "assets/")
	if made, ok := strings.CutPrefix(file, "cooked/"); ok {
		tree, rel = index.Out, made
	}
	next, found := last.Edit(), false
	for ref := range last.Folders() {
		folder := last.Folder(index.FolderRef(ref))
		for i := range folder.Len() {
			if n, ok := folder.Node(i); ok && folder.Tree == tree && last.Path(n.Ref) == rel {
				next.Restamp(n.Ref, scan.StampOf(info), true)
				found = true
			}
		}
	}
	if !found {
		p.Fatalf("the index has no %s", file)
	}
	e, _, err := next.Encode()
	p.must(err)
	p.must(os.WriteFile(filepath.Join(state, "changes-"+id), e.Changes, 0o666))
}
