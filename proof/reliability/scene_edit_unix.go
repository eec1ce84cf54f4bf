//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A choice is a kind of edit, and its relative frequency.
type choice struct {
	often int
	do    func() error
}

// edit makes a random edit, as users and programs make them, without syncing. It does nothing if
// there is no file to edit.
func (s *scene) edit() error {
	return s.oneOf([]choice{
		{6, s.overwrite}, {3, s.overwriteAndBack}, {2, s.overwriteKeepingTime}, {3, s.rewriteRandomSource}, {3, s.replaceByRename}, {2, s.touchRandomSource},
		{1, s.removeRandomSource}, {1, s.renameRandomSource}, {2, s.createRandomSource}, {1, s.changeRules}, {2, s.damageRandomOutput}, {1, s.swapRandomSources},
		{2, s.fileForFolder}, {1, s.folderForFile}, {2, s.retargetRandomLink},
	})
}

// startSlowEdit edits, replaces or creates a file, and also edits a file that takes long to cook.
// This leaves time to kill the run after the first output was placed and before the index is
// written.
func (s *scene) startSlowEdit() error {
	slow := filepath.Join(s.assets, "big", "a.txt")
	if err := s.write(slow, s.letters(sizes["big/a.txt"])); err != nil {
		return sceneError(err)
	}
	return s.oneOf([]choice{{2, s.fileForFolder}, {1, s.folderForFile}, {2, s.createRandomSource}, {1, s.renameRandomSource}, {1, s.rewriteRandomSource}})
}

// editRecent edits a recently edited file again, so that its output from the killed run becomes
// stale.
func (s *scene) editRecent() error {
	there := slices.DeleteFunc(slices.Clone(s.recent), func(name string) bool {
		info, err := os.Lstat(name)
		return err != nil || !info.Mode().IsRegular()
	})
	if len(there) == 0 {
		return s.edit()
	}
	name := there[s.rng.IntN(len(there))]
	return s.oneOf([]choice{
		{1, func() error {
			s.addSceneNote("then rewrite %s", name)
			return s.write(name, s.randomContent(name, 1+s.rng.IntN(20_000)))
		}},
		{1, func() error { s.addSceneNote("then remove %s", name); return os.Remove(name) }},
		{1, func() error { return s.renameFile(name) }},
	})
}

// editAtomically makes an atomic edit: at any time, each asset has its old content, has its new
// content, or does not exist. It does not change the rules.
func (s *scene) editAtomically() error {
	return s.oneOf([]choice{{6, s.replaceByRename}, {2, s.touchRandomSource}, {1, s.removeRandomSource}, {1, s.renameRandomSource}, {2, s.moveIn}, {1, s.swapRandomSources}, {1, s.retargetRandomLink}})
}

func (s *scene) oneOf(choices []choice) error {
	n := 0
	for _, w := range choices {
		n += w.often
	}
	n = s.rng.IntN(n)
	for _, w := range choices {
		if n -= w.often; n < 0 {
			return sceneError(w.do())
		}
	}
	return nil
}

// applyRandomEdits makes n edits.
func (s *scene) applyRandomEdits(n int) error {
	for range n {
		if err := s.edit(); err != nil {
			return err
		}
	}
	return nil
}

// files lists the regular files below a directory, except rules, the manifest and state files. It
// ignores files that disappear while it runs.
func files(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".cook" || d.Name() == "manifest.parts"):
			return fs.SkipDir
		case d.Type().IsRegular() && d.Name() != "cook.toml" && d.Name() != "manifest.json":
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// onRandomSource makes an edit of a random source and records it. It does nothing if there is no
// source.
func (s *scene) onRandomSource(note string, edit func(name string) error) error {
	name, err := s.pickRandomSource(s.assets)
	if err != nil || name == "" {
		return err
	}
	s.addSceneNote(note, name)
	return edit(name)
}

// pickRandomSource returns a random file below a directory; "" if there is none.
func (s *scene) pickRandomSource(dir string) (string, error) {
	names, err := files(dir)
	if err != nil || len(names) == 0 {
		return "", err
	}
	name := names[s.rng.IntN(len(names))]
	s.edited(name)
	return name, nil
}

// edited remembers a source for editRecent.
func (s *scene) edited(name string) {
	if strings.HasPrefix(name, s.assets+string(filepath.Separator)) {
		s.recent = append(s.recent, name)
	}
}

