package cook

import (
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/rules"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// readRules compiles the configuration files that the scan found.
func (k *kitchen) readRules() error {
	var files []rules.File
	add := func(name, dir string, data []byte, err error) error {
		if err != nil {
			return configError("%s: %w", pathname.Show(name), err)
		}
		files = append(files, rules.File{Name: name, Dir: dir, Data: data})
		return nil
	}
	if info, err := k.assets.Stat(scan.ConfigName); err == nil && info.IsDir() {
		return configError("%s: a folder, want a file of rules", filepath.Join(k.Dir, scan.ConfigName))
	}
	if k.Config != "" {
		data, err := k.config, error(nil)
		if data == nil { // else the index would vouch for rules that were not followed
			data, err = readRegular(k.Config)
		}
		if err := add(k.Config, "", data, err); err != nil {
			return err
		}
	}
	for _, c := range k.tree.Configs {
		dir := path.Dir(c.Path)
		if dir == "." {
			if dir = ""; k.Config != "" {
				continue
			}
		}
		data, busy, err := k.readAsset(c.Path)
		k.rulesSums[c.Path] = k.checksum.Sum128(data)
		k.rulesBusy[c.Path] = busy
		name := filepath.Join(k.Dir, filepath.FromSlash(c.Path))
		if err := add(name, dir, data, err); err != nil {
			return err
		}
	}
	var err error
	if k.rules, err = rules.Compile(files, k.recipes); err != nil {
		return &ConfigError{err}
	}
	for _, t := range k.Targets {
		if t != "" && !k.rules.HasTarget(t) {
			return configError("unknown target %q; cook.toml has %s", t, list(k.rules.Targets()))
		}
	}
	return nil
}

// readRegular reads a file of rules from outside the asset folder. What is no
// regular file could make us wait, or never end.
func readRegular(name string) ([]byte, error) {
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
func (k *kitchen) readAsset(p string) (data []byte, busy bool, err error) {
	f, err := k.assets.OpenFile(p)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	busy = lease.File(f) == lease.Busy
	data, err = io.ReadAll(io.LimitReader(f, rules.MaxFile+1))
	return data, busy, err
}
