package shader

import (
	"bytes"
	"fmt"
)

// A text is a GLSL file after the first steps of the preprocessor. Line endings are \n. A line that
// ends with a backslash is joined with the next line. The removed newlines follow the joined line,
// so that later lines keep their numbers.
type text struct {
	shown []byte // the text with its comments
	code  []byte // the text with comments, and newlines within them, replaced by spaces
	at    int
}

// nextCodeLine returns the next line including its newline, in two forms: with comments, and as
// code. The line may contain comments that span several lines, because a directive continues after
// them. Both results are nil at the end.
func (t *text) nextCodeLine() (shown, code []byte) {
	if t.at >= len(t.code) {
		return nil, nil
	}
	end := len(t.code)
	if i := bytes.IndexByte(t.code[t.at:], '\n'); i >= 0 {
		end = t.at + i + 1
	}
	shown, code = t.shown[t.at:end], t.code[t.at:end]
	t.at = end
	return shown, code
}

// compact returns a line without its comments. A compiler finds the same directives and comments in
// it as this package. The number of newlines stays the same. Newlines that would split or start a
// directive move to the end of the line.
func compact(shown, code []byte) []byte {
	start := bytes.IndexFunc(code, func(r rune) bool { return r != '\n' && !isShaderBlank(r) })
	keep := start < 0 || bytes.IndexByte(code[start:], '#') < 0
	out := make([]byte, 0, len(code))
	moved := 0
	for i, c := range shown {
		if inComment := c == '\n' && code[i] == ' '; inComment && (keep || i < start) {
			out = append(out, '\n')
		} else {
			out = append(out, code[i])
			if inComment {
				moved++
			}
		}
	}
	return append(out, bytes.Repeat([]byte{'\n'}, moved)...)
}

func isShaderBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\v' || r == '\f' }

// A lineError is an error at a line of a file. An empty file name means the source.
type lineError struct {
	file string
	line int
	what string
}

func (e *lineError) Error() string {
	if e.file == "" {
		return fmt.Sprintf("%d:1: %s", e.line, e.what)
	}
	return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.what)
}

// splice replaces a backslash and its line ending while a file is read.
const splice = 0

// prepareGLSL prepares a GLSL file. joins reports whether backslashes also join lines in comments,
// which depends on the GLSL version; see joinsComments.
func prepareGLSL(source []byte, joins bool) (*text, error) {
	source, err := unifyLines(source)
	if err != nil {
		return nil, err
	}
	l := lexer{source: source, line: 1}
	l.shown = make([]byte, 0, len(source)+1)
	l.code = make([]byte, 0, len(source)+1)
	for l.at < len(l.source) {
		if err := l.takeCharacter(joins); err != nil {
			return nil, err
		}
	}
	if l.state == inBlock {
		return nil, &lineError{"", l.opened, "the comment is not closed; write */"}
	}
	for ; l.owed > 0; l.owed-- {
		l.putCharacter('\n', '\n')
	}
	return &text{shown: l.shown, code: l.code}, nil
}

// unifyLines replaces every line ending with \n, and every backslash before a line ending with a
// splice.
func unifyLines(source []byte) ([]byte, error) {
	out := make([]byte, 0, len(source))
	line := 1
	for i := 0; i < len(source); i++ {
		switch c := source[i]; c {
		case 0:
			return nil, &lineError{"", line, "the shader has a zero byte, where some compilers stop; remove it"}
		case '\r', '\n':
			if c == '\r' && i+1 < len(source) && source[i+1] == '\n' {
				i++
			}
			line++
			if n := len(out); n > 0 && out[n-1] == '\\' {
				out[n-1] = splice
			} else {
				out = append(out, '\n')
			}
		default:
			out = append(out, c)
		}
	}
	if bytes.HasSuffix(out, []byte{'\\'}) {
		return nil, &lineError{"", line, "the file ends with a backslash, but there is no next line to join"}
	}
	return out, nil
}

// The states of a lexer.
const (
	inCode   = iota
	inString // inside a string "...", which only extensions allow and which ends with its line
	inLine   // inside a // comment
	inBlock  // inside a /* */ comment
)

