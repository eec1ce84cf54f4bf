//go:build amd64 || arm64

package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A scene is a state of the workspace and a command that is run with faults.
type scene struct {
	name string
	verb []string // the verb to run; nil to cook
	// begin prepares the workspace for the command. Before, the workspace has its original sources
	// and is cooked.
	begin func(ws *workspace) error
	// foreign lists files in the output directory that cook did not make. Such a file at the path
	// of an output makes cook fail. It is removed before the outputs are repaired.
	foreign map[string]string
	// moves reports whether the command must store its state in the directory named state.
	moves bool
}

func scenes() []scene {
	return []scene{
		{name: "first", begin: func(ws *workspace) error {
			return errors.Join(os.RemoveAll(ws.out), os.RemoveAll(ws.store))
		}},
		{name: "edited", begin: func(ws *workspace) error {
			return errors.Join(ws.undo(), ws.cook(), os.RemoveAll(ws.store), ws.editWorkspace(), ws.changeOutputs())
		}},
		{name: "rules", begin: func(ws *workspace) error { // a full run that finds all results in the store
			return errors.Join(ws.undo(), ws.cook(), ws.editWorkspace(), ws.changeOutputs(), ws.write("cook.toml", otherRules))
		}},
		{name: "lost", begin: func(ws *workspace) error { // the index is lost, so that only the manifest says which outputs cook owns
			return errors.Join(ws.cook(), os.Remove(filepath.Join(ws.out, ".cook", "index")), os.RemoveAll(ws.store))
		}},
		{
			name:    "foreign",
			foreign: map[string]string{"plain.txt": "mine", "tex/wood.png.ktx2": "mine too", "data/deep/list": "and this"},
			begin: func(ws *workspace) error {
				err := errors.Join(os.RemoveAll(ws.out), os.RemoveAll(ws.store))
				for name, text := range ws.scene.foreign {
					err = errors.Join(err, write(filepath.Join(ws.out, filepath.FromSlash(name)), text))
				}
				return err
			},
		},
		{name: "unchanged", begin: func(ws *workspace) error { return ws.cook() }},
		{name: "moved", moves: true, begin: func(ws *workspace) error { // the state is moved out of the output directory
			return errors.Join(os.RemoveAll(ws.out), os.RemoveAll(filepath.Join(ws.dir, "state")), ws.undo(), ws.cook(), ws.editWorkspace())
		}},
		{name: "clean", verb: []string{"clean"}, begin: func(ws *workspace) error { return ws.cook() }},
	}
}

const otherRules = "[[rule]]\nmatch = \"tex/*_n.png\"\nsrgb = false\n\n[[rule]]\nmatch = \"data/**\"\nrecipe = \"zstd\"\n"

// A workspace holds the directories of one worker.
type workspace struct {
	command         func(args ...string) *exec.Cmd
	scene           scene
	dir             string
	src, out, store string
	fresh           oracle.Tree // outputs of a run from scratch with the scene's sources
	later           oracle.Tree // outputs of a run from scratch after editLater
}

// computeExpected computes the expected outputs of the scene.
func (ws *workspace) computeExpected() error {
	if err := ws.cook(); err != nil {
		return err
	}
	if err := ws.scene.begin(ws); err != nil {
		return err
	}
	var err error
	if ws.fresh, err = ws.cookWorkspaceFromScratch(); err != nil {
		return err
	}
	if err := ws.editLater(); err != nil {
		return err
	}
	if ws.later, err = ws.cookWorkspaceFromScratch(); err != nil {
		return err
	}
	return ws.undo()
}

func (ws *workspace) cookWorkspaceFromScratch() (oracle.Tree, error) {
	scratch := filepath.Join(ws.dir, "scratch")
	defer os.RemoveAll(scratch)
	out := filepath.Join(scratch, "out")
	if err := run(ws.command("-dir", ws.src, "-out", out, "-cache", filepath.Join(scratch, "store"), "-j", "1")); err != nil {
		return nil, err
	}
	return oracle.ReadTree(out)
}

func (ws *workspace) args(verb ...string) []string {
	args := append(verb, "-dir", ws.src, "-out", ws.out, "-cache", ws.store)
	if len(verb) == 0 {
		args = append(args, "-j", "1")
	}
	return args
}

func (ws *workspace) cook() error { return run(ws.command(ws.args()...)) }

func run(cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%q: %w\n%s", cmd.Args, err, stderr.Bytes())
	}
	return nil
}

func (ws *workspace) write(name, data string) error {
	return write(filepath.Join(ws.src, filepath.FromSlash(name)), data)
}

// write writes a file and creates its directory.
func write(name, data string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(data), 0o666)
}

// editWorkspace makes edits of all kinds to the sources.
func (ws *workspace) editWorkspace() error {
	return errors.Join(
		ws.write("data/level.json", `{"name": "second", "laps": 12}`),
		ws.write("tex/sky.png", string(oracle.Picture(7))),
		ws.write("mesh/cart.bin", "87654321"), // a dependency of other sources
		ws.write("new/deep/added.txt", "a new asset"),
		os.Remove(filepath.Join(ws.src, "plain.txt")),
		os.RemoveAll(filepath.Join(ws.src, "data", "deep")),
		os.Rename(filepath.Join(ws.src, "sound", "bell.wav"), filepath.Join(ws.src, "sound", "gong.wav")),
	)
}

// editLater edits sources after a cook was killed, which may have written their outputs. The next
// cook must recognize these outputs as its own.
func (ws *workspace) editLater() error {
	return errors.Join(
		ws.write("same/two.txt", "no longer like the other"),
		ws.write("tex/wood.png", string(oracle.Picture(5))),
		ws.write("new/deep/added.txt", "another text"),
	)
}

// undo restores the original sources.
func (ws *workspace) undo() error {
	err := errors.Join(
		os.RemoveAll(filepath.Join(ws.src, "new")),
		os.RemoveAll(filepath.Join(ws.src, "sound", "gong.wav")),
	)
	// Only files that differ are rewritten, so that all other files keep their stamps.
	original := filepath.Join(ws.dir, "original")
	if _, statErr := os.Stat(original); errors.Is(statErr, fs.ErrNotExist) {
		err = errors.Join(err, oracle.Sample(original))
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
		if have, err := os.ReadFile(filepath.Join(ws.src, rel)); err == nil && bytes.Equal(have, want) {
			return nil
		}
		return ws.write(filepath.ToSlash(rel), string(want))
	}))
}

// changeOutputs makes changes of all kinds to outputs.
func (ws *workspace) changeOutputs() error {
	return errors.Join(
		os.Remove(filepath.Join(ws.out, "same", "one.txt")),
		os.Truncate(filepath.Join(ws.out, "ui", "icon.png.ktx2"), 40),
		os.WriteFile(filepath.Join(ws.out, "mesh", "wheel.glb"), []byte("dcba"), 0o666),
	)
}
