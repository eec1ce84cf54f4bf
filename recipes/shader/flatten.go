package shader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/plaintext"
)

const (
	// maxFlat limits the size of a shader with its includes in bytes. Without a limit, each nested
	// file could double the size.
	maxFlat = 8 << 20
	// maxDeep limits the nesting of includes.
	maxDeep = 64
	// maxIncludes limits the total number of expanded includes.
	maxIncludes = 10_000
)

// A flattening expands the includes of one source.
type flattening struct {
	ctx     context.Context
	dirs    []string                          // directories that are searched for includes
	lines   bool                              // whether to write #line directives
	compact bool                              // whether to drop comments; see function compact
	read    func(name string) ([]byte, error) // read returns a file whose name is relative to the source's directory.

	out     bytes.Buffer
	names   []string // names of the files, indexed by their numbers in #line
	open    []string // files that are being expanded, for error messages
	count   int      // number of includes so far
	files   map[string]*file
	same    map[[sha256.Size]byte]*file // files by the hash of their content, because a file may have two names
	seen    int                         // number of lines so far
	joins   bool                        // whether backslashes join lines in comments, too; see joinsComments
	warned  []string                    // warnings that begin with a file and a line
	version string                      // #version line of the result; "" if it has none
	// behind is true if #line sets the number of its own line. Since GLSL 3.30 it sets the number
	// of the next line.
	behind bool
}

// A file is an included file.
type file struct {
	text
	number int
	once   bool // whether the file has #pragma once
	guards bool // whether an #ifndef in the file encloses all its code
}

// flattenIncludes returns the source with its includes expanded.
func (f *flattening) flattenIncludes(name string, source []byte, defines map[string]string) ([]byte, error) {
	f.files, f.same = map[string]*file{}, map[[sha256.Size]byte]*file{}
	f.names, f.open = []string{name}, []string{""}
	all, err := prepareGLSL(source, true)
	if err != nil {
		return nil, err
	}
	number, found := cutVersion(all)
	if found {
		f.version = versionOf(all.code[:all.at])
	} else {
		f.joins = true
		version := f.includedVersion(all, "")
		if m := versionLine().FindSubmatch(version); m != nil {
			number, f.version = versionNumber(m), versionOf(version)
			f.out.Write(append(bytes.TrimSpace(version), '\n'))
		}
		f.files, f.same, f.names = map[string]*file{}, map[[sha256.Size]byte]*file{}, []string{name}
	}
	if f.joins = joinsComments(number); !f.joins {
		if all, err = prepareGLSL(source, false); err != nil {
			return nil, err
		}
		if found {
			cutVersion(all)
		}
	}
	f.behind = number < 330
	top := &file{text: *all}
	first := f.writeHead(top)
	for _, key := range slices.Sorted(maps.Keys(defines)) {
		fmt.Fprintf(&f.out, "#define %s %s\n", key, defines[key])
	}
	at := f.out.Len()
	if f.lines || len(defines) > 0 {
		f.writeLineDirective(first, 0)
	}
	if err := f.expandFile(top, "", first); err != nil {
		return nil, err
	}
	if !f.lines || len(f.names) == 1 {
		return f.out.Bytes(), nil
	}
	var table bytes.Buffer
	for i, name := range f.names[1:] {
		fmt.Fprintf(&table, "// %d: %s\n", i+1, name)
	}
	return slices.Concat(f.out.Bytes()[:at], table.Bytes(), f.out.Bytes()[at:]), nil
}

var (
	directive   = lazyregexp.New(`^[\s\v]*#[\s\v]*(\w+)`)
	include     = lazyregexp.New(`^[\s\v]*#[\s\v]*include[\s\v]*(?:"([^"\n]+)"|<([^>\n]+)>)[\s\v]*$`)
	guard       = lazyregexp.New(`^[\s\v]*#[\s\v]*(?:ifndef\b|if[\s\v]*![\s\v]*defined\b)`)
	pragmaOnce  = lazyregexp.New(`^[\s\v]*#[\s\v]*pragma[\s\v]+once\b`)
	versionLine = lazyregexp.New(`^[\s\v]*#[\s\v]*version[\s\v]+(\d{3})\b[\s\v]*(es\b)?`)
	anyVersion  = lazyregexp.New(`^[\s\v]*#[\s\v]*version\b`)
	// includeExtension matches a line that enables includes in a compiler. Drivers do not support
	// such extensions.
	includeExtension = lazyregexp.New(`^[\s\v]*#[\s\v]*extension[\s\v]+(?:GL_GOOGLE_include_directive|GL_ARB_shading_language_include)\b`)
	leftInclude      = lazyregexp.New(`(?m)^[ \t\v\f]*#[ \t\v\f]*include\b`)
)

