package runaction_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/runaction"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A join is a recipe that concatenates its source, the content of the file that the source names,
// and the suffix.
type join struct {
	Suffix  string            `toml:"suffix" doc:"text at the end"`
	Words   []string          `toml:"words" doc:"more text"`
	Table   map[string]string `toml:"table" doc:"more text"`
	Timeout time.Duration     `toml:"timeout" doc:"no text" unkeyed:"for the test"`
	Tool    string            `toml:"tool" doc:"a program"`
	Note    string            `toml:"note" doc:"what to say of the machine"`
}

func (j *join) Outputs() []string { return []string{"{path}", "{path}.len"} }

func (j *join) traits() (t recipe.Traits) {
	if j.Tool != "" {
		t.Tools = []string{j.Tool}
	}
	return t
}

func (j *join) Cook(_ context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	var all []byte
	for _, name := range strings.Fields(string(text)) {
		more, err := job.Read(name)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	if _, err := job.Exists("/nothing"); err != nil {
		return err
	}
	if _, err := job.Glob("/lib/*.h"); err != nil {
		return err
	}
	if j.Note != "" {
		job.Note("%s", j.Note)
	}
	if len(all) == 0 {
		job.Warn("it is empty")
	}
	all = append(all, j.Suffix+strings.Join(j.Words, "")+j.Table["k"]+j.Timeout.String()...)
	return errors.Join(job.Write(0, all), job.Write(1, []byte{byte(len(all))}))
}

var joining = recipe.Recipe{Name: "join", Version: 1, New: func() recipe.Cooker { return &join{Suffix: "default"} },
	Traits: func(c recipe.Cooker) recipe.Traits { return c.(*join).traits() }}

// travel creates the directory that another machine would receive for cooking a/s.txt with the
// given options, and returns its name.
func travel(t *testing.T, options join, adjust func(*remote.Action), files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := confine.Open(filepath.Join(dir, "assets"))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	sums, _ := hashing.Lookup("xxh3")
	found := contents.New(contents.Options{Assets: tree, Known: index.Empty().Files(), Checksum: sums, Clock: scan.NewClock(time.Now(), time.Now)})
	chosen := &rules.Method{Recipe: joining, Cooker: &options}
	for _, f := range recipeset.Fields(&options) {
		chosen.Options = append(chosen.Options, rules.Option{Field: f})
	}
	tools := tools.Finder(tree.Name(), func(file string) (contents.File, error) { return found.Tool(t.Context(), file) })
	m, err := plan.NewMethods(nil, tools, nil).Of(chosen)
	if err != nil {
		t.Fatal(err)
	}
	source := found.At(t.Context(), dependency.OfFile("a/s.txt"))
	a := plan.Action{Path: "a/s.txt", Source: &source, Method: m, Outputs: []string{"a/s.txt", "a/s.txt.len"}}
	if a.ID, err = a.Identify(plan.NewKey(), &source, nil); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	action := remote.Action{Format: remote.ActionFormat, ID: a.ID, Path: a.Path, Outputs: a.Outputs, Recipe: "join", Options: text}
	for _, f := range m.Tools {
		action.Tools = append(action.Tools, remote.ToolFile{Path: filepath.ToSlash(f.Path), Blob: f.Blob.String()})
	}
	if adjust != nil {
		adjust(&action)
	}
	if text, err = json.Marshal(action); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, remote.ActionFile), text, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run cooks the action of a directory and returns its record.
func run(t *testing.T, dir string) (rec remote.Record) {
	t.Helper()
	if err := runaction.Run(t.Context(), dir, joining); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out/record"))
	if err == nil {
		err = json.Unmarshal(text, &rec)
	}
	if err != nil || rec.Format != remote.ActionFormat {
		t.Fatalf("%s: %v", text, err)
	}
	return rec
}

var all = join{Suffix: "!", Words: []string{"x", "y"}, Table: map[string]string{"k": "z"}, Timeout: time.Second}

func TestRun(t *testing.T) {
	dir := travel(t, all, nil, map[string]string{
		"assets/a/s.txt": "b.txt /c.txt", "assets/a/b.txt": "B", "assets/c.txt": "C", "assets/lib/h.h": "H",
	})
	rec := run(t, dir)
	if rec.Refused != "" || rec.Error != "" || len(rec.Artifacts) != 2 || rec.CookTime <= 0 || len(rec.Warnings) != 0 {
		t.Fatalf("%+v", rec)
	}
	for i, want := range []string{"BC!xyz1s", "\x08"} {
		text, err := os.ReadFile(filepath.Join(dir, "out", string(rune('0'+i))))
		if err != nil || string(text) != want || rec.Artifacts[i] != (remote.Artifact{Blob: hashing.DigestOf(text).String(), Size: int64(len(want))}) {
			t.Errorf("output %d: %q, %v; %+v", i, text, err, rec.Artifacts[i])
		}
	}
	var reads []string
	for _, r := range rec.Reads {
		state := " absent"
		if r.Found {
			state = " " + r.Blob
		}
		reads = append(reads, dependency.Encode(r.Asked)+state)
	}
	want := []string{
		"\x00/nothing absent", "/c.txt " + hashing.DigestOf([]byte("C")).String(), "/lib/.\x00*.h " + hashing.DigestOf([]byte("h.h")).String(),
		"b.txt " + hashing.DigestOf([]byte("B")).String(),
	}
	if !slices.Equal(reads, want) {
		t.Errorf("reads %q, want %q", reads, want)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "out"))
	if err != nil || len(entries) != 3 {
		t.Errorf("out has %v, %v", entries, err)
	}
}

