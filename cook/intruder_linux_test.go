package cook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// withProgram makes assets of which one, x.do, is cooked by a shell script; $1 is
// its source, $2 the output, and the others follow.
func withProgram(t *testing.T, script string, more ...string) cook.Options {
	t.Helper()
	opt := fewAssets(t)
	args := ""
	for _, m := range append([]string{"{in}", "{out}"}, more...) {
		args += fmt.Sprintf(", %q", m)
	}
	rule := "[[rule]]\nmatch = \"*.do\"\ncommand = [\"sh\", \"-c\", '''" + script + "''', \"sh\"" + args + "]\noutputs = [\"{name}\"]\n"
	for name, text := range map[string]string{"cook.toml": rule, "x.do": "source"} {
		if err := os.WriteFile(filepath.Join(opt.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return opt
}

// A program that has outlived its cook, because nobody could find it, does not
// reach what the next cook makes, though it writes to the very name that it was
// given.
func TestProgramThatOutlivesItsCook(t *testing.T) {
	dir := t.TempDir()
	first, stray, free := filepath.Join(dir, "first"), filepath.Join(dir, "stray"), filepath.Join(dir, "free")
	for _, name := range []string{stray, free} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The first time it leaves somebody behind and fails; the second time it writes
	// and then lets him write.
	opt := withProgram(t, `if mkdir "$3" 2>/dev/null; then
env -i setsid sh -c '>"$4/left"; read x < "$2"; echo bad > "$1"; echo done > "$3"' sh "$2" "$4" "$5" "$3" >/dev/null 2>&1 &
until [ -e "$3/left" ]; do sleep 0.01; done
exit 1
fi
echo good > "$2"; echo go > "$4"; read x < "$5"`, first, stray, free)
	opt.Patterns = []string{"x.do"} // so that both runs count their scratch files alike
	s, err := cook.Cook(t.Context(), opt)
	if err != nil || s.Failed.Assets != 1 {
		t.Fatalf("%s, %v", s.Line(), err)
	}
	if s, err = cook.Cook(t.Context(), opt); err != nil || s.Failed.Assets != 0 {
		t.Fatalf("%s, %v", s.Line(), err)
	}
	if text, err := os.ReadFile(filepath.Join(opt.Out, "x.do")); string(text) != "good\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A program that writes where it should not is found out: at once where it spoils
// its own source, by the next run elsewhere.
func TestProgramThatWritesElsewhere(t *testing.T) {
	for what, tc := range map[string]struct {
		script string
		fails  string // what the asset's failure says
	}{
		"its source":        {`echo > "$2"; echo x >> "$1"`, "changed while it was being cooked; run cook again"},
		"another source":    {`echo > "$2"; echo x >> plain.txt`, ""},
		"a new source":      {`echo > "$2"; echo x > new.txt`, ""},
		"another output":    {`echo > "$2"; until [ -e "$3/plain.txt" ]; do sleep 0.01; done; echo x > "$3/plain.txt"`, ""},
		"output's name":     {`echo > "$2"; echo x > "$3/x.do"`, "exists and was not made by cook"},
		"the index":         {`echo > "$2"; echo x > "$3/.cook/index"`, ""},
		"others' scratch":   {`echo > "$2"; for f in "$3"/.cook/tmp/*; do [ "$f" = "$2" ] || [ -d "$f" ] || rm -f "$f"; done`, ""},
		"two names of one":  {`echo > "$2"; ln "$2" "$3/link"`, "made a hard link of"},
		"the rules":         {`echo > "$2"; echo >> cook.toml`, ""},
		"no room is left":   {`echo > "$2"; echo x > /dev/full`, "exit status"},
		"more than a limit": {`ulimit -f 1; exec head -c 10000 /dev/zero > "$2"`, "sh: signal: file size limit exceeded"},
	} {
		opt := withProgram(t, tc.script, "OUT")
		rules := filepath.Join(opt.Dir, "cook.toml")
		text, err := os.ReadFile(rules)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(rules, []byte(strings.Replace(string(text), `"OUT"`, fmt.Sprintf("%q", opt.Out), 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		w := &watcher{failed: map[string]string{}}
		opt.Observer, opt.Workers = w, 2
		if _, err := cook.Cook(t.Context(), opt); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := w.failed["x.do"]; tc.fails == "" && got != "" || !strings.Contains(got, tc.fails) {
			t.Errorf("%s: the asset's failure is %q, want %q", what, got, tc.fails)
		}
		// From now on it does what it should.
		if err := os.WriteFile(rules, []byte("[[rule]]\nmatch = \"*.do\"\nrecipe = \"copy\"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"link", "x.do"} {
			if what == "output's name" || name == "link" {
				os.Remove(filepath.Join(opt.Out, name))
			}
		}
		opt.Observer = nil
		if s, err := cook.Cook(t.Context(), opt); err != nil || s.Failed.Assets > 0 {
			t.Errorf("%s: then %s, %v", what, s.Line(), err)
		}
		if d := scratchTree(t, opt).Diff(readTree(t, opt.Out)); d != "" {
			t.Errorf("%s: after the next run\n%s", what, d)
		}
	}
}
