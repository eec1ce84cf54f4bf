package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

const (
	// schemaScheme is the scheme of schema URIs; a path from the asset directory follows.
	schemaScheme = "asset"
	// mostSchemaBytes limits the total size of the schemas for one file.
	mostSchemaBytes = 1 << 20
	// mostSchemas limits their number of schemas.
	mostSchemas = 20_000
)

// schemaFiles reads schemas of the asset tree, which become dependencies.
type schemaFiles struct {
	ctx     context.Context
	job     *recipe.Job
	bytes   int64 // read so far
	schemas int   // objects and booleans read so far, an upper bound of schemas
}

// load reads the schema of a URI and also returns its path.
func (l *schemaFiles) load(uri string) (string, *value, error) {
	path, ok := strings.CutPrefix(uri, schemaScheme+"://")
	if !ok || !strings.HasPrefix(path, "/") {
		return "", nil, fmt.Errorf("schema %.100s is outside of the asset directory; copy it there and refer to the copy", uri)
	}
	path, err := url.PathUnescape(path)
	if err != nil {
		return "", nil, fmt.Errorf("schema %.100s: %w", uri, err)
	}
	doc, err := l.readSchema(path)
	if err != nil {
		return "", nil, fmt.Errorf("schema %.100s: %w", path, err)
	}
	return path, doc, nil
}

func (l *schemaFiles) readSchema(path string) (*value, error) {
	if err := l.size(path); err != nil {
		return nil, err
	}
	source, err := l.job.Read(path)
	if err != nil {
		return nil, err
	}
	doc, err := readJSON(&builder{ctx: l.ctx}, bytes.TrimPrefix(source, []byte(plaintext.ByteOrderMark)))
	if err != nil {
		return nil, err
	}
	return doc, l.count(doc)
}

// size refuses a file that is too large before it is read.
func (l *schemaFiles) size(path string) error {
	f, err := l.job.OpenDep(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if l.bytes += info.Size(); l.bytes > mostSchemaBytes {
		return fmt.Errorf("more than %d bytes of schemas; check parts of the data on their own", mostSchemaBytes)
	}
	return nil
}

// count counts the schemas of a document and refuses unknown drafts.
func (l *schemaFiles) count(doc *value) error {
	if doc.kind == boolean || doc.kind == object {
		l.schemas++
	}
	if l.schemas > mostSchemas {
		return fmt.Errorf("more than %d schemas in schemas; check parts of the data on their own", mostSchemas)
	}
	if name, ok := doc.member("$schema"); ok && name.kind == text && draftOf(name.text) == 0 {
		return fmt.Errorf("%s$schema %.100q is not known; there are the drafts of json-schema.org from 4 to 2020-12", name.at(), name.text)
	}
	for _, item := range doc.items {
		if err := l.count(item); err != nil {
			return err
		}
	}
	return nil
}
