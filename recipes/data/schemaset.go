package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// Drafts of JSON Schema.
const (
	draft4    = 4
	draft6    = 6
	draft7    = 7
	draft2019 = 2019
	draft2020 = 2020
)

// draftOf returns the draft that $schema names, or 0 if it is unknown.
func draftOf(name string) int {
	name = strings.TrimSuffix(name, "#")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "http://"), "https://")
	return map[string]int{
		"json-schema.org/schema": draft2020, "json-schema.org/draft/2020-12/schema": draft2020, "json-schema.org/draft/2019-09/schema": draft2019,
		"json-schema.org/draft-07/schema": draft7, "json-schema.org/draft-06/schema": draft6, "json-schema.org/draft-04/schema": draft4,
	}[name]
}

// A resource is a schema with its own URI: a file, or a part of a file that has an $id.
type resource struct {
	uri       *url.URL // URI without a fragment
	file      string   // file name for messages
	draft     int
	root      *value
	anchors   map[string]*value
	dynamic   map[string]*value // targets of $dynamicAnchor, by name
	recursive bool              // whether $recursiveAnchor is true
}

// A schemaSet holds compiled schemas that may refer to each other.
type schemaSet struct {
	ctx       context.Context
	load      func(uri string) (path string, doc *value, err error)
	resources map[string]*resource
	owners    map[*value]*resource
	compiled  map[*value]*schema
}

func newSchemaSet(ctx context.Context, load func(uri string) (string, *value, error)) *schemaSet {
	return &schemaSet{ctx: ctx, load: load, resources: map[string]*resource{}, owners: map[*value]*resource{}, compiled: map[*value]*schema{}}
}

// openSchema compiles the schema at a path relative to the asset directory.
func (set *schemaSet) openSchema(path string) (*schema, error) {
	r, err := set.openResource(&url.URL{Scheme: schemaScheme, Path: path}, draft2020)
	if err != nil {
		return nil, err
	}
	return set.compileSchema(r.root)
}

// openResource returns the resource with a URI, and reads its file if necessary. draft is the draft
// of resources that do not name one.
func (set *schemaSet) openResource(uri *url.URL, draft int) (*resource, error) {
	name := uri.String()
	if r := set.resources[name]; r != nil {
		return r, nil
	}
	path, doc, err := set.load(name)
	if err != nil {
		return nil, err
	}
	r := newResource(uri, path, doc, draft)
	set.resources[name] = r
	return r, set.scanSchema(doc, r)
}

func newResource(uri *url.URL, file string, root *value, draft int) *resource {
	if name, ok := root.memberValue("$schema"); ok && name.kind == text && draftOf(name.text) != 0 {
		draft = draftOf(name.text)
	}
	return &resource{uri: uri, file: file, root: root, draft: draft, anchors: map[string]*value{}, dynamic: map[string]*value{}}
}

// memberValue returns the value of an object's key.
func (v *value) memberValue(key string) (*value, bool) {
	if v.kind == object {
		if i := slices.Index(v.keys, key); i >= 0 {
			return v.items[i], true
		}
	}
	return nil, false
}

