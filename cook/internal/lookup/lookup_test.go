package lookup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A machine has an asset directory, an output directory, a store and a finder.
type machine struct {
	*testing.T
	finder   *Finder
	store    *store.Store
	assets   string
	out      string
	sums     *bulk.Worker
	warnings []error
}

func newMachine(t *testing.T) *machine {
	m := &machine{T: t, assets: t.TempDir(), out: t.TempDir()}
	open := func(dir string) *confine.Dir {
		d, err := confine.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	assets, out := open(m.assets), open(m.out)
	var err error
	if m.store, err = store.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	checksum, _ := hashing.Lookup("xxh128")
	summer := hashing.NewSummer(checksum)
	outputs := place.New(out, "work", &plan.Plan{}, func(string) bool { return true }, summer)
	mode, err := outputs.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { outputs.CleanUp() })
	m.sums = bulk.NewWorker(t.Context(), summer)
	t.Cleanup(m.sums.Close)
	read := contents.New(contents.Options{Assets: assets, Known: index.Empty().Files(), Checksum: checksum, Workers: 1, Clock: scan.NewClock(time.Now(), time.Now)})
	cooker := cookone.New(cookone.Env{Assets: assets, Out: out, Contents: read, Checksum: checksum, Memory: 1 << 30, Now: time.Now}, mode, summer)
	m.finder = &Finder{Cooker: cooker, Outputs: outputs, Store: m.store, Warn: func(err error) { m.warnings = append(m.warnings, err) }}
	return m
}

// actionOf returns a new action with two outputs.
func actionOf() *plan.Action {
	return &plan.Action{
		Path: "a.txt", ID: store.ActionID{1}, Outputs: []string{"a.bin", "b.bin"}, Source: &contents.File{},
		Method: &plan.Method{Choice: &rules.Method{Recipe: recipe.Recipe{Name: "test"}}},
	}
}

// made holds the contents of the two outputs of the action that actionOf returns.
var made = []string{"first", "second"}

// putBlobs puts contents into the store, and returns them as artifacts.
func (m *machine) putBlobs(contents ...string) (list []store.Artifact) {
	m.Helper()
	for _, text := range contents {
		name := filepath.Join(m.TempDir(), "blob")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			m.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			m.Fatal(err)
		}
		defer f.Close()
		a := store.Artifact{Blob: store.BlobID(hashing.DigestOf([]byte(text))), Size: int64(len(text))}
		if err := m.store.PutBlob(m.Context(), f, a.Blob, a.Size); err != nil {
			m.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// putResult records artifacts as the result of an action that read some files.
func (m *machine) putResult(a *plan.Action, artifacts []store.Artifact, names ...string) store.ResultID {
	m.Helper()
	set := store.ReadSet{}
	for _, name := range names {
		set = append(set, dependency.OfFile(name))
	}
	deps, err := m.finder.Cooker.Dependencies(m.Context(), cookone.TaskOf(a), set)
	if err != nil {
		m.Fatal(err)
	}
	if err := m.finder.putRecords(a, deps, store.Result{Artifacts: artifacts, CookTime: time.Second}); err != nil {
		m.Fatal(err)
	}
	return plan.ResultID(a.ID, deps)
}

// find finds the result of an action.
func (m *machine) find(a *plan.Action) (Known, bool) {
	return m.finder.Find(m.Context(), cookone.TaskOf(a), nil)
}

// expectWarning fails the test unless there was exactly one warning and it wraps the given error.
// If the error is nil, it fails the test if there was any warning.
func (m *machine) expectWarning(want error) {
	m.Helper()
	if want == nil && len(m.warnings) == 0 || want != nil && len(m.warnings) == 1 && errors.Is(m.warnings[0], want) {
		return
	}
	m.Errorf("warnings %v, want %v", m.warnings, want)
}

// scratchFiles returns the files in the output directory.
func (m *machine) scratchFiles() (files []string) {
	filepath.WalkDir(m.out, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(name) != "" {
			files = append(files, name)
		}
		return err
	})
	return files
}

// A recorded result with all artifacts is a hit. A result with fewer or more artifacts than the
// action has outputs is a miss.
func TestFoundResultHasAllArtifacts(t *testing.T) {
	for n := range 4 {
		m, a := newMachine(t), actionOf()
		want := m.putBlobs(slices.Repeat(made, 2)[:n]...)
		m.putResult(a, want)
		k, ok := m.find(a)
		if ok != (n == len(a.Outputs)) || ok && (!slices.Equal(k.Made, want) || k.CookTime != time.Second) || !ok && k.Made != nil {
			t.Errorf("%d artifacts: found %v: %+v", n, ok, k)
		}
		m.expectWarning(nil)
	}
}

// A truncated record is a miss with a warning. A missing record is a miss without a warning.
func TestTornRecordIsAMissWithAReason(t *testing.T) {
	for _, tc := range []struct {
		what   string
		damage func(m *machine, result string) error
		want   error
	}{
		{"missing", func(_ *machine, result string) error { return os.Remove(result) }, nil},
		{"empty", func(_ *machine, result string) error { return rewrite(result, 0) }, store.ErrDamaged},
		{"cut off", func(_ *machine, result string) error { return rewrite(result, 40) }, store.ErrDamaged},
		{"read sets cut off", func(m *machine, _ string) error {
			files, err := filepath.Glob(filepath.Join(m.store.Root(), "reads", "*", "*"))
			if err != nil || len(files) != 1 {
				return errors.Join(err, errors.New("no read sets"))
			}
			return rewrite(files[0], 10)
		}, store.ErrDamaged},
	} {
		t.Run(tc.what, func(t *testing.T) {
			m, a := newMachine(t), actionOf()
			id := m.putResult(a, m.putBlobs(made...), "used.txt")
			if _, ok := m.find(a); !ok {
				t.Fatal("the whole record is a miss")
			}
			if err := tc.damage(m, filepath.Join(m.store.Root(), store.ResultFile(id))); err != nil {
				t.Fatal(err)
			}
			if k, ok := m.find(a); ok {
				t.Errorf("found %+v", k)
			}
			m.expectWarning(tc.want)
		})
	}
}

// rewrite truncates a read-only file of the store to its first n bytes.
func rewrite(name string, n int) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil {
		return err
	}
	return os.WriteFile(name, data[:n], 0o444)
}

