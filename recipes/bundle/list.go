package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// List makes text of artifacts. The source is a template of package text/template with these
// functions:
//
//	artifacts "ui/**" "!*.old"   returns the assets whose artifacts match the patterns, each with
//	                             .Source and .Outputs, and outputs with .Path, .Size and .BLAKE3;
//	                             .ID is the asset's ID, which renames keep, if assets have IDs
//	id "crc32" .Path             returns a number for a text, by a checksum of 32 or 64 bits that
//	                             hashsum supports; equal numbers of two texts are an error
//	ident .Path                  returns a text as an identifier: all but letters and digits is "_"
//	upper, lower, base, dir, ext, trim "prefix" and json    do what their names say
type List struct{}

// Outputs implements recipe.Cooker.
func (*List) Outputs() []string { return []string{"{dir}/{stem}"} }

// Limits of templates, in bytes.
const (
	maxTemplate = 16 << 20
	maxList     = 256 << 20
)

// estimateMemory implements Traits.Estimate.
func (*List) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxTemplate {
		return 0, fmt.Errorf("a template of %d bytes: at most %d are taken", size, maxTemplate)
	}
	return 64<<20 + 20*size, nil
}

// Cook implements recipe.Cooker.
func (*List) Cook(ctx context.Context, job *recipe.Job) error {
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
		return placed(err)
	}
	if err := t.Execute(r, nil); err != nil {
		if r.denied != nil {
			return r.denied
		}
		return placed(err)
	}
	return job.Write(0, r.text.Bytes())
}

// placed converts an error of a template, "template: template:2:5: text" or without a column, to
// one that begins with line and column.
func placed(err error) error {
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

// A renderer is the state of a template that is being executed.
type renderer struct {
	ctx    context.Context
	job    *recipe.Job
	ids    map[[2]string]string // texts by checksum and number
	text   bytes.Buffer
	denied error // refused by the job
}

// Write appends the output of a template, up to the limit.
func (r *renderer) Write(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.text.Len()+len(p) > maxList {
		return 0, fmt.Errorf("the text exceeds %d bytes", maxList)
	}
	return r.text.Write(p)
}

func (r *renderer) functions() template.FuncMap {
	return template.FuncMap{
		"artifacts": r.artifacts, "id": r.id, "ident": ident,
		"upper": strings.ToUpper, "lower": strings.ToLower, "base": path.Base, "dir": path.Dir, "ext": path.Ext,
		"trim": func(prefix, s string) string { return strings.TrimPrefix(s, prefix) },
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
	}
}

// An asset is an asset that the patterns choose.
type asset struct {
	manifest.Asset
	ids func() (map[string]string, error)
}

// ID returns the ID of the asset. A template that does not use it does not depend on it.
func (a asset) ID() (string, error) {
	ids, err := a.ids()
	return ids[a.Source], err
}

func (r *renderer) artifacts(patterns ...string) (assets []asset, err error) {
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

// id returns a number for a text.
func (r *renderer) id(sum, text string) (string, error) {
	f, ok := hashing.Lookup(sum)
	if !ok || f.Check == "" || f.Size > 8 {
		return "", fmt.Errorf("id: %q is not a checksum of 32 or 64 bits; hashsum -h lists them", sum)
	}
	number := "0x" + f.Sum([]byte(text)).String()
	key := [2]string{sum, number}
	if other, taken := r.ids[key]; taken && other != text {
		return "", fmt.Errorf("id: %q and %q both have the %s %s; choose a longer checksum", other, text, sum, number)
	}
	r.ids[key] = text
	return number, nil
}

// ident returns a text as an identifier of C and similar languages.
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