// cutVersion returns the GLSL version of a source, such as 330, or 1300 for OpenGL ES 3.00. It
// advances the text past the #version line, which only comments and empty lines may precede.
// Without such a line, it does not advance the text, and returns the lowest version.
func cutVersion(t *text) (number int, found bool) {
	for {
		_, code := t.nextCodeLine()
		if m := versionLine().FindSubmatch(code); m != nil {
			return versionNumber(m), true
		}
		if code == nil || len(bytes.TrimSpace(code)) > 0 {
			t.at = 0
			return 110, false
		}
	}
}

// versionNumber returns the version in a match of versionLine.
func versionNumber(m [][]byte) int {
	number, _ := strconv.Atoi(string(m[1]))
	if len(m[2]) > 0 {
		number += 1000
	}
	return number
}

// includedVersion returns the #version line of the file that a text includes before any other
// code, or nil. It does not advance the text.
func (f *flattening) includedVersion(t *text, from string) []byte {
	rest := text{shown: t.shown, code: t.code}
	for {
		_, code := rest.nextCodeLine()
		switch {
		case code == nil:
			return nil
		case from != "" && versionLine().Match(code):
			return code
		case include().Match(code):
			m := include().FindSubmatch(code)
			name, file, err := f.findIncluded(string(m[1]), string(m[2]), from)
			if err != nil || slices.Contains(f.open, name) || len(f.open) > maxDeep {
				return nil // expandFile will report the error
			}
			f.open = append(f.open, name)
			version := f.includedVersion(&file.text, name)
			f.open = f.open[:len(f.open)-1]
			if version != nil || !f.isCommentsOnly(file) {
				return version
			}
		case len(bytes.TrimSpace(code)) > 0 && !pragmaOnce().Match(code) && !includeExtension().Match(code):
			return nil
		}
	}
}

// isCommentsOnly reports whether a file consists of comments only.
func (f *flattening) isCommentsOnly(file *file) bool {
	return len(bytes.TrimSpace(file.text.code)) == 0
}

// writeHead writes the source up to and including its #version line. It returns the number of the
// next line.
func (f *flattening) writeHead(top *file) int {
	t := text{shown: top.shown[:top.at], code: top.code[:top.at]}
	first := 1
	for {
		shown, code := t.nextCodeLine()
		if shown == nil {
			break
		}
		first += bytes.Count(shown, []byte{'\n'})
		f.writeCode(shown, code)
	}
	if f.out.Len() > 0 && !bytes.HasSuffix(f.out.Bytes(), []byte{'\n'}) {
		f.out.WriteByte('\n')
	}
	return first
}

// writeCode writes a line.
func (f *flattening) writeCode(shown, code []byte) {
	if f.compact {
		shown = compact(shown, code)
	}
	f.out.Write(shown)
}

// expandFile writes a file from its current position. The name is relative to the source's
// directory. The argument first is the number of the current line.
func (f *flattening) expandFile(file *file, name string, first int) error {
	if file.once {
		fmt.Fprintf(&f.out, "#ifndef COOK_INCLUDED_%d\n#define COOK_INCLUDED_%d\n", file.number, file.number)
	}
	if f.lines && file.number > 0 {
		f.writeLineDirective(first, file.number)
	}
	t := file.text
	for number := first; ; {
		shown, code := t.nextCodeLine()
		if shown == nil {
			break
		}
		if f.seen++; f.seen%256 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		newlines := bytes.Count(shown, []byte{'\n'})
		word := ""
		if m := directive().FindSubmatch(code); m != nil {
			word = string(m[1])
		}
		switch {
		case word == "include":
			if err := f.expandInclude(code, name, number); err != nil {
				return err
			}
			if f.lines {
				f.writeLineDirective(number+newlines, file.number)
			}
		case file.number > 0 && anyVersion().Match(code) && f.version == "":
			return &lineError{file: f.open[len(f.open)-1], line: number, what: "the #version line must come first; put it at the top of the source"}
		case file.number > 0 && anyVersion().Match(code):
			f.warnOfVersion(code, number)
			f.out.Write(bytes.Repeat([]byte{'\n'}, max(1, newlines)))
		case pragmaOnce().Match(code), includeExtension().Match(code):
			f.out.Write(bytes.Repeat([]byte{'\n'}, max(1, newlines)))
		default:
			f.writeCode(shown, code)
		}
		number += newlines
		if f.out.Len() > maxFlat {
			return fmt.Errorf("the shader with its includes is larger than %d bytes", maxFlat)
		}
	}
	if f.out.Len() > 0 && f.out.Bytes()[f.out.Len()-1] != '\n' && file.number > 0 {
		f.out.WriteByte('\n')
	}
	if file.once {
		f.out.WriteString("#endif\n")
	}
	return nil
}

