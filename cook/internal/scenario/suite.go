package scenario

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/smokerun"
)

// Suite returns the suite for package smoke. args returns the arguments of cook for a step.
func (s *Scenario) Suite(args func(step *Step, work string) []string) (smokerun.Suite, error) {
	sum, err := s.treeDigest()
	if err != nil {
		return smokerun.Suite{}, err
	}
	suite := smokerun.Suite{Name: s.Name, Sum: sum}
	known := map[string]map[string]string{} // digests of artifacts, by working directory
	suite.Reset = func(work string) error {
		known[work] = map[string]string{}
		return s.Tree.resetTree(work)
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		task := smokerun.Task{Name: step.Name, Budgets: step.Budget, Prepare: step.applyStep}
		if step.Do == Run {
			task.Command = func(ctx context.Context, program, work string) *exec.Cmd {
				name := step.Run[0]
				if name == "{program}" {
					name = program
				} else if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
					name, _ = filepath.Abs(filepath.Join(filepath.Dir(s.file), name))
				}
				cmd := exec.CommandContext(ctx, name, step.Run[1:]...)
				cmd.Dir = work
				return cmd
			}
		} else {
			task.Command = func(ctx context.Context, program, work string) *exec.Cmd {
				return exec.CommandContext(ctx, program, args(step, work)...)
			}
			task.Inspect = func(work string) ([]smokerun.Item, error) {
				return newArtifacts(filepath.Join(work, Outputs), known[work])
			}
		}
		suite.Steps = append(suite.Steps, task)
	}
	return suite, nil
}

// treeDigest returns a digest of the scenario file and its tree.
func (s *Scenario) treeDigest() (string, error) {
	h := sha256.New()
	h.Write(s.text)
	if s.Tree.Dir != "" {
		err := filepath.WalkDir(s.Tree.Dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(s.Tree.Dir, name)
			if err != nil {
				return err
			}
			digest, err := digestFile(name)
			fmt.Fprintf(h, "%q %s\n", filepath.ToSlash(rel), digest)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func digestFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// newArtifacts returns the artifacts that are new or changed, and adds them to known.
func newArtifacts(dir string, known map[string]string) ([]smokerun.Item, error) {
	var items []smokerun.Item
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if rel == ".cook" && d.IsDir() {
			return fs.SkipDir
		}
		if rel == ".cook" || !d.Type().IsRegular() {
			return nil
		}
		digest, err := digestFile(name)
		if err != nil {
			return err
		}
		if seen[rel] = true; known[rel] != digest {
			known[rel] = digest
			items = append(items, smokerun.Item{Name: "artifact " + rel, State: digest})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for rel := range known {
		if !seen[rel] {
			delete(known, rel)
			items = append(items, smokerun.Item{Name: "artifact " + rel, State: "removed"})
		}
	}
	return items, nil
}
