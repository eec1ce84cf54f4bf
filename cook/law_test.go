package cook_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
)

// TestMain keeps the law test short unless -rapid.checks asks for more.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		flag.Set("rapid.checks", "20")
	}
	os.Exit(m.Run())
}

// readTree returns the files below a folder but for the cooker's own state:
// mode and content by path.
func readTree(t rapid.TB, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		switch {
		case rel == ".cook":
			return fs.SkipDir
		case d.IsDir():
			files[rel+"/"] = ""
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(name)
			files[rel] = "link to " + to
			return err
		}
		data, err := os.ReadFile(name)
		files[rel] = info.Mode().String() + " " + string(data)
		return err
	})
	if err != nil {
		t.Fatalf("read %s: %v", dir, err)
	}
	return files
}

// sameTree says how two cooked trees differ, "" if they do not.
func sameTree(want, got map[string]string) string {
	var diff []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have, ok := got[name]; !ok {
			diff = append(diff, "missing "+name)
		} else if have != want[name] {
			diff = append(diff, fmt.Sprintf("%s differs: %.80q, want %.80q", name, have, want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			diff = append(diff, "superfluous "+name)
		}
	}
	return strings.Join(diff, "\n")
}

func tinyPNG(n int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2+n%3, 1+n%4))
	for i := range img.Pix {
		img.Pix[i] = byte(i*n + 17*n)
	}
	img.Set(0, 0, color.NRGBA{byte(n), 1, 2, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// pool are contents that files of a kind may have; some are no good.
var pool = map[string][]string{
	".png":  {string(tinyPNG(1)), string(tinyPNG(2)), string(tinyPNG(3)), "broken", ""},
	".json": {`{"a": 1}`, `{"a":1}`, `{"a": 2}`, `{"a": `},
	".txt":  {"one", "two", "six", ""},
	".bin":  {"12345678", "abcdefgh", "1234"},
	".gltf": {
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":8}]}`,
		`{"asset":{"version":"2.0"},"buffers":[{"uri":"b.bin","byteLength":4}]}`,
		`{"asset":{"version":"2.0"}}`,
	},
}

var configs = []string{
	"",
	"[[rule]]\nmatch = \"*.png\"\nsrgb = false\n",
	"[[rule]]\nmatch = \"*.png\"\nzstd = 0\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.png\"\noutput = \"{dir}/{stem}.ktx2\"\n",
	"[[rule]]\nmatch = \"x/**\"\nrecipe = \"copy\"\n",
	"[[rule]]\nmatch = \"*.json\"\nminify = false\n",
}

// kitchenModel is a tree that is edited and cooked at random.
type kitchenModel struct {
	base, assets, out string
	fresh             int
	// trusting says that by the cook's clock every stamp is old enough to be
	// trusted. Edits then wait for the file system's clock to tick.
	trusting bool
	// listing says that every folder is listed: the portable way.
	listing bool
}

// tick waits until the file system would give a new file another time than it
// has given any until now.
func (m *kitchenModel) tick(t *rapid.T) {
	change := func() int64 {
		name := filepath.Join(m.base, "tick")
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(name)
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return max(scan.StampOf(info).CTime, info.ModTime().UnixNano())
	}
	for begin := change(); change() == begin; {
	}
}

func newModel(t *rapid.T) *kitchenModel {
	base, err := os.MkdirTemp("", "law")
	if err != nil {
		t.Fatal(err)
	}
	m := &kitchenModel{base: base, assets: filepath.Join(base, "assets"), out: filepath.Join(base, "cooked")}
	if err := os.Mkdir(m.assets, 0o777); err != nil {
		t.Fatal(err)
	}
	return m
}

// longWay makes a run look at every asset.
type longWay struct{ report.Multi }

func (longWay) EveryAsset() bool { return true }

func (m *kitchenModel) cook(t *rapid.T, out, cache string, observer report.Observer) report.Summary {
	opt := cook.Options{Dir: m.assets, Out: out, Cache: cache, Workers: 2, Observer: observer}
	if m.trusting {
		opt.Now = func() time.Time { return time.Now().Add(time.Hour) }
	}
	if m.listing {
		opt = cook.ListAll(opt)
	}
	s, err := cook.Cook(context.Background(), opt)
	if err != nil {
		t.Fatalf("cook: %v", err)
	}
	return s
}

// list returns the folders or files below a folder, relative to it.
func list(t rapid.TB, dir string, folders bool) []string {
	var names []string
	for name := range readTree(t, dir) {
		if strings.HasSuffix(name, "/") == folders && name != "./" {
			names = append(names, strings.TrimSuffix(name, "/"))
		}
	}
	slices.Sort(names)
	return names
}

func (m *kitchenModel) place(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "stem") +
		rapid.SampledFrom([]string{".png", ".json", ".txt", ".bin", ".gltf"}).Draw(t, "kind")
	return filepath.Join(m.assets, rapid.SampledFrom([]string{"", "x", "y", "x/y"}).Draw(t, "folder"), name)
}

// An edit may fail, for instance where a file is in a folder's place: then
// nothing was edited, which is as good.
func (m *kitchenModel) edits() map[string]func(*rapid.T) {
	pick := func(t *rapid.T, from []string) (string, bool) {
		if len(from) == 0 {
			return "", false
		}
		return rapid.SampledFrom(from).Draw(t, "which"), true
	}
	file := func(t *rapid.T, dir string) (string, bool) {
		if _, err := os.Stat(dir); err != nil {
			return "", false
		}
		names := slices.DeleteFunc(list(t, dir, false), func(n string) bool { return n == "cook.toml" || filepath.Base(n) == ".cookignore" })
		name, ok := pick(t, names)
		return filepath.Join(dir, name), ok
	}
	edits := map[string]func(*rapid.T){
		"write": func(t *rapid.T) {
			name := m.place(t)
			data := rapid.SampledFrom(pool[filepath.Ext(name)]).Draw(t, "content")
			os.MkdirAll(filepath.Dir(name), 0o777)
			os.WriteFile(name, []byte(data), 0o666)
		},
		"write keeping the time": func(t *rapid.T) {
			if name, ok := file(t, m.assets); ok && pool[filepath.Ext(name)] != nil {
				info, err := os.Stat(name)
				if err != nil {
					return // a link that leads nowhere
				}
				os.WriteFile(name, []byte(rapid.SampledFrom(pool[filepath.Ext(name)]).Draw(t, "content")), 0o666)
				os.Chtimes(name, info.ModTime(), info.ModTime())
			}
		},
		"touch": func(t *rapid.T) {
			if name, ok := file(t, m.assets); ok {
				at := time.Unix(rapid.Int64Range(1, 2e9).Draw(t, "time"), 0)
				os.Chtimes(name, at, at)
			}
		},
		"delete": func(t *rapid.T) {
			if name, ok := file(t, m.assets); ok {
				os.Remove(name)
			}
		},
		"rename": func(t *rapid.T) {
			if name, ok := file(t, m.assets); ok {
				to := filepath.Join(filepath.Dir(m.place(t)), filepath.Base(name))
				os.MkdirAll(filepath.Dir(to), 0o777)
				os.Rename(name, to)
			}
		},
		"swap": func(t *rapid.T) {
			a, ok := file(t, m.assets)
			b, _ := file(t, m.assets)
			if ok && a != b && filepath.Ext(a) == filepath.Ext(b) {
				os.Rename(a, a+"~")
				os.Rename(b, a)
				os.Rename(a+"~", b)
			}
		},
		"rename folder": func(t *rapid.T) {
			if name, ok := pick(t, list(t, m.assets, true)); ok {
				os.Rename(filepath.Join(m.assets, name), filepath.Join(m.assets, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "to")))
			}
		},
		"file for folder": func(t *rapid.T) {
			if name, ok := pick(t, list(t, m.assets, true)); ok {
				os.RemoveAll(filepath.Join(m.assets, name))
				os.WriteFile(filepath.Join(m.assets, name), []byte("was a folder"), 0o666)
			}
		},
		"folder for file": func(t *rapid.T) {
			if name, ok := file(t, m.assets); ok {
				os.Remove(name)
				os.Mkdir(name, 0o777)
				os.WriteFile(filepath.Join(name, "in.txt"), []byte("was a file"), 0o666)
			}
		},
		"configure": func(t *rapid.T) {
			name := filepath.Join(m.assets, "cook.toml")
			if text := rapid.SampledFrom(configs).Draw(t, "config"); text != "" {
				os.WriteFile(name, []byte(text), 0o666)
			} else {
				os.Remove(name)
			}
		},
		"edit output": func(t *rapid.T) {
			if name, ok := file(t, m.out); ok {
				os.WriteFile(name, []byte("edited"), 0o666)
			}
		},
		"delete output": func(t *rapid.T) {
			if name, ok := file(t, m.out); ok {
				os.Remove(name)
			}
		},
		"lose the changes": func(t *rapid.T) {
			names, _ := filepath.Glob(filepath.Join(m.out, ".cook", "changes-*"))
			for _, name := range names {
				os.Remove(name)
			}
		},
		"damage the changes": func(t *rapid.T) {
			names, _ := filepath.Glob(filepath.Join(m.out, ".cook", "changes-*"))
			for _, name := range names {
				if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
					data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= 4
					os.WriteFile(name, data, 0o666)
				}
			}
		},
		"ignore": func(t *rapid.T) {
			name := filepath.Join(m.assets, rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "folder"), ".cookignore")
			if text := rapid.SampledFrom([]string{"", "*.txt\n", "/a.png\n", "y/\n"}).Draw(t, "patterns"); text != "" {
				os.WriteFile(name, []byte(text), 0o666)
			} else {
				os.Remove(name)
			}
		},
		"link": func(t *rapid.T) {
			to, ok := pick(t, append(list(t, m.assets, true), list(t, m.assets, false)...))
			if name := filepath.Base(to); ok && name != "cook.toml" && name != ".cookignore" {
				name := m.place(t)
				os.MkdirAll(filepath.Dir(name), 0o777)
				os.Remove(name)
				os.Symlink(filepath.Join(m.assets, to), name)
			}
		},
		"hard link": func(t *rapid.T) {
			if from, ok := file(t, m.assets); ok {
				name := m.place(t)
				os.MkdirAll(filepath.Dir(name), 0o777)
				os.Remove(name)
				os.Link(from, name)
			}
		},
		"lose the index": func(t *rapid.T) { os.Remove(filepath.Join(m.out, ".cook", "index")) },
		"damage the index": func(t *rapid.T) {
			name := filepath.Join(m.out, ".cook", "index")
			if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= 4
				os.WriteFile(name, data, 0o666)
			}
		},
		"lose the store": func(t *rapid.T) { os.RemoveAll(filepath.Join(m.base, "cache")) },
		"damage the store": func(t *rapid.T) {
			if name, ok := file(t, filepath.Join(m.base, "cache")); ok {
				os.Chmod(name, 0o666)
				os.WriteFile(name, []byte("damaged"), 0o666)
			}
		},
	}
	return edits
}

