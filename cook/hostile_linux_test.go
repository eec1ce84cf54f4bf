package cook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A hostileTree is a project with a directory "outside" that no run may read or write. It also
// records and prints what runs report.
type hostileTree struct {
	*project
	rec     recorder
	printed bytes.Buffer
}

func newHostileTree(t *testing.T) *hostileTree {
	h := &hostileTree{project: newProject(t)}
	h.write("plain.txt", "plain")
	h.writeFile("outside/secret.txt", "secret")
	return h
}

func (h *hostileTree) options() oracle.Run {
	run := h.run
	run.Workers, run.EveryAsset = 0, true
	run.Observer = cook.Observers{&h.rec, hooks{
		event: func(e cook.Event) { h.print(func(o cook.Observer) { o.Event(e) }) },
		note:  func(text string) { h.print(func(o cook.Observer) { o.Note(text) }) },
	}}
	return run
}

// cookPrinting cooks and checks that the printed text has no control characters.
func (h *hostileTree) cookPrinting() cook.Summary {
	h.Helper()
	h.rec = recorder{}
	summary, err := h.options().Cook(h.Context())
	h.must(err)
	if i := strings.IndexFunc(h.printed.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		h.Errorf("control characters are printed: %q", h.printed.String()[i:])
	}
	return summary
}

// print sends calls to observers that print text and JSON.
func (h *hostileTree) print(send func(cook.Observer)) {
	send(&report.Text{Out: &h.printed, Err: &h.printed, Verbose: true, Explain: true})
	var lines bytes.Buffer
	send(report.NewJSON(&lines))
	for line := range strings.Lines(lines.String()) {
		if !json.Valid([]byte(line)) {
			h.Errorf("invalid JSON: %q", line)
		}
		h.printed.WriteString(line)
	}
}

// hostileNames are valid file names on Linux that other systems or tools cannot handle.
var hostileNames = []string{
	"-rf", "--help", " ", " lead", "trail ", "dot.", "...", "$(touch x)", "`id`", "a;b", "a&&b", "a|b", "a'b", `a"b`, `a\b`, "a*b", "a?b", "[a]", "{in}", "{{", "a%s",
	"new\nline", "cook: 5 assets", "tab\t", "esc\x1b[2J", "del\x7f", "c1\u009b31m", "gnp.\u202etxt", "zero\u200bwidth", "\xff\xfe", "half\xe2\x82", "nfc\u00e9", "nfde\u0301",
	"con", "NUL.txt", "com1.x", "a:b", "C:", "lpt1 .y", "CASE", "case",
}

