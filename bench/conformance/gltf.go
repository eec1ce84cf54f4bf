package main

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/mesh"
)

// gltfReport is the official validator's report beside each test file.
type gltfReport struct {
	Issues struct {
		NumErrors int
		Messages  []struct {
			Code     string
			Severity int // 0 is an error
		}
	}
}

// gltfSuite: what the validator reports an error of must be refused. The checker of
// the recipe gltf takes .gltf only; the recipe mesh takes both.
func gltfSuite(dir string) ([]trial, error) {
	names, err := files(dir, "test", ".gltf", ".glb")
	var list []trial
	for _, r := range []recipe.Recipe{builtinRecipe("gltf"), mesh.Recipe()} {
		for _, name := range names {
			if r.Name == "gltf" && path.Ext(name) == ".glb" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name+".report.json"))
			if os.IsNotExist(err) {
				continue // an asset that others refer to
			}
			if err != nil {
				return nil, err
			}
			var report gltfReport
			if err := json.Unmarshal(text, &report); err != nil {
				return nil, err
			}
			list = append(list, trial{row: "recipe " + r.Name, file: name, run: func(ctx context.Context) (outcome, error) {
				var o outcome
				if report.Issues.NumErrors > 0 {
					o.expect, o.invalid = mustRefuse, report.codes()
				}
				_, o.refusal = cook(ctx, r, nil, os.DirFS(filepath.Join(dir, path.Dir(name))), path.Base(name))
				return o, nil
			}})
		}
	}
	return list, err
}

// codes lists the kinds of errors in a report.
func (r gltfReport) codes() string {
	var list []string
	for _, m := range r.Issues.Messages {
		if m.Severity == 0 {
			list = append(list, m.Code)
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}
