package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A label is the role of some pictures of a directory, assigned by hand.
type label struct {
	folder  string // base name of the directory
	pattern string
	role    string // "?" to exclude the pictures
}

// readLabels reads lines of three words: the name of a directory, a pattern of paths in it, and a
// role. The first line that matches a picture determines its label.
func readLabels(file string) ([]label, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var labels []label
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 || !doublestar.ValidatePattern(words[1]) {
			return nil, fmt.Errorf("%s:%d: want a directory, a pattern and a role", file, n)
		}
		labels = append(labels, label{words[0], words[1], words[2]})
	}
	return labels, nil
}

// label adds the labels of pictures that no material uses.
func (t *tree) label(labels []label) {
	for _, picture := range t.pictures {
		if _, ok := t.truth[picture]; ok {
			continue
		}
		for _, l := range labels {
			if l.folder != filepath.Base(t.root) || !doublestar.MatchUnvalidated(l.pattern, picture) {
				continue
			}
			if l.role != "?" {
				t.truth[picture] = l.role
			}
			break
		}
	}
}
