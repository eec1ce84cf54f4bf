package cook_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// An output that is still open for writing when its recipe returns could change after it
// was checksummed: the asset fails, with the reason.
func TestOutputStillOpen(t *testing.T) {
	var left []*os.File
	defer func() {
		for _, f := range left {
			f.Close()
		}
	}()
	line, w, out := cookWithRecipe(t, map[string]string{"a.txt": "a", "b.txt": "b"}, testRecipe{cook: func(_ context.Context, j *recipe.Job) error {
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
	}}, oracle.Run{})
	const want = "output b.txt: still open for writing by another process; let the command wait for all that it starts"
	if w.failure("b.txt") != want || len(w.failed) != 1 {
		t.Errorf("%s: failed %q, want b.txt: %s", line, w.failed, want)
	}
	if tree := readTree(t, out); len(tree) != 2 || !strings.HasSuffix(tree["a.txt"], " a") { // and the manifest
		t.Errorf("the output directory has %q", tree)
	}
}

// An output that is edited in place while its asset is cooked again is not taken for
// unchanged, even though the new output equals the one before the edit.
func TestOutputEditedWhileCooking(t *testing.T) {
	for _, patterns := range [][]string{nil, {"**"}} {
		p := smallFiles(t, 3)
		out := p.path("cooked/copies.txt")
		edit := false
		p.run.Patterns = patterns
		p.copyFound()
		currentRecipe.cook = func(_ context.Context, j *recipe.Job) error {
			if edit {
				if err := os.WriteFile(out, []byte("SAME"), 0o666); err != nil {
					return err
				}
			}
			return j.Write(0, []byte("same"))
		}
		p.tick()
		p.cook()
		p.write("copies.txt", "another source, the same output")
		p.tick()
		edit = true
		for range 2 {
			p.cook()
			if data, err := os.ReadFile(out); err != nil || string(data) != "same" {
				t.Errorf("the output is %q, %v", data, err)
			}
		}
		recipeMu.Unlock() // before the next copyFound, instead of in the cleanup
		p.Cleanup(recipeMu.Lock)
	}
}
