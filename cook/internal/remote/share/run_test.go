package share_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// script is a program that outputs the record and the artifacts that it finds in its assets.
const script = `#!/bin/sh
test "$1" = run-action && test -d assets/empty && test -f action.json || exit 7
cp assets/record assets/0 assets/1 out/
`

// An errand is an execution whose program is script.
type errand struct {
	remote.Root
	rec   remote.Record
	made  [][]byte
	files string
}

func newErrand(t *testing.T, text string) *errand {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	e := &errand{files: t.TempDir(), made: [][]byte{[]byte(text), bytes.Repeat([]byte(text+"\x00"), 500_000)}}
	e.rec = remote.Record{Format: remote.ActionFormat, CookTime: time.Second, Warnings: []string{"w"}, Reads: []remote.Reading{{Asked: dependency.OfFile("r")}}}
	for _, data := range e.made {
		e.rec.Artifacts = append(e.rec.Artifacts, remote.Artifact{Blob: hashing.DigestOf(data).String(), Size: int64(len(data))})
	}
	e.Root = remote.Root{Outputs: 2, Folders: []string{"assets/empty"}}
	e.file(t, "cook", []byte(script), true)
	e.Files = append(e.Files, remote.File{Path: "action.json", Text: []byte("{}")})
	for i, data := range e.made {
		e.file(t, "assets/"+string(rune('0'+i)), data, false)
	}
	return e
}

// file adds an input file.
func (e *errand) file(t *testing.T, path string, data []byte, executable bool) {
	t.Helper()
	name := filepath.Join(e.files, filepath.Base(path))
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	e.Files = append(e.Files, remote.File{Path: path, From: name, Blob: hashing.DigestOf(data).String(), Size: int64(len(data)), Executable: executable})
}

// root returns the inputs, including the record that script will output.
func (e *errand) root(t *testing.T) *remote.Root {
	t.Helper()
	text, err := json.Marshal(e.rec)
	if err != nil {
		t.Fatal(err)
	}
	r := e.Root
	r.Files = append(r.Files[:len(r.Files):len(r.Files)], remote.File{Path: "assets/record", Text: text})
	return &r
}

// stored returns the number of artifacts that the store has.
func (e *errand) stored(s *store.Store) (n int) {
	for _, data := range e.made {
		if s.HasBlob(store.BlobID(hashing.DigestOf(data)), int64(len(data))) {
			n++
		}
	}
	return n
}

func TestOtherMachineCooksAnAction(t *testing.T) {
	for name, server := range map[string]*remotetest.Server{
		"SHA-256": {}, "BLAKE3": {BLAKE3: true}, "zstd": {BLAKE3: true, Zstd: true}, "no batches": {NoBatch: true}, "cut": {CutAt: 100_000}, "no uploads": {ReadOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			server.Farm.Executes = true
			m := newMachine(t, server.Start(t))
			e := newErrand(t, name)
			c := m.run()
			ran, ok := c.Run(t.Context(), e.root(t))
			if !ok || ran.Off || ran.Record.CookTime != time.Second || len(ran.Record.Reads) != 1 || e.stored(m.store) != 2 {
				t.Fatalf("%+v, %v; %d stored; %q", ran, ok, e.stored(m.store), m.notes)
			}
			// Another machine must get the same result without executing or uploading anything.
			other := newMachine(t, m.url)
			executed, written := server.Calls("Execute"), server.Calls("Write")
			again := other.run()
			if _, ok := again.Run(t.Context(), e.root(t)); !ok || e.stored(other.store) != 2 {
				t.Errorf("%d stored; %q", e.stored(other.store), other.notes)
			}
			if server.Calls("Execute") != executed || server.Calls("Write") != written {
				t.Errorf("%d executions, %d writes", server.Calls("Execute"), server.Calls("Write"))
			}
			if again.Close(t.Context()); c.Close(t.Context()).Requests == 0 || len(m.notes)+len(other.notes) > 0 {
				t.Errorf("notes: %q, %q", m.notes, other.notes)
			}
			if name == "cut" && server.Calls("WaitExecution") != 1 {
				t.Errorf("waited %d times", server.Calls("WaitExecution"))
			}
		})
	}
}

// TestFailureOnOtherMachineIsReturned checks that the run gets the record of a failed action, and
// that nothing is stored.
func TestFailureOnOtherMachineIsReturned(t *testing.T) {
	m := newMachine(t, (&remotetest.Server{Farm: remotetest.Farm{Executes: true}}).Start(t))
	e := newErrand(t, "x")
	e.rec.Error, e.rec.Artifacts = "no such file", nil
	if ran, ok := m.run().Run(t.Context(), e.root(t)); !ok || ran.Record.Error != "no such file" || e.stored(m.store) != 0 || len(m.notes) > 0 {
		t.Errorf("%+v, %v; %q", ran, ok, m.notes)
	}
}

