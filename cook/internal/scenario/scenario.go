// Package scenario defines smoke runs of the cooker: an asset tree, and steps that cook it,
// change it, and cook it again. A file describes them:
//
//	name = "small tree"
//
//	[tree]
//	dir = "assets"             # a directory beside this file, or instead of it:
//	files = 2000               # generated, a quarter of them JSON, the others copied
//	folders = 40
//	bytes = 4096               # the largest
//	seed = 1
//
//	[[step]]
//	do = "cook"                # the first: everything; later, with nothing changed: a no-op run
//	name = "first cook"        # to distinguish equal steps
//	passes = 20                # cooks in one process: its frames
//	[step.budget]
//	"cpu/ns" = 2e9             # limit of a figure
//
//	[[step]]
//	do = "edit"                # append a newline to sources, and cook
//	match = ["*.json"]         # candidates; default all
//	count = 5                  # number of sources; default all
//
// The other steps are touch (a new time, the same content), rename, remove (of sources), restore
// (cook after all outputs were removed), force (cook everything, known or not), verify, and run,
// which starts another program that package profile/smoke measures:
//
//	[[step]]
//	do = "run"
//	run = ["{program}", "-frames", "600"]
//
// {program} is the measured program, beside the file or on PATH. A scenario that consists only of
// run steps needs no tree.
package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/assetcook/assetcook/cook/internal/glob"
)

// These are the kinds of steps.
const (
	Cook    = "cook"
	Touch   = "touch"
	Edit    = "edit"
	Rename  = "rename"
	Remove  = "remove"
	Restore = "restore"
	Force   = "force"
	Verify  = "verify"
	Run     = "run"
)

var kinds = []string{Cook, Touch, Edit, Rename, Remove, Restore, Force, Verify, Run}

// A Scenario is a scenario file that has been read and checked.
type Scenario struct {
	Name  string
	Tree  Tree
	Steps []Step `toml:"step"`

	file string
	text []byte
}

// A Tree is the asset tree of a scenario.
type Tree struct {
	Dir     string // directory to copy; "" if files are generated
	Files   int    // number of files to generate
	Folders int
	Bytes   int // size of the largest file in bytes
	Seed    uint64
}

// A Step is one step of a scenario.
type Step struct {
	Do     string
	Name   string
	Passes int
	Match  []string
	Count  int
	Run    []string
	Budget map[string]float64

	matched glob.List
}

// These are limits of a scenario file.
const (
	maxFile   = 1 << 20
	maxFiles  = 10_000_000
	maxBytes  = 1 << 30
	maxPasses = 100_000
)

// Read reads a scenario file.
func Read(name string) (*Scenario, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: has more than %d bytes; this is not a scenario", name, maxFile)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &Scenario{file: name, text: text}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(s); err != nil {
		return nil, fmt.Errorf("%s%w", name, located(err))
	}
	if err := s.checkScenario(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// located returns an error of the TOML library with the line of the mistake.
func located(err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		line, _ := unknown.Errors[0].Position()
		return fmt.Errorf(":%d: unknown key %q; see cook help smoke", line, strings.Join(unknown.Errors[0].Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ := decode.Position()
		return fmt.Errorf(":%d: %s", line, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return fmt.Errorf(": %w", err)
}

// checkScenario sets defaults and refuses invalid values.
func (s *Scenario) checkScenario() error {
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(s.file), filepath.Ext(s.file))
	}
	if len(s.Steps) == 0 {
		return errors.New("there is no [[step]]; want at least one")
	}
	cooks := slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Do != Run })
	if cooks || s.Tree != (Tree{}) {
		if err := s.Tree.checkTree(filepath.Dir(s.file)); err != nil {
			return err
		}
	}
	names := map[string]int{}
	for i := range s.Steps {
		if err := s.Steps[i].checkStep(i); err != nil {
			return err
		}
		name := s.Steps[i].Name
		if before, ok := names[name]; ok {
			return fmt.Errorf("step %d is called %q like step %d; give it another name", i+1, name, before)
		}
		names[name] = i + 1
	}
	return nil
}

func (t *Tree) checkTree(beside string) error {
	switch {
	case t.Dir != "" && t.Files != 0:
		return errors.New("[tree] has both dir and files; want one")
	case t.Dir != "":
		if !filepath.IsAbs(t.Dir) {
			t.Dir = filepath.Join(beside, t.Dir)
		}
		if info, err := os.Stat(t.Dir); err != nil || !info.IsDir() {
			return fmt.Errorf("[tree] dir: there is no directory %s", t.Dir)
		}
		return nil
	case t.Files < 1 || t.Files > maxFiles:
		return fmt.Errorf("[tree] files is %d; want 1 to %d, or a dir", t.Files, maxFiles)
	case t.Bytes < 0 || t.Bytes > maxBytes:
		return fmt.Errorf("[tree] bytes is %d; want at most %d", t.Bytes, maxBytes)
	case t.Folders < 0 || t.Folders > t.Files:
		return fmt.Errorf("[tree] directories is %d; want at most as many as files", t.Folders)
	}
	if t.Bytes == 0 {
		t.Bytes = 4096
	}
	if t.Folders == 0 {
		t.Folders = 1 + t.Files/50
	}
	return nil
}

func (s *Step) checkStep(i int) error {
	if !slices.Contains(kinds, s.Do) {
		return fmt.Errorf("step %d does %q; want one of %s", i+1, s.Do, strings.Join(kinds, ", "))
	}
	if s.Name == "" {
		s.Name = s.Do
		if s.Do == Run && len(s.Run) > 0 {
			s.Name = filepath.Base(s.Run[0])
		}
	}
	if s.Passes == 0 {
		s.Passes = 1
	}
	changes := slices.Contains([]string{Touch, Edit, Rename, Remove}, s.Do)
	switch {
	case s.Passes < 0 || s.Passes > maxPasses:
		return fmt.Errorf("step %q has %d passes; want 1 to %d", s.Name, s.Passes, maxPasses)
	case (len(s.Match) > 0 || s.Count != 0) && !changes:
		return fmt.Errorf("step %q: match and count are for touch, edit, rename and remove only", s.Name)
	case s.Count < 0:
		return fmt.Errorf("step %q: count is %d; want 1 or more, or nothing for all", s.Name, s.Count)
	case (s.Do == Run) != (len(s.Run) > 0):
		return fmt.Errorf("step %q: the command belongs in run = [\"program\", ...] of a step with do = \"run\"", s.Name)
	case s.Passes > 1 && s.Do == Run:
		return fmt.Errorf("step %q: the program of run ends its own frames, so passes cannot be set", s.Name)
	}
	if len(s.Match) == 0 {
		return s.matched.Add("**")
	}
	for _, pattern := range s.Match {
		if err := s.matched.Add(pattern); err != nil {
			return fmt.Errorf("step %q: %w", s.Name, err)
		}
	}
	return nil
}
