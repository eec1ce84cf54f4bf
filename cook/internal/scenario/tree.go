package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/busyfile"
)

// These are subdirectories of a working directory.
const (
	Assets  = "assets"
	Outputs = "cooked"
	Store   = "store"
)

// resetTree restores a working directory to its state before the first step.
func (t *Tree) resetTree(work string) error {
	for _, name := range []string{Assets, Outputs, Store} {
		if err := busyfile.RemoveAll(filepath.Join(work, name)); err != nil {
			return err
		}
	}
	to := filepath.Join(work, Assets)
	switch {
	case t.Dir != "":
		return os.CopyFS(to, os.DirFS(t.Dir))
	case t.Files > 0:
		return t.generate(to)
	}
	return nil
}

// generate writes files whose content depends only on the seed.
func (t *Tree) generate(to string) error {
	random := rand.New(rand.NewPCG(t.Seed, 0))
	for i := range t.Folders {
		if err := os.MkdirAll(filepath.Join(to, folderName(i)), 0o777); err != nil {
			return err
		}
	}
	for i := range t.Files {
		name := filepath.Join(to, folderName(i%t.Folders), fmt.Sprintf("%06d", i))
		size := random.IntN(t.Bytes + 1)
		content := make([]byte, size)
		for j := range content {
			content[j] = byte('a' + random.IntN(26))
		}
		if i%4 == 0 {
			name, content = name+".json", fmt.Appendf(nil, "{\"name\": %q}\n", content)
		} else {
			name += ".dat"
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func folderName(i int) string { return fmt.Sprintf("%02d/%04d", i%16, i) }

// applyStep changes the tree for a step, before the tree is cooked.
func (s *Step) applyStep(work string) error {
	switch s.Do {
	case Restore:
		return busyfile.RemoveAll(filepath.Join(work, Outputs))
	case Touch, Edit, Rename, Remove:
	default:
		return nil
	}
	chosen, err := s.chooseStepFiles(filepath.Join(work, Assets))
	if err != nil {
		return err
	}
	for _, name := range chosen {
		if err := s.changeFile(name); err != nil {
			return err
		}
	}
	return nil
}

// chooseStepFiles returns the files that a step changes: as many matching files as wanted, spread evenly
// over their sorted names.
func (s *Step) chooseStepFiles(assets string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(assets, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(assets, name)
		if rel = filepath.ToSlash(rel); err == nil && s.matched.Match(rel, path.Base(rel)) && !strings.HasPrefix(path.Base(rel), ".") && path.Base(rel) != "cook.toml" {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no source matches %s", strings.Join(s.Match, ", "))
	}
	if s.Count == 0 || s.Count >= len(all) {
		return all, nil
	}
	chosen := make([]string, s.Count)
	for i := range chosen {
		chosen[i] = all[i*len(all)/s.Count]
	}
	return chosen, nil
}

func (s *Step) changeFile(name string) error {
	switch s.Do {
	case Touch:
		now := time.Now()
		return os.Chtimes(name, now, now)
	case Edit:
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("\n")
		return errors.Join(err, f.Close())
	case Rename:
		return busyfile.Rename(name, filepath.Join(filepath.Dir(name), "renamed_"+filepath.Base(name)))
	}
	return busyfile.Remove(name)
}