// These keywords have subschemas in their values. A value is a subschema, a list of subschemas, or
// an object whose values are subschemas. The keywords items and dependencies have several forms.
var (
	schemaKeywords = []string{"additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	listKeywords   = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	mapKeywords    = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// scanSchema records the resource of each subschema, and all anchors.
func (set *schemaSet) scanSchema(v *value, r *resource) error {
	set.owners[v] = r
	if v.kind != object {
		return nil
	}
	if err := set.ctx.Err(); err != nil {
		return err
	}
	_, refers := v.memberValue("$ref")
	idKey := "$id"
	if r.draft == draft4 {
		idKey = "id"
	}
	if id, ok := v.memberValue(idKey); ok && id.kind == text && !(refers && r.draft <= draft7) {
		uri, err := r.uri.Parse(id.text)
		switch {
		case err != nil:
			return schemaError(r, id, "%s: %v", idKey, err)
		case strings.HasPrefix(id.text, "#"):
			r.anchors[id.text[1:]] = v
		default:
			uri.Fragment, uri.RawFragment = "", ""
			if v == r.root {
				r.uri = uri
			} else {
				r = newResource(uri, r.file, v, r.draft)
				set.owners[v] = r
			}
			set.resources[uri.String()] = r
		}
	}
	if name, ok := v.memberValue("$anchor"); ok && name.kind == text && r.draft >= draft2019 {
		r.anchors[name.text] = v
	}
	if name, ok := v.memberValue("$dynamicAnchor"); ok && name.kind == text && r.draft >= draft2020 {
		r.anchors[name.text], r.dynamic[name.text] = v, v
	}
	if flag, ok := v.memberValue("$recursiveAnchor"); ok && v == r.root {
		r.recursive = r.draft == draft2019 && flag.kind == boolean && flag.text == yes
	}
	for i, key := range v.keys {
		below := v.items[i]
		var parts []*value
		switch {
		case below.kind == list && slices.Contains(listKeywords, key), below.kind == object && slices.Contains(mapKeywords, key):
			parts = below.items
		case slices.Contains(schemaKeywords, key):
			parts = []*value{below}
		}
		for _, part := range parts {
			if part.kind == object || part.kind == boolean {
				if err := set.scanSchema(part, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// findReference resolves a reference in a resource, and returns the target and the fragment.
func (set *schemaSet) findReference(r *resource, at *value, ref string) (target *value, fragment string, err error) {
	uri, err := r.uri.Parse(ref)
	if err != nil {
		return nil, "", schemaError(r, at, "%v", err)
	}
	fragment = uri.Fragment
	uri.Fragment, uri.RawFragment = "", ""
	to, err := set.openResource(uri, r.draft)
	if err != nil {
		return nil, "", err
	}
	switch {
	case fragment == "":
		return to.root, "", nil
	case !strings.HasPrefix(fragment, "/"):
		if v := to.anchors[fragment]; v != nil {
			return v, fragment, nil
		}
		return nil, "", schemaError(r, at, "the schema has no anchor %.100s", ref)
	}
	v, owner := to.root, to
	for name := range strings.SplitSeq(fragment[1:], "/") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		next, ok := v.memberValue(name)
		if i, err := strconv.Atoi(name); v.kind == list && err == nil && i >= 0 && i < len(v.items) {
			next, ok = v.items[i], true
		}
		if !ok {
			return nil, "", schemaError(r, at, "the schema has nothing at %.100s", ref)
		}
		if v = next; set.owners[v] != nil {
			owner = set.owners[v]
		}
	}
	if set.owners[v] == nil { // the target is a value that scanSchema has not visited
		return v, fragment, set.scanSchema(v, owner)
	}
	return v, fragment, nil
}

// schemaError returns an error about a value in a schema file.
func schemaError(r *resource, at *value, format string, args ...any) error {
	return fmt.Errorf("schema %s: %s%s", r.file, at.placePrefix(), plaintext.OneLine(fmt.Sprintf(format, args...)))
}

const (
	// schemaScheme is the scheme of schema URIs. A path relative to the asset directory follows.
	schemaScheme = "asset"
	// mostSchemaBytes limits the total size of all schemas for one file.
	mostSchemaBytes = 1 << 20
	// mostSchemas limits the total number of subschemas in these files.
	mostSchemas = 20_000
)

// schemaFiles reads schemas in the asset tree, and records them as dependencies.
type schemaFiles struct {
	ctx     context.Context
	job     *recipe.Job
	bytes   int64 // number of bytes read so far
	schemas int   // number of objects and booleans read so far, which is at least the number of subschemas
}

// loadSchemaFile reads the schema with a URI, and also returns its path.
func (l *schemaFiles) loadSchemaFile(uri string) (string, *value, error) {
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
	if err := l.limitSchemaSize(path); err != nil {
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
	return doc, l.countSchemas(doc)
}

// limitSchemaSize refuses a file that is too large, before reading it.
func (l *schemaFiles) limitSchemaSize(path string) error {
	f, err := l.job.OpenDep(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if l.bytes += info.Size(); l.bytes > mostSchemaBytes {
		return fmt.Errorf("the schemas have more than %d bytes; check parts of the data separately", mostSchemaBytes)
	}
	return nil
}

// countSchemas counts the subschemas of a document, and refuses unknown drafts.
func (l *schemaFiles) countSchemas(doc *value) error {
	if doc.kind == boolean || doc.kind == object {
		l.schemas++
	}
	if l.schemas > mostSchemas {
		return fmt.Errorf("there are more than %d nested schemas; check parts of the data separately", mostSchemas)
	}
	if name, ok := doc.memberValue("$schema"); ok && name.kind == text && draftOf(name.text) == 0 {
		return fmt.Errorf("%s$schema %.100q is unknown; use a draft of json-schema.org from 4 to 2020-12", name.placePrefix(), name.text)
	}
	for _, item := range doc.items {
		if err := l.countSchemas(item); err != nil {
			return err
		}
	}
	return nil
}
