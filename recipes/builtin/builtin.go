// Package builtin holds the small recipes that every cook knows:
//
//	copy     the file as it is
//	zstd     the file as a Zstandard frame
//	json     JSON, checked and without white space
//	gltf     a glTF 2.0 document, checked and as it is
//	command  whatever an external program makes of the file
//
// Each recipe's options are the fields of the struct of the same name.
package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jsontext"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// All returns the built-in recipes, sorted by name.
func All() []recipe.Recipe {
	return []recipe.Recipe{
		{
			Name: "command", Version: 3, UsesPath: true,
			New: func() recipe.Cooker { return &Command{Timeout: defaultTimeout, Deps: "declared", Sandbox: true} },
			Traits: func(options recipe.Cooker) recipe.Traits {
				c := options.(*Command)
				return recipe.Traits{
					Check: c.checkOptions, Explain: c.explainResult, Declare: c.declareReads,
					Tools: c.programFiles(), Local: c.staysHere(), Confined: c.isConfined,
				}
			},
		},
		{
			Name: "copy", Version: 1, Cheap: true,
			New:    func() recipe.Cooker { return &Copy{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*Copy).estimateMemory} },
		},
		{
			Name: "gltf", Version: 4, Cheap: true,
			New:    func() recipe.Cooker { return &GLTF{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*GLTF).estimateMemory} },
		},
		{
			Name: "json", Version: 1, Cheap: true, Extensions: []string{".json", ".jsonc"},
			New:    func() recipe.Cooker { return &JSON{Minify: true} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*JSON).estimateMemory} },
		},
		{
			Name: "zstd", Version: 1,
			New:    func() recipe.Cooker { return &Zstd{Level: 3} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*Zstd).estimateMemory} },
		},
	}
}

// Copy writes the source's bytes unchanged.
type Copy struct {
	PrivateKeys bool `toml:"private_keys" doc:"take a source that begins with a private key, which is refused otherwise"`
}

// copyStep is the number of bytes copied between two checks of the context. It
// is large because the kernel may copy or even share such a range by itself.
const copyStep = 16 << 20

// Outputs implements recipe.Cooker.
func (*Copy) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate: a buffer, whatever the size.
func (*Copy) estimateMemory([]byte, int64) (int64, error) { return 64 << 10, nil }

// Cook implements recipe.Cooker.
func (c *Copy) Cook(ctx context.Context, job *recipe.Job) error {
	src, err := job.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := refusePrivateKey(src, c.PrivateKeys); err != nil {
		return err
	}
	dst, err := job.Create(0)
	if err != nil {
		return err
	}
	// Copy no more than the known size: a source that has grown is cooked again.
	for left := job.Size(); left > 0 && err == nil; left -= copyStep {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(dst, src, min(left, copyStep))
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, dst.Close())
}

// refusePrivateKey returns an error if a file begins with a private key and letPass is false. It
// does not move the read position of the file.
func refusePrivateKey(src fs.File, letPass bool) error {
	at, ok := src.(io.ReaderAt)
	if letPass || !ok {
		return nil
	}
	var head [plaintext.PrivateKeyHead]byte
	n, err := at.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	return plaintext.RefusePrivateKey(head[:n])
}

// JSON checks that the source is one JSON value (RFC 8259) in UTF-8 without duplicate keys, and drops
// the white space. Numbers, strings and the order of keys stay unchanged.
//
// A source that is called .jsonc may have comments and commas before a bracket, which are
// dropped. A byte order mark at the start is accepted. Nesting is limited to the 10,000
// levels of encoding/json.
type JSON struct {
	Minify bool `toml:"minify" doc:"drop white space and byte order mark; false copies the file as it is once it is checked"`
}

// Outputs implements recipe.Cooker.
func (*JSON) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate.
func (*JSON) estimateMemory(_ []byte, size int64) (int64, error) {
	// The text, again without comments, its compact form, three times the text to check it in pieces, and at
	// worst (a key every five bytes, the list of keys being copied as it grows) 3.6
	// times the text.
	return 64<<10 + 10*size, nil
}

// Cook implements recipe.Cooker.
func (j *JSON) Cook(ctx context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	text := bytes.TrimPrefix(data, []byte(plaintext.ByteOrderMark))
	if job.Ext() == ".jsonc" {
		if text, err = jsontext.WithoutComments(ctx, text); err != nil {
			return err
		}
	}
	if err := jsontext.CheckContext(ctx, text); err != nil {
		if ctx.Err() == nil && jsontext.OnlyComments(ctx, text) {
			err = fmt.Errorf(`%w; comments and commas before a bracket are read if the file is called .jsonc, or with recipe = "data", input = "jsonc"`, err)
		}
		return err
	}
	if !j.Minify {
		return job.Write(0, data)
	}
	compact, err := jsontext.Compact(ctx, text)
	if err != nil {
		return err
	}
	return job.Write(0, compact)
}

// GLTF checks a glTF 2.0 document (.gltf, the JSON form) and copies it as it
// is. It has no options.
//
// Package gltf documents the checks.
//
// Files of buffers are dependencies. Of files of images only the existence is one: an edit of a
// texture does not cook every model that shows it.
type GLTF struct{}

// Outputs implements recipe.Cooker.
func (*GLTF) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate. Buffers in files of their own are not
// read, only measured.
func (*GLTF) estimateMemory(_ []byte, size int64) (int64, error) {
	return gltf.Memory(size), nil
}

// Cook implements recipe.Cooker.
func (*GLTF) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	doc, err := gltf.Parse(text)
	if err != nil {
		return err
	}
	if err := doc.Check(ctx, gltf.NoChunk, gltf.SizeIn(job)); err != nil {
		return err
	}
	if len(doc.Mended) > 0 {
		return fmt.Errorf("%v; the recipe \"mesh\" can put that right", doc.Mended[0])
	}
	for i := range doc.Buffers {
		if b := &doc.Buffers[i]; b.URI == nil && !b.Extensions {
			job.Warn("buffer %d has no uri: what loads the model has to bring its %d bytes", i, b.ByteLength)
			break
		}
	}
	if err := doc.WarnOfImages(job); err != nil {
		return err
	}
	return job.Write(0, text)
}
