package cook_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A write through one name of a file reaches the outputs of its other name in
// another directory without an event, whatever made the first name: also
// in a directory that is listed in every round because it holds a symbolic link.
func TestWatcherLearnsOfNewNames(t *testing.T) {
	for name, came := range map[string]struct {
		linked string // the new name of y/b.json
		links  map[string]string
		other  bool // another cook meets it before the watcher does
	}{
		"beside a link":              {linked: "x/a.json", links: map[string]string{"x/other": "../y/c.json"}},
		"beside no link":             {linked: "z/a.json"},
		"beside no link, met before": {linked: "z/a.json", other: true},
		"for no asset, behind links": {linked: "no/a.json", links: map[string]string{"x/other": "../y/c.json", "x/a.json": "../no/a.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			opt := oracle.Run{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"),
				Now: func() time.Time { return time.Now().Add(time.Minute) }} // so that stamps are trusted at once
			asset := func(name string) string { return filepath.Join(opt.Dir, name) }
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			for file, text := range map[string]string{".cookignore": "/no/\n", "no/n.txt": "0", "x/d.json": "0", "y/b.json": "1", "y/c.json": "2", "z/e.json": "3"} {
				must(errors.Join(os.MkdirAll(filepath.Dir(asset(file)), 0o777), os.WriteFile(asset(file), []byte(text), 0o666)))
			}
			if to := came.links["x/other"]; to != "" {
				must(os.Symlink(to, asset("x/other")))
			}
			awaitRound(t, watch(t, opt))
			ask := func() {
				t.Helper()
				if s, err := opt.Cook(t.Context()); err != nil || !s.Told {
					t.Fatalf("%+v, %v", s, err)
				}
			}
			ask()

			must(os.Link(asset("y/b.json"), asset(came.linked)))
			if to := came.links["x/a.json"]; to != "" {
				must(os.Symlink(to, asset("x/a.json")))
			}
			if came.other {
				own := opt
				own.Verify, own.Wait = true, true // so that it does not ask the watcher
				_, err := own.Cook(t.Context())
				must(err)
			}
			ask()
			must(os.WriteFile(asset(came.linked), []byte("4"), 0o666))
			ask()
			for _, name := range []string{"x/a.json", "y/b.json", "z/a.json"} {
				if _, err := os.Stat(asset(name)); err != nil {
					continue
				}
				data, err := os.ReadFile(filepath.Join(opt.Out, name))
				must(err)
				if string(data) != "4" {
					t.Errorf("%s was cooked from %q", name, data)
				}
			}
		})
	}
}
