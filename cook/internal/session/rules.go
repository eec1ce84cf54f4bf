package session

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A Ruleset holds the compiled rules of a tree and the texts of their files.
type Ruleset struct {
	Set   *rules.Set
	Texts RuleTexts
	// Unread is the cook.toml of the asset directory if Place.Config replaces it, else "".
	Unread string
	busy   map[string]bool // rule files that were open for writing
}

// RuleTexts holds the rule files of a tree at one point in time.
type RuleTexts struct {
	files       []rules.File
	sums        map[string]hashing.Sum128 // checksums of the tree's files by path
	fingerprint hashing.Digest            // fingerprint of the session that read the rules
}

// Sum returns the checksum of a rule file of the tree.
func (t *RuleTexts) Sum(path string) (hashing.Sum128, bool) {
	sum, ok := t.sums[path]
	return sum, ok
}

// Differ reports whether any rule file has a checksum that differs from its known checksum, or has
// no known checksum.
func (t *RuleTexts) Differ(known func(path string) (hashing.Sum128, bool)) bool {
	for path, sum := range t.sums {
		if was, ok := known(path); !ok || was != sum {
			return true
		}
	}
	return false
}

// Busy reports whether a rule file was open for writing, so its stamp does not prove its text.
func (r *Ruleset) Busy(path string) bool { return r.busy[path] }

// Following returns a session that uses earlier rules instead of the current files. If a run of
// this session writes an index, the index is not valid for the current files.
func (s *Session) Following(texts *RuleTexts) *Session {
	with := *s
	with.Basis.followed, with.Basis.Fingerprint = texts, texts.fingerprint
	return &with
}

// CompileRules reads and compiles the rule files of a tree. It returns an error if they do not
// declare a target in scope.
func (s *Session) CompileRules(configs []scan.Entry) (*Ruleset, error) {
	set := &Ruleset{Texts: RuleTexts{sums: map[string]hashing.Sum128{}, fingerprint: s.Basis.Fingerprint}, busy: map[string]bool{}}
	var err error
	if s.Basis.followed != nil {
		err = set.useTexts(s.Basis.followed, configs)
	} else {
		err = set.readRuleFiles(s.Assets, s.Place, s.Basis.config, configs, s.Basis.Checksum)
	}
	if err != nil {
		return nil, err
	}
	if set.Set, err = rules.CompileFor(s.Basis.Engine, set.Texts.files, s.Basis.Recipes, s.sourcePaths); err != nil {
		return nil, &ConfigError{err}
	}
	set.Set.ReadHeads(func(path string) ([]byte, error) { return readHead(s.Assets, path) })
	declared := set.Set.Targets()
	for _, t := range s.Scope.Among(declared) {
		if !set.Set.HasTarget(t) {
			return nil, Configf("unknown target %q; cook.toml has %s", t, listInWords(declared))
		}
	}
	return set, nil
}

// CompileTexts compiles other texts of the rule files, given by their paths in the tree. Rules
// outside of the tree are the same as in CompileRules.
func (s *Session) CompileTexts(texts map[string][]byte) (*rules.Set, error) {
	var files []rules.File
	if s.Place.Config != "" {
		config := s.Basis.config
		if config == nil {
			var err error
			if config, err = readConfig(s.Place.Config); err != nil {
				return nil, Configf("%s: %w", pathname.Show(s.Place.Config), err)
			}
		}
		files = append(files, rules.File{Name: s.Place.Config, Data: config})
	}
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		if dir := folderOfRules(p); dir != "" || s.Place.Config == "" {
			files = append(files, rules.File{Name: filepath.Join(s.Place.Dir, filepath.FromSlash(p)), Dir: dir, Data: texts[p]})
		}
	}
	set, err := rules.CompileFor(s.Basis.Engine, files, s.Basis.Recipes, s.sourcePaths)
	if err != nil {
		return nil, &ConfigError{err}
	}
	set.ReadHeads(func(path string) ([]byte, error) { return readHead(s.Assets, path) })
	return set, nil
}

// folderOfRules returns the directory of a rule file, "" for the root of the tree.
func folderOfRules(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// sourcePaths yields the sources of the tree, which the message about a wrong rule needs. It yields
// none if the tree cannot be read.
func (s *Session) sourcePaths() iter.Seq[string] {
	return func(yield func(string) bool) {
		tree, err := scan.Dir(context.Background(), s.Assets.Name(), s.ScanOptions())
		if err != nil {
			return
		}
		for _, e := range tree.Entries {
			if !yield(e.Path) {
				return
			}
		}
	}
}

// useTexts replaces the contents of the current rule files by earlier texts. The next index gets
// the checksums of these texts, but no stamps, so the next run treats the current files as edited.
func (r *Ruleset) useTexts(texts *RuleTexts, configs []scan.Entry) error {
	r.Texts.files = texts.files
	for _, c := range configs {
		r.Texts.sums[c.Path], r.busy[c.Path] = texts.sums[c.Path], true
	}
	for path := range texts.sums {
		if _, there := r.Texts.sums[path]; !there {
			return Configf("%s: the file is gone; run cook again", path) // an index cannot record a missing rule file
		}
	}
	return nil
}

// readRuleFiles reads the rule files. config is the text of place.Config that the fingerprint
// covers. The file is not read again, because the rules must match the fingerprint.
func (r *Ruleset) readRuleFiles(assets *confine.Dir, place Place, config []byte, configs []scan.Entry, checksum hashing.Func) error {
	if info, err := assets.Stat(scan.ConfigName); err == nil && info.IsDir() {
		return Configf("%s is a directory; name a file of rules", filepath.Join(place.Dir, scan.ConfigName))
	}
	if place.Config != "" {
		var err error
		if config == nil {
			config, err = readConfig(place.Config)
		}
		if err != nil {
			return Configf("%s: %w", pathname.Show(place.Config), err)
		}
		r.Texts.files = append(r.Texts.files, rules.File{Name: place.Config, Data: config})
	}
	for _, c := range configs {
		dir := folderOfRules(c.Path)
		data, busy, err := ReadAsset(assets, c.Path, rules.MaxFile)
		name := filepath.Join(place.Dir, filepath.FromSlash(c.Path))
		if err != nil {
			return Configf("%s: %w", pathname.Show(name), err)
		}
		r.Texts.sums[c.Path], r.busy[c.Path] = checksum.Sum128(data), busy
		if dir == "" && place.Config != "" {
			r.Unread = c.Path
			continue
		}
		r.Texts.files = append(r.Texts.files, rules.File{Name: name, Dir: dir, Data: data})
	}
	return nil
}

// readConfig reads a rule file outside the asset directory.
func readConfig(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, rules.MaxFile+1))
}

func listInWords(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// ReadAsset reads a file of the asset directory, up to one byte more than the limit most. busy
// reports that the file is open for writing, so its stamp does not prove its content.
func ReadAsset(assets *confine.Dir, path string, most int64) (data []byte, busy bool, err error) {
	f, err := assets.OpenFile(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	busy = lease.File(f) == lease.Busy
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	return data, busy, err
}

// readHead reads the first bytes of a source.
func readHead(assets *confine.Dir, path string) ([]byte, error) {
	f, err := assets.OpenFile(path)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(f, recipe.HeadSize))
	return head, errors.Join(err, f.Close())
}
