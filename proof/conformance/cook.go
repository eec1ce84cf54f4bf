package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// cookVector cooks one file of a tree with a recipe and options. It returns the output and the recipe's
// warnings.
func cookVector(ctx context.Context, r recipe.Recipe, options map[string]any, tree fs.FS, name string) (out []byte, warnings []string, err error) {
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

// A reading is the result of a reference program for a file.
type reading struct {
	out       []byte
	complaint string
	err       error
	missing   error // error if the program is not installed
}

// chatter matches messages that are not about the samples.
var chatter = regexp.MustCompile(`(?i)Discarding ID3 tags|unknown field with tag|incompatible type for "richtiffiptc"|Guessed Channel Layout|Estimating duration from bitrate`)

// addresses matches the memory addresses in messages of ffmpeg, which change from run to run.
var addresses = regexp.MustCompile(`@ 0x[0-9a-f]+`)

// runProgram runs a reference program, which writes to standard output. FILE in an argument is
// replaced by the file name.
func runProgram(ctx context.Context, program []string, file string) reading {
	path, err := exec.LookPath(program[0])
	if err != nil {
		return reading{missing: fmt.Errorf("the reference program is not installed: %w", err)}
	}
	args := slices.Clone(program[1:])
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "FILE", file)
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	r := reading{err: cmd.Run()}
	r.out = out.Bytes()
	for line := range strings.Lines(complaints.String()) {
		if strings.TrimSpace(line) != "" && !chatter.MatchString(line) {
			r.complaint += strings.ReplaceAll(addresses.ReplaceAllString(line, ""), file, "file")
		}
	}
	return r
}

// complaintWith returns one line with the messages and the error of a reading, and the given error
// about its output. It returns "" if there are none.
func (r reading) complaintWith(err error) string {
	err = errors.Join(r.err, err)
	if err == nil {
		return oneLine(r.complaint)
	}
	return oneLine(fmt.Sprint(r.complaint, " ", err))
}