// A recorded result is found only while the files of its read set have the same content, or are
// still absent.
func TestReadSetMeansPresentContent(t *testing.T) {
	for _, tc := range []struct {
		what          string
		before, after string // contents of used.txt; "" for no file
		hit           bool
	}{
		{"unchanged", "x", "x", true},
		{"changed", "x", "y", false},
		{"removed", "x", "", false},
		{"still absent", "", "", true},
		{"new", "", "x", false},
	} {
		m, a := newMachine(t), actionOf()
		m.writeAsset("used.txt", tc.before)
		m.putResult(a, m.putBlobs(made...), "used.txt")
		next := newMachine(t) // a later run reads the files again
		next.store, next.finder.Store = m.store, m.store
		next.writeAsset("used.txt", tc.after)
		k, ok := next.find(a)
		if ok != tc.hit || ok && (len(k.Deps) != 1 || k.Deps[0].Found != (tc.after != "")) {
			t.Errorf("%s: found %v: %+v", tc.what, ok, k.Deps)
		}
		next.expectWarning(nil)
	}
}

// writeAsset writes a file of the asset directory, unless its content is "".
func (m *machine) writeAsset(name, content string) {
	m.Helper()
	if content == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(m.assets, name), []byte(content), 0o666); err != nil {
		m.Fatal(err)
	}
}

// Fetch makes all artifacts of a result or none. A damaged blob causes a warning, and the scratch
// files of the other artifacts are removed.
func TestFetchGivesTheWholeResultOrNothing(t *testing.T) {
	for _, tc := range []struct {
		what   string
		damage func(blob string) error
		atHand bool // set if AtHand predicts success
		want   error
	}{
		{"whole", func(string) error { return nil }, true, nil},
		{"missing", os.Remove, false, nil},
		{"shorter", func(blob string) error { return rewrite(blob, 3) }, false, store.ErrDamaged},
		{"another content", func(blob string) error {
			return errors.Join(os.Remove(blob), os.WriteFile(blob, []byte("SECOND"), 0o444))
		}, true, store.ErrDamaged},
	} {
		t.Run(tc.what, func(t *testing.T) {
			m, a := newMachine(t), actionOf()
			artifacts := m.putBlobs(made...)
			m.putResult(a, artifacts)
			k, ok := m.find(a)
			if err := tc.damage(filepath.Join(m.store.Root(), store.BlobFile(artifacts[1].Blob))); err != nil || !ok {
				t.Fatal(err, ok)
			}
			if got := m.finder.AtHand(k); got != tc.atHand {
				t.Errorf("at hand: %v, want %v", got, tc.atHand)
			}
			r, err := m.finder.Fetch(t.Context(), k, m.sums, nil)
			if tc.what == "whole" {
				for i, file := range r.Scratch.Files() {
					data, err := os.ReadFile(filepath.Join(r.Scratch.Dir().Name(), file))
					if string(data) != made[i] || r.Made[i].Blob != artifacts[i].Blob {
						t.Errorf("%q as %+v, error %v", data, r.Made[i], err)
					}
				}
			} else if !IsNotAtHand(err) {
				t.Errorf("error %v", err)
			} else if left := m.scratchFiles(); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			m.expectWarning(tc.want)
		})
	}
}

// A server simulates the results of other machines, and records its calls.
type server struct {
	calls    []string
	sets     []store.ReadSet
	result   []store.Artifact
	download func() bool
}