// TestInvalidExecutionResultIsAMiss checks that an inconsistent result is a miss, which is reported
// once.
func TestInvalidExecutionResultIsAMiss(t *testing.T) {
	for name, tc := range map[string]struct {
		adjust func(*errand)
		result func(*repb.ActionResult)
		note   string
	}{
		"fails":           {adjust: func(e *errand) { e.Folders = nil }, note: "with status 7"},
		"no record":       {result: func(r *repb.ActionResult) { drop(r, "out/record") }, note: "the result has no record"},
		"no output":       {result: func(r *repb.ActionResult) { drop(r, "out/1") }, note: "the result lists 2 artifacts and has 2 files; the action makes 2 artifacts"},
		"another format":  {adjust: func(e *errand) { e.rec.Format++ }, note: "format 2"},
		"fewer artifacts": {adjust: func(e *errand) { e.rec.Artifacts = e.rec.Artifacts[:1] }, note: "1 artifacts and has 3 files"},
		"no blob ID":      {adjust: func(e *errand) { e.rec.Artifacts[1].Blob = "../../x" }, note: "blob ID"},
		"another size":    {adjust: func(e *errand) { e.rec.Artifacts[1].Size++ }, note: "bytes, but its artifact"},
		"another blob":    {adjust: func(e *errand) { e.rec.Artifacts[1].Blob = e.rec.Artifacts[0].Blob }, note: "does not match its ID"},
		"more outputs": {result: func(r *repb.ActionResult) {
			r.OutputFiles = append(r.OutputFiles, &repb.OutputFile{Path: "../x", Digest: r.OutputFiles[0].Digest})
		}, note: "and has 4 files"},
		"an output twice": {result: func(r *repb.ActionResult) { r.OutputFiles = append(r.OutputFiles, r.OutputFiles[0]) }, note: "two files of the result are called"},
		"a link": {result: func(r *repb.ActionResult) {
			r.OutputSymlinks = []*repb.OutputSymlink{{Path: "out/0", Target: "/etc/passwd"}}
		}, note: "not files"},
		"lost blobs": {result: func(r *repb.ActionResult) {
			for _, f := range r.OutputFiles {
				if f.Path == "out/1" {
					f.Digest.Hash = strings.Repeat("0", 64)
				}
			}
		}, note: "not on the server"},
		"a path upwards":     {adjust: func(e *errand) { e.Files[1].Path = "../action.json" }, note: "the path cannot be sent"},
		"a path twice":       {adjust: func(e *errand) { e.Files = append(e.Files, e.Files[1]) }, note: "the path cannot be sent"},
		"a file a directory": {adjust: func(e *errand) { e.Folders = append(e.Folders, "action.json/x") }, note: "the path cannot be sent"},
		"no program":         {adjust: func(e *errand) { e.Files[0].From += "none" }, note: "no such file"},
		"a changed input":    {adjust: func(e *errand) { os.WriteFile(e.Files[2].From, []byte("y"), 0o666) }, note: "changed while it was being uploaded"},
	} {
		for _, blake := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				m := newMachine(t, (&remotetest.Server{BLAKE3: blake, Farm: remotetest.Farm{Executes: true, Result: tc.result}}).Start(t))
				e := newErrand(t, "x")
				if tc.adjust != nil {
					tc.adjust(e)
				}
				c := m.run()
				for range 2 {
					if ran, ok := c.Run(t.Context(), e.root(t)); ok || ran.Off {
						t.Errorf("%+v, %v", ran, ok)
					}
				}
				if ran, ok := c.Run(t.Context(), e.root(t)); ok || !ran.Off {
					t.Errorf("%+v, %v", ran, ok)
				}
				c.Close(t.Context())
				if len(m.notes) != 1 || !strings.Contains(m.notes[0], tc.note) {
					t.Errorf("notes: %q", m.notes)
				}
			})
		}
	}
}

// TestFailedExecutionsKeepTheCache uses a server without machines. The run must report the failure
// once, and still share results.
func TestFailedExecutionsKeepTheCache(t *testing.T) {
	server, url := started(t, &remotetest.Server{Farm: remotetest.Farm{Executes: true}})
	server.Fault = func(_ context.Context, call string) error {
		if call == "Execute" {
			return status.Error(codes.Unavailable, "no workers exist for the platform")
		}
		return nil
	}
	m := newMachine(t, url)
	e := newErrand(t, "x")
	e.Asset = "models/a.gltf"
	c := m.run()
	for range 5 {
		if ran, ok := c.Run(t.Context(), e.root(t)); ok {
			t.Errorf("%+v", ran)
		}
	}
	all := jobs(8)
	for _, j := range all {
		m.keep(c, j)
	}
	if stats := c.Close(t.Context()); stats.Uploaded != int64(len(all)) || stats.Left != 0 {
		t.Errorf("%+v", stats)
	}
	if len(m.notes) != 1 || !strings.Contains(m.notes[0], "cannot execute models/a.gltf: ") || !strings.Contains(m.notes[0], "no workers exist for the platform; this machine cooks the asset") {
		t.Errorf("notes: %q", m.notes)
	}
}

