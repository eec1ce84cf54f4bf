package contents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

// later is late enough to trust every stamp of the test.
var later = time.Now().Add(time.Hour).UnixNano()

// clockAt returns a clock that always shows the time ns.
func clockAt(ns int64) *scan.Clock {
	at := time.Unix(0, ns)
	return scan.NewClock(at, func() time.Time { return at })
}

type tree struct {
	t    *testing.T
	dir  *confine.Dir
	last *index.Index
	now  int64
	sum  string
}

func newTree(t *testing.T, files map[string]string) *tree {
	t.Helper()
	dir, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	tr := &tree{t: t, dir: dir, last: index.Empty(), now: later, sum: "xxh3"}
	for name, text := range files {
		tr.write(name, text)
	}
	return tr
}

func (tr *tree) path(name string) string { return filepath.Join(tr.dir.Name(), name) }

func (tr *tree) write(name, text string) {
	tr.t.Helper()
	if err := os.WriteFile(tr.path(name), []byte(text), 0o666); err != nil {
		tr.t.Fatal(err)
	}
}

// look determines the contents of the whole tree, and keeps the result as the next index. It
// returns the files by path.
func (tr *tree) look(ignoreStamps bool, others ...dependency.Dependency) (*Contents, map[string]File) {
	tr.t.Helper()
	s := tr.begin(Options{IgnoreStamps: ignoreStamps})
	files := map[string]File{}
	for _, f := range s.Assets() {
		files[f.Path] = f
	}
	for _, on := range others {
		files[on.String()] = s.At(tr.t.Context(), on)
	}
	b := index.Empty().Anew(tr.sum)
	put := func(on dependency.Dependency, f File) {
		if f.Known() {
			b.PutPart(on, index.File{Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob})
		}
	}
	for _, f := range s.Assets() {
		put(dependency.OfFile(f.Path), f)
	}
	for on, f := range s.Extra() {
		put(on, f)
	}
	var err error
	if tr.last, err = b.Index(); err != nil {
		tr.t.Fatal(err)
	}
	return s, files
}

// begin returns Contents that know the sources of the whole tree.
func (tr *tree) begin(opt Options) *Contents {
	tr.t.Helper()
	var ok bool
	if opt.Checksum, ok = hashing.Lookup(tr.sum); !ok {
		tr.t.Fatalf("no checksum %s", tr.sum)
	}
	opt.Assets, opt.Known, opt.Workers, opt.Clock = tr.dir, tr.last.Files(), 2, clockAt(tr.now)
	s := New(opt)
	found, err := scan.Dir(tr.t.Context(), tr.dir.Name(), scan.Options{})
	if err != nil {
		tr.t.Fatal(err)
	}
	if err := s.Sources(tr.t.Context(), found.Entries); err != nil {
		tr.t.Fatal(err)
	}
	return s
}

func (tr *tree) want(step string, files map[string]File, how map[string]How) {
	tr.t.Helper()
	for name, h := range how {
		if files[name].How != h {
			tr.t.Errorf("%s: %s is known by %d, want %d (%v)", step, name, files[name].How, h, files[name].Err)
		}
	}
}

func TestOnlyWhatChangedIsRead(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one", "b": "two"})
	s, files := tr.look(false)
	tr.want("first", files, map[string]How{"a": ByReading, "b": ByReading})
	if n := s.Read().Files.Load(); n != 2 {
		t.Errorf("first: %d files read, want 2", n)
	}

	s, files = tr.look(false)
	tr.want("unchanged", files, map[string]How{"a": ByStamp, "b": ByStamp})
	if n := s.Read().Files.Load(); n != 0 {
		t.Errorf("unchanged: %d files read", n)
	}

	before := files["a"].Blob
	at := time.Unix(1e9, 0)
	if err := os.Chtimes(tr.path("a"), at, at); err != nil {
		t.Fatal(err)
	}
	s, files = tr.look(false)
	tr.want("touched", files, map[string]How{"a": ByChecksum, "b": ByStamp})
	if files["a"].Blob != before || s.Read().Files.Load() != 1 {
		t.Errorf("touched: blob %v, %d files read", files["a"].Blob, s.Read().Files.Load())
	}

	tr.write("a", "six")
	_, files = tr.look(false)
	tr.want("edited", files, map[string]How{"a": ByReading, "b": ByStamp})
	if files["a"].Blob == before || files["a"].Blob.String() != hashing.DigestOf([]byte("six")).String() {
		t.Errorf("edited: blob %v", files["a"].Blob)
	}
}

