package cook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// withTool makes assets, and a rule that cooks x.do by a shell script: $1 is its source, $2 its
// output, and more follow.
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

// A process that a tool left running writes to the scratch path that the tool was given.
// That does not change an output of the next cook, which reuses the path.
func TestToolOutlivesItsRun(t *testing.T) {
	dir := t.TempDir()
	first, stray, free := filepath.Join(dir, "first"), filepath.Join(dir, "stray"), filepath.Join(dir, "free")
	for _, name := range []string{stray, free} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The first run leaves a process behind and fails. The second one writes its output,
	// and then lets that process write.
	p := withTool(t, `if mkdir "$3" 2>/dev/null; then
env -i setsid sh -c '>"$4/left"; read x < "$2"; echo bad > "$1"; echo done > "$3"' sh "$2" "$4" "$5" "$3" >/dev/null 2>&1 &
until [ -e "$3/left" ]; do sleep 0.01; done
exit 1
fi
echo good > "$2"; echo go > "$4"; read x < "$5"`, first, stray, free)
	p.run.Patterns = []string{"x.do"} // so that both runs use the same scratch path
	if s := p.cook(); s.Failed.Assets != 1 {
		t.Fatal(s.String())
	}
	p.cookAll()
	if text, err := os.ReadFile(p.path("cooked/x.do")); string(text) != "good\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A tool that writes where it should not is noticed: at once if it changes its own source,
// otherwise by the next run.
func TestToolWritesElsewhere(t *testing.T) {
	for what, tc := range map[string]struct {
		script string
		fails  string // part of the asset's error
	}{
		"its source":      {`echo > "$2"; echo x >> "$1"`, "changed while it was being cooked; run cook again"},
		"another source":  {`echo > "$2"; echo x >> plain.txt`, ""},
		"a new source":    {`echo > "$2"; echo x > new.txt`, ""},
		"another output":  {`echo > "$2"; until [ -e "$3/plain.txt" ]; do sleep 0.01; done; echo x > "$3/plain.txt"`, ""},
		"output's name":   {`echo > "$2"; echo x > "$3/x.do"`, "exists and was not made by cook"},
		"the index":       {`echo > "$2"; echo x > "$3/.cook/index"`, ""},
		"foreign scratch": {`echo > "$2"; for f in "$3"/.cook/tmp/*; do [ "$f" = "$2" ] || [ -d "$f" ] || rm -f "$f"; done`, ""},
		"hard link":       {`echo > "$2"; ln "$2" "$3/link"`, "made a hard link of"},
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
		// Replace the tool with a recipe.
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
