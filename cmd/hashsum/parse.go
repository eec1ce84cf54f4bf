package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A dialect holds the options for parsing the lines of a list.
type dialect struct {
	// fn is the function of -a, or nil. It applies to lines that do not name a function.
	fn *function
	// zero is set if lines end with NUL and contain no escapes.
	zero bool
}

// errNoEntry is the error of parseLine for an empty line or a comment.
var errNoEntry = errors.New("the line is empty or a comment")

// parseLine parses one line without its end. It accepts all styles that [layout] writes, and those
// of sha256sum, b3sum, xxhsum, openssl dgst and cksum -a sha256.
//
// The function of the line is the first of these: the function in its tag, prefix or "algorithm";
// d.fn; the function in [untagged].
func (d dialect) parseLine(line []byte) (entry, error) {
	if !d.zero {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	if len(line) == 0 || line[0] == '#' {
		return entry{}, errNoEntry
	}
	// A file may begin with a byte order mark. If files were concatenated, any line may begin with
	// a byte order mark.
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\ufeff")), " \t")
	if bytes.HasPrefix(line, []byte("{")) {
		return parseJSON(line)
	}
	e, name, err := d.parseText(line)
	if err != nil {
		return entry{}, err
	}
	if !d.zero && line[0] == '\\' {
		if name, err = unescapeName(name); err != nil {
			return entry{}, err
		}
	}
	return e.called(string(name))
}

// parseText parses a plain or tagged line. The returned name is still escaped.
func (d dialect) parseText(line []byte) (entry, []byte, error) {
	if !d.zero {
		line = bytes.TrimPrefix(line, []byte(`\`))
	}
	word := line
	if i := bytes.IndexAny(line, " \t("); i >= 0 {
		word = line[:i]
	}
	rest := line[len(word):]
	digits := len(word) - len(bytes.TrimLeft(word, "0123456789abcdefABCDEF"))
	switch {
	case len(word) == 0:
		return entry{}, nil, errors.New("the line begins neither with a sum in hex digits nor with the name of a function")
	case digits < len(word):
		if name, ok := bytes.CutPrefix(bytes.TrimPrefix(rest, []byte(" ")), []byte("(")); ok {
			return parseTagged(string(word), name)
		}
	}
	return d.parsePlain(word, rest)
}

// parsePlain parses a word, two blanks and a name, as most tools write them, and "word *name". It
// also parses "word name" and "word<tab>name", which BSD tools write with -r.
func (d dialect) parsePlain(word, rest []byte) (entry, []byte, error) {
	if len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return entry{}, nil, errors.New("want a sum, a space and a name")
	}
	if rest = rest[1:]; len(rest) > 0 && (rest[0] == ' ' || rest[0] == '*') {
		rest = rest[1:]
	}
	e := entry{size: -1}
	digits := word
	for i := range functions {
		f := &functions[i]
		if f.mark != "" && bytes.HasPrefix(word, []byte(f.mark)) {
			e.fn, digits = f, word[len(f.mark):]
		}
	}
	if e.fn == nil {
		e.fn = d.fn
	}
	if e.fn == nil {
		name, ok := untagged[len(digits)]
		if !ok {
			return entry{}, nil, fmt.Errorf("hashsum has no function with sums of %d characters", len(digits))
		}
		e.fn, e.guessed = lookupFunction(name), true
	}
	return e, rest, e.setDigest(digits)
}

// parseTagged parses the text after "TAG (". The name ends at the last parenthesis.
func parseTagged(tag string, rest []byte) (entry, []byte, error) {
	e := entry{size: -1, fn: lookupFunction(tag)}
	if bits, ok := strings.CutPrefix(tag, "SHA2-"); ok { // openssl 3 writes this spelling
		e.fn = lookupFunction("sha" + bits)
	}
	// xxhsum --little-endian writes this form
	base, reversed := strings.CutSuffix(tag, "_LE")
	if reversed && strings.HasPrefix(base, "XXH") {
		e.fn = lookupFunction(base)
	}
	if e.fn == nil {
		return entry{}, nil, fmt.Errorf("hashsum has no function %q", tag)
	}
	i := bytes.LastIndexByte(rest, ')')
	if i < 0 {
		return entry{}, nil, errors.New("the closing bracket after the name is missing")
	}
	digits, ok := bytes.CutPrefix(bytes.TrimLeft(rest[i+1:], " \t"), []byte("="))
	if !ok {
		return entry{}, nil, errors.New("the equals sign after the name is missing")
	}
	err := e.setDigest(bytes.TrimLeft(digits, " \t"))
	if reversed {
		slices.Reverse(e.sum())
	}
	return e, rest[:i], err
}

func parseJSON(line []byte) (entry, error) {
	var object struct {
		Name      string
		Base64    *string `json:"name_base64"`
		Algorithm string
		Digest    string
		Size      *int64
	}
	if !utf8.Valid(line) {
		// The JSON decoder would replace invalid bytes by U+FFFD, which would change the name.
		return entry{}, errors.New("the JSON object is not UTF-8")
	}
	if err := json.Unmarshal(line, &object); err != nil {
		return entry{}, err
	}
	e := entry{size: -1, fn: lookupFunction(object.Algorithm)}
	if e.fn == nil {
		return entry{}, fmt.Errorf("hashsum has no function for the algorithm %q", object.Algorithm)
	}
	if err := e.setDigest([]byte(object.Digest)); err != nil {
		return entry{}, err
	}
	if object.Size != nil {
		if e.size = *object.Size; e.size < 0 {
			return entry{}, fmt.Errorf("the size %d is negative", e.size)
		}
	}
	if object.Base64 == nil {
		return e.called(object.Name)
	}
	name, err := base64.StdEncoding.DecodeString(*object.Base64)
	if err != nil {
		return entry{}, fmt.Errorf("name_base64: %w", err)
	}
	return e.called(string(name))
}

func (e entry) called(name string) (entry, error) {
	switch {
	case name == "":
		return entry{}, errors.New("the line has no name")
	case strings.IndexByte(name, 0) >= 0:
		return entry{}, errors.New("the name has a NUL byte")
	}
	e.name = name
	return e, nil
}

func (e *entry) setDigest(digits []byte) error {
	if len(digits) != 2*e.fn.Size {
		return fmt.Errorf("the sum has %d digits; a sum of %s has %d", len(digits), e.fn.Name, 2*e.fn.Size)
	}
	if !isHex(digits) {
		return errors.New("the sum contains a character that is not a hex digit")
	}
	_, err := hex.Decode(e.sum(), digits)
	return err
}

func isHex(b []byte) bool { return len(bytes.Trim(b, "0123456789abcdefABCDEF")) == 0 }

// unescapeName undoes [appendName] in place. It accepts no other escapes, so that every name is
// unambiguous.
func unescapeName(name []byte) ([]byte, error) {
	out := name[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '\\' {
			i++
			switch {
			case i < len(name) && name[i] == 'n':
				c = '\n'
			case i < len(name) && name[i] == 'r':
				c = '\r'
			case i < len(name) && name[i] == '\\':
			default:
				return nil, errors.New("the name contains a backslash that begins no escape; write \\\\ for a backslash")
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// maxLine limits a line of a list in bytes. It suffices for a name of 4096 bytes that JSON
// escapes entirely.
const maxLine = 32 << 10

var errTooLong = fmt.Errorf("longer than %d KiB", maxLine>>10)

// errUTF16 is the error for a list in UTF-16, because every line would be invalid.
var errUTF16 = errors.New("the list is UTF-16; save it as UTF-8 (PowerShell: | Out-File -Encoding utf8 SUMS)")

// A lines value reads a list line by line and holds one line in memory.
type lines struct {
	r      *bufio.Reader
	end    byte
	number int // number of the last line, from 1
}

func newLines(r io.Reader, end byte) *lines {
	return &lines{r: bufio.NewReaderSize(r, maxLine), end: end}
}

// readNextLine returns the next line without its line end. The line is valid until the next call.
// After errTooLong, the next call returns the line after the long one. Any other error ends the
// list: io.EOF means that no lines are left.
func (l *lines) readNextLine() ([]byte, error) {
	line, err := l.r.ReadSlice(l.end)
	tooLong := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice(l.end)
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	}
	l.number++
	if tooLong {
		return nil, errTooLong
	}
	if l.number == 1 && (bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff"))) {
		return nil, errUTF16
	}
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // Windows editors write a byte order mark
	}
	return bytes.TrimSuffix(line, []byte{l.end}), nil
}