// The record of a failed action has its dependencies. The record of an action with warnings also
// has artifacts.
func TestFailureIsRecorded(t *testing.T) {
	rec := run(t, travel(t, all, nil, map[string]string{"assets/a/s.txt": "b.txt none.txt", "assets/a/b.txt": "B"}))
	if rec.Error == "" || rec.Refused != "" || len(rec.Artifacts) != 0 || len(rec.Reads) != 2 || rec.Reads[1] != (remote.Reading{Asked: dependency.OfFile("none.txt")}) {
		t.Errorf("%+v", rec)
	}
	rec = run(t, travel(t, all, nil, map[string]string{"assets/a/s.txt": ""}))
	if rec.Error != "" || len(rec.Artifacts) != 2 || !slices.Equal(rec.Warnings, []string{"it is empty"}) {
		t.Errorf("%+v", rec)
	}
}

// If a recipe prints a note about this machine, the action is refused, and the other machine cooks
// it.
func TestNotesAreRefused(t *testing.T) {
	options := all
	options.Note = "this system cannot confine programs"
	rec := run(t, travel(t, options, nil, map[string]string{"assets/a/s.txt": ""}))
	if rec.Refused != options.Note || len(rec.Artifacts) > 0 {
		t.Errorf("%+v", rec)
	}
}

// An action is refused if its ID differs on this machine.
func TestRefuses(t *testing.T) {
	source := map[string]string{"assets/a/s.txt": "b.txt", "assets/a/b.txt": "B"}
	for name, adjust := range map[string]func(*remote.Action){
		"another ID":      func(a *remote.Action) { a.ID[0]++ },
		"another option":  func(a *remote.Action) { a.Options = bytes.Replace(a.Options, []byte(`"!"`), []byte(`"?"`), 1) },
		"no options":      func(a *remote.Action) { a.Options = json.RawMessage(`[]`) },
		"another ending":  func(a *remote.Action) { a.Outputs = []string{"a", "b"} },
		"another source":  func(a *remote.Action) { a.Path = "a/b.txt" },
		"no source":       func(a *remote.Action) { a.Path = "a/none.txt" },
		"source outside":  func(a *remote.Action) { a.Path = "../action.json" },
		"unknown recipe":  func(a *remote.Action) { a.Recipe = "none" },
		"another version": func(a *remote.Action) { a.Format++ },
	} {
		rec := run(t, travel(t, all, adjust, source))
		if rec.Refused == "" || rec.Error != "" || len(rec.Artifacts) > 0 {
			t.Errorf("%s: %+v", name, rec)
		}
	}
	dir := travel(t, all, nil, source)
	if err := os.WriteFile(filepath.Join(dir, remote.ActionFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if rec := run(t, dir); rec.Refused == "" {
		t.Errorf("no JSON: %+v", rec)
	}
	if rec := run(t, t.TempDir()); rec.Refused == "" {
		t.Errorf("no action: %+v", rec)
	}
}

// A program that this machine lacks, or has in another version, is taken from the directory. The
// action is refused if the directory lacks its content.
func TestTools(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs travel from systems with one root")
	}
	t.Setenv("PATH", os.Getenv("PATH")) // Run changes PATH, so the test restores it
	path := os.Getenv("PATH")
	mine := t.TempDir()
	tool := filepath.Join(mine, "joiner-of-the-test")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	options := all
	options.Tool = "joiner-of-the-test"
	os.Setenv("PATH", mine+string(os.PathListSeparator)+path)
	brought := travel(t, options, nil, map[string]string{"assets/a/s.txt": "", "tools" + tool: "#!/bin/sh\n"})
	other := travel(t, options, nil, map[string]string{"assets/a/s.txt": "", "tools" + tool: "#!/bin/sh -e\n"})
	if rec := run(t, brought); rec.Refused != "" || rec.Error != "" {
		t.Errorf("a program that both have: %+v", rec)
	}
	os.Setenv("PATH", path)
	if rec := run(t, brought); rec.Refused != "" || rec.Error != "" {
		t.Errorf("a program that came along: %+v", rec)
	}
	os.Setenv("PATH", path)
	if rec := run(t, other); rec.Refused == "" {
		t.Errorf("another program: %+v", rec)
	}
	os.Setenv("PATH", path)
	if err := os.WriteFile(tool, []byte("#!/bin/sh -x\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	os.Setenv("PATH", mine+string(os.PathListSeparator)+path)
	if rec := run(t, brought); rec.Refused != "" || rec.Error != "" {
		t.Errorf("another program on the machine: %+v", rec)
	}
}
