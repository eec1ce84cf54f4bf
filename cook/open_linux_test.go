package cook_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// An output that somebody still has open for writing when its recipe is done could
// become another one after it was summed: its asset fails and says so.
func TestOutputStillOpen(t *testing.T) {
	var left []*os.File
	defer func() {
		for _, f := range left {
			f.Close()
		}
	}()
	line, w, out := cookOddly(t, map[string]string{"a.txt": "a", "b.txt": "b"}, odd{do: func(_ context.Context, j *recipe.Job) error {
		data, err := j.Source()
		if err != nil {
			return err
		}
		f, err := j.Create(0)
		if err != nil {
			return err
		}
		if string(data) == "b" {
			left = append(left, f)
		} else {
			defer f.Close()
		}
		_, err = f.Write(data)
		return err
	}}, cook.Options{})
	const want = "output b.txt: still open for writing by another process; let the command wait for all that it starts"
	if w.failed["b.txt"] != want || len(w.failed) != 1 {
		t.Errorf("%s: failed %q, want b.txt: %s", line, w.failed, want)
	}
	if tree := readTree(t, out); len(tree) != 2 || !strings.HasSuffix(tree["a.txt"], " a") { // and the manifest
		t.Errorf("the output folder has %q", tree)
	}
}

// An output that is edited in place while its asset is cooked anew is not taken
// for what it was before, though what comes out is just that.
func TestOutputEditedWhileCooking(t *testing.T) {
	for _, patterns := range [][]string{nil, {"**"}} {
		p := newPantry(t, 3)
		out := filepath.Join(p.dir, "cooked", "asks.txt")
		edit := false
		p.opt.Patterns = patterns
		p.askFor()
		oddly.do = func(_ context.Context, j *recipe.Job) error {
			if edit {
				if err := os.WriteFile(out, []byte("SAME"), 0o666); err != nil {
					return err
				}
			}
			return j.Write(0, []byte("same"))
		}
		p.tick()
		p.cook()
		p.write("asks.txt", "another source, the same output")
		p.tick()
		edit = true
		for range 2 {
			p.cook()
			if data, err := os.ReadFile(out); err != nil || string(data) != "same" {
				t.Errorf("the output is %q, %v", data, err)
			}
		}
		oddMu.Unlock() // before the next askFor, in place of the clean-up
		p.Cleanup(oddMu.Lock)
	}
}