// A lexer separates code from comments.
type lexer struct {
	source      []byte
	at          int
	shown, code []byte
	state       int
	line        int // number of the current line
	opened      int // number of the line where the comment started
	owed        int // number of newlines that were removed from joined lines
}

// putCharacter appends a character to the shown text and to the code.
func (l *lexer) putCharacter(shown, code byte) {
	l.shown, l.code = append(l.shown, shown), append(l.code, code)
}

// newlines ends a line, and adds the newlines removed from joined lines.
func (l *lexer) newlines(code byte) {
	for ; l.owed >= 0; l.owed-- {
		l.putCharacter('\n', code)
	}
	l.owed = 0
	l.line++
}

// endsInBackslash reports whether the line ends with a backslash. Other tools would join such a
// line with the next line. This happens if an empty line follows a line that ends with two
// backslashes. If remove is set, endsInBackslash replaces the backslash.
func (l *lexer) endsInBackslash(remove bool) bool {
	n := len(l.shown)
	found := n > 0 && l.shown[n-1] == '\\'
	if found && remove {
		l.shown[n-1] = ' '
	}
	return found
}

// takePair reports whether the next two characters are a and b. If so, it consumes them as part of
// a comment. Joined lines may separate them.
func (l *lexer) takePair(a, b byte) (joined, found bool) {
	i := l.at + 1
	for i < len(l.source) && l.source[i] == splice {
		i++
	}
	if l.source[l.at] != a || i == len(l.source) || l.source[i] != b {
		return false, false
	}
	splices := i - l.at - 1
	l.owed, l.line, l.at = l.owed+splices, l.line+splices, i+1
	l.putCharacter(a, ' ')
	l.putCharacter(b, ' ')
	return splices > 0, true
}

// takeCharacter consumes the next character, or two characters that start or end a comment.
func (l *lexer) takeCharacter(joins bool) error {
	c := l.source[l.at]
	switch {
	case l.state == inBlock:
		joined, found := l.takePair('*', '/')
		if found && joined && !joins {
			return &lineError{"", l.line, "a backslash splits */, and compilers of this GLSL version disagree where the comment ends; remove it"}
		}
		if found {
			l.state = inCode
			return nil
		}
		if c == '\n' || c == splice { // within a comment, a splice has the meaning of a newline
			l.endsInBackslash(true)
			l.newlines(' ')
		} else {
			l.putCharacter(c, ' ')
		}
	case c == splice:
		if l.state == inLine && !joins && !harmless(l.source[l.at+1:]) {
			return &lineError{"", l.line, "the comment ends in a backslash, and compilers of this GLSL version disagree whether it continues; remove it"}
		}
		l.owed++
		l.line++
	case c == '\n':
		if l.endsInBackslash(l.state == inLine) && l.state != inLine {
			return &lineError{"", l.line, "there are two backslashes before a line end; remove the first one"}
		}
		l.newlines('\n')
		l.state = inCode
	case l.state == inLine:
		l.putCharacter(c, ' ')
	case l.state == inString:
		l.putCharacter(c, c)
		if c == '"' {
			l.state = inCode
		} else if c == '\\' && l.at+1 < len(l.source) && (l.source[l.at+1] == '"' || l.source[l.at+1] == '\\') {
			l.at++
			l.putCharacter(l.source[l.at], l.source[l.at])
		}
	default:
		if _, found := l.takePair('/', '/'); found {
			l.state = inLine
			return nil
		}
		if _, found := l.takePair('/', '*'); found {
			l.state, l.opened = inBlock, l.line
			return nil
		}
		if l.putCharacter(c, c); c == '"' {
			l.state = inString
		}
	}
	l.at++
	return nil
}

// harmless reports whether a line is empty or a comment. If so, it does not matter whether the line
// is part of the comment before it.
func harmless(rest []byte) bool {
	if i := bytes.IndexAny(rest, "\n\x00"); i >= 0 {
		rest = rest[:i]
	}
	rest = bytes.TrimLeft(rest, " \t\v\f")
	return len(rest) == 0 || bytes.HasPrefix(rest, []byte("//"))
}

// joinsComments reports whether a GLSL version also joins lines in comments. Earlier versions do
// not define line joining. Some compilers join lines anyway, some only outside of comments.
func joinsComments(version int) bool { return version >= 420 && version < 1000 || version >= 1300 }
