package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

// These limits bound a result.
const (
	usualEntries = 100
	mostEntries  = 1000
	mostBytes    = 256 << 10
	mostErrors   = 8 << 10 // bytes of errors and warnings
	mostSeconds  = 30
)

// A toolbox holds the tools, and the directories that they may read.
type toolbox struct {
	started *cmdline.Call // command line of cook mcp, whose verbs the tools run
	project cook.Project
	dirs    []string // directories on the command line, the project's first
	roots   []string // dirs and the output directory, without links
	tools   []tool
}

// A tool is a read-only verb of cook.
type tool struct {
	name, about string
	properties  schema
	required    []string
	// args returns the command line of the verb.
	args func(*toolbox, *arguments) ([]string, error)
	// whole is set if the verb prints one value, which cannot be cut after an entry.
	whole bool
}

// A schema is a JSON Schema.
type schema = map[string]any

// arguments are the arguments of all tools.
type arguments struct {
	Dir      string   `json:"dir"`
	Patterns []string `json:"patterns"`
	Paths    []string `json:"paths"`
	Files    []string `json:"files"`
	Sort     string   `json:"sort"`
	By       string   `json:"by"`
	Address  string   `json:"address"`
	Seconds  int      `json:"seconds"`
	Limit    int      `json:"limit"`
}

// newToolbox returns the tools for a project and for further directories.
func newToolbox(c *cmdline.Call, project cook.Project, more []string) (*toolbox, error) {
	t := &toolbox{started: c, project: project, dirs: append([]string{project.Dir}, more...), tools: toolList()}
	for _, dir := range t.dirs {
		real, err := realPath(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pathname.Show(dir), err)
		}
		if !cmdline.IsFolder(real) {
			return nil, fmt.Errorf("%s is not a directory", pathname.Show(dir))
		}
		t.roots = append(t.roots, real)
	}
	out, err := survey.OutputFolder(project.Dir, project.Out)
	if err != nil {
		return nil, err
	}
	if real, err := realPath(out); err == nil { // It is absent before the first run.
		out = real
	}
	t.roots = append(t.roots, out)
	return t, nil
}

// realPath returns the absolute name of an existing file, without links.
func realPath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	var about interface{ Unwrap() error }
	if err != nil && errors.As(err, &about) && about.Unwrap() != nil {
		err = about.Unwrap() // The caller names the file.
	}
	return abs, err
}

func stringsSchema(items string, about string) schema {
	return schema{"type": "array", "items": schema{"type": "string"}, "minItems": 1, "description": about, "title": items}
}

func textSchema(about string, words ...string) schema {
	s := schema{"type": "string", "description": about}
	if len(words) > 0 {
		s["enum"] = words
	}
	return s
}

func countSchema(about string, most int) schema {
	return schema{"type": "integer", "minimum": 1, "maximum": most, "description": about}
}

// toolList returns all tools. It is a function, because no other verb should pay for the list.
func toolList() []tool {
	limited := countSchema(fmt.Sprintf("maximum number of entries (default %d)", usualEntries), mostEntries)
	return []tool{
		{
			name: "diagnose", about: "A verdict and at most five findings, each with numbers, a place and the next command: about the last cook and the history of an asset directory, or about recordings (.events), memory snapshots (.json) or a report. Two files of one kind are compared.",
			properties: schema{"files": stringsSchema("files", "one file, or two files to compare; without files, the asset directory")},
			args: func(t *toolbox, a *arguments) ([]string, error) {
				files, err := t.confinedFiles(a.Files)
				return slices.Concat(t.verbArgs("diagnose", a.Dir), []string{"--"}, files), err
			},
		},
		{
			name: "list", about: "The assets as the last cook left them: recipe, outcome, sizes, cook time, reasons and outputs.",
			properties: schema{"patterns": stringsSchema("patterns", "patterns such as *.png or ui/**; without them, all assets"), "sort": textSchema("column to sort by, the largest first", "path", "out", "in", "time", "when", "outcome", "recipe"), "limit": limited},
			args: func(t *toolbox, a *arguments) ([]string, error) {
				args := t.verbArgs("list", a.Dir)
				if a.Sort != "" {
					args = append(args, "-sort="+a.Sort)
				}
				return slices.Concat(args, []string{"--"}, a.Patterns), confinedPatterns(a.Patterns)
			},
		},
		{
			name: "why", about: "What the next cook would do with an asset and why, what the last one did, and which rules, options and inputs decide that.",
			properties: schema{"paths": stringsSchema("paths", "paths of assets in the asset directory, or patterns"), "limit": limited}, required: []string{"paths"},
			args: func(t *toolbox, a *arguments) ([]string, error) {
				return slices.Concat(t.verbArgs("why", a.Dir), []string{"--"}, a.Paths), t.confinedPaths(a)
			},
		},
		{
			name: "uses", about: "The assets that read a file, and how much work an edit of the file would cause. For an output, the asset that made it.",
			properties: schema{"paths": stringsSchema("paths", "paths of files in the asset directory or the output directory"), "limit": limited}, required: []string{"paths"},
			args: func(t *toolbox, a *arguments) ([]string, error) {
				return slices.Concat(t.verbArgs("uses", a.Dir), []string{"--"}, a.Paths), t.confinedPaths(a)
			},
		},
		{
			name: "size", about: "What is large: sizes of sources and outputs, and growth in the last cook, by kind of file, recipe or directory. The last entry is the sum.",
			properties: schema{"by": textSchema("how to group", "kind", "recipe", "folder"), "patterns": stringsSchema("patterns", "patterns of assets; without them, all assets"), "limit": limited},
			args: func(t *toolbox, a *arguments) ([]string, error) {
				args := append(t.verbArgs("size", a.Dir), "-lines=0")
				if a.By != "" {
					args = append(args, "-by="+a.By)
				}
				return slices.Concat(args, []string{"--"}, a.Patterns), confinedPatterns(a.Patterns)
			},
		},
		{
			name: "history", about: "The last cooks that had work, the latest at the end: times, counts, memory and what limited them.",
			properties: schema{"limit": limited},
			args: func(t *toolbox, a *arguments) ([]string, error) {
				return append(t.verbArgs("history", a.Dir), "-n="+strconv.Itoa(a.Limit)), nil
			},
		},
		{
			name: "report", about: "A summary of the output directory in Markdown: key figures, failures, warnings by cause, the slowest and the largest assets.",
			args: func(t *toolbox, a *arguments) ([]string, error) {
				args := t.verbArgs("report", a.Dir)
				return append(args[:len(args)-1], "-markdown", "-textures=0"), nil // A summary has no JSON form.
			},
			whole: true,
		},
		countersTool(),
	}
}

