// Package bundle holds the recipes that combine the artifacts of many assets in one file:
//
//	list  text that a template generates from the artifacts, such as a header of IDs
//	pak   the artifacts themselves, in one file of package pak
//
// docs/recipes lists the options of each recipe.
package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/pak"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// All returns the recipes, sorted by name.
func All() []recipe.Recipe {
	return []recipe.Recipe{
		{
			Name: "list", Version: 1, Bundles: true,
			New:    func() recipe.Cooker { return &listOptions{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*listOptions).estimateMemory} },
		},
		{
			Name: "pak", Version: 2, Bundles: true, Extensions: []string{".paklist"}, Recognizes: isPakList,
			New:    func() recipe.Cooker { return &pakOptions{Level: 3} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*pakOptions).estimateMemory} },
		},
	}
}

// pakOptions are the options of the recipe "pak", which puts artifacts into one file. Each artifact
// has its path relative to the directory of the target.
//
// The source selects the artifacts. Each line is a pattern, as in rules. A line that begins with
// "!" excludes artifacts of earlier lines. Empty lines and lines that begin with "#" are ignored.
type pakOptions struct {
	Level int `toml:"level" min:"-1" max:"19" doc:"zstd compression level; -1 stores files without compression, 0 means level 3"`
}

// isPakList reports whether a file that begins with head is a list of artifacts.
func isPakList(head []byte) bool {
	return plaintext.IsList(head, func(line string) bool { return strings.ContainsAny(line, "./!") })
}

// Outputs implements recipe.Cooker.
func (*pakOptions) Outputs() []string { return []string{"{dir}/{stem}.pak"} }

// maxPatterns limits the size of a source, in bytes.
const maxPatterns = 1 << 20

// memberMemory limits the total size of members that are compressed at once. A single larger member
// may exceed it.
const memberMemory = 64 << 20

// estimateMemory implements Traits.Estimate. Half of the result is for encoders, and half for
// members and their compressed data.
func (*pakOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxPatterns {
		return 0, fmt.Errorf("the file has %d bytes of patterns; the limit is %d; use fewer, more general patterns", size, maxPatterns)
	}
	return 4 * memberMemory, nil
}

// Cook implements recipe.Cooker.
func (p *pakOptions) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	patterns, err := parsePatterns(text)
	if err != nil {
		return err
	}
	assets, err := job.Artifacts(patterns...)
	if err != nil {
		return err
	}
	var files []pak.File
	for _, a := range assets {
		for _, o := range a.Outputs {
			files = append(files, pak.File{
				Name: o.Path, Size: o.Size, Digest: o.BLAKE3,
				Read: func() ([]byte, error) { return job.ReadArtifact(o.Path) },
			})
		}
	}
	if len(files) == 0 {
		job.Warn("the pak is empty: no artifact matches its patterns")
	}
	defer job.Step("pack")()
	opt := pak.Options{Level: p.Level, Workers: min(runtime.GOMAXPROCS(0), 16), Memory: memberMemory}
	if f := job.Previous(0); f != nil {
		// Copy unchanged members from the old pak.
		if opt.Reuse, err = pak.New(f); err == nil {
			defer opt.Reuse.Close()
		}
	}
	_, err = pak.Create(ctx, job.OutputFile(0), files, opt)
	return err
}

// parsePatterns parses the patterns of a source, one per line.
func parsePatterns(source []byte) (patterns []string, err error) {
	lines, err := plaintext.List(source)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		patterns = append(patterns, line)
	}
	if len(patterns) == 0 {
		return nil, errors.New("the file has no pattern; write a pattern in each line, such as **, which matches all artifacts")
	}
	return patterns, nil
}

// listOptions are the options of the recipe "list", which makes a text from artifacts. The recipe
// has no options. The source is a template of package text/template with these functions:
//
//	artifacts "ui/**" "!*.old"   returns the assets whose artifacts match the patterns. Each has
//	                             .Source and .Outputs; each output has .Path, .Size and .BLAKE3.
//	                             If assets have IDs, .ID is the asset's ID, which survives renames
//	id "crc32" .Path             returns the checksum of a text as a number; hashsum must support
//	                             the checksum, of 32 or 64 bits; a collision is an error
//	ident .Path                  converts a text to an identifier: letters and digits stay, all
//	                             other characters become "_"
//
// The functions upper, lower, base, dir, ext, trim "prefix" and json do what their names say.
type listOptions struct{}

