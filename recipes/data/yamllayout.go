package data

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// The YAML library accepts some invalid documents, and refuses the directive %YAML 1.2. The
// functions in this file add the missing checks.

var versionDirective = lazyregexp.New(`^%YAML[ \t]+([0-9]+)\.[0-9]+[ \t]*(?:[ \t]#.*)?$`)

// withoutDirectives turns %YAML 1.2 and unknown directives (YAML 1.2.2, section 6.8) into
// comments, because the library supports only %TAG and %YAML 1.1. Every byte keeps its offset.
func withoutDirectives(source []byte) ([]byte, error) {
	if !bytes.HasPrefix(source, []byte{'%'}) && !bytes.Contains(source, []byte("\n%")) {
		return source, nil
	}
	out := bytes.Clone(source)
	before := true     // whether the line is before a document, where directives are allowed
	directive := 0     // line of the last directive since the last document; 0 if there is none
	versioned := false // whether a %YAML directive was read for the next document
	number, at := 0, 0
	for line := range bytes.Lines(source) {
		number++
		start := at
		at += len(line)
		text := strings.TrimRight(string(line[:min(len(line), 256)]), "\r\n")
		marker := ""
		if len(text) >= 3 && (len(text) == 3 || text[3] == ' ' || text[3] == '\t') {
			marker = text[:3]
		}
		switch {
		case marker == "..." && directive > 0, before && marker != "---" && directive > 0 && text != "" && !strings.HasPrefix(text, "%") && !isYAMLComment(text):
			return nil, fmt.Errorf("%d:1: the directive has no document; write --- on the next line", directive)
		case marker == "...":
			before = true
		case marker == "---":
			before, directive, versioned = false, 0, false
		case !before || text == "" || isYAMLComment(text):
		case text[0] != '%':
			before = false
		case strings.HasPrefix(text, "%TAG"):
			directive = number
		default:
			directive = number
			if name, _, _ := strings.Cut(text, " "); name == "%YAML" {
				m := versionDirective().FindStringSubmatch(text)
				switch {
				case m == nil:
					return nil, fmt.Errorf("%d:1: want %%YAML 1.2, have %.40q", number, text)
				case m[1] != "1":
					return nil, fmt.Errorf("%d:1: YAML %s is not supported, only YAML 1.2", number, m[1])
				case versioned:
					return nil, fmt.Errorf("%d:1: the document has a second %%YAML", number)
				}
				versioned = true
			}
			out[start] = '#'
		}
	}
	if directive > 0 {
		return nil, fmt.Errorf("%d:1: the directive has no document; write --- on the next line", directive)
	}
	return out, nil
}

func isYAMLComment(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return line == "" || line[0] == '#'
}

// A yamlLayout checks the indentation of lines.
type yamlLayout struct {
	source []byte
	lines  []int // offset of each line, computed on first use
}

// offset returns the offset of a line and column in the source.
func (l *yamlLayout) offset(line, column int) int {
	if l.lines == nil {
		l.lines = []int{0}
		for i, c := range l.source {
			if c == '\n' || c == '\r' && (i+1 == len(l.source) || l.source[i+1] != '\n') {
				l.lines = append(l.lines, i+1)
			}
		}
	}
	if line < 1 || line > len(l.lines) {
		return len(l.source)
	}
	at := l.lines[line-1]
	for ; column > 1 && at < len(l.source); column-- {
		_, n := utf8.DecodeRune(l.source[at:])
		at += n
	}
	return at
}

// blockIndent returns the indentation of a block-style list or object. It corrects the library's
// position, which may belong to a tag or anchor further to the right.
func blockIndent(n *yaml.Node, around int) int {
	switch {
	case n.Anchor == "" && n.Style&yaml.TaggedStyle == 0:
		return n.Column - 1
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		return min(n.Column, n.Content[0].Column) - 1
	}
	return around
}

