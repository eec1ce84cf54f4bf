package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/scenario"
	"github.com/assetcook/assetcook/internal/frontend"
)

// TestDocsConsole runs each transcript in a directory with the sample assets. A toml block replaces
// the rules in that directory. The comparison ignores times, dates and seeds, and a line "..."
// matches any lines.
func TestDocsConsole(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the transcripts are from Linux")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-ldflags=-s", "-o", bin, root+"/cmd/hashsum").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	literals(t, "cmd/hashsum")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, p := range in(t, "console") {
		t.Run(p.name, func(t *testing.T) { p.play(t) })
	}
}

func TestDocsTOML(t *testing.T) {
	for _, p := range in(t, "toml") {
		for _, b := range p.blocks {
			if b.lang == "toml" {
				newPlace(t).rules(t, p.name, b)
			}
		}
	}
}

// play runs the blocks of a page.
func (p page) play(t *testing.T) {
	at, text, done := newPlace(t), "", 0
	for _, b := range p.blocks {
		switch b.lang {
		case "toml":
			at.rules(t, p.name, b)
		case "console":
			text += p.text[done:b.start] + at.transcript(t, p.name, b)
			done = b.end
		}
	}
	if text += p.text[done:]; *update && text != p.text {
		p.write(t, text)
	}
}

// A place is the working directory of a page's commands.
type place struct {
	dir    string
	status int
}

func newPlace(t *testing.T) *place {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "assets"), os.DirFS(root+"/testdata/assets")); err != nil {
		t.Fatal(err)
	}
	return &place{dir: dir}
}

// rules writes a block to the rules file, or to smoke.toml if the block has steps. A block with a
// [project] table is only checked, and its file is removed afterward. The block may name programs
// that are not installed.
func (at *place) rules(t *testing.T, name string, b block) {
	t.Helper()
	if strings.Contains(b.text, "[[step]]") {
		file := filepath.Join(at.dir, "smoke.toml")
		if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := scenario.Read(file); err != nil {
			t.Errorf("%s:%d: %v", name, b.line, err)
		}
		return
	}
	file, command := filepath.Join(at.dir, "assets", "cook.toml"), "cook -n -q -dir assets"
	if strings.Contains(b.text, "[project]") {
		file, command = filepath.Join(at.dir, "cook.toml"), "cook -n -q"
		defer os.Remove(file)
	}
	if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
		t.Fatal(err)
	}
	trial := *at
	if out := trial.run(t, command); trial.status > frontend.Failed {
		t.Errorf("%s:%d: %s", name, b.line, out)
	}
}

func (at *place) run(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf("(exit %d)\n%s", at.status, line))
	cmd.Dir = at.dir
	wrong := filepath.Join(at.dir, ".misprinted")
	cmd.Env = append(os.Environ(), miscounted+"="+wrong, "COOKCACHE="+filepath.Join(at.dir, ".store"), "TZ=UTC", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		at.status = 0
	case errors.As(err, &exit):
		at.status = exit.ExitCode()
	default:
		t.Fatal(err)
	}
	if text, err := os.ReadFile(wrong); err == nil {
		t.Fatalf("miscounted or misprinted: %s", text)
	}
	return string(out)
}

// transcript runs the commands of a block and returns the expected block. With -update, it returns
// the block with the actual output.
func (at *place) transcript(t *testing.T, name string, b block) string {
	t.Helper()
	first, rest, ok := strings.Cut("\n"+b.text, "\n$ ")
	if !ok || first != "" {
		t.Errorf("%s:%d: a transcript that does not begin with a command", name, b.line)
		return b.text
	}
	text, printed := "", ""
	for _, step := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n$ ") {
		line, want, _ := strings.Cut(step+"\n", "\n")
		text += "$ " + line + "\n"
		for strings.HasPrefix(want, "> ") {
			more, after, _ := strings.Cut(want, "\n")
			line, text, want = line+"\n"+more[len("> "):], text+more+"\n", after
		}
		got := progress.ReplaceAllString(at.run(t, line), "")
		printed += got
		switch {
		case alike(want, got):
		case *update:
			want = got
		default:
			t.Errorf("%s:%d: $ %s\nprints\n%s\nnot\n%s", name, b.line, line, got, want)
		}
		text += want
	}
	if missing := lacking(b.shows, printed); len(missing) > 0 {
		t.Errorf("%s:%d: the transcript must show %q, but the commands print\n%s", name, b.line, missing, printed)
		return b.text
	}
	return text
}

// lacking returns the required texts that a transcript does not print.
func lacking(texts []string, printed string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return strings.Contains(printed, text) })
}

// TestTranscriptsShowSomething expects an error, even with -update, for commands that do not print
// the required texts.
func TestTranscriptsShowSomething(t *testing.T) {
	page := parsePage("page.md", "text\n<!-- shows: 1 failed | exit status 1 -->\n```console\n$ cook\n```\nmore\n```console\n$ cook\n```\n")
	if len(page.blocks) != 2 || !slices.Equal(page.blocks[0].shows, []string{"1 failed", "exit status 1"}) || page.blocks[1].shows != nil {
		t.Fatalf("%+v", page.blocks)
	}
	for printed, want := range map[string]int{"cook: 89 assets: 89 cooked\n": 2, "89 assets: 1 failed\nexit status 1\n": 0, "1 failed\nexit status 0\n": 1} {
		if got := lacking(page.blocks[0].shows, printed); len(got) != want {
			t.Errorf("%q lacks %q", printed, got)
		}
	}
}

// progress matches the progress lines of long runs.
var progress = regexp.MustCompile(`(?m)^cook: \d+ of \d+ (assets?|files?), .*\n`)

// varying matches text that can differ between runs.
var varying = regexp.MustCompile(`\b[0-9.]+(ns|µs|ms|m[0-9]+s|s)\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|-seed \d+|"(seed|\w*_?ns)":\d+|[ \t]+`)

// alike reports whether the output got matches the expected transcript want.
func alike(want, got string) bool {
	want, got = varying.ReplaceAllString(want, " "), varying.ReplaceAllString(got, " ")
	pattern := regexp.QuoteMeta(want)
	pattern = regexp.MustCompile(`(?m)^ ?\\\.\\\.\\\.\n`).ReplaceAllString(pattern, `(?:.*\n)*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(got)
}

func TestAlike(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		alike     bool
	}{
		{"", "", true},
		{"", "a\n", false},
		{"a.b\n", "a.b\n", true},
		{"a.b\n", "axb\n", false},
		{"2 cooked in 594ms (saved 0s)\n", "2 cooked in 1.02s (saved 1m3s)\n", true},
		{"2 cooked in 594ms\n", "3 cooked in 594ms\n", false},
		{"a\n...\nz\n", "a\nb\nc\nz\n", true},
		{"a\n  ...\nz\n", "a\nz\n", true},
		{"a\n...\nz\n", "a\nb\n", false},
		{`{"took_ns":12,"n":1}`, `{"took_ns":3,"n":1}`, true},
		{`{"took_ns":12,"n":1}`, `{"took_ns":12,"n":2}`, false},
	} {
		if got := alike(tt.want, tt.got); got != tt.alike {
			t.Errorf("%q and %q: %v", tt.want, tt.got, got)
		}
	}
}