// After any edits, cooking what changed gives what cooking everything gives.
func TestIncrementalEqualsFromScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { law(t, false) })
}

// The same where only stamps tell what changed.
func TestIncrementalByStampsEqualsFromScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { law(t, true) })
}

func law(t *rapid.T, trusting bool) {
	m := newModel(t)
	m.trusting, m.listing = trusting, rapid.Bool().Draw(t, "listing")
	defer os.RemoveAll(m.base)
	actions := m.edits()
	actions[""] = func(t *rapid.T) {
		m.fresh++
		var observer report.Observer
		if rapid.IntRange(0, 3).Draw(t, "long way") == 0 {
			observer = longWay{}
		}
		if trusting {
			m.tick(t)
			defer m.tick(t)
		}
		scratch := filepath.Join(m.base, fmt.Sprint("scratch", m.fresh))
		all := m.cook(t, scratch, scratch+".cache", nil)
		some := m.cook(t, m.out, filepath.Join(m.base, "cache"), observer)
		if d := sameTree(readTree(t, scratch), readTree(t, m.out)); d != "" {
			t.Fatalf("incremental cook differs from one from scratch:\n%s", d)
		}
		if all.Failed.Assets != some.Failed.Assets || all.Found.Assets != some.Found.Assets {
			t.Fatalf("from scratch: %s\nincremental: %s", all.Line(), some.Line())
		}
		again := m.cook(t, m.out, filepath.Join(m.base, "cache"), nil)
		if n := again.Cooked.Assets + again.Restored.Assets + again.Cutoff.Assets; n != 0 {
			t.Fatalf("a second cook did work: %s", again.Line())
		}
		os.RemoveAll(scratch)
		os.RemoveAll(scratch + ".cache")
	}
	t.Repeat(actions)
}

func TestDiffSeesEverything(t *testing.T) {
	a := map[string]string{"x": "1", "y": "2"}
	if d := sameTree(a, map[string]string{"x": "1", "z": "2"}); !strings.Contains(d, "missing y") || !strings.Contains(d, "superfluous z") {
		t.Errorf("diff %q", d)
	}
	if d := cmp.Diff("", sameTree(a, maps.Clone(a))); d != "" {
		t.Error(d)
	}
}
