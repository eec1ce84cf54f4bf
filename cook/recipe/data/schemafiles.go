package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/data/jsontext"
)

const (
	// schemaBase stands for the asset folder in the names of schemas. A slash
	// follows it.
	schemaBase = "asset://"
	// mostSchemaBytes is how large the schemas of one file may be together.
	mostSchemaBytes = 1 << 20
	// mostSchemas is how many schemas they may hold: compiling them takes time that
	// grows with the square.
	mostSchemas = 20_000
	// mostCalls limits the schemas that there are, times how deep the data is: so
	// deep package jsonschema calls itself at worst, a kilobyte of stack each time.
	mostCalls = 200_000
)

// A schemaLoader reads schemas of the asset tree, which become dependencies.
type schemaLoader struct {
	ctx     context.Context
	job     *recipe.Job
	bytes   int64 // read so far
	schemas int   // in what was read: all objects and booleans, which are at least those
	err     error // the first failure, in our words
}

// Load implements jsonschema.URLLoader.
func (l *schemaLoader) Load(name string) (any, error) {
	doc, err := l.load(name)
	if err != nil && l.err == nil {
		l.err = err
	}
	return doc, err
}

func (l *schemaLoader) load(name string) (any, error) {
	path, ok := strings.CutPrefix(name, schemaBase)
	if !ok || !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("schema %.100s lies outside the asset folder; copy it there and refer to the copy", name)
	}
	path, err := url.PathUnescape(path)
	if err != nil {
		return nil, fmt.Errorf("schema %.100s: %w", name, err)
	}
	doc, err := l.read(path)
	if err != nil {
		return nil, fmt.Errorf("schema %.100s: %w", path, err)
	}
	return doc, nil
}

func (l *schemaLoader) read(path string) (any, error) {
	if err := l.size(path); err != nil {
		return nil, err
	}
	source, err := l.job.Read(path)
	if err != nil {
		return nil, err
	}
	source = bytes.TrimPrefix(source, []byte(jsontext.ByteOrderMark))
	if err := jsontext.CheckContext(l.ctx, source); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, err
	}
	return doc, l.count(doc, 0)
}

// size refuses a file that is too large, before it is read.
func (l *schemaLoader) size(path string) error {
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

// count counts the schemas of a document and refuses what makes others of them.
func (l *schemaLoader) count(doc any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	switch doc := doc.(type) {
	case bool:
		l.schemas++
	case []any:
		for _, item := range doc {
			if err := l.count(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		l.schemas++
		if dialect, ok := doc["$schema"].(string); ok && !knownDialect(dialect) {
			return fmt.Errorf("$schema %.100q is not known; there are the drafts of json-schema.org from 4 to 2020-12", dialect)
		}
		for _, item := range doc {
			if err := l.count(item, depth+1); err != nil {
				return err
			}
		}
	}
	if l.schemas > mostSchemas {
		return fmt.Errorf("more than %d schemas in schemas; check parts of the data on their own", mostSchemas)
	}
	return nil
}

// knownDialect reports whether package jsonschema has a meta-schema built in. One of
// the asset folder could make the check of the schema itself a long one.
func knownDialect(name string) bool {
	name = strings.TrimSuffix(name, "#")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "http://"), "https://")
	switch name {
	case "json-schema.org/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		return true
	}
	return false
}
