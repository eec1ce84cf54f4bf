package rules

import (
	"bytes"
	"slices"
)

// A Project holds the table [project] of a file, which says where a project is:
//
//	[project]
//	dir     = "assets"           # default: the directory of the file
//	out     = "build/cooked"
//	cache   = "../store"
//	state   = "build"            # holds .cook, the state, instead of out
//	targets = ["mobile", "pc"]   # cooked unless a run names others
//	ids     = true               # assets have IDs that they keep through renames
//
// Directories are relative to the file's directory. Omitted keys are "".
type Project struct {
	Dir, Out, Cache, State string
	Targets                []string
	IDs                    bool
	Remote                 Remote
	// HasRules says that the file also has rules or targets.
	HasRules bool

	file   *document
	table  int            // offset of the first table
	values map[string]int // offsets by key, for both tables
}

// Wrong returns an error about the value of a key, even if the file lacks the key.
func (p *Project) Wrong(key, why string) error {
	offset, ok := p.values[key]
	if !ok {
		offset = p.table
	}
	line, column := p.file.position(offset)
	return Errors{p.file.errorAt(line, column, key+": "+why)}
}

// projectKeys are the keys of the table.
var projectKeys = []string{"dir", "out", "cache", "state", "targets", "ids"}

// ReadProject returns the tables [project] and [remote] of a file, nil if it has neither. The
// error has type Errors.
func ReadProject(name string, data []byte) (*Project, error) {
	if !mayHaveProject(data) {
		return nil, nil // usual case: the rest need not be valid
	}
	c := &compiler{}
	d, err := parse(name, data)
	if err != nil {
		return nil, Errors{err}
	}
	c.file = d
	var p *Project
	tables := 0
	if value, ok := d.values["project"]; ok {
		p = c.project(d.places.field("project"), value)
		tables++
	}
	if value, ok := d.values["remote"]; ok {
		if p == nil {
			p = &Project{file: d, table: d.places.field("remote").key, values: map[string]int{}}
		}
		at := d.places.field("remote")
		p.Remote = c.remote(at, value)
		table, _ := value.(map[string]any)
		for key := range table {
			p.values[key] = at.field(key).value
		}
		tables++
	}
	if p == nil {
		return nil, nil
	}
	if len(c.errs) > 0 {
		c.errs.sort()
		return nil, c.errs
	}
	p.HasRules = len(d.values) > tables
	return p, nil
}

// mayHaveProject reports whether a line may be a key or table that ReadProject reads.
func mayHaveProject(data []byte) bool {
	for line := range bytes.Lines(data) {
		word := bytes.TrimLeft(line, "\xef\xbb\xbf \t[\"'")
		if bytes.HasPrefix(word, []byte("project")) || bytes.HasPrefix(word, []byte("remote")) {
			return true
		}
	}
	return false
}

// project checks the table [project].
func (c *compiler) project(at *node, value any) *Project {
	p := &Project{file: c.file, table: at.key, values: map[string]int{}}
	table, ok := value.(map[string]any)
	if !ok {
		c.failf(at.key, "project: want a table; write [project] above its keys")
		return p
	}
	for _, key := range sortedKeys(table) {
		place := at.field(key)
		p.values[key] = place.value
		folder := func(to *string) {
			text, ok := table[key].(string)
			if !ok || text == "" {
				c.failf(place.value, `%s: want a directory, such as "assets"`, key)
			}
			*to = text
		}
		switch key {
		case "dir":
			folder(&p.Dir)
		case "out":
			folder(&p.Out)
		case "cache":
			folder(&p.Cache)
		case "state":
			folder(&p.State)
		case "targets":
			p.Targets = c.projectTargets(place, table[key])
		case "ids":
			if p.IDs, ok = table[key].(bool); !ok {
				c.failf(place.value, "ids: want true or false")
			}
		default:
			c.failf(place.key, "unknown key %q%s", clip(key), instead(key, projectKeys)).meant(key, projectKeys)
		}
	}
	return p
}

// projectTargets checks the targets of a project. The rules, perhaps in other files, declare them
// later.
func (c *compiler) projectTargets(at *node, value any) (targets []string) {
	list, isList := value.([]any)
	if text, ok := value.(string); ok {
		list = []any{text}
	} else if !isList || len(list) == 0 {
		c.failf(at.value, `targets: want a list of names, such as ["mobile", "pc"], or "all"`)
	}
	for i, v := range list {
		place := at
		if isList {
			place = at.item(i)
		}
		if name, ok := v.(string); ok && isTargetName(name) {
			targets = append(targets, name)
		} else {
			c.failf(place.value, "targets: want a name of a-z, 0-9, '-' and '_', at most %d bytes", maxTargetName)
		}
	}
	return slices.Compact(targets)
}
