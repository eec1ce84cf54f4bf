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

// List makes text of artifacts: the source is a template of package text/template, in which
//
//	artifacts "ui/**" "!*.old"   are the assets whose artifacts the patterns choose, each with
//	                             .Source and .Outputs, and these with .Path, .Size and .BLAKE3;
//	                             .ID is what the asset keeps through renames, if assets have IDs
//	id "crc32" .Path             is a number for a text by one of the 32 or 64 bit sums that
//	                             hashsum knows; that two texts have the same one is an error
//	ident .Path                  is a text as an identifier: all but letters and digits is "_"
//	upper, lower, base, dir, ext, trim "prefix" and json    do what their names say
type List struct{}

// Outputs implements recipe.Cooker.
func (*List) Outputs() []string { return []string{"{dir}/{stem}"} }

// Bounds of templates, in bytes.
const (
	maxTemplate = 16 << 20
	maxList     = 256 << 20
)

// Estimate implements recipe.Estimator.
func (*List) Estimate(_ []byte, size int64) (int64, error) {
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

// placed turns an error of a template, "template: template:2:5: text" or without a column, into
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

// A renderer is what a template works with.
type renderer struct {
	ctx    context.Context
	job    *recipe.Job
	ids    map[[2]string]string // the text of each sum and number
	text   bytes.Buffer
	denied error // by the job
}

// Write keeps what a template prints, within bounds.
func (r *renderer) Write(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.text.Len()+len(p) > maxList {
		return 0, fmt.Errorf("the text is longer than %d bytes", maxList)
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

// An asset is one that patterns choose.
type asset struct {
	manifest.Asset
	ids func() (map[string]string, error)
}

// ID returns the ID of the asset. A template that does not ask for it does not depend on it.
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
		return "", fmt.Errorf("id: %q is none of the sums of 32 or 64 bits that hashsum -h lists", sum)
	}
	number := "0x" + f.Sum([]byte(text)).String()
	key := [2]string{sum, number}
	if other, taken := r.ids[key]; taken && other != text {
		return "", fmt.Errorf("id: %q and %q both have the %s %s; take a longer sum", other, text, sum, number)
	}
	r.ids[key] = text
	return number, nil
}

// ident returns a text as an identifier of C and languages like it.
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