// randomContent returns random content for a file name.
func (s *scene) randomContent(name string, size int) []byte {
	switch path.Ext(name) {
	case ".png":
		return oracle.Picture(s.rng.IntN(50))
	case ".wav":
		return oracle.Wave(16 * (1 + s.rng.IntN(8)))
	case ".json":
		return fmt.Appendf(nil, `{"n": %d}`, 100_000+s.rng.IntN(900_000))
	case ".gltf":
		return []byte(`{"asset": {"version": "2.0"}, "extras": "` + string(s.letters(8)) + `"}`)
	}
	return s.letters(size)
}

// overwrite changes some bytes of a file in place; the size and the inode stay the same.
func (s *scene) overwrite() error { return s.onRandomSource("overwrite %s", s.overwriteFile) }

func (s *scene) overwriteFile(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	data, at := s.randomContent(name, int(info.Size())), 0
	switch path.Ext(name) {
	case ".png", ".gltf", ".wav":
		if int64(len(data)) != info.Size() {
			return s.write(name, data)
		}
	case ".json":
		if int64(len(data)) != info.Size() {
			return s.write(name, data)
		}
	default:
		if len(data) > 4096 && s.rng.IntN(2) == 0 { // changes only a part of the file
			at = s.rng.IntN(len(data) - 4096)
			data = data[at : at+1+s.rng.IntN(4096)]
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(data, int64(at))
	return err
}

// overwriteAndBack changes a file in place, syncs it, and restores its content.
func (s *scene) overwriteAndBack() error {
	return s.onRandomSource("overwrite, sync, and restore %s", func(name string) error {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.WriteAt(s.letters(len(data)), 0); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		_, err = f.WriteAt(data, 0)
		return err
	})
}

func (s *scene) overwriteKeepingTime() error {
	return s.onRandomSource("overwrite, keeping the time, %s", func(name string) error {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if err := s.overwriteFile(name); err != nil {
			return err
		}
		return os.Chtimes(name, info.ModTime(), info.ModTime())
	})
}

// rewriteRandomSource truncates a file and writes it again, as most programs save a file.
func (s *scene) rewriteRandomSource() error {
	return s.onRandomSource("rewrite %s", func(name string) error {
		return s.write(name, s.randomContent(name, 1+s.rng.IntN(20_000)))
	})
}

func (s *scene) write(name string, data []byte) error {
	if err := room(name); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// room creates the directory for a file, and removes any directory or file that is in the way.
func room(name string) error {
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		return os.RemoveAll(name)
	}
	dir := filepath.Dir(name)
	err := os.MkdirAll(dir, 0o777)
	for up := dir; errors.Is(err, syscall.ENOTDIR); up = filepath.Dir(up) {
		if info, statErr := os.Lstat(up); statErr == nil && !info.IsDir() {
			return errors.Join(os.Remove(up), os.MkdirAll(dir, 0o777))
		}
	}
	return err
}

func (s *scene) replaceByRename() error {
	return s.onRandomSource("replace %s", func(name string) error {
		if err := s.write(s.assets+".new", s.randomContent(name, 1+s.rng.IntN(20_000))); err != nil {
			return err
		}
		return os.Rename(s.assets+".new", name)
	})
}

func (s *scene) touchRandomSource() error {
	return s.onRandomSource("touch %s", func(name string) error {
		now := time.Now()
		return os.Chtimes(name, now, now)
	})
}

// removeRandomSource removes a file, unless only a few are left.
func (s *scene) removeRandomSource() error {
	names, err := files(s.assets)
	if err != nil || len(names) < 15 {
		return err
	}
	name := names[s.rng.IntN(len(names))]
	s.addSceneNote("remove %s", name)
	return os.Remove(name)
}

func (s *scene) renameRandomSource() error {
	name, err := s.pickRandomSource(s.assets)
	if err != nil || name == "" {
		return err
	}
	return s.renameFile(name)
}

func (s *scene) renameFile(name string) error {
	s.fresh++
	to := filepath.Join(filepath.Dir(name), fmt.Sprintf("moved%d%s", s.fresh%5, filepath.Ext(name)))
	s.addSceneNote("rename %s to %s", name, to)
	s.edited(to)
	return errors.Join(room(to), os.Rename(name, to))
}

// fileForFolder replaces an asset directory by a file, so that an output has the name of a former
// output directory.
func (s *scene) fileForFolder() error {
	name, err := s.pickRandomSource(s.assets)
	dir := filepath.Dir(name)
	if err != nil || name == "" || dir == s.assets || dir == filepath.Join(s.assets, "big") {
		return err
	}
	s.addSceneNote("replace the directory %s by a file", dir)
	s.edited(dir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.WriteFile(dir, s.letters(1+s.rng.IntN(50_000)), 0o666)
}

// folderForFile replaces an asset by a directory of assets.
func (s *scene) folderForFile() error {
	name, err := s.pickRandomSource(s.assets)
	if err != nil || name == "" || filepath.Dir(name) == filepath.Join(s.assets, "big") {
		return err
	}
	s.addSceneNote("replace the file %s by a directory", name)
	if err := os.Remove(name); err != nil {
		return err
	}
	inner := filepath.Join(name, "inner.txt")
	s.edited(inner)
	return s.write(inner, s.letters(1+s.rng.IntN(20_000)))
}

func (s *scene) swapRandomSources() error {
	one, err := s.pickRandomSource(s.assets)
	if err != nil || one == "" {
		return err
	}
	names, err := files(s.assets)
	names = slices.DeleteFunc(names, func(n string) bool { return n == one || filepath.Ext(n) != filepath.Ext(one) })
	if err != nil || len(names) == 0 {
		return err
	}
	two, aside := names[s.rng.IntN(len(names))], s.assets+".new"
	s.addSceneNote("swap %s and %s", one, two)
	for _, r := range [][2]string{{one, aside}, {two, one}, {aside, two}} {
		if err := os.Rename(r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}

// retargetRandomLink atomically points a link to the other one of two directories that have the
// same file names and sizes.
func (s *scene) retargetRandomLink() error {
	link, aside, to := filepath.Join(s.assets, "twin"), s.assets+".new", "twin1"
	if at, err := os.Readlink(link); err == nil && at == to {
		to = "twin2"
	}
	s.addSceneNote("link %s to %s", link, to)
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	return errors.Join(room(link), os.Symlink(to, aside), os.Rename(aside, link))
}

func (s *scene) createRandomSource() error {
	name := s.newName()
	s.addSceneNote("create %s", name)
	s.edited(name)
	return s.write(name, s.randomContent(name, s.rng.IntN(50_000)))
}

// moveIn creates a file outside of the assets and moves it into them.
func (s *scene) moveIn() error {
	name := s.newName()
	s.addSceneNote("move in %s", name)
	aside := s.assets + ".new"
	return errors.Join(s.write(aside, s.randomContent(name, s.rng.IntN(50_000))), room(name), os.Rename(aside, name))
}

// newName returns a random name for a file that may or may not exist.
func (s *scene) newName() string {
	kinds := []string{".png", ".json", ".txt", ".bin", ".wav"}
	s.fresh++
	return filepath.Join(s.assets, []string{"", "tex", "new", "new/deep"}[s.rng.IntN(4)],
		fmt.Sprintf("new%d%s", s.fresh%12, kinds[s.rng.IntN(len(kinds))]))
}

var rules = []string{
	"[[rule]]\nmatch = \"*_n.png\"\nsrgb = false\n\n[[rule]]\nmatch = \"notes/**\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n",
	"[[rule]]\nmatch = \"*.json\"\nminify = false\n",
	"[[rule]]\nmatch = \"*.{png,txt,json}\"\noutputs = [\"{name}.{hash}\"]\n\n[[rule]]\nmatch = \"*.gltf\"\noutputs = [\"{stem}.{hash}.glb\"]\n",
}

func (s *scene) changeRules() error {
	n := s.rng.IntN(len(rules))
	s.addSceneNote("rules %d", n)
	return s.write(filepath.Join(s.assets, "cook.toml"), []byte(rules[n]+s.moreRules))
}

// damageRandomOutput overwrites or removes an output, if it has not just been removed by a watcher.
func (s *scene) damageRandomOutput() error {
	name, err := s.pickRandomSource(s.out)
	if err != nil || name == "" {
		return err
	}
	if s.rng.IntN(2) == 0 {
		s.addSceneNote("remove output %s", name)
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	s.addSceneNote("spoil output %s", name)
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte("spoilt"), 0)
	return err
}
