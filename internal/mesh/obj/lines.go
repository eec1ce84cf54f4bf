package obj

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

const (
	maxLine = 8 << 20 // maximum number of bytes per line, including continuation lines
	looks   = 1 << 10 // number of lines between two checks of the context
)

// blanks are the characters that separate words of a line.
const blanks = " \t\r\v\f"

func isBlank(c rune) bool { return strings.ContainsRune(blanks, c) }

// paint is the prefix of comments with vertex colors, as ZBrush writes them.
const paint = "#MRGB"

// eachLine calls read for each line except empty lines and comments. It passes the words of the
// line, and the text after the first word. It adds the line number to errors.
func eachLine(ctx context.Context, text []byte, read func(words []string, rest string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(text, 0) >= 0 {
		return errors.New("the file contains zero bytes, so it is not an OBJ text file")
	}
	var words []string
	var joined []byte // continued lines, joined in a copy of the text
	for number := 1; len(text) > 0; number++ {
		if number%looks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		first := number
		line = bytes.TrimRight(line, blanks)
		last := line // number of the last joined line
		for goesOn := false; endsOpen(last) && len(text) > 0 && len(line) < maxLine; goesOn = true {
			if !goesOn {
				joined = append(joined[:0], line...)
			}
			last, text, _ = bytes.Cut(text, []byte{'\n'})
			last = bytes.TrimRight(last, blanks)
			number++
			joined = append(append(joined[:len(joined)-1], ' '), last...)
			line = joined
		}
		if len(line) >= maxLine {
			return fmt.Errorf("line %d is longer than %d bytes", first, maxLine)
		}
		whole := string(line)
		if !bytes.HasPrefix(line, []byte(paint+" ")) {
			whole = withoutComment(whole)
		}
		words = append(words[:0], strings.FieldsFunc(whole, isBlank)...)
		if len(words) == 0 {
			continue
		}
		rest := strings.Trim(strings.TrimPrefix(strings.Trim(whole, blanks), words[0]), blanks)
		if err := read(words, rest); err != nil {
			return fmt.Errorf("line %d: %w", first, err)
		}
	}
	return ctx.Err()
}

// endsOpen reports whether a line continues on the next line. A final backslash in a comment does
// not continue the line, because it may be the end of a directory name.
func endsOpen(line []byte) bool {
	return bytes.HasSuffix(line, []byte{'\\'}) && strings.HasSuffix(withoutComment(string(line)), `\`)
}

// withoutComment removes a comment. A number sign within a word does not start a comment, because
// it may be part of a file name.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || isBlank(rune(line[i-1]))) {
			return line[:i]
		}
	}
	return line
}

// Measure returns an upper bound on the bytes that Convert needs for a model, including its text
// and the results. It also returns an upper bound on the corners of the triangles.
func Measure(model []byte) (memory, corners int64) {
	var coordinates, parts, vertices, painted int64
	colored := false
	last := kind{}
	for rest := model; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		line = bytes.TrimLeft(line, blanks)
		if len(line) == 0 {
			continue
		}
		switch line[0] {
		case 'v':
			coordinates += 3
			vertices++
			colored = colored || bytes.HasSuffix(bytes.TrimRight(line, blanks), []byte{'\\'}) || len(bytes.Fields(line)) > 6
			continue
		case '#':
			if bytes.HasPrefix(line, []byte(paint)) {
				colored = true
				painted += int64(len(line))
			}
		case 'o', 'g', 'u':
			parts++
			continue
		}
		k, words := lineKind(line)
		if k != last {
			parts++
			last = k
		}
		if k.letter == 'f' {
			corners += 3 * max(words-3, 0) // n corners make n-2 triangles; one of the words is f
		} else {
			corners += 3 * words // the line may continue the previous line, so all words count
		}
	}
	cornerCost := int64(2*12 + 32)
	if colored {
		coordinates += 4 * vertices
		cornerCost += 16
	}
	// A corner takes 12 bytes in a list, which may be copied as it grows. It takes 32 bytes in the
	// buffer, or 48 with colors. Normals of length 0 may split a part in two.
	return int64(len(model)) + 8*coordinates + painted + corners*cornerCost + 2*(parts+1)*partCost, corners
}

// partCost is the approximate memory of a part, both decoded and as text. A part has a node, a
// mesh, three accessors and three views.
const partCost = 6 << 10

// A kind holds the common properties of consecutive element lines that belong to one part.
type kind struct {
	letter       byte
	uvs, normals bool
}

// lineKind returns the kind of a line and counts its words.
func lineKind(line []byte) (k kind, words int64) {
	k = kind{letter: line[0], uvs: true, normals: true}
	for len(line) > 0 {
		end := bytes.IndexAny(line, blanks)
		if end < 0 {
			end = len(line)
		}
		if words > 0 && end > 0 {
			_, rest, _ := bytes.Cut(line[:end], []byte{'/'})
			uv, normal, _ := bytes.Cut(rest, []byte{'/'})
			k.uvs = k.uvs && len(uv) > 0
			k.normals = k.normals && len(normal) > 0
		}
		if end > 0 {
			words++
		}
		line = line[min(end+1, len(line)):]
	}
	return k, words
}
