package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assetcook/assetcook/internal/human"
)

const (
	shownOfCause = 3  // messages of one cause that are printed
	maxCauses    = 20 // causes that are counted apart; a list may be all noise
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

// rest calls line for each cause with more messages than were printed.
func (f *flood) rest(thing string, line func(text string)) {
	for _, c := range f.causes {
		if n := c.count - shownOfCause; n > 0 {
			line(fmt.Sprintf("%s: %s", human.Count(n, "more "+thing), c.text))
		}
	}
}

// causeOf returns the text of an error without its path.
func causeOf(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}
