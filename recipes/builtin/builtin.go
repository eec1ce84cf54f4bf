// Package builtin holds the small recipes that are always available:
//
//	copy     the unchanged file
//	zstd     the file as a Zstandard frame
//	json     the JSON, checked and without white space
//	gltf     a glTF 2.0 document, checked and unchanged
//	command  the output of an external program
//
// docs/recipes lists the options of each recipe.
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
			New: func() recipe.Cooker { return &commandOptions{Timeout: defaultTimeout, Deps: "declared", Sandbox: true} },
			Traits: func(options recipe.Cooker) recipe.Traits {
				c := options.(*commandOptions)
				traits := recipe.Traits{
					Check: c.checkOptions, Explain: c.explainResult, Declare: c.declareReads,
					Tools: c.programFiles(), Local: c.staysHere(), Confined: c.isConfined,
				}
				if len(c.Version) > 0 {
					traits.Version, traits.VersionCommand = c.askVersion, c.Version
				}
				return traits
			},
		},
		{
			Name: "copy", Version: 1, Cheap: true,
			New:    func() recipe.Cooker { return &copyOptions{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*copyOptions).estimateMemory} },
		},
		{
			Name: "gltf", Version: 4, Cheap: true,
			New:    func() recipe.Cooker { return &gltfOptions{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*gltfOptions).estimateMemory} },
		},
		{
			Name: "json", Version: 1, Cheap: true, Extensions: []string{".json", ".jsonc"},
			New:    func() recipe.Cooker { return &jsonOptions{Minify: true} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*jsonOptions).estimateMemory} },
		},
		{
			Name: "zstd", Version: 1,
			New:    func() recipe.Cooker { return &zstdOptions{Level: 3} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*zstdOptions).estimateMemory} },
		},
	}
}

// copyOptions are the options of the recipe "copy", which writes the bytes of the source unchanged.
type copyOptions struct {
	PrivateKeys bool `toml:"private_keys" doc:"accept a source that begins with a private key; otherwise such a source is an error"`
}

// copyStep is the number of bytes copied between two checks of the context. It is large because
// the kernel may copy such a range itself, or even share its blocks.
const copyStep = 16 << 20

// smallCopy is the largest size of a source that is copied in memory. A larger source is copied by
// the file system, which may share the blocks.
const smallCopy = 64<<10 - 1

// Outputs implements recipe.Cooker.
func (*copyOptions) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate. The buffers have the same size for all sources.
func (*copyOptions) estimateMemory([]byte, int64) (int64, error) { return 2 * (smallCopy + 1), nil }

// Cook implements recipe.Cooker.
func (c *copyOptions) Cook(ctx context.Context, job *recipe.Job) error {
	src, err := job.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	if job.Size() <= smallCopy {
		data := make([]byte, job.Size())
		n, err := io.ReadFull(src, data)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if !c.PrivateKeys {
			if err := plaintext.RefusePrivateKey(data[:n]); err != nil {
				return err
			}
		}
		return job.Write(0, data[:n])
	}
	if err := refusePrivateKey(src, c.PrivateKeys); err != nil {
		return err
	}
	dst, err := job.Create(0)
	if err != nil {
		return err
	}
	// Copy at most the known size. If the source has grown, it is cooked again.
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
// keeps the file's read position.
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

// jsonOptions are the options of the recipe "json", which drops the white space. It checks that the
// source is one JSON value (RFC 8259) in UTF-8 without duplicate keys. Numbers, strings and the
// order of keys stay unchanged.
//
// A source with the extension .jsonc may have comments and trailing commas, which are dropped. A
// byte order mark at the start is accepted. Nesting is limited to the 10,000 levels of
// encoding/json.
type jsonOptions struct {
	Minify bool `toml:"minify" doc:"remove white space and the byte order mark; if false, check the file and copy it unchanged"`
}

// Outputs implements recipe.Cooker.
func (*jsonOptions) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate.
func (*jsonOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	// The sum of these sizes: the text twice; its compact form; three times the text to check it in
	// pieces; at most 3.6 times the text for the list of keys. The list has one key per five bytes,
	// and is copied when it grows.
	return 64<<10 + 10*size, nil
}

// Cook implements recipe.Cooker.
func (j *jsonOptions) Cook(ctx context.Context, job *recipe.Job) error {
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
			err = fmt.Errorf(`%w; to allow comments and commas before a bracket, rename the file to .jsonc, or set recipe = "data", input = "jsonc"`, err)
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

// gltfOptions are the options of the recipe "gltf", which checks a glTF 2.0 document (.gltf, the
// JSON form) and copies it unchanged. The recipe has no options.
//
// Package gltf documents the checks.
//
// Buffer files are dependencies. For an image file, only its existence is a dependency, so that
// editing a texture does not cook the models that use it.
type gltfOptions struct{}

// Outputs implements recipe.Cooker.
func (*gltfOptions) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate. The contents of external buffers are not read, only
// their sizes.
func (*gltfOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	return gltf.Memory(size), nil
}

// Cook implements recipe.Cooker.
func (*gltfOptions) Cook(ctx context.Context, job *recipe.Job) error {
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
		return fmt.Errorf("%v; the recipe \"mesh\" repairs this", doc.Mended[0])
	}
	for i := range doc.Buffers {
		if b := &doc.Buffers[i]; b.URI == nil && !b.Extensions {
			job.Warn("buffer %d has no uri; the program that loads the model must provide its %d bytes", i, b.ByteLength)
			break
		}
	}
	if err := doc.WarnOfImages(job); err != nil {
		return err
	}
	return job.Write(0, text)
}
