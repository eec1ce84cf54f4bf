//go:build amd64 || arm64

package faultsweep

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/cooktest"
)

// A scene is what is done when a call breaks.
type scene struct {
	name string
	verb []string // of the command that is broken; nil to cook
	// begin brings the stage to where the broken command starts, from wherever the
	// last play left it: cooked, with the sources of then.
	begin func(st *stage) error
	// theirs are files in the output folder that are the user's. One that has the
	// name of an output makes cook fail, and is moved away before it is mended.
	theirs map[string]string
}

func scenes() []scene {
	return []scene{
		{name: "first", begin: func(st *stage) error {
			return errors.Join(os.RemoveAll(st.out), os.RemoveAll(st.store))
		}},
		{name: "edited", begin: func(st *stage) error {
			return errors.Join(st.undo(), st.cook(), os.RemoveAll(st.store), st.edit(), st.damage())
		}},
		{name: "rules", begin: func(st *stage) error { // which takes the long way; the store has it all
			return errors.Join(st.undo(), st.cook(), st.edit(), st.damage(), st.write("cook.toml", otherRules))
		}},
		{name: "lost", begin: func(st *stage) error { // the index is; the manifest says what is ours
			return errors.Join(st.cook(), os.Remove(filepath.Join(st.out, ".cook", "index")), os.RemoveAll(st.store))
		}},
		{
			name:   "foreign",
			theirs: map[string]string{"plain.txt": "mine", "tex/wood.png.ktx2": "mine too", "data/deep/list": "and this"},
			begin: func(st *stage) error {
				err := errors.Join(os.RemoveAll(st.out), os.RemoveAll(st.store))
				for name, text := range st.scene.theirs {
					err = errors.Join(err, write(filepath.Join(st.out, filepath.FromSlash(name)), text))
				}
				return err
			},
		},
		{name: "unchanged", begin: func(st *stage) error { return st.cook() }},
		{name: "clean", verb: []string{"clean"}, begin: func(st *stage) error { return st.cook() }},
	}
}

const otherRules = "[[rule]]\nmatch = \"tex/*_n.png\"\nsrgb = false\n\n[[rule]]\nmatch = \"data/**\"\nrecipe = \"zstd\"\n"

// A stage is one worker's folders.
type stage struct {
	command         func(args ...string) *exec.Cmd
	scene           scene
	dir             string
	src, out, store string
	fresh           cooktest.Tree // what the sources of the scene are cooked to, from scratch
	later           cooktest.Tree // and after editLater
}

// learn finds out what should come of the scene.
func (st *stage) learn() error {
	if err := st.cook(); err != nil {
		return err
	}
	if err := st.scene.begin(st); err != nil {
		return err
	}
	var err error
	if st.fresh, err = st.fromScratch(); err != nil {
		return err
	}
	if err := st.editLater(); err != nil {
		return err
	}
	if st.later, err = st.fromScratch(); err != nil {
		return err
	}
	return st.undo()
}

func (st *stage) fromScratch() (cooktest.Tree, error) {
	scratch := filepath.Join(st.dir, "scratch")
	defer os.RemoveAll(scratch)
	out := filepath.Join(scratch, "out")
	if err := run(st.command("-dir", st.src, "-out", out, "-cache", filepath.Join(scratch, "store"), "-j", "1")); err != nil {
		return nil, err
	}
	return cooktest.ReadTree(out)
}

func (st *stage) args(verb ...string) []string {
	args := append(verb, "-dir", st.src, "-out", st.out, "-cache", st.store)
	if len(verb) == 0 {
		args = append(args, "-j", "1")
	}
	return args
}

// cook cooks and nothing is broken.
func (st *stage) cook() error { return run(st.command(st.args()...)) }

func run(cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%q: %w\n%s", cmd.Args, err, stderr.Bytes())
	}
	return nil
}

func (st *stage) write(name, data string) error {
	return write(filepath.Join(st.src, filepath.FromSlash(name)), data)
}

// write makes a file and the folder for it.
func write(name, data string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(data), 0o666)
}

// edit does to the sources whatever happens to sources.
func (st *stage) edit() error {
	return errors.Join(
		st.write("data/level.json", `{"name": "second", "laps": 12}`),
		st.write("tex/sky.png", string(cooktest.Picture(7))),
		st.write("mesh/cart.bin", "87654321"), // another depends on it
		st.write("new/deep/added.txt", "an asset that was not there before"),
		os.Remove(filepath.Join(st.src, "plain.txt")),
		os.RemoveAll(filepath.Join(st.src, "data", "deep")),
		os.Rename(filepath.Join(st.src, "sound", "bell.wav"), filepath.Join(st.src, "sound", "gong.wav")),
	)
}

// editLater changes what a cook that was killed may just have placed. The next one
// has to know that it is cook's own.
func (st *stage) editLater() error {
	return errors.Join(
		st.write("same/two.txt", "no longer like the other"),
		st.write("tex/wood.png", string(cooktest.Picture(5))),
		st.write("new/deep/added.txt", "another text"),
	)
}

// undo takes all edits back.
func (st *stage) undo() error {
	err := errors.Join(
		os.RemoveAll(filepath.Join(st.src, "new")),
		os.RemoveAll(filepath.Join(st.src, "sound", "gong.wav")),
	)
	// Sample writes all; only what differs may get new stamps.
	original := filepath.Join(st.dir, "original")
	if _, statErr := os.Stat(original); errors.Is(statErr, fs.ErrNotExist) {
		err = errors.Join(err, cooktest.Sample(original))
	}
	return errors.Join(err, filepath.WalkDir(original, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(original, name)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(filepath.Join(st.src, rel)); err == nil && bytes.Equal(have, want) {
			return nil
		}
		return st.write(filepath.ToSlash(rel), string(want))
	}))
}

// damage does to outputs what happens to outputs.
func (st *stage) damage() error {
	return errors.Join(
		os.Remove(filepath.Join(st.out, "same", "one.txt")),
		os.Truncate(filepath.Join(st.out, "ui", "icon.png.ktx2"), 40),
		os.WriteFile(filepath.Join(st.out, "mesh", "wheel.bin"), []byte("dcba"), 0o666),
	)
}
