package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assetcook/assetcook/internal/diagnosis"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/recipes"
)

// recordings DIR writes recordings and memory snapshots into a directory:
//
//	frames.events   30 frames; frame 20 contains a long scope
//	more.events     the same, and another long scope
//	torn.events     frames.events without its last block, with an open scope
//	grows.events    a value that only grows, and memory that is not freed
//	a.json, b.json  snapshots of one run; b.json has two new allocations
//	c.json          a snapshot of another run
func writeRecordings(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(dir, os.DirFS(recordingsDir)))
	capture := func(t *memory.Tracker, name string) {
		var b bytes.Buffer
		ts.Check(t.Capture(time.Unix(1, 0)).WriteJSON(&b))
		ts.Check(os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666))
	}
	run := memory.New(memory.Options{})
	pool := run.Group("images", memory.GroupOptions{Budget: 3000}).Pool("pixels", memory.PoolOptions{})
	w := run.Worker("main")
	pool.Bytes(w, 1000)
	capture(run, "a.json")
	pool.Bytes(w, 2000)
	pool.Bytes(w, 2000)
	capture(run, "b.json")
	other := memory.New(memory.Options{})
	w = other.Worker("main")
	other.Group("images", memory.GroupOptions{}).Pool("pixels", memory.PoolOptions{}).Bytes(w, 7000)
	capture(other, "c.json")
}

// recordingsDir has recordings whose times are known, because they are files.
var recordingsDir = filepath.Join(must(os.Getwd()), "testdata", "recordings")

func must(dir string, err error) string {
	if err != nil {
		panic(err)
	}
	return dir
}

// TestRecordingsAreReadable reads the recordings for the scripts. With -update it writes them, which
// is necessary only for a new version of the format.
func TestRecordingsAreReadable(t *testing.T) {
	frames := func(name string, end func(r *events.Recorder, w *events.Worker)) {
		var stream bytes.Buffer
		r := events.New(&stream, events.Options{})
		w := r.Worker("main")
		scope := func(name, detail string, took time.Duration) {
			s := w.Begin(r.Symbol(name), r.Symbol(detail))
			time.Sleep(took)
			s.End()
		}
		for i := range 30 {
			f := w.Begin(r.Symbol("frame"), 0)
			scope("update", "", time.Millisecond)
			if i == 20 {
				scope("load", "level.bin", 20*time.Millisecond)
			}
			f.End()
		}
		if name == "more" {
			scope("save", "game.sav", 30*time.Millisecond)
		}
		end(r, w)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		b := stream.Bytes()
		if name == "torn" {
			b = b[:len(b)-11] // remove the last block
		}
		if err := os.WriteFile(filepath.Join(recordingsDir, name+".events"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		release := func(_ *events.Recorder, w *events.Worker) { w.Release() }
		frames("frames", release)
		frames("more", release)
		frames("torn", func(r *events.Recorder, w *events.Worker) {
			w.Begin(r.Symbol("hangs"), r.Symbol("floor.png"))
			w.Flush()
		})
		frames("grows", func(r *events.Recorder, w *events.Worker) {
			for i := range 20 {
				w.Value(r.Symbol("entities"), float64(i))
				w.Alloc(r.Symbol("sounds"), 1000)
				time.Sleep(5 * time.Millisecond)
			}
			w.Release()
		})
	}
	for _, name := range []string{"frames", "more", "torn", "grows"} {
		file, err := os.ReadFile(filepath.Join(recordingsDir, name+".events"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range events.Read(bytes.NewReader(file)).All() {
			if n++; (err != nil) && name != "torn" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n < 60 {
			t.Errorf("%s has %d events", name, n)
		}
	}
}

// truncate FILE [STEP] runs cook diagnose on each beginning of a file, or on the beginnings whose
// lengths are multiples of STEP. Each run must fail with one line, and succeed only for the whole
// file.
func truncateAnywhere(ts *testscript.TestScript, _ bool, args []string) {
	whole, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	cut := ts.MkAbs("cut" + filepath.Ext(args[0]))
	c := command{nil, recipes.All()}
	step := 1
	if len(args) > 1 {
		step, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	for n := 0; n <= len(whole); n += step {
		ts.Check(os.WriteFile(cut, whole[:n], 0o666))
		var stdout, stderr strings.Builder
		status := c.runArguments(context.Background(), func() {}, []string{"diagnose", cut}, &stdout, &stderr)
		text := stderr.String()
		ok := status == frontend.Failed && strings.Count(text, "\n") == 1 && strings.HasPrefix(text, "cook: error: ") && strings.Contains(text, filepath.Base(cut))
		if strings.TrimSpace(string(whole[n:])) == "" { // JSON is complete without its last newline.
			ok = status == frontend.OK && text == ""
		}
		if !ok {
			ts.Fatalf("%d of %d bytes: exit status %d, %q", n, len(whole), status, text)
		}
	}
}

// TestDiagnosisSchemaMatchesItsTypes expects the schema to describe each field of the Go types.
func TestDiagnosisSchemaMatchesItsTypes(t *testing.T) {
	name := filepath.Join(root, "docs", "diagnosis.schema.json")
	if _, err := schemaFile(name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]any
		Required   []string
	}
	var file struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for of, described := range map[reflect.Type]object{
		reflect.TypeFor[diagnosis.Diagnosis](): file.object, reflect.TypeFor[diagnosis.Finding](): file.Defs["finding"], reflect.TypeFor[diagnosis.Place](): file.Defs["place"],
	} {
		for f := range of.Fields() {
			field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if described.Properties[field] == nil || slices.Contains(described.Required, field) == (options == "omitempty") {
				t.Errorf("%s: the schema lacks %s, or is wrong about whether it is always there", of, field)
			}
		}
		if len(described.Properties) != of.NumField() {
			t.Errorf("%s has %d fields, the schema %d", of, of.NumField(), len(described.Properties))
		}
	}
}

// TestNextCommandsAreReadBack expects bash to read the words of a command as they were.
func TestNextCommandsAreReadBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	for _, words := range [][]string{
		{"cook", "why", "textures/wood.png"}, {"a b", "", "it's", `"`, "$HOME", "`id`", "*", "\\", "!x", "#", "~"},
		{"new\nline", "tab\t'", "\x1b[31m", "\xff\xfe", "é", "\u202e", "a\u2028b", "\x7f"},
	} {
		line := diagnosis.ShellCommand(words...)
		if strings.ContainsAny(line, "\n\t\x1b") {
			t.Errorf("%q: the command is not one line: %q", words, line)
		}
		out, err := exec.Command(bash, "-c", `printf '%s\0' `+line).Output()
		if want := strings.Join(words, "\x00") + "\x00"; err != nil || string(out) != want {
			t.Errorf("%q is read as %q, %v", words, out, err)
		}
	}
}
