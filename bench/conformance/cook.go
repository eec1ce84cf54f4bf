package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
)

// cook cooks one file of a tree with a recipe and options, and returns its output.
func cook(ctx context.Context, r recipe.Recipe, options map[string]any, tree fs.FS, name string) ([]byte, error) {
	c := r.New()
	for key, value := range options {
		if err := recipe.SetOption(c, key, value); err != nil {
			panic(err) // ours to mend: no file leads here
		}
	}
	info, err := fs.Stat(tree, name)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out")
	job := recipe.NewJob(recipe.Env{
		Recipe: r, Path: name, Outputs: []string{out},
		Open:    tree.Open,
		Stat:    func(p string) (fs.FileInfo, error) { return fs.Stat(tree, p) },
		Create:  func(int) (*os.File, error) { return os.Create(out) },
		Scratch: func() (string, error) { return os.MkdirTemp(dir, "scratch") },
	}, info.Size())
	if err := c.Cook(ctx, job); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// files lists the files below a folder that have one of the extensions, by their
// slash-separated names inside root, in order. A folder that does not exist has none.
func files(root, below string, extensions ...string) ([]string, error) {
	tree := os.DirFS(root)
	if _, err := fs.Stat(tree, below); err != nil {
		return nil, nil
	}
	var list []string
	err := fs.WalkDir(tree, below, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && slices.Contains(extensions, recipe.Ext(name)) {
			list = append(list, name)
		}
		return err
	})
	return list, err
}
