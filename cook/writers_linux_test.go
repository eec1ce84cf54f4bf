package cook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A mapping is a memory mapping of a file with at most one page.
type mapping struct {
	*project
	name string
	mem  []byte
	size int
}

func (p *project) mapped(name string) *mapping {
	p.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	p.must(err)
	defer f.Close()
	info, err := f.Stat()
	p.must(err)
	m := &mapping{project: p, name: name, size: int(info.Size())}
	m.mem, err = unix.Mmap(int(f.Fd()), 0, m.size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	p.must(err)
	p.Cleanup(func() { p.must(unix.Munmap(m.mem)) })
	return m
}

func (m *mapping) stamp() scan.Stamp {
	m.Helper()
	info, err := os.Lstat(m.name)
	m.must(err)
	return scan.StampOf(info)
}

// write changes the content. unseen reports whether the stamp is still the same.
func (m *mapping) write(text string) (unseen bool) {
	m.Helper()
	if len(text) != m.size {
		m.Fatalf("%d bytes into a file of %d", len(text), m.size)
	}
	before := m.stamp()
	copy(m.mem, text)
	return m.stamp() == before
}

// TestWritesThroughMapping writes to files through a memory mapping, which can leave old stamps
// unchanged. Incremental and full runs must notice the changes.
func TestWritesThroughMapping(t *testing.T) {
	const gltf = `{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`
	text := func(n int) string { return fmt.Sprintf("text %03d", n) }
	config := func(n int) string {
		return fmt.Sprintf("[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n[[rule]]\nmatch = \"*.gltf\"\nrecipe = \"gltf\"\n[[rule]]\nmatch = \"0/b%03d.txt\"\nrecipe = \"zstd\"\n", n)
	}
	ignore := func(n int) string { return fmt.Sprintf("b%03d.txt\n", n+1) }
	for what, tt := range map[string]struct {
		file string
		text func(n int) string
	}{
		"source":     {"assets/0/a.txt", text},
		"dependency": {"assets/0/a.bin", text},
		"output":     {"cooked/0/a.txt", text},
		"rules":      {"assets/cook.toml", config},
		"ignore":     {"assets/.cookignore", ignore},
	} {
		for mode, opt := range map[string]struct {
			patterns []string
			force    bool
		}{"incremental": {}, "full": {patterns: []string{"**"}}, "full then incremental": {force: true}} {
			t.Run(what+", "+mode, func(t *testing.T) {
				// Files in tmpfs have no backing store, so their pages are never written back.
				if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
					t.Setenv("TMPDIR", "/dev/shm")
				}
				p := smallFiles(t, 3)
				p.write("cook.toml", config(0))
				p.write(".cookignore", ignore(0))
				p.write("0/a.txt", text(0))
				for n := range 3 {
					p.write(fmt.Sprintf("0/b%03d.txt", n), text(n))
				}
				p.write("0/a.bin", text(0))
				p.write("0/a.gltf", gltf)
				p.run.Patterns = opt.patterns
				p.tick()
				p.cook()

				m := p.mapped(p.path(tt.file))
				// After a page is written back, the next write changes the stamp. Further writes do
				// not, until the page is written back again.
				now := 0
				for try := 0; ; try++ {
					m.write(tt.text(now))
					p.tick()
					p.run.Force = opt.force
					p.cook()
					p.run.Force = false
					now++
					if m.write(tt.text(now)) {
						break
					}
					if try == 20 {
						t.Fatal("every write changed the stamp: there is nothing to test")
					}
				}
				p.compareWithScratch()
			})
		}
	}
}

// TestOutputStillOpen keeps an output open for writing after its recipe has returned. The asset
// must fail, because the output could change after it was checksummed.
func TestOutputStillOpen(t *testing.T) {
	var left []*os.File
	defer func() {
		for _, f := range left {
			f.Close()
		}
	}()
	line, w, out := cookWithRecipe(t, map[string]string{"a.txt": "a", "b.txt": "b"}, testRecipe{cook: func(_ context.Context, j *recipe.Job) error {
		data, err := j.Source()
		if err != nil {
			return err
		}
		f, err := j.Create(0)
		if err != nil {
			return err
		}
		if string(data) == "b" {
			left = append(left, f)
		} else {
			defer f.Close()
		}
		_, err = f.Write(data)
		return err
	}}, oracle.Run{})
	const want = "output b.txt: another process still has the output open for writing; let the command wait for all processes that it starts"
	if w.failure("b.txt") != want || len(w.failed) != 1 {
		t.Errorf("%s: failed %q, want b.txt: %s", line, w.failed, want)
	}
	if tree := readTree(t, out); len(tree) != 2 || !strings.HasSuffix(tree["a.txt"], " a") { // the output a.txt and the manifest
		t.Errorf("the output directory has %q", tree)
	}
}

