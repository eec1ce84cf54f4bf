package export

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// ErrNoTarget is the cause of an error about a manifest without outputs of the target.
var ErrNoTarget = errors.New("cook for the target first")

// A Listing is the content of an export of one target.
type Listing struct {
	Artifacts map[string]bool // paths relative to the directory of the target
	Lists     []manifest.File // files of the manifest, the root last
}

// ListTarget returns the files that an export of one target would have, without a copy; "" is the
// unnamed target.
func ListTarget(out, target string) (Listing, error) {
	from, err := confine.Open(out)
	if err != nil {
		return Listing{}, err
	}
	defer from.Close()
	assets, lists, err := readManifest(inDir(from))
	if err != nil {
		return Listing{}, err
	}
	if target != "" || len(assets) > 0 {
		if assets, err = narrowAssets(from.Name(), target, assets); err != nil {
			return Listing{}, err
		}
	}
	s := &Source{}
	if err := s.listAssets(assets, layoutOf(lists)); err != nil {
		return Listing{}, err
	}
	artifacts := make(map[string]bool, len(s.files))
	for _, a := range assets {
		for _, o := range a.Outputs {
			artifacts[o.Path] = true
		}
	}
	return Listing{artifacts, s.lists}, nil
}

// narrowAssets returns the assets of one target, with paths relative to the directory of the
// target. It changes the paths in the given assets. out is the output directory, for errors.
func narrowAssets(out, target string, assets []manifest.Asset) ([]manifest.Asset, error) {
	targets := targetsOf(assets)
	if !slices.Contains(targets, target) {
		have := "the directory has no outputs of named targets"
		if named := slices.DeleteFunc(targets, func(t string) bool { return t == "" }); len(named) > 0 {
			have = "the directory has the outputs of " + strings.Join(named, ", ")
		}
		return nil, fmt.Errorf("%s has no outputs of %s: %s; %w", pathname.Show(out), describeTarget(target), have, ErrNoTarget)
	}
	assets = slices.DeleteFunc(assets, func(a manifest.Asset) bool { return a.Target != target })
	for i := range assets {
		for k := range assets[i].Outputs {
			o := &assets[i].Outputs[k]
			below, ok := BelowTarget(target, o.Path)
			if !ok {
				return nil, fmt.Errorf("%s lists %s outside of the directory of the target %s; cook the assets again", manifest.Name, pathname.Show(o.Path), pathname.Show(target))
			}
			o.Path = below
		}
	}
	return assets, nil
}

// describeTarget returns the name of a target for messages.
func describeTarget(target string) string {
	if target == "" {
		return "the unnamed target"
	}
	return fmt.Sprintf("the target %q", target)
}

// BelowTarget returns the path of an artifact relative to the directory of its target. path is
// relative to the output directory.
func BelowTarget(target, path string) (below string, ok bool) {
	if target == "" {
		return path, true
	}
	return strings.CutPrefix(path, target+"/")
}

// layoutOf returns the layout of a manifest's own files.
func layoutOf(lists []manifest.File) manifest.Layout {
	if len(lists) > 1 {
		return manifest.Parts
	}
	return manifest.Single
}

// targetsOf returns the targets of assets, sorted.
func targetsOf(assets []manifest.Asset) []string {
	seen := map[string]bool{}
	for _, a := range assets {
		seen[a.Target] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