func (s *server) Find(_ context.Context, _ cookone.Task, sets []store.ReadSet, local Known) (Known, bool) {
	s.calls, s.sets = append(s.calls, "find"), sets
	local.Made, local.Shared = s.result, s.result != nil
	return local, s.result != nil
}

func (s *server) Download(context.Context, Known) bool {
	s.calls = append(s.calls, "download")
	return s.download()
}

// Find tries the index before the store, and the store before the server. For a cheap recipe it
// tries only the index.
func TestIndexThenStoreThenServer(t *testing.T) {
	for _, tc := range []struct {
		what                 string
		indexed, stored      bool
		cheap, shares        bool
		hit, shared, reached bool
	}{
		{what: "index", indexed: true, stored: true, shares: true, hit: true},
		{what: "index of a cheap recipe", indexed: true, cheap: true, hit: true},
		{what: "store", stored: true, shares: true, hit: true},
		{what: "server", shares: true, hit: true, shared: true, reached: true},
		{what: "nothing", reached: true},
		{what: "cheap recipe", stored: true, shares: true, cheap: true},
	} {
		t.Run(tc.what, func(t *testing.T) {
			m, a, s := newMachine(t), actionOf(), &server{}
			m.finder.Server = s
			artifacts := m.putBlobs(made...)
			if tc.stored {
				m.putResult(a, artifacts)
			}
			if tc.indexed {
				a.Last = &contents.Before{Action: &index.Action{State: index.Done, Made: make([]index.Artifact, 2), CookTime: time.Hour}}
			}
			if tc.shares {
				s.result = artifacts
			}
			a.Method.Choice.Recipe.Cheap = tc.cheap
			k, ok := m.find(a)
			if ok != tc.hit || k.Shared != tc.shared || slices.Contains(s.calls, "find") != tc.reached || (k.CookTime == time.Hour) != tc.indexed {
				t.Errorf("found %v: %+v, calls %v", ok, k, s.calls)
			}
		})
	}
}

// The server gets the read sets of the local store, so that it can look up more results.
func TestServerGetsTheReadSetsOfTheStore(t *testing.T) {
	m, a, s := newMachine(t), actionOf(), &server{}
	m.finder.Server = s
	m.putResult(a, m.putBlobs("only one"), "used.txt") // the result has one artifact, so it does not fit two outputs
	if k, ok := m.find(a); ok {
		t.Errorf("found %+v", k)
	}
	if want := []store.ReadSet{{dependency.OfFile("used.txt")}}; !slices.EqualFunc(s.sets, want, slices.Equal) {
		t.Errorf("read sets %v, want %v", s.sets, want)
	}
}

// A result from the server is kept in the store once all its blobs have arrived. If a blob does not
// arrive, Fetch fails, and the store has no record of the result.
func TestResultOfTheServerIsKeptWhenWhole(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		m, a, s := newMachine(t), actionOf(), &server{}
		m.finder.Server = s
		first := m.putBlobs(made[0])
		s.result = []store.Artifact{first[0], {Blob: store.BlobID(hashing.DigestOf([]byte(made[1]))), Size: int64(len(made[1]))}}
		s.download = func() bool {
			if arrives {
				m.putBlobs(made[1])
			}
			return arrives
		}
		k, _ := m.find(a)
		_, err := m.finder.Fetch(t.Context(), k, m.sums, nil)
		if (err == nil) != arrives || err != nil && !IsNotAtHand(err) {
			t.Errorf("arrives %v: error %v", arrives, err)
		}
		if want := []string{"find", "download"}; !slices.Equal(s.calls, want) {
			t.Errorf("calls %v, want %v", s.calls, want)
		}
		m.finder.Server = nil
		if _, ok := m.find(a); ok != arrives {
			t.Errorf("arrives %v: the store has the result: %v", arrives, ok)
		}
		m.expectWarning(nil)
	}
}

// A kept result is found again with the same artifacts. A result that was kept before is not
// written again.
func TestKeptResultIsFound(t *testing.T) {
	m, a := newMachine(t), actionOf()
	artifacts := m.putBlobs(made...)
	m.putResult(a, artifacts)
	k, _ := m.find(a)
	r, err := m.finder.Fetch(t.Context(), k, m.sums, nil)
	if err != nil {
		t.Fatal(err)
	}
	next := newMachine(t)
	m.finder.Store, m.store = next.store, next.store
	r.Kept = true
	if !m.finder.Keep(t.Context(), r, nil) || m.finder.AtHand(k) {
		t.Error("a kept result was written again")
	}
	r.Kept = false
	if !m.finder.Keep(t.Context(), r, nil) || !m.finder.AtHand(k) {
		t.Error("the result was not kept")
	}
	if k, ok := m.find(a); !ok || !slices.Equal(k.Made, artifacts) {
		t.Errorf("found %v: %+v, want %v", ok, k, artifacts)
	}
	m.expectWarning(nil)
}
