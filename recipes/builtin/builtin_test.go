package builtin

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/recipeset"
)

func TestAllMakesASet(t *testing.T) {
	set, err := recipeset.New(All()...)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"command", "copy", "gltf", "json", "zstd"}, set.Names()); d != "" {
		t.Error(d)
	}
}

func TestEveryOptionIsInTheFingerprint(t *testing.T) {
	other := map[string]map[string]any{
		"command": {
			"command": []any{"x"}, "env": map[string]any{"A": "1"},
			"tools": []any{"x"}, "version_command": []any{"sh", "-c", "echo"}, "timeout": "1s", "daemons": true, "max_memory": int64(1), "max_disk": int64(1),
			"reads": []any{"x"}, "system": []any{"/x"}, "sandbox": false, "deps": "trace",
		},
		"copy": {"private_keys": true}, "gltf": {},
		"json": {"minify": false},
		"zstd": {"level": int64(19), "private_keys": true},
	}
	for _, r := range All() {
		recipetest.Check(t, r, other[r.Name])
	}
}

// named returns the built-in recipe with a name.
func named(t testing.TB, name string) recipe.Recipe {
	t.Helper()
	i := slices.IndexFunc(All(), func(r recipe.Recipe) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("no recipe %s", name)
	}
	return All()[i]
}

// cook cooks the only file of a tree with a recipe's defaults.
func cook(t testing.TB, name string, data []byte) recipetest.Result {
	t.Helper()
	r := named(t, name)
	return recipetest.Cook(t, r, r.New(), fstest.MapFS{"a.x": {Data: data}}, "", "a.x")
}

// wantError checks the text of an error.
func wantError(t testing.TB, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", want)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q, want one that says %q", err, w)
		}
	}
}

func TestCopy(t *testing.T) {
	for _, size := range []int{0, 1, 4096, copyStep - 1, copyStep, copyStep + 1} {
		data := bytes.Repeat([]byte{'a', 0, 0xff}, size/3+1)[:size]
		res := cook(t, "copy", data)
		if res.Err != nil || !bytes.Equal(res.Outputs[0], data) || res.Outputs[0] == nil {
			t.Errorf("%d bytes: error %v, %d bytes out", size, res.Err, len(res.Outputs[0]))
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tree := fstest.MapFS{"a": {Data: bytes.Repeat([]byte("[1] "), 100_000)}}
	for _, name := range []string{"copy", "zstd"} {
		r := named(t, name)
		if res := recipetest.CookContext(ctx, t, r, r.New(), tree, "", "a"); !errors.Is(res.Err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, res.Err, context.Canceled)
		}
	}
}

func TestSourceIsGone(t *testing.T) {
	for _, r := range All() {
		c := r.New()
		if cmd, ok := c.(*commandOptions); ok {
			cmd.Command = []string{"sh", "{out}"}
		}
		job := jobs.New(r, jobs.Env{
			Path: "a", Open: fstest.MapFS{}.Open,
			Outputs: []string{t.TempDir() + "/out"}, Assets: t.TempDir(),
			Scratch: func() (string, error) { return t.TempDir(), nil },
		}, 0)
		if err := c.Cook(t.Context(), job); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v, want %v", r.Name, err, fs.ErrNotExist)
		}
	}
}

// A private key must be refused, unless a rule allows it.
func TestPrivateKeysAreRefused(t *testing.T) {
	const key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ==\n-----END EC PRIVATE KEY-----\n"
	for _, name := range []string{"copy", "zstd"} {
		if res := cook(t, name, []byte(key)); res.Err == nil || !strings.Contains(res.Err.Error(), "private_keys = true") {
			t.Errorf("%s: %v", name, res.Err)
		}
		r := named(t, name)
		c := r.New()
		if err := recipeset.SetOption(c, "private_keys", true); err != nil {
			t.Fatal(err)
		}
		if res := recipetest.Cook(t, r, c, fstest.MapFS{"a.x": {Data: []byte(key)}}, "", "a.x"); res.Err != nil {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}

// Documents with very long names and numbers must give short errors.
func TestErrorsStayShort(t *testing.T) {
	long := strings.Repeat("a/", 50_000)
	digits := strings.Repeat("1", 100_000)
	for _, document := range []string{
		`{"asset": {"version": "2.0"}, "scene": ` + digits + `}`,
		`{"asset": {"version": "` + long + `"}}`,
		`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "` + long + `x"}]}`,
		`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "` + long[:5000] + `x"}]}`,
		`{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 1, "uri": "../` + strings.Repeat("../", 9_000) + `x"}]}`,
		`{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"` + long + `": ""}}]}]}`,
		`{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"` + long + `": 7}}]}]}`,
		`{"` + long + `": 1, "` + long + `": 2}`,
	} {
		res := cookGLTF(t, document)
		if res.Err == nil {
			t.Errorf("%.80s: accepted", document)
		} else if n := len(res.Err.Error()); n > 1000 {
			t.Errorf("%.80s: error of %d bytes: %.200s", document, n, res.Err)
		}
	}
}

func TestLongPrerequisite(t *testing.T) {
	for _, tc := range []struct {
		name string
		size int
		ok   bool
	}{{"longest", maxPrerequisite, true}, {"too long", maxPrerequisite + 1, false}} {
		names, err := parseDepfile([]byte("out: " + strings.Repeat("a", tc.size) + "\n"))
		if ok := err == nil && len(names) == 1; ok != tc.ok {
			t.Errorf("%s: error %v", tc.name, err)
		}
	}
}

// The output of a failed program must be shown without control characters, and within limits. The
// sizes of the program's writes must not matter.
func FuzzTail(f *testing.F) {
	for _, text := range []string{"", "plain\n", "\x1b[31mred\x1b[0m\r\nnext\r", "\xff\xfe\u202e\u009b", strings.Repeat("line\n", 100), strings.Repeat("\x1b", 1000)} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		whole, parts := new(tail), new(tail)
		whole.Write(text)
		at = min(max(at, 0), len(text))
		parts.Write(text[:at])
		parts.Write(text[at:])
		shown := whole.lastLines()
		if got := parts.lastLines(); got != shown {
			t.Errorf("in two parts %q, at once %q", got, shown)
		}
		if i := strings.IndexFunc(shown, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("a terminal would obey %q", shown[i:])
		}
		if lines := strings.Count(shown, "\n"); lines > tailLines+1 || len(shown) > (tailLines+1)*(6*tailWidth+10) {
			t.Errorf("%d lines, %d bytes", lines, len(shown))
		}
	})
}