// TestLate checks that an unknown asset is read once, at the first request.
func TestLate(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one", "b": "two", "c": "three", "d": "four"})
	tr.look(false)
	tr.write("d", "fifth")
	tr.write("e", "six")
	tr.write("f", "seven")
	s := tr.begin(Options{Late: true})
	got := map[string]File{}
	for _, f := range s.Assets() {
		got[f.Path] = f
	}
	tr.want("listed", got, map[string]How{"a": ByStamp, "d": ByReading, "e": Unread, "f": Unread})
	if n := s.Read().Files.Load(); n != 1 {
		t.Errorf("listed: %d files read, want 1", n)
	}
	mark := s.Mark()
	var sums atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			f := s.Learn(&s.Assets()[4], func(f *File) (hashing.FileSum, error) {
				sums.Add(1)
				r, err := tr.dir.OpenFile(f.Path)
				if err != nil {
					return hashing.FileSum{}, err
				}
				defer r.Close()
				stamp, busy, err := OpenStamp(r)
				if err != nil {
					return hashing.FileSum{}, err
				}
				s.See(f, stamp, busy)
				return s.reader.summer.Sum(t.Context(), r, hashing.WantSum|hashing.WantDigest)
			})
			if at := s.At(t.Context(), dependency.OfFile("e")); f != at || f.How != ByReading || f.Turn <= mark || f.Blob.String() != hashing.DigestOf([]byte("six")).String() {
				t.Errorf("learned %+v, then %+v", f, at)
			}
			if f := s.At(t.Context(), dependency.OfFile("f")); f.How != ByReading || f.Turn <= mark || f.Blob.String() != hashing.DigestOf([]byte("seven")).String() {
				t.Errorf("asked for %+v", f)
			}
		})
	}
	all.Wait()
	if n, read := sums.Load(), s.Read().Files.Load(); n > 1 || read != 3 {
		t.Errorf("e was summed %d times, %d files read", n, read)
	}
}

func TestLateUnreadable(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one"})
	s := tr.begin(Options{Late: true})
	bad := errors.New("bad disk")
	for range 2 {
		f := s.Learn(&s.Assets()[0], func(*File) (hashing.FileSum, error) {
			err := bad
			bad = nil
			return hashing.FileSum{}, err
		})
		if f.How != Unreadable || f.Err == nil || f.Known() {
			t.Errorf("learned %+v", f)
		}
	}
}

// TestFreshStampsAreReadAgain checks that a stamp is not trusted if the file changed less than two
// seconds before the stamp was taken.
func TestFreshStampsAreReadAgain(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one"})
	tr.now = time.Now().UnixNano()
	tr.look(false)
	tr.now = later
	_, files := tr.look(false)
	tr.want("second", files, map[string]How{"a": ByChecksum})
	_, files = tr.look(false)
	tr.want("third", files, map[string]How{"a": ByStamp})
}