// Outputs implements recipe.Cooker.
func (*listOptions) Outputs() []string { return []string{"{dir}/{stem}"} }

// Size limits of templates, in bytes.
const (
	maxTemplate = 16 << 20
	maxList     = 256 << 20
)

// estimateMemory implements Traits.Estimate.
func (*listOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxTemplate {
		return 0, fmt.Errorf("the template has %d bytes; the limit is %d", size, maxTemplate)
	}
	return 64<<20 + 20*size, nil
}

// Cook implements recipe.Cooker.
func (*listOptions) Cook(ctx context.Context, job *recipe.Job) error {
	source, err := job.Source()
	if err != nil {
		return err
	}
	if err := plaintext.CheckUTF8(source); err != nil {
		return err
	}
	text := strings.TrimPrefix(string(source), plaintext.ByteOrderMark)
	r := &renderer{ctx: ctx, job: job, ids: map[[2]string]string{}}
	t, err := template.New("template").Funcs(r.functions()).Parse(text)
	if err != nil {
		return placeTemplateError(err)
	}
	if err := t.Execute(r, nil); err != nil {
		if r.denied != nil {
			return r.denied
		}
		return placeTemplateError(err)
	}
	return job.Write(0, r.text.Bytes())
}

// placeTemplateError converts an error of package template, "template: template:2:5: text". The new
// error begins with the line and, if known, the column.
func placeTemplateError(err error) error {
	text := strings.TrimPrefix(err.Error(), "template: template:")
	line, rest, _ := strings.Cut(text, ":")
	if _, err := strconv.Atoi(line); err != nil {
		return errors.New(text)
	}
	if column, _, _ := strings.Cut(rest, ":"); column != "" && column[0] != ' ' {
		return errors.New(text)
	}
	return errors.New(line + ":1:" + rest)
}

// A renderer holds the state of a template during its execution.
type renderer struct {
	ctx    context.Context
	job    *recipe.Job
	ids    map[[2]string]string // maps the name and the value of a checksum to the text
	text   bytes.Buffer
	denied error // error of a query that recipe.Job refused
}

// Write appends the output of a template, up to the limit.
func (r *renderer) Write(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.text.Len()+len(p) > maxList {
		return 0, fmt.Errorf("the output of the template exceeds %d bytes", maxList)
	}
	return r.text.Write(p)
}

func (r *renderer) functions() template.FuncMap {
	return template.FuncMap{
		"artifacts": r.matchingAssets, "id": r.checksumID, "ident": ident,
		"upper": strings.ToUpper, "lower": strings.ToLower, "base": path.Base, "dir": path.Dir, "ext": path.Ext,
		"trim": func(prefix, s string) string { return strings.TrimPrefix(s, prefix) },
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
	}
}

// An asset is a manifest.Asset whose artifacts match the patterns.
type asset struct {
	manifest.Asset
	ids func() (map[string]string, error)
}

// ID returns the ID of the asset. Only a template that calls ID depends on the ID.
func (a asset) ID() (string, error) {
	ids, err := a.ids()
	return ids[a.Source], err
}

func (r *renderer) matchingAssets(patterns ...string) (assets []asset, err error) {
	list, err := r.job.Artifacts(patterns...)
	if err != nil {
		r.denied = err
		return nil, err
	}
	ids := sync.OnceValues(func() (map[string]string, error) {
		ids, err := r.job.IDs(patterns...)
		if err != nil {
			r.denied = err
		}
		return ids, err
	})
	for _, a := range list {
		assets = append(assets, asset{a, ids})
	}
	return assets, nil
}

// checksumID returns the checksum of a text as a number.
func (r *renderer) checksumID(sum, text string) (string, error) {
	f, ok := hashing.Lookup(sum)
	if !ok || f.Check == "" || f.Size > 8 {
		return "", fmt.Errorf("id: %q is not a checksum of 32 or 64 bits; hashsum -h lists them", sum)
	}
	number := "0x" + f.Sum([]byte(text)).String()
	key := [2]string{sum, number}
	if other, taken := r.ids[key]; taken && other != text {
		return "", fmt.Errorf("id: %q and %q have the same %s, %s; choose a longer checksum", other, text, sum, number)
	}
	r.ids[key] = text
	return number, nil
}

// ident returns a text converted to an identifier of C and similar languages.
func ident(text string) string {
	name := strings.Map(func(c rune) rune {
		if c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return c
		}
		return '_'
	}, text)
	if name == "" || unicode.IsDigit(rune(name[0])) {
		return "_" + name
	}
	return name
}
