package obj

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

const (
	maxLine = 8 << 20 // bytes, with continuation lines
	looks   = 1 << 10 // lines between two looks at the context
)

// blanks are the characters that separate words of a line.
const blanks = " \t\r\v\f"

func isBlank(c rune) bool { return strings.ContainsRune(blanks, c) }

// paint is the start of comments with vertex colors, as ZBrush writes them.
const paint = "#MRGB"

// eachLine calls read for each line that is not empty and no comment, with its words
// and all of it behind the first word. An error gets the number of the line.
func eachLine(ctx context.Context, text []byte, read func(words []string, rest string) error) error {
	if err := ctx.Err(); err != nil {
		return err // all of the text is searched below
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(text, 0) >= 0 {
		return errors.New("there are zero bytes in it, so it is no text file")
	}
	var words []string
	var joined []byte // of lines that go on; the text is not ours
	for number := 1; len(text) > 0; number++ {
		if number%looks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		first := number
		line = bytes.TrimRight(line, blanks)
		last := line // the last of the joined lines
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
			return fmt.Errorf("line %d: longer than %d bytes", first, maxLine)
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

// endsOpen reports whether a line continues on the next one. A backslash in a comment does not
// count: it may end the name of a directory.
func endsOpen(line []byte) bool {
	return bytes.HasSuffix(line, []byte{'\\'}) && strings.HasSuffix(withoutComment(string(line)), `\`)
}

// withoutComment cuts off what follows a # that no character is in front of: names of
// files may have one inside.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || isBlank(rune(line[i-1]))) {
			return line[:i]
		}
	}
	return line
}
