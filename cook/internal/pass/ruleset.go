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
	RuleTexts
	busy map[string]bool // files of rules that were open for writing
	// unread is the file of rules of the asset folder if another one takes its place.
	unread string
}

// RuleTexts are the files of rules of a tree as they were at some time.
type RuleTexts struct {
	files       []rules.File
	sums        map[string]hashing.Sum128 // of the tree's files, by path
	fingerprint hashing.Digest            // of the session that read them
}

// Following returns a session that follows rules as they were, whatever they are now. What
// it leaves does not vouch for the present files.
func (s *Session) Following(texts *RuleTexts) *Session {
	with := *s
	with.texts, with.Fingerprint = texts, texts.fingerprint
	return &with
}

// CompileRules compiles the files of rules of a tree. A session for all targets is for those
// that they declare from then on.
func (s *Session) CompileRules(configs []scan.Entry) (*Ruleset, error) {
	set := &Ruleset{RuleTexts: RuleTexts{sums: map[string]hashing.Sum128{}, fingerprint: s.Fingerprint}, busy: map[string]bool{}}
	var err error
	if s.texts != nil {
		err = set.follow(s.texts, configs)
	} else {
		err = s.readRules(set, configs)
	}
	if err != nil {
		return nil, err
	}
	if set.Set, err = rules.Compile(set.files, s.Recipes); err != nil {
		return nil, &ConfigError{err}
	}
	set.ReadHeads(s.head)
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

// RuleTexts reads the files of rules that a delta knows of, without looking for others.
func (s *Session) RuleTexts(d *Delta) (*RuleTexts, error) {
	set, err := s.CompileRules(d.configs())
	if err != nil {
		return nil, err
	}
	return &set.RuleTexts, nil
}

// follow takes texts for those of files that are there now. The index is to know the files
// by these texts, and no stamp of theirs: to the next run they are edited.
func (set *Ruleset) follow(texts *RuleTexts, configs []scan.Entry) error {
	set.files = texts.files
	for _, c := range configs {
		set.sums[c.Path], set.busy[c.Path] = texts.sums[c.Path], true
	}
	for path := range texts.sums {
		if _, there := set.sums[path]; !there {
			return configError("%s: is gone", path) // which no index would tell the next run
		}
	}
	return nil
}

// readRules reads the files of rules.
func (s *Session) readRules(set *Ruleset, configs []scan.Entry) error {
	if info, err := s.Assets.Stat(scan.ConfigName); err == nil && info.IsDir() {
		return configError("%s: a folder, want a file of rules", filepath.Join(s.Place.Dir, scan.ConfigName))
	}
	if s.Place.Config != "" {
		data, err := s.config, error(nil)
		if data == nil { // else the index would vouch for rules that were not followed
			data, err = readConfig(s.Place.Config)
		}
		if err != nil {
			return configError("%s: %w", pathname.Show(s.Place.Config), err)
		}
		set.files = append(set.files, rules.File{Name: s.Place.Config, Data: data})
	}
	for _, c := range configs {
		dir := path.Dir(c.Path)
		if dir == "." {
			dir = ""
		}
		data, busy, err := s.readAsset(c.Path)
		name := filepath.Join(s.Place.Dir, filepath.FromSlash(c.Path))
		if err != nil {
			return configError("%s: %w", pathname.Show(name), err)
		}
		set.sums[c.Path], set.busy[c.Path] = s.Checksum.Sum128(data), busy
		if dir == "" && s.Place.Config != "" {
			set.unread = c.Path
			continue
		}
		set.files = append(set.files, rules.File{Name: name, Dir: dir, Data: data})
	}
	return nil
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
	return s.readWhole(p, rules.MaxFile)
}

// readWhole is readAsset for files of at most so many bytes, and one more of longer ones.
func (s *Session) readWhole(p string, most int64) (data []byte, busy bool, err error) {
	f, err := s.Assets.OpenFile(p)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	busy = lease.File(f) == lease.Busy
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	return data, busy, err
}
