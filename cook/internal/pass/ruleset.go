package pass

import (
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A Ruleset is the compiled rules of a tree, and what was read for them.
type Ruleset struct {
	*rules.Set
	sums map[string]hashing.Sum128 // of the tree's files of rules
	busy map[string]bool           // those that were open for writing
	// unread is the file of rules of the asset folder if another one takes its place.
	unread string
}

// CompileRules compiles the files of rules of a tree. A session for all targets is for those
// that they declare from then on.
func (s *Session) CompileRules(configs []scan.Entry) (*Ruleset, error) {
	set := &Ruleset{sums: map[string]hashing.Sum128{}, busy: map[string]bool{}}
	var files []rules.File
	if info, err := s.Assets.Stat(scan.ConfigName); err == nil && info.IsDir() {
		return nil, configError("%s: a folder, want a file of rules", filepath.Join(s.Place.Dir, scan.ConfigName))
	}
	if s.Place.Config != "" {
		data, err := s.config, error(nil)
		if data == nil { // else the index would vouch for rules that were not followed
			data, err = readConfig(s.Place.Config)
		}
		if err != nil {
			return nil, configError("%s: %w", pathname.Show(s.Place.Config), err)
		}
		files = append(files, rules.File{Name: s.Place.Config, Data: data})
	}
	for _, c := range configs {
		dir := path.Dir(c.Path)
		if dir == "." {
			dir = ""
		}
		data, busy, err := s.readAsset(c.Path)
		name := filepath.Join(s.Place.Dir, filepath.FromSlash(c.Path))
		if err != nil {
			return nil, configError("%s: %w", pathname.Show(name), err)
		}
		set.sums[c.Path], set.busy[c.Path] = s.Checksum.Sum128(data), busy
		if dir == "" && s.Place.Config != "" {
			set.unread = c.Path
			continue
		}
		files = append(files, rules.File{Name: name, Dir: dir, Data: data})
	}
	var err error
	if set.Set, err = rules.Compile(files, s.Recipes); err != nil {
		return nil, &ConfigError{err}
	}
	if s.Scope.All {
		s.Scope.Targets = orNameless(set.Targets())
	}
	for _, t := range s.Scope.Targets {
		if !set.HasTarget(t) {
			return nil, configError("unknown target %q; cook.toml has %s", t, list(set.Targets()))
		}
	}
	return set, nil
}

// readConfig reads a file of rules from outside the asset folder.
func readConfig(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, rules.MaxFile+1))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// readAsset reads a file of the asset folder. While it is busy, its stamp does not
// vouch for what was read.
func (s *Session) readAsset(p string) (data []byte, busy bool, err error) {
	f, err := s.Assets.OpenFile(p)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	busy = lease.File(f) == lease.Busy
	data, err = io.ReadAll(io.LimitReader(f, rules.MaxFile+1))
	return data, busy, err
}
