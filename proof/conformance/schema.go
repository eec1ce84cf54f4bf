package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/assetcook/assetcook/recipes/data"
)

// drafts are directories of the suite, with the corresponding values of $schema.
var drafts = []struct{ folder, schema string }{
	{"draft4", "http://json-schema.org/draft-04/schema#"},
	{"draft6", "http://json-schema.org/draft-06/schema#"},
	{"draft7", "http://json-schema.org/draft-07/schema#"},
	{"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
	{"draft2020-12", "https://json-schema.org/draft/2020-12/schema"},
}

type schemaGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// schemaSuite makes a trial for each test of each group in each file.
func schemaSuite(dir string) ([]trial, error) {
	var list []trial
	for _, draft := range drafts {
		names, err := files(dir, "tests/"+draft.folder, ".json")
		if err != nil {
			return nil, err
		}
		remotes, err := remoteSchemas(dir, draft.schema)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			var groups []schemaGroup
			if err := json.Unmarshal(text, &groups); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			name, row := strings.TrimPrefix(name, "tests/"+draft.folder+"/"), draft.folder
			if strings.HasPrefix(name, "optional/") {
				row += ", optional"
			}
			if strings.HasPrefix(name, "optional/format/") && strings.HasPrefix(draft.folder, "draft20") {
				continue // these tests require format assertions, which are off by default in these drafts
			}
			for _, group := range groups {
				list = append(list, schemaTrials(row, draft.schema, name, group, remotes)...)
			}
		}
	}
	return list, nil
}

// remoteHost is the URL that the suite expects for its directory remotes. The tests do not use the
// network: the files are in the asset tree, and references are rewritten to them.
const remoteHost = "http://localhost:1234/"

// remoteSchemas returns the files of the directory remotes for one draft.
func remoteSchemas(dir, metaschema string) (fstest.MapFS, error) {
	tree := fstest.MapFS{}
	names, err := files(dir, "remotes", ".json")
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		tree[strings.TrimPrefix(name, "remotes/")] = &fstest.MapFile{Data: localSchema(text, metaschema)}
	}
	return tree, err
}

// schemaName is the path of the schema in the tree. Messages about violations end with it.
const schemaName = "/schema.json"

func schemaTrials(row, metaschema, name string, group schemaGroup, remotes fstest.MapFS) []trial {
	schema := localSchema(group.Schema, metaschema)
	var list []trial
	for _, test := range group.Tests {
		title := fmt.Sprintf("%s: %s: %s", name, group.Description, test.Description)
		list = append(list, trial{row: row, file: title, run: func(ctx context.Context) (outcome, error) {
			tree := maps.Clone(remotes)
			tree["schema.json"] = &fstest.MapFile{Data: schema}
			tree["data.json"] = &fstest.MapFile{Data: test.Data}
			_, _, err := cookVector(ctx, data.Recipe(), map[string]any{"schema": schemaName}, tree, "data.json")
			o := outcome{refusal: err, invalid: name}
			violated := err != nil && strings.HasSuffix(err.Error(), "(schema "+schemaName+")")
			switch {
			case violated && test.Valid:
				o.refusal = fmt.Errorf("%s: %w", name, err)
			case !test.Valid && (violated || err == nil):
				o.expect = mustRefuse
			} // any other error is wrong, whether the data is valid or not
			return o, nil
		}})
	}
	return list
}

// localSchema adds $schema to a schema that lacks it, and rewrites remote references to refer to
// the asset tree.
func localSchema(schema json.RawMessage, metaschema string) []byte {
	schema = bytes.ReplaceAll(schema, []byte(remoteHost), []byte("/"))
	var keys map[string]json.RawMessage
	if json.Unmarshal(schema, &keys) != nil || keys == nil || keys["$schema"] != nil {
		return schema // the schemas true and false cannot declare a draft
	}
	comma := ","
	if len(keys) == 0 {
		comma = ""
	}
	return fmt.Appendf(nil, "{%q:%q%s%s", "$schema", metaschema, comma, bytes.TrimSpace(schema)[1:])
}
