package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// cook cooks one file of a tree with a recipe and options. It returns the output and the recipe's
// warnings.
func cook(ctx context.Context, r recipe.Recipe, options map[string]any, tree fs.FS, name string) (out []byte, warnings []string, err error) {
	c := r.New()
	for key, value := range options {
		if err := recipeset.SetOption(c, key, value); err != nil {
			panic(err) // a bug in this program; no test file can cause it
		}
	}
	info, err := fs.Stat(tree, name)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "out")
	job := jobs.New(r, jobs.Env{
		Path: name, Outputs: []string{file},
		Open:    tree.Open,
		Stat:    func(p string) (fs.FileInfo, error) { return fs.Stat(tree, p) },
		Extract: func(recipe.Dependency) ([]recipe.Said, bool, error) { return nil, false, nil },
		Create:  func(int) (*os.File, error) { return os.Create(file) },
		Scratch: func() (string, error) { return os.MkdirTemp(dir, "scratch") },
	}, info.Size())
	if err := c.Cook(ctx, job); err != nil {
		return nil, jobs.Warnings(job), err
	}
	out, err = os.ReadFile(file)
	return out, jobs.Warnings(job), err
}

// files lists the files below a directory that have one of the extensions: slash-separated names
// relative to root, sorted. It returns nothing if the directory does not exist.
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