// countersTool returns the tool that reads the stream of a running program.
func countersTool() tool {
	return tool{
		name: "counters", about: "Counters and times of a program on this machine that runs with -feed, summed over some seconds.",
		properties: schema{"address": textSchema("address of the program: host and port, such as 127.0.0.1:7357"), "seconds": countSchema("how long to listen (default 2)", mostSeconds)}, required: []string{"address"},
		args: func(t *toolbox, a *arguments) ([]string, error) {
			seconds := time.Duration(max(a.Seconds, 0)) * time.Second
			if seconds == 0 {
				seconds = 2 * time.Second
			}
			args := []string{"events", "stat", "-as=json", "-for=" + min(seconds, mostSeconds*time.Second).String(), "-names=200", "-slowest=5", "-bins=2", a.Address}
			return args, checkLoopback(a.Address)
		},
		whole: true,
	}
}

// findTool returns the tool with a name, or nil.
func (t *toolbox) findTool(name string) *tool {
	if i := slices.IndexFunc(t.tools, func(use tool) bool { return use.name == name }); i >= 0 {
		return &t.tools[i]
	}
	return nil
}

// describeTools returns the tools in the form of the protocol.
func (t *toolbox) describeTools() (all []schema) {
	for i := range t.tools {
		use := &t.tools[i]
		properties := schema{}
		for name, p := range use.properties {
			properties[name] = p
		}
		if use.name != "counters" {
			properties["dir"] = textSchema("asset directory (default: the first)", t.dirs...)
		}
		input := schema{"type": "object", "properties": properties, "additionalProperties": false}
		if use.required != nil {
			input["required"] = use.required
		}
		all = append(all, schema{
			"name": use.name, "description": use.about, "inputSchema": input,
			"annotations": schema{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
		})
	}
	return all
}

// A toolResult is the result of a call.
type toolResult struct {
	Content []content `json:"content"`
	IsError bool      `json:"isError,omitempty"`
}

// A content is a text in a result.
type content struct {
	Type string `json:"type"` // always "text"
	Text string `json:"text"`
}

func (r *toolResult) addText(text string) {
	r.Content = append(r.Content, content{"text", strings.ToValidUTF8(text, "\ufffd")})
}

// failedResult returns the result of a call that failed.
func failedResult(text string) *toolResult {
	r := &toolResult{IsError: true}
	r.addText(strings.TrimSpace(text))
	return r
}

// callTool runs the verb of a tool.
func (t *toolbox) callTool(ctx context.Context, params *toolParams) *toolResult {
	use := t.findTool(params.Name)
	a := &arguments{}
	if len(params.Arguments) > 0 {
		dec := json.NewDecoder(bytes.NewReader(params.Arguments))
		dec.DisallowUnknownFields()
		if err := dec.Decode(a); err != nil {
			return failedResult("cook: error: wrong arguments: " + err.Error())
		}
	}
	if a.Limit = min(a.Limit, mostEntries); a.Limit <= 0 {
		a.Limit = usualEntries
	}
	if a.Dir == "" {
		a.Dir = t.dirs[0]
	}
	var args []string
	err := t.checkArguments(a, use)
	if err == nil {
		args, err = use.args(t, a)
	}
	out, problems := &boundedLines{lines: a.Limit, whole: use.whole}, &boundedLines{lines: mostEntries, whole: true}
	call := &cmdline.Call{Verbs: t.started.Verbs, Recipes: t.started.Recipes, Cook: t.started.Cook, AtWork: func() {}, Args: args, Stdout: out, Stderr: problems}
	status := frontend.Usage
	if err != nil {
		call.PrintError(err)
	} else {
		status = call.Dispatch(ctx)
	}
	messages := strings.TrimSpace(problems.headOf(mostErrors))
	switch more := out.omittedLines(); {
	case status != frontend.OK && out.kept.Len() == 0:
		return failedResult(messages)
	case use.whole && more > 0:
		return failedResult(fmt.Sprintf("cook: error: the answer has more than %d bytes; ask for less", mostBytes))
	default:
		r := &toolResult{IsError: status != frontend.OK}
		r.addText(out.kept.String())
		if more > 0 {
			r.addText(fmt.Sprintf("%d more; use patterns, or a larger limit (at most %d entries and %d bytes)", more, mostEntries, mostBytes))
		}
		if messages != "" {
			r.addText(messages)
		}
		return r
	}
}

// checkArguments checks the arguments that all tools share.
func (t *toolbox) checkArguments(a *arguments, use *tool) error {
	given := map[string]int{"paths": len(a.Paths), "address": len(a.Address)}
	for _, name := range use.required {
		if given[name] == 0 {
			return fmt.Errorf("%s: the argument %q is missing", use.name, name)
		}
	}
	if !slices.Contains(t.dirs, a.Dir) {
		return fmt.Errorf("%s is outside of the directories of cook mcp; have %s", pathname.Show(a.Dir), pathname.Show(strings.Join(t.dirs, ", ")))
	}
	for _, word := range slices.Concat(a.Paths, a.Patterns, a.Files) {
		if word == "" || strings.ContainsRune(word, 0) {
			return fmt.Errorf("%q is not a name", word)
		}
	}
	return nil
}

// verbArgs returns a command line up to the words: the verb, -dir and -json.
func (t *toolbox) verbArgs(name, dir string) []string {
	args := []string{name, "-dir=" + dir}
	if dir == t.dirs[0] && t.project.Out != "" {
		args = append(args, "-out="+t.project.Out)
	}
	return append(args, "-json")
}

// errOutside is the error for a name outside of all directories.
var errOutside = errors.New("outside of the directories of cook mcp")

// isInside reports whether an absolute name without links is in one of the directories.
func (t *toolbox) isInside(real string) bool {
	return slices.ContainsFunc(t.roots, func(root string) bool {
		_, ok := pathname.Below(root, real)
		return ok
	})
}

// confinedFiles returns the absolute names of files. A relative name is relative to the working
// directory or to one of the directories.
func (t *toolbox) confinedFiles(names []string) (files []string, err error) {
	for _, name := range names {
		tries := []string{name}
		if !filepath.IsAbs(name) {
			for _, root := range t.roots {
				tries = append(tries, filepath.Join(root, name))
			}
		}
		real, outside, err := "", false, error(nil)
		for _, try := range tries {
			found, failed := realPath(try)
			switch {
			case failed != nil:
				err = failed
			case !t.isInside(found):
				outside = true
			default:
				real = found
			}
			if real != "" {
				break
			}
		}
		switch {
		case real != "":
			files = append(files, real)
		case outside || !filepath.IsLocal(name):
			return nil, fmt.Errorf("%s is %w", pathname.Show(name), errOutside)
		default:
			return nil, fmt.Errorf("%s: %w", pathname.Show(name), err)
		}
	}
	return files, nil
}

// confinedPaths checks paths and patterns of assets. They are relative to the asset directory, and
// links in them must not lead out of the directories.
func (t *toolbox) confinedPaths(a *arguments) error {
	for _, name := range a.Paths {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s is %w", pathname.Show(name), errOutside)
		}
		if real, err := realPath(filepath.Join(a.Dir, filepath.FromSlash(name))); err == nil && !t.isInside(real) {
			return fmt.Errorf("%s is %w", pathname.Show(name), errOutside)
		}
	}
	return nil
}

// confinedPatterns checks patterns. They are only compared with paths of assets, and a leading
// slash is the asset directory.
func confinedPatterns(patterns []string) error {
	for _, p := range patterns {
		if slices.Contains(strings.FieldsFunc(p, func(c rune) bool { return c == '/' || c == '\\' }), "..") {
			return fmt.Errorf("%s is %w", pathname.Show(p), errOutside)
		}
	}
	return nil
}

// checkLoopback checks that an address belongs to this machine.
func checkLoopback(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return fmt.Errorf("%s: want host:port of a program on this machine", pathname.Show(address))
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s is not an address of this machine", pathname.Show(address))
	}
	return nil
}
