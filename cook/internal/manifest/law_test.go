package manifest

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func same(f folder, files map[string][]byte) string {
	text := func(files map[string][]byte) map[string]string {
		s := map[string]string{}
		for name, data := range files {
			s[name] = string(data)
		}
		return s
	}
	return cmp.Diff(text(files), text(f))
}

func TestBuildIsTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, assets := cuttings.Draw(t, "cutting"), someAssets.Draw(t, "list")
		f := folder{}
		if err := f.build(c, assets); err != nil {
			t.Fatal(err)
		}
		if diff := same(f, oracle(c, assets)); diff != "" {
			t.Fatal(diff)
		}
		back, err := f.read(c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(assets, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		parts, err := f.parts(c)
		if err != nil {
			t.Fatal(err)
		}
		named := append(slices.Clone(parts), Name)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(f)), slices.Sorted(slices.Values(named))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Update returns the files that Build makes for the changed list, whatever the changes and the old
// layout.
func TestUpdateIsBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, assets := cuttings.Draw(t, "cutting"), someAssets.Draw(t, "list")
		f := folder(oracle(c, assets))
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			c.layout = rapid.SampledFrom([]Layout{Single, Parts}).Draw(t, "layout")
			changes := drawChanges(t, assets)
			assets = changed(assets, changes)
			if err := f.update(t, c, changes); err != nil {
				t.Fatal(err)
			}
			if diff := same(f, oracle(c, assets)); diff != "" {
				t.Fatalf("after %+v: %s", changes, diff)
			}
		}
	})
}

// Read detects every damage, unless the damaged files happen to be a valid manifest. An update
// neither repairs nor hides damage.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, assets := cuttings.Draw(t, "cutting"), someAssets.Draw(t, "list")
		f := folder(oracle(c, assets))
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(f))).Draw(t, "file")
		bad := damage(t, f, name) && name != Name
		checkSound(t, c, f, drawChanges(t, assets), bad)
	})
}

// damage changes a file of a manifest, and reports whether its bytes differ afterwards.
func damage(t *rapid.T, f folder, name string) bool {
	data := bytes.Clone(f[name])
	at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
	switch rapid.IntRange(0, 5).Draw(t, "damage") {
	case 0:
		data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	case 1:
		data = data[:at]
	case 2:
		data = slices.Insert(data, at, rapid.SampledFrom([]byte(" \n\",0{}[]\\")).Draw(t, "byte"))
	case 3:
		end := min(at+1+max(0, bytes.IndexByte(data[at:], '\n')), len(data))
		data = slices.Delete(data, bytes.LastIndexByte(data[:at], '\n')+1, end)
	case 4:
		end := min(at+1+max(0, bytes.IndexByte(data[at:], '\n')), len(data))
		data = slices.Insert(data, end, data[bytes.LastIndexByte(data[:at], '\n')+1:end]...)
	case 5:
		delete(f, name)
		return true
	}
	other := !bytes.Equal(data, f[name])
	f[name] = data
	return other
}

// checkSound checks the documented guarantees of Read and Update for arbitrary files. A root with
// assets has the layout Single.
func checkSound(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, c cutting, f folder, changes []Change, bad bool) {
	if bytes.HasPrefix(f[Name], []byte(opening)) {
		c.layout = Single
	}
	assets, readErr := f.read(c)
	if readErr == nil {
		if bad {
			t.Fatal("a damaged part was read")
		}
		for name, data := range oracle(c, assets) {
			if !bytes.Equal(f[name], data) {
				t.Fatalf("%s was read, and is built as\n%s\nnot\n%s", name, data, f[name])
			}
		}
	}
	err := f.update(t, c, changes)
	if readErr == nil && err != nil {
		t.Fatalf("read and not updated: %v", err)
	}
	if err != nil {
		return
	}
	after, err := f.read(c)
	if (readErr == nil) != (err == nil) {
		t.Fatalf("an update made %v of %v", err, readErr)
	}
	if diff := cmp.Diff(changed(assets, changes), after, cmpopts.EquateEmpty()); readErr == nil && diff != "" {
		t.Fatal(diff)
	}
}
