package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A label says by hand what pictures of a folder are for.
type label struct {
	folder  string // its name
	pattern string
	role    string // "?" for pictures that do not count
}

// readLabels reads lines of three words: the name of a folder, a pattern of paths in it, a role.
// The first line that fits a picture is its label.
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
			return nil, fmt.Errorf("%s:%d: want a folder, a pattern and a role", file, n)
		}
		labels = append(labels, label{words[0], words[1], words[2]})
	}
	return labels, nil
}

// label notes what labels say about pictures that no material uses.
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