// checkIndentation checks that all lines of a block-style node are indented by more than the given
// number of spaces. Within quotes and brackets, the library does not check the indentation and
// accepts tabs.
func (l *yamlLayout) checkIndentation(n *yaml.Node, spaces int) error {
	at := l.offset(n.Line, n.Column)
	for at < len(l.source) && (l.source[at] == '&' || l.source[at] == '!') { // skip an anchor or a tag
		for at < len(l.source) && strings.IndexByte(" \t\r\n", l.source[at]) < 0 {
			at++
		}
		for at < len(l.source) && strings.IndexByte(" \t\r\n", l.source[at]) >= 0 {
			at++
		}
	}
	if at == len(l.source) {
		return nil
	}
	switch c := l.source[at]; {
	case c == '|' || c == '>':
		return l.checkBlockScalar(n, at, spaces)
	case c == '"' || c == '\'' || c == '[' || c == '{':
		if end := flowEnd(l.source, at); bytes.IndexByte(l.source[at:end], '\n') >= 0 {
			return l.continued(at, end, spaces)
		}
	}
	return nil
}

// continued checks the indentation of the lines between two offsets, except the first line.
func (l *yamlLayout) continued(from, end, spaces int) error {
	for {
		i := bytes.IndexByte(l.source[from:end], '\n')
		if i < 0 {
			return nil
		}
		from += i + 1
		line := l.source[from:end]
		have := len(line) - len(bytes.TrimLeft(line, " "))
		rest := bytes.TrimLeft(line, " \t")
		if have > spaces || len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' {
			continue
		}
		number := 1 + bytes.Count(l.source[:from], []byte{'\n'})
		if have < len(line) && line[have] == '\t' {
			return fmt.Errorf("%d:%d: a tab cannot indent; write at least %d spaces", number, have+1, spaces+1)
		}
		return fmt.Errorf("%d:%d: the line is indented by %d spaces, want at least %d, more than its parent", number, have+1, have, spaces+1)
	}
}

// flowEnd returns the offset after the closing quote or bracket for the one at i.
func flowEnd(source []byte, i int) int {
	depth := 0
	for i < len(source) {
		switch c := source[i]; {
		case c == '"':
			for i++; i < len(source) && source[i] != '"'; i++ {
				if source[i] == '\\' {
					i++
				}
			}
		case c == '\'' && (depth == 0 || strings.IndexByte(" \t\r\n,[{:", source[i-1]) >= 0): // a quote within a word is an ordinary character
			for i++; i < len(source) && (source[i] != '\'' || i+1 < len(source) && source[i+1] == '\''); i++ {
				if source[i] == '\'' {
					i++
				}
			}
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '#' && strings.IndexByte(" \t\r\n", source[i-1]) >= 0:
			for i+1 < len(source) && source[i+1] != '\n' {
				i++
			}
		}
		if i++; depth == 0 {
			return min(i, len(source))
		}
	}
	return len(source)
}

// checkBlockScalar checks the empty lines at the start of a block scalar whose indentation is
// set by its first non-empty line. The empty lines must not have more spaces (section 8.1.1.1).
func (l *yamlLayout) checkBlockScalar(n *yaml.Node, at, spaces int) error {
	header, rest, _ := bytes.Cut(l.source[at:], []byte{'\n'})
	if bytes.ContainsAny(header[:min(len(header), 3)], "123456789") {
		return nil
	}
	most, number := 0, n.Line
	for line := range bytes.Lines(rest) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		have := len(line) - len(bytes.TrimLeft(line, " "))
		if have == len(line) {
			most = max(most, have)
			continue
		}
		if have > spaces && most > have {
			return fmt.Errorf("%d:%d: empty lines before this one have %d spaces, but this line has %d", number, have+1, most, have)
		}
		if have == 0 && spaces < 0 && documentMarker().Match(rest) {
			return fmt.Errorf("%d:1: text without indentation continues beyond the end of its document; indent the text", number)
		}
		return nil
	}
	return nil
}

var documentMarker = lazyregexp.New(`(?m)^(?:---|\.\.\.)(?:[ \t\r]|$)`)
