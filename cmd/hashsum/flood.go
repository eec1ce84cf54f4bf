package main

import (
	"errors"
	"fmt"
	"io/fs"
)

const (
	// shownOfCause is how many messages of one cause are printed; further ones are counted.
	shownOfCause = 3
	// maxCauses is the most causes distinguished: a list may be all noise.
	maxCauses = 20
)

// A flood counts messages by cause, so that a thousand messages of one cause take a few lines.
type flood struct {
	causes []cause // in the order of their first message
}

type cause struct {
	text  string
	count int
}

const otherCauses = "other causes"

// allowsMessage counts a message and reports whether to print it.
func (f *flood) allowsMessage(text string) bool {
	for i := range f.causes {
		if c := &f.causes[i]; c.text == text || c.text == otherCauses {
			c.count++
			return c.count <= shownOfCause
		}
	}
	if len(f.causes) == maxCauses {
		text = otherCauses
	}
	f.causes = append(f.causes, cause{text, 1})
	return true
}

// rest prints a line for each cause with more messages than were printed.
func (f *flood) rest(list, one, many string, line func(string, ...any)) {
	for _, c := range f.causes {
		if n := c.count - shownOfCause; n > 0 {
			line("%s: %s: %s", list, plural(n, "more "+one, "more "+many), c.text)
		}
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// causeOf returns the text of an error without its path.
func causeOf(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}