// versionOf returns the #version line in code with single spaces.
func versionOf(code []byte) string {
	const word = "version"
	line := code[bytes.LastIndex(code, []byte(word))+len(word):]
	return "#" + word + " " + string(bytes.Join(bytes.Fields(line), []byte{' '}))
}

// warnOfVersion warns if the #version line of an included file differs from the line of the shader.
func (f *flattening) warnOfVersion(code []byte, number int) {
	own := versionOf(code)
	if own == f.version {
		return
	}
	warning := fmt.Sprintf("%s:%d: %s is ignored, because the shader has %s; write the same version in both files", f.open[len(f.open)-1], number, own, f.version)
	if !slices.Contains(f.warned, warning) {
		f.warned = append(f.warned, warning)
	}
}

// writeLineDirective writes a #line directive that applies to the next line.
func (f *flattening) writeLineDirective(number, file int) {
	if f.behind {
		number--
	}
	fmt.Fprintf(&f.out, "#line %d %d\n", number, file)
}

// expandInclude writes the file that an #include line names.
func (f *flattening) expandInclude(code []byte, from string, number int) error {
	where := fmt.Sprintf("%s:%d: ", f.open[len(f.open)-1], number)
	if len(f.open) == 1 {
		where = fmt.Sprintf("%d:1: ", number)
	}
	m := include().FindSubmatch(code)
	if m == nil {
		return fmt.Errorf(`%swant #include "file" or #include <file>, have %.100q`, where, bytes.TrimSpace(code))
	}
	if bytes.IndexByte(code, '\\') >= 0 {
		return fmt.Errorf("%sthe name of an included file must not have backslashes; write /", where)
	}
	name, file, err := f.findIncluded(string(m[1]), string(m[2]), from)
	if e := (*lineError)(nil); errors.As(err, &e) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s%w", where, err)
	}
	if slices.Contains(f.open, name) {
		if file.once || file.guards {
			return nil // a file with a guard may include itself
		}
		return fmt.Errorf("%s%s includes itself: %s -> %s", where, name, strings.Join(f.open[1:], " -> "), name)
	}
	if f.count++; f.count > maxIncludes {
		return fmt.Errorf("%sthe shader has more than %d includes", where, maxIncludes)
	}
	if len(f.open) > maxDeep {
		return fmt.Errorf("%sincludes are nested deeper than %d files, beginning with %s", where, maxDeep, strings.Join(f.open[1:4], " -> "))
	}
	f.open = append(f.open, name)
	err = f.expandFile(file, name, 1)
	f.open = f.open[:len(f.open)-1]
	return err
}

// findIncluded reads an included file. It first looks up a quoted name relative to the including
// file.
func (f *flattening) findIncluded(quoted, bracketed, from string) (string, *file, error) {
	var tries []string
	asked := bracketed
	if quoted != "" {
		asked = quoted
		beside := quoted
		if !strings.HasPrefix(quoted, "/") {
			beside = path.Join(path.Dir(from), quoted)
		}
		tries = append(tries, beside)
	}
	for _, dir := range f.dirs {
		tries = append(tries, path.Join(dir, asked))
	}
	for _, name := range tries {
		if known := f.files[name]; known != nil {
			return name, known, nil
		}
		text, err := f.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		text = bytes.TrimPrefix(text, []byte(plaintext.ByteOrderMark))
		sum := sha256.Sum256(text)
		known := f.same[sum]
		if known == nil {
			prepared, err := prepareGLSL(text, f.joins)
			if e := (*lineError)(nil); errors.As(err, &e) {
				e.file = name
				return "", nil, err
			}
			f.names = append(f.names, name)
			known = &file{text: *prepared, number: len(f.names) - 1}
			known.findGuards()
			f.same[sum] = known
		}
		f.files[name] = known
		return name, known, nil
	}
	if len(tries) == 0 {
		return "", nil, fmt.Errorf("<%s> is looked for in include_dirs, of which there are none", asked)
	}
	return "", nil, fmt.Errorf("%s does not exist; looked for %s", asked, strings.Join(tries, ", "))
}

// findGuards detects whether a file guards itself against repeated inclusion.
func (f *file) findGuards() {
	t := f.text
	depth, directives, guarded := 0, 0, true
	for {
		_, code := t.nextCodeLine()
		if code == nil {
			break
		}
		f.once = f.once || pragmaOnce().Match(code)
		m := directive().FindSubmatch(code)
		if m == nil {
			guarded = guarded && (depth > 0 || len(bytes.TrimSpace(code)) == 0)
			continue
		}
		switch directives++; string(m[1]) {
		case "ifndef", "if", "ifdef":
			guarded = guarded && (depth > 0 || directives == 1 && guard().Match(code))
			depth++
		case "endif":
			depth--
		default:
			guarded = guarded && depth > 0
		}
	}
	f.guards = guarded && directives > 2 && depth == 0
}