// TestHostileNames expects each name to be cooked unchanged and printed unambiguously.
func TestHostileNames(t *testing.T) {
	h := newHostileTree(t)
	h.write(".cookignore", "!.*\n")
	names := append(slices.Clone(hostileNames),
		strings.Repeat("n", 255), "a."+strings.Repeat("e", 253), strings.Repeat("é", 127))
	for i, name := range names {
		h.write(""+name, fmt.Sprint(i))
		h.write("in "+name[:min(len(name), 100)]+"/f", fmt.Sprint("in ", i))
	}
	if s := h.cookPrinting(); s.Failed.Assets > 0 {
		t.Errorf("%d failed: %q", s.Failed.Assets, h.rec.failed)
	}
	for i, name := range names {
		for file, want := range map[string]string{name: fmt.Sprint(i), "in " + name[:min(len(name), 100)] + "/f": fmt.Sprint("in ", i)} {
			if got, err := os.ReadFile(h.path("cooked/" + file)); err != nil || string(got) != want {
				t.Errorf("%q: %q, error %v", file, got, err)
			}
		}
	}
	if len(h.rec.notes) != 2 || !strings.Contains(h.rec.notes[0], "which Windows does not allow") || !strings.Contains(h.rec.notes[1], "differ only in case") {
		t.Errorf("notes %q", h.rec.notes)
	}
	if s := h.cookPrinting(); s.UpToDate() != s.Found.Assets || len(h.rec.notes) > 0 {
		t.Errorf("again: %s %q", s.String(), h.rec.notes)
	}
	for _, name := range names[:len(names)/2] {
		h.must(os.Remove(h.path("assets/" + name)))
	}
	h.cookPrinting()
	for i, name := range names {
		if _, err := os.Lstat(h.path("cooked/" + name)); (err == nil) != (i >= len(names)/2) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// TestHostileNamesToTools expects a tool to receive each name unchanged, as one argument that is
// not an option.
func TestHostileNamesToTools(t *testing.T) {
	h := newHostileTree(t)
	h.write(".cookignore", "!.*\n")
	h.write("cook.toml", "[[rule]]\nmatch = 'in/**'\noutput = '{path}.out'\ncommand = ['cp', '{in}', '{out}']\n")
	for i, name := range hostileNames {
		h.write("in/"+name, fmt.Sprint(i))
	}
	if s := h.cookPrinting(); s.Failed.Assets > 0 {
		t.Errorf("failed %q", h.rec.failed)
	}
	for i, name := range hostileNames {
		if got, err := os.ReadFile(h.path("cooked/in/" + name + ".out")); err != nil || string(got) != fmt.Sprint(i) {
			t.Errorf("%q: %q, error %v", name, got, err)
		}
	}
	entries, err := os.ReadDir(h.path("assets"))
	if h.must(err); len(entries) != 4 {
		t.Errorf("a tool wrote to the asset directory: %v", entries)
	}
}

// TestOutputNameTooLong expects that only the asset whose output name is too long fails.
func TestOutputNameTooLong(t *testing.T) {
	h := newHostileTree(t)
	name := strings.Repeat("n", 251) + ".png"
	h.write(""+name, "\x89PNG")
	h.write("cook.toml", "[[rule]]\nmatch = 'n*'\nrecipe = 'zstd'\n")
	s := h.cookPrinting()
	if len(h.rec.failed) != 1 || !strings.Contains(h.rec.failed[0], "the name has 259 bytes") {
		t.Errorf("failed %q", h.rec.failed)
	}
	if s.Cooked.Assets != 1 {
		t.Error(s.String())
	}
}

// TestPathLongerThanLimit cooks a file whose path is just below the length limit, and a file whose
// path exceeds it. Only the second asset may fail, although the paths of outputs are longer.
func TestPathLongerThanLimit(t *testing.T) {
	h := newHostileTree(t)
	root, err := os.OpenRoot(h.path("assets"))
	h.must(err)
	defer root.Close()
	folder := strings.Repeat("d", 200) + "/"
	deep := strings.Repeat(folder, 18)
	for _, d := range []string{deep, deep + deep} {
		h.must(root.MkdirAll(d, 0o777))
		h.must(root.WriteFile(d+"f.txt", []byte("deep"), 0o666))
	}
	opt := h.options()
	opt.Out = filepath.Join(opt.Out, folder, folder, folder)
	_, err = opt.Cook(t.Context())
	h.must(err)
	if len(h.rec.failed) != 1 || !strings.Contains(h.rec.failed[0], "path is longer than the system can open; shorten it") {
		t.Errorf("failed %.4400q", h.rec.failed)
	}
	out, err := os.OpenRoot(opt.Out)
	h.must(err)
	defer out.Close()
	if got, err := out.ReadFile(deep + "f.txt"); string(got) != "deep" {
		t.Errorf("%q, error %.4400v", got, err)
	}
	again, err := opt.Cook(t.Context())
	if h.must(err); again.UpToDate() != 2 {
		t.Error(again.String())
	}
}

// TestSpecialFiles expects that pipes, devices and sockets never block a run.
func TestSpecialFiles(t *testing.T) {
	fifo := func(h *hostileTree, name string) { h.must(unix.Mkfifo(h.path(name), 0o666)) }
	zero := func(h *hostileTree, name string) { h.must(os.Symlink("/dev/zero", h.path(name))) }
	socket := func(h *hostileTree, name string) {
		l, err := net.Listen("unix", h.path(name))
		h.must(err)
		h.Cleanup(func() { l.Close() })
	}
	for kind, plant := range map[string]func(*hostileTree, string){"pipe": fifo, "device": zero, "socket": socket} {
		t.Run(kind, func(t *testing.T) {
			h := newHostileTree(t)
			plant(h, "assets/a.png")
			plant(h, "assets/dep.bin")
			h.must(os.Mkdir(h.path("assets/sub"), 0o777))
			plant(h, "assets/sub/.cookignore")
			h.write("sub/f.txt", "left out")
			h.write("a.gltf", `{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "dep.bin"}]}`)
			s := h.cookPrinting()
			if s.Cooked.Assets != 1 || !slices.ContainsFunc(h.rec.failed, func(f string) bool { return strings.HasPrefix(f, "a.gltf: buffer 0: ") }) {
				t.Errorf("%s failed %q", s.String(), h.rec.failed)
			}
			for _, name := range []string{"a.png", "a.png.ktx2", "dep.bin", "sub/f.txt"} {
				if _, err := os.Lstat(h.path("cooked/" + name)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v", name, err)
				}
			}
			var config *cook.ConfigError
			opt := h.options()
			plant(h, "other.toml")
			opt.Config = h.path("other.toml")
			if _, err := opt.Cook(t.Context()); !errors.As(err, &config) {
				t.Errorf("-config: %v", err)
			}
			plant(h, "assets/cook.toml")
			if _, err := h.options().Cook(t.Context()); !errors.As(err, &config) {
				t.Errorf("cook.toml: %v", err)
			}
		})
	}
}

// TestHugeConfig expects an error for a huge cook.toml, which must not be read to its end.
func TestHugeConfig(t *testing.T) {
	const size = 256 << 20
	h := newHostileTree(t)
	for _, name := range []string{"assets/cook.toml", "other.toml"} {
		h.writeFile(name, "")
		h.must(os.Truncate(h.path(name), size))
		opt := h.options()
		if name == "other.toml" {
			opt.Config = h.path(name)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := opt.Cook(t.Context())
		runtime.ReadMemStats(&after)
		var config *cook.ConfigError
		if !errors.As(err, &config) || !strings.Contains(err.Error(), "more than 4194304 bytes") {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > size/4 {
			t.Errorf("%s: allocated %d bytes", name, n)
		}
	}
}