// TestEditBetweenScanAndReading edits a file after the scan. The recorded stamp must belong to the
// content that was read.
func TestEditBetweenScanAndReading(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one"})
	found, err := scan.Dir(t.Context(), tr.dir.Name(), scan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr.write("a", "longer")
	info, err := os.Stat(tr.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	fn, _ := hashing.Lookup(tr.sum)
	s := New(Options{Assets: tr.dir, Known: tr.last.Files(), Checksum: fn, Workers: 1, Clock: clockAt(time.Now().UnixNano())})
	if err := s.Sources(t.Context(), found.Entries); err != nil {
		t.Fatal(err)
	}
	if f := s.Assets()[0]; f.Stamp != scan.StampOf(info) || f.Settled || f.Blob.String() != hashing.DigestOf([]byte("longer")).String() {
		t.Errorf("stamp %+v, settled %v, blob %v", f.Stamp, f.Settled, f.Blob)
	}
}

func TestIgnoringStampsTrustsNothing(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one"})
	tr.look(false)
	_, files := tr.look(true)
	tr.want("verify", files, map[string]How{"a": ByChecksum})
}

func TestAnotherChecksumIsNoChange(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one"})
	tr.look(false)
	tr.sum = "crc32c"
	_, files := tr.look(false)
	tr.want("crc32c", files, map[string]How{"a": ByChecksum})
}

func TestOtherFiles(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one", ".cookignore": "*.inc\n", "x.inc": "text"})
	if err := os.Mkdir(tr.path("folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	others := []string{"x.inc", "gone", "a/below", "folder", "../outside", strings.Repeat("n", 300)}
	want := map[string]How{"x.inc": ByReading, "gone": Absent, "a/below": Absent, "folder": Unreadable, "../outside": Unreadable, others[5]: Absent}
	var on []dependency.Dependency
	for _, name := range others {
		on = append(on, dependency.OfFile(name))
	}
	_, files := tr.look(false, on...)
	tr.want("first", files, want)
	want["x.inc"] = ByStamp
	_, files = tr.look(false, on...)
	tr.want("again", files, want)
	tr.write("x.inc", "other")
	want["x.inc"] = ByReading
	_, files = tr.look(false, on...)
	tr.want("edited", files, want)
}

func TestTool(t *testing.T) {
	tr := newTree(t, map[string]string{"execute.sh": "#!/bin/sh\n"})
	s, _ := tr.look(false)
	tool, err := s.Tool(t.Context(), tr.path("execute.sh"))
	if err != nil || tool.Blob.String() != hashing.DigestOf([]byte("#!/bin/sh\n")).String() {
		t.Errorf("execute.sh: %v, %v", tool.Blob, err)
	}
	if _, err := s.Tool(t.Context(), tr.path("gone.sh")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone.sh: error %v", err)
	}
	if _, err := s.Tool(t.Context(), tr.dir.Name()); err == nil {
		t.Error("a directory passes for a tool")
	}
}

func TestOutputs(t *testing.T) {
	tr := newTree(t, map[string]string{"same": "1", "touched": "2", "edited": "3", "longer": "4", "folder": "5", "gone": "6", "fresh": "7"})
	_, files := tr.look(false)
	var made []index.Artifact
	for name, f := range files {
		made = append(made, index.Artifact{Path: name, Stamp: f.Stamp, Settled: name != "fresh", Sum: f.Sum, Blob: f.Blob})
	}
	made = append(made, index.Artifact{Path: "same/below"})
	known := []index.Action{{Path: "a", Made: made}}

	at := time.Unix(1e9, 0)
	if err := os.Chtimes(tr.path("touched"), at, at); err != nil {
		t.Fatal(err)
	}
	tr.write("edited", "x")
	tr.write("longer", "44")
	for _, name := range []string{"folder", "gone"} {
		if err := os.Remove(tr.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(tr.path("folder"), 0o777); err != nil {
		t.Fatal(err)
	}

	want := map[string]State{"same": Intact, "fresh": Intact, "touched": Intact, "edited": Edited, "longer": Edited, "folder": Edited, "gone": Missing, "same/below": Missing}
	fn, _ := hashing.Lookup(tr.sum)
	for _, ignoreStamps := range []bool{false, true} {
		s := New(Options{Assets: tr.dir, Known: tr.last.Files(), Checksum: fn, IgnoreStamps: ignoreStamps, Workers: 2, Clock: clockAt(later)})
		before, err := s.Outputs(t.Context(), tr.dir, known, func(*index.Action) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range before[0].Outputs {
			if o.State != want[o.Artifact.Path] {
				t.Errorf("ignoring stamps %v: %s is %d, want %d", ignoreStamps, o.Artifact.Path, o.State, want[o.Artifact.Path])
			}
			if byReads := ignoreStamps || o.Artifact.Path == "touched" || o.Artifact.Path == "fresh"; o.State == Intact && o.ByReads != byReads {
				t.Errorf("ignoring stamps %v: %s known by reading: %v", ignoreStamps, o.Artifact.Path, o.ByReads)
			}
		}
		if none, err := s.Outputs(t.Context(), nil, known, func(*index.Action) bool { return true }); err != nil || none[0].Outputs[0].State != Missing {
			t.Errorf("without an output directory: %v, %v", none, err)
		}
		if none, err := s.Outputs(t.Context(), tr.dir, known, func(*index.Action) bool { return false }); err != nil || none[0].Outputs[0].State != Unseen {
			t.Errorf("not wanted: %v, %v", none, err)
		}
	}
}