// TestExecutionIsBounded checks that the wait for a result has a time limit, in case the machine of
// the execution dies.
func TestExecutionIsBounded(t *testing.T) {
	server, url := started(t, &remotetest.Server{Farm: remotetest.Farm{Executes: true}})
	server.Fault = func(ctx context.Context, call string) error {
		if call == "Execute" {
			<-ctx.Done()
		}
		return nil
	}
	m := newMachine(t, url)
	e := newErrand(t, "x")
	root := e.root(t)
	root.Wait = 50 * time.Millisecond
	c := m.run()
	if ran, ok := c.Run(t.Context(), root); ok || ran.Off {
		t.Errorf("%+v, %v", ran, ok)
	}
	c.Close(t.Context())
	// The server knows the deadline, so its own error may arrive first.
	bounded := regexp.MustCompile("(no answer in time|exceeds the time limit of the server); this machine cooks the asset")
	if len(m.notes) != 1 || !bounded.MatchString(m.notes[0]) {
		t.Errorf("notes: %q", m.notes)
	}
}

func drop(r *repb.ActionResult, path string) {
	for i, f := range r.OutputFiles {
		if f.Path == path {
			r.OutputFiles = append(r.OutputFiles[:i], r.OutputFiles[i+1:]...)
			return
		}
	}
}

// TestLostInputsAreUploadedAgain lets the server lose inputs, which must be uploaded again. If it
// loses files of a known result, the action must be executed again.
func TestLostInputsAreUploadedAgain(t *testing.T) {
	server := &remotetest.Server{Farm: remotetest.Farm{Executes: true}}
	m := newMachine(t, server.Start(t))
	c := m.run()
	for i, evict := range []bool{false, true} {
		e := newErrand(t, string(rune('a'+i)))
		if evict {
			server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) { clear(blobs) })
		}
		if _, ok := c.Run(t.Context(), e.root(t)); !ok || e.stored(m.store) != 2 {
			t.Errorf("%d: %d stored; %q", i, e.stored(m.store), m.notes)
		}
	}
	e := newErrand(t, "c")
	if _, ok := c.Run(t.Context(), e.root(t)); !ok {
		t.Error("the action was not executed")
	}
	server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
		for hash, blob := range blobs {
			if bytes.Equal(blob, e.made[1]) { // keeps the record on the server
				delete(blobs, hash)
			}
		}
	})
	other := newMachine(t, m.url)
	if _, ok := other.run().Run(t.Context(), e.root(t)); !ok || e.stored(other.store) != 2 {
		t.Errorf("%d stored; %q", e.stored(other.store), other.notes)
	}
}

func TestServerWithoutExecutionIsNotedOnce(t *testing.T) {
	server := &remotetest.Server{}
	for _, url := range []string{server.Start(t), server.StartHTTP(t)} {
		m := newMachine(t, url)
		c := m.run()
		for range 2 {
			if ran, ok := c.Run(t.Context(), newErrand(t, "x").root(t)); ok || !ran.Off {
				t.Errorf("%+v, %v", ran, ok)
			}
		}
		c.Close(t.Context())
		if len(m.notes) != 1 || !strings.HasSuffix(m.notes[0], "the server executes no actions, so this machine cooks all assets") {
			t.Errorf("notes: %q", m.notes)
		}
	}
}

// TestUnwantedExecutionIsCanceled checks that Drop cancels an execution, and that the run has no
// note about it.
func TestUnwantedExecutionIsCanceled(t *testing.T) {
	begun, ended := make(chan bool), make(chan bool)
	var first atomic.Bool
	server := &remotetest.Server{Farm: remotetest.Farm{Executes: true}, Fault: func(ctx context.Context, call string) error {
		if call == "Execute" && first.CompareAndSwap(false, true) {
			close(begun)
			<-ctx.Done()
			close(ended)
			return status.Error(codes.Canceled, "given up")
		}
		return nil
	}}
	m := newMachine(t, server.Start(t))
	c := m.run()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	e := newErrand(t, "x")
	if _, ok := c.Run(ctx, e.root(t)); ok {
		t.Error("the action was executed")
	}
	<-ended
	if _, ok := c.Run(t.Context(), e.root(t)); !ok || len(m.notes) > 0 {
		t.Errorf("notes: %q", m.notes)
	}
	c.Close(t.Context())
}