// TestOutputEditedWhileCooking edits an output in place while its asset is cooked again. The run
// must not regard the output as unchanged, although the new output equals the old one.
func TestOutputEditedWhileCooking(t *testing.T) {
	for _, patterns := range [][]string{nil, {"**"}} {
		p := smallFiles(t, 3)
		out := p.path("cooked/copies.txt")
		edit := false
		p.run.Patterns = patterns
		p.copyFound()
		currentRecipe.cook = func(_ context.Context, j *recipe.Job) error {
			if edit {
				if err := os.WriteFile(out, []byte("SAME"), 0o666); err != nil {
					return err
				}
			}
			return j.Write(0, []byte("same"))
		}
		p.tick()
		p.cook()
		p.write("copies.txt", "another source, the same output")
		p.tick()
		edit = true
		for range 2 {
			p.cook()
			if data, err := os.ReadFile(out); err != nil || string(data) != "same" {
				t.Errorf("the output is %q, %v", data, err)
			}
		}
		recipeMu.Unlock() // unlock here rather than in the cleanup, because copyFound needs the lock
		p.Cleanup(recipeMu.Lock)
	}
}

// withTool makes assets, and a rule that cooks x.do with a shell script. The script's arguments are
// the source $1, the output $2, and more.
func withTool(t *testing.T, script string, more ...string) *project {
	t.Helper()
	p := fewAssets(t)
	args := ""
	for _, m := range append([]string{"{in}", "{out}"}, more...) {
		args += fmt.Sprintf(", %q", m)
	}
	p.write("cook.toml", "[[rule]]\nmatch = \"*.do\"\ncommand = [\"sh\", \"-c\", '''"+script+"''', \"sh\""+args+"]\noutputs = [\"{name}\"]\nsandbox = false\n")
	p.write("x.do", "source")
	return p
}

// TestToolOutlivesItsRun leaves a process of a tool running, which writes to the tool's scratch
// path. The next cook uses the same path, and its output must not change.
func TestToolOutlivesItsRun(t *testing.T) {
	dir := t.TempDir()
	first, stray, free := filepath.Join(dir, "first"), filepath.Join(dir, "stray"), filepath.Join(dir, "free")
	for _, name := range []string{stray, free} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The first run leaves a process behind and fails. The second run writes its output, and then
	// lets the process write.
	p := withTool(t, `if mkdir "$3" 2>/dev/null; then
env -i setsid sh -c '>"$4/left"; read x < "$2"; echo bad > "$1"; echo done > "$3"' sh "$2" "$4" "$5" "$3" >/dev/null 2>&1 &
until [ -e "$3/left" ]; do sleep 0.01; done
exit 1
fi
echo good > "$2"; echo go > "$4"; read x < "$5"`, first, stray, free)
	p.run.Patterns = []string{"x.do"} // makes both runs use the same scratch path
	if s := p.cook(); s.Failed.Assets != 1 {
		t.Fatal(s.String())
	}
	p.cookAll()
	if text, err := os.ReadFile(p.path("cooked/x.do")); string(text) != "good\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestToolWritesElsewhere uses a tool that writes to other files than its output. A tool that
// changes its source must fail at once; other changes must be noticed by the next run.
func TestToolWritesElsewhere(t *testing.T) {
	for what, tc := range map[string]struct {
		script string
		fails  string // part of the expected error
	}{
		"its source":      {`echo > "$2"; echo x >> "$1"`, "the file changed while it was being cooked; run cook again"},
		"another source":  {`echo > "$2"; echo x >> plain.txt`, ""},
		"a new source":    {`echo > "$2"; echo x > new.txt`, ""},
		"another output":  {`echo > "$2"; until [ -e "$3/plain.txt" ]; do sleep 0.01; done; echo x > "$3/plain.txt"`, ""},
		"output's name":   {`echo > "$2"; echo x > "$3/x.do"`, "exists and was not made by cook"},
		"the index":       {`echo > "$2"; echo x > "$3/.cook/index"`, ""},
		"foreign scratch": {`echo > "$2"; for f in "$3"/.cook/tmp/*; do [ "$f" = "$2" ] || [ -d "$f" ] || rm -f "$f"; done`, ""},
		"hard link":       {`echo > "$2"; ln "$2" "$3/link"`, "the program made a hard link"},
		"the rules":       {`echo > "$2"; echo >> cook.toml`, ""},
		"full disk":       {`echo > "$2"; echo x > /dev/full`, "exit status"},
		"file size limit": {`ulimit -f 1; exec head -c 10000 /dev/zero > "$2"`, "sh: signal: file size limit exceeded"},
	} {
		p := withTool(t, tc.script, "OUT")
		text, err := os.ReadFile(p.asset("cook.toml"))
		p.must(err)
		p.write("cook.toml", strings.Replace(string(text), `"OUT"`, fmt.Sprintf("%q", p.run.Out), 1))
		rec := &recorder{}
		p.run.Observer = rec
		if _, err := p.run.Cook(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := rec.failure("x.do"); tc.fails == "" && got != "" || !strings.Contains(got, tc.fails) {
			t.Errorf("%s: the asset's error is %q, want %q", what, got, tc.fails)
		}
		p.write("cook.toml", "[[rule]]\nmatch = \"*.do\"\nrecipe = \"copy\"\n")
		for _, name := range []string{"link", "x.do"} {
			if what == "output's name" || name == "link" {
				os.Remove(filepath.Join(p.run.Out, name))
			}
		}
		p.run.Observer = nil
		if s, err := p.run.Cook(t.Context()); err != nil || s.Failed.Assets > 0 {
			t.Errorf("%s: next run: %s, %v", what, s.String(), err)
		}
		if d := fromScratch(t, p.run).Diff(p.outputs()); d != "" {
			t.Errorf("%s: after the next run\n%s", what, d)
		}
	}
}
