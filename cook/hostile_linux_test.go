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
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
)

// A hostileTree is a folder of assets, one beside it that nothing may be read
// from or written to, and what is said while cooking.
type hostileTree struct {
	t             *testing.T
	dir           string
	failed, notes []string
	said          bytes.Buffer
}

func newHostileTree(t *testing.T) *hostileTree {
	h := &hostileTree{t: t, dir: t.TempDir()}
	h.write("assets/plain.txt", "plain")
	h.write("outside/secret.txt", "secret")
	return h
}

func (h *hostileTree) path(name string) string { return filepath.Join(h.dir, name) }

func (h *hostileTree) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *hostileTree) write(name, text string) {
	h.t.Helper()
	h.must(os.MkdirAll(filepath.Dir(h.path(name)), 0o777))
	h.must(os.WriteFile(h.path(name), []byte(text), 0o666))
}

func (h *hostileTree) options() cook.Options {
	return cook.Options{Dir: h.path("assets"), Out: h.path("out"), Cache: h.path("cache"), Observer: h}
}

// cook cooks and prints, as text and as JSON, to one place.
func (h *hostileTree) cook() report.Summary {
	h.t.Helper()
	h.failed, h.notes = nil, nil
	summary, err := cook.Cook(h.t.Context(), h.options())
	h.must(err)
	if i := strings.IndexFunc(h.said.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		h.t.Errorf("a terminal would obey %q", h.said.String()[i:])
	}
	return summary
}

func (h *hostileTree) EveryAsset() bool { return true }
func (h *hostileTree) Stage(string)     {}

func (h *hostileTree) Planned(int, time.Duration) {}

func (h *hostileTree) Note(text string) {
	h.notes = append(h.notes, text)
	h.each(func(o report.Observer) { o.Note(text) })
}
func (h *hostileTree) Event(e run.Event) {
	if e.Outcome == run.Failed && !e.Started {
		h.failed = append(h.failed, fmt.Sprintf("%s: %v", e.Path, e.Err))
	}
	h.each(func(o report.Observer) { o.Event(e) })
}

func (h *hostileTree) each(tell func(report.Observer)) {
	tell(&report.Text{Out: &h.said, Err: &h.said, Verbose: true, Explain: true})
	var lines bytes.Buffer
	tell(report.NewJSON(&lines))
	for line := range strings.Lines(lines.String()) {
		if !json.Valid([]byte(line)) {
			h.t.Errorf("no JSON: %q", line)
		}
		h.said.WriteString(line)
	}
}

// hostileNames are file names that Linux takes and others stumble over.
var hostileNames = []string{
	"-rf", "--help", " ", " lead", "trail ", "dot.", "...", "$(touch x)", "`id`", "a;b", "a&&b", "a|b", "a'b", `a"b`, `a\b`, "a*b", "a?b", "[a]", "{in}", "{{", "a%s",
	"new\nline", "cook: 5 assets", "tab\t", "esc\x1b[2J", "del\x7f", "c1\u009b31m", "gnp.\u202etxt", "zero\u200bwidth", "\xff\xfe", "half\xe2\x82", "nfc\u00e9", "nfde\u0301",
	"con", "NUL.txt", "com1.x", "a:b", "C:", "lpt1 .y", "CASE", "case",
}

