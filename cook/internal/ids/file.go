package ids

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// Limits, in bytes. A million lines take about 80 MB.
const (
	MaxFile = 256 << 20
	maxPath = 32 << 10
)

// head is the first line of an ID file.
const head = "# IDs of assets that were renamed, made by cook. Keep it with the assets, in version control."

// Parse parses an ID file. A line has an ID, a space and the path of its asset, or only an ID that
// has no asset. Parse skips empty lines and comments (#). Lines may be in any order, which makes
// merging branches simple. An error is one line with the name of the file and the line number.
func Parse(name string, data []byte) (*Set, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s has more than %d bytes, the limit; remove lines of assets that no longer exist", pathname.Show(name), MaxFile)
	}
	s := &Set{byPath: map[string]ID{}, owners: map[ID]string{}}
	p := parser{s, map[ID]int{}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text := strings.TrimRight(string(bytes.TrimPrefix(line, []byte("\ufeff"))), "\r\n")
		if err := p.parseIDLine(text, number); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", pathname.Show(name), number, err)
		}
	}
	return s, nil
}

// Load reads and parses an ID file. A missing file counts as empty.
func Load(name string) (*Set, error) {
	f, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Set{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// A parser parses a file into a set.
type parser struct {
	set   *Set
	lines map[ID]int
}

func (p *parser) parseIDLine(text string, number int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case text[0] == '#':
		if text != head {
			p.set.comments = append(p.set.comments, text)
		}
		return nil
	case slices.Contains([]string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"}, text[:min(7, len(text))]):
		return errors.New("this is a merge conflict; keep the lines of both sides, but only one for each ID and each path")
	}
	word, rest, _ := strings.Cut(text, " ")
	id, ok := ParseID(word)
	if !ok {
		return fmt.Errorf("want an ID such as %s and a path, have %s", derived("", 0), pathname.Show(text))
	}
	asset, err := parsePath(rest)
	if err != nil {
		return err
	}
	if first, twice := p.lines[id]; twice {
		if other := p.set.owners[id]; other != asset {
			return fmt.Errorf("%s has the same ID as %s (line %d); keep the line of one of them", shownName(asset), shownName(other), first)
		}
		return nil
	}
	if other, twice := p.set.byPath[asset]; twice {
		return fmt.Errorf("%s has a different ID in line %d; keep one of the lines", shownName(asset), p.lines[other])
	}
	p.lines[id], p.set.owners[id] = number, asset
	if asset != "" {
		p.set.byPath[asset] = id
	}
	return nil
}

// shownName returns the path of a line for messages.
func shownName(asset string) string { return cmp.Or(pathname.Show(asset), "no asset") }

// parsePath parses the path of a line.
func parsePath(text string) (string, error) {
	asset := text
	if strings.TrimSpace(text) != text {
		return "", fmt.Errorf("want one space before the path and none after it, have %s", strconv.Quote(text[:min(len(text), 100)]))
	}
	if strings.HasPrefix(text, `"`) {
		var err error
		if asset, err = strconv.Unquote(text); err != nil {
			return "", fmt.Errorf("want a path, or a path in double quotes, have %s", pathname.Show(text))
		}
	}
	if asset == "" && text == "" {
		return "", nil
	}
	if !isPath(asset) {
		return "", fmt.Errorf("%s is not the path of a file in the asset directory; write a relative path with slashes", pathname.Show(asset))
	}
	return asset, nil
}

// isPath reports whether a name is a valid path of an asset.
func isPath(name string) bool {
	return name != "" && len(name) <= maxPath && path.Clean(name) == name && name != "." && name != ".." &&
		name[0] != '/' && !strings.HasPrefix(name, "../") && !strings.Contains(name, "\x00")
}

// Bytes returns the content of the file for a set, or nil for an empty set. Lines are sorted by ID,
// so that a changed line keeps its position and merging two branches rarely causes conflicts.
func (s *Set) Bytes() []byte {
	if len(s.owners)+len(s.comments) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, line := range append([]string{head}, s.comments...) {
		b.WriteString(line + "\n")
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.owners), func(a, b ID) int { return bytes.Compare(a[:], b[:]) }) {
		b.WriteString(id.String())
		if asset := s.owners[id]; asset != "" {
			b.WriteString(" " + writtenLine(asset))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// writtenLine returns the path of a line, quoted if an editor could damage it.
func writtenLine(asset string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(asset) || strings.ContainsFunc(asset, odd) || asset[0] == '"' || strings.TrimSpace(asset) != asset {
		return strconv.Quote(asset)
	}
	return asset
}