// Any name that the system takes is cooked under that name, and shown so that
// nobody is fooled.
func TestHostileNames(t *testing.T) {
	h := newHostileTree(t)
	names := append(slices.Clone(hostileNames),
		strings.Repeat("n", 255), "a."+strings.Repeat("e", 253), strings.Repeat("é", 127))
	for i, name := range names {
		h.write("assets/"+name, fmt.Sprint(i))
		h.write("assets/in "+name[:min(len(name), 100)]+"/f", fmt.Sprint("in ", i))
	}
	if s := h.cook(); s.Failed.Assets > 0 {
		t.Errorf("%d failed: %q", s.Failed.Assets, h.failed)
	}
	for i, name := range names {
		for file, want := range map[string]string{name: fmt.Sprint(i), "in " + name[:min(len(name), 100)] + "/f": fmt.Sprint("in ", i)} {
			if got, err := os.ReadFile(h.path("out/" + file)); err != nil || string(got) != want {
				t.Errorf("%q: %q, error %v", file, got, err)
			}
		}
	}
	if len(h.notes) != 2 || !strings.Contains(h.notes[0], "which Windows does not take") || !strings.Contains(h.notes[1], "differ in case only") {
		t.Errorf("notes %q", h.notes)
	}
	if s := h.cook(); !strings.Contains(s.Line(), " 0 cutoff, 0 restored, 0 cooked, 0 failed") || len(h.notes) > 0 {
		t.Errorf("again: %s %q", s.Line(), h.notes)
	}
	for _, name := range names[:len(names)/2] {
		h.must(os.Remove(h.path("assets/" + name)))
	}
	h.cook()
	for i, name := range names {
		if _, err := os.Lstat(h.path("out/" + name)); (err == nil) != (i >= len(names)/2) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// Programs get names as they are, each as one argument that is no option.
func TestHostileNamesToPrograms(t *testing.T) {
	h := newHostileTree(t)
	h.write("assets/cook.toml", "[[rule]]\nmatch = 'in/**'\noutput = '{path}.out'\ncommand = ['cp', '{in}', '{out}']\n")
	for i, name := range hostileNames {
		h.write("assets/in/"+name, fmt.Sprint(i))
	}
	if s := h.cook(); s.Failed.Assets > 0 {
		t.Errorf("failed %q", h.failed)
	}
	for i, name := range hostileNames {
		if got, err := os.ReadFile(h.path("out/in/" + name + ".out")); err != nil || string(got) != fmt.Sprint(i) {
			t.Errorf("%q: %q, error %v", name, got, err)
		}
	}
	entries, err := os.ReadDir(h.path("assets"))
	if h.must(err); len(entries) != 3 {
		t.Errorf("somebody wrote among the assets: %v", entries)
	}
}

// A name that is too long once the output's ending is added fails by itself,
// with a reason.
func TestOutputNameTooLong(t *testing.T) {
	h := newHostileTree(t)
	name := strings.Repeat("n", 251) + ".png"
	h.write("assets/"+name, "\x89PNG")
	h.write("assets/cook.toml", "[[rule]]\nmatch = 'n*'\nrecipe = 'zstd'\n")
	s := h.cook()
	if len(h.failed) != 1 || !strings.Contains(h.failed[0], "a name of 259 bytes is too long") {
		t.Errorf("failed %q", h.failed)
	}
	if s.Cooked.Assets != 1 {
		t.Error(s.Line())
	}
}

// A tree as deep as paths may be is cooked, also if its outputs lie deeper than
// that. What no program could open fails by itself.
func TestDeeperThanPaths(t *testing.T) {
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
	_, err = cook.Cook(t.Context(), opt)
	h.must(err)
	if len(h.failed) != 1 || !strings.Contains(h.failed[0], "path is longer than the system can open; shorten it") {
		t.Errorf("failed %.4400q", h.failed)
	}
	out, err := os.OpenRoot(opt.Out)
	h.must(err)
	defer out.Close()
	if got, err := out.ReadFile(deep + "f.txt"); string(got) != "deep" {
		t.Errorf("%q, error %.4400v", got, err)
	}
	again, err := cook.Cook(t.Context(), opt)
	if h.must(err); again.UpToDate() != 2 {
		t.Error(again.Line())
	}
}

// What is no file makes nobody wait, wherever it stands.
func TestSpecialFiles(t *testing.T) {
	fifo := func(h *hostileTree, name string) { h.must(unix.Mkfifo(h.path(name), 0o666)) }
	zero := func(h *hostileTree, name string) { h.must(os.Symlink("/dev/zero", h.path(name))) }
	socket := func(h *hostileTree, name string) {
		l, err := net.Listen("unix", h.path(name))
		h.must(err)
		h.t.Cleanup(func() { l.Close() })
	}
	for kind, plant := range map[string]func(*hostileTree, string){"pipe": fifo, "device": zero, "socket": socket} {
		t.Run(kind, func(t *testing.T) {
			h := newHostileTree(t)
			plant(h, "assets/a.png")
			plant(h, "assets/dep.bin")
			h.must(os.Mkdir(h.path("assets/sub"), 0o777))
			plant(h, "assets/sub/.cookignore")
			h.write("assets/sub/f.txt", "left out")
			h.write("assets/a.gltf", `{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "dep.bin"}]}`)
			s := h.cook()
			if s.Cooked.Assets != 1 || !slices.ContainsFunc(h.failed, func(f string) bool { return strings.HasPrefix(f, "a.gltf: buffer 0: ") }) {
				t.Errorf("%s failed %q", s.Line(), h.failed)
			}
			for _, name := range []string{"a.png", "a.png.ktx2", "dep.bin", "sub/f.txt"} {
				if _, err := os.Lstat(h.path("out/" + name)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v", name, err)
				}
			}
			var config *cook.ConfigError
			opt := h.options()
			plant(h, "other.toml")
			opt.Config = h.path("other.toml")
			if _, err := cook.Cook(t.Context(), opt); !errors.As(err, &config) {
				t.Errorf("-config: %v", err)
			}
			plant(h, "assets/cook.toml")
			if _, err := cook.Cook(t.Context(), h.options()); !errors.As(err, &config) {
				t.Errorf("cook.toml: %v", err)
			}
		})
	}
}

// A huge file of rules is refused, and only its start is read.
func TestHugeConfig(t *testing.T) {
	const size = 256 << 20
	h := newHostileTree(t)
	for _, name := range []string{"assets/cook.toml", "other.toml"} {
		h.write(name, "")
		h.must(os.Truncate(h.path(name), size))
		opt := h.options()
		if name == "other.toml" {
			opt.Config = h.path(name)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := cook.Cook(t.Context(), opt)
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
