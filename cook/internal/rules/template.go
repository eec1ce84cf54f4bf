package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Template makes an output's path from a source's. It is text with words in
// braces, here for the source "a/b/wall.n.png":
//
//	{path}  a/b/wall.n.png   where the source lies
//	{dir}   a/b              its folder, "" at the root
//	{name}  wall.n.png       its file name
//	{stem}  wall.n           its file name without {ext}
//	{base}  wall.n           {stem} without a scale at its end, such as @2x
//	{ext}   .png             from the last dot on, as written; "" if there is no
//	                         dot or only dots are in front of it
//
// A template without a slash, {dir} and {path} names a file in the source's own
// folder, any other one is relative to the output folder. An element that is
// {dir} and nothing else vanishes at the root. "{{" and "}}" are braces.
type Template struct {
	text     string
	elements [][]part // between the slashes
}

// A part is a word or, if word is none, literal text.
type part struct {
	word    word
	literal string
}

type word uint8

const (
	none word = iota
	wordPath
	wordDir
	wordStem
	wordBase
	wordName
	wordExt
)

var words = [...]struct {
	name string
	word word
}{{"path", wordPath}, {"dir", wordDir}, {"stem", wordStem}, {"base", wordBase}, {"name", wordName}, {"ext", wordExt}}

const maxTemplate = 1024 // bytes

// ParseTemplate reads a template. It refuses whatever could lead out of the
// output folder, hit the cooker's own files there, or name no file on one of
// the systems that assets are cooked on. What is left to the source's name, such
// as a source called "con.png", is not judged here.
func ParseTemplate(text string) (Template, error) {
	t := Template{text: text}
	if err := t.parse(); err != nil {
		return Template{}, fmt.Errorf("template %q: %w", clip(text), err)
	}
	return t, nil
}

// String returns the template as it was written.
func (t Template) String() string { return t.text }

// Name returns the output's path, relative to the output folder and with
// slashes, for a source's clean path relative to the asset tree. The result is
// clean too, whatever bytes the source's name has.
func (t Template) Name(path string) string {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	stem, ext := splitExt(name)

	out := make([]byte, 0, len(t.text)+2*len(path))
	for _, element := range t.elements {
		if isDir(element) && dir == "" {
			continue
		}
		if len(out) > 0 {
			out = append(out, '/')
		}
		for _, p := range element {
			switch p.word {
			case none:
				out = append(out, p.literal...)
			case wordPath:
				out = append(out, path...)
			case wordDir:
				out = append(out, dir...)
			case wordStem:
				out = append(out, stem...)
			case wordBase:
				base, _ := pathname.SplitScale(stem)
				out = append(out, base...)
			case wordName:
				out = append(out, name...)
			case wordExt:
				out = append(out, ext...)
			}
		}
	}
	if string(out) == path {
		return path
	}
	return string(out)
}

// splitExt divides a file name at its last dot. The stem is never made of dots
// alone unless the whole name is, so that no template turns it into "..".
func splitExt(name string) (stem, ext string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || strings.Trim(name[:i], ".") == "" {
		return name, ""
	}
	return name[:i], name[i:]
}

func (t *Template) parse() error {
	if len(t.text) > maxTemplate {
		return fmt.Errorf("longer than %d bytes", maxTemplate)
	}
	if t.text == "" {
		return errors.New("empty")
	}
	if strings.HasPrefix(t.text, "/") {
		return errors.New("must be relative to the output folder")
	}
	if strings.HasSuffix(t.text, "/") {
		return errors.New("ends in a slash, which names a folder")
	}
	elsewhere := strings.Contains(t.text, "/")
	for element := range strings.SplitSeq(t.text, "/") {
		parts, err := parseElement(element)
		if err != nil {
			return err
		}
		t.elements = append(t.elements, parts)
		for _, p := range parts {
			elsewhere = elsewhere || p.word == wordDir || p.word == wordPath
		}
	}
	if isDir(t.elements[len(t.elements)-1]) {
		return errors.New("{dir} names a folder; want a file")
	}
	if !elsewhere {
		t.elements = append([][]part{{{word: wordDir}}}, t.elements...)
	}
	return t.checkReserved()
}

// parseElement reads what stands between two slashes. No word holds a slash, so
// splitting first loses nothing.
func parseElement(text string) ([]part, error) {
	if text == "" {
		return nil, errors.New(`empty element in "//"`)
	}
	var parts []part
	literal := ""
	flush := func() {
		if literal != "" {
			parts = append(parts, part{literal: literal})
			literal = ""
		}
	}
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			literal += rest[:1]
			rest = rest[2:]
		case rest[0] == '}':
			return nil, errors.New(`"}" without "{"; write "}}" for a brace`)
		case rest[0] == '{':
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return nil, errors.New(`"{" without "}"; write "{{" for a brace`)
			}
			w, err := lookupWord(name)
			if err != nil {
				return nil, err
			}
			flush()
			parts = append(parts, part{word: w})
			rest = after
		default:
			if c := rest[0]; c < ' ' || c == 0x7f || strings.IndexByte(`\:*?"<>|`, c) >= 0 {
				return nil, fmt.Errorf("%q cannot be in a file name everywhere", c)
			}
			literal += rest[:1]
			rest = rest[1:]
		}
	}
	flush()
	return parts, checkElement(parts)
}

func lookupWord(name string) (word, error) {
	var known []string
	for _, w := range words {
		if w.name == name {
			return w.word, nil
		}
		known = append(known, w.name)
	}
	return none, fmt.Errorf("unknown word {%s}%s", clip(name), instead(name, known))
}

// checkElement sees to it that an element can never come out as "", "." or
// "..", and that Windows takes its literal text for what it says.
func checkElement(parts []part) error {
	if isDir(parts) {
		return nil
	}
	// The element as Windows sees it: an extension starts with a dot, a folder
	// may be nothing, any other word is some text.
	var shape strings.Builder
	solid := false
	for _, p := range parts {
		switch p.word {
		case none:
			shape.WriteString(p.literal)
			solid = solid || strings.Trim(p.literal, ".") != ""
		case wordExt:
			shape.WriteByte('.')
		case wordDir:
		default:
			shape.WriteByte('x')
			solid = true
		}
	}
	if text := parts[0].literal; len(parts) == 1 && (text == "." || text == "..") {
		return fmt.Errorf("has an element %q; write the folders out", text)
	}
	if !solid {
		return errors.New("an element needs {name}, {stem}, {path} or some text, or it may come out empty")
	}
	if last := parts[len(parts)-1]; last.word == none && strings.TrimRight(last.literal, ". ") != last.literal {
		return errors.New("an element ends in a dot or a space, which Windows drops")
	}
	device, _, _ := strings.Cut(shape.String(), ".")
	if isDevice(strings.TrimRight(device, " ")) {
		return fmt.Errorf("%q is a device on Windows", device)
	}
	return nil
}

// isDevice knows the names that Windows takes for devices in every folder.
// Source: Microsoft, "Naming Files, Paths, and Namespaces".
func isDevice(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	for _, port := range []string{"com", "lpt"} {
		if n, ok := strings.CutPrefix(name, port); ok {
			switch n {
			case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00b9", "\u00b2", "\u00b3":
				return true
			}
		}
	}
	return false
}

// checkReserved refuses the names that the cooker keeps for itself at the root
// of the output folder. It compares without case, as some file systems do.
func (t *Template) checkReserved() error {
	rest := t.elements
	for isDir(rest[0]) { // vanishes for a source at the root
		rest = rest[1:]
	}
	first := rest[0]
	if len(first) != 1 || first[0].word != none {
		return nil
	}
	switch name := first[0].literal; {
	case strings.EqualFold(name, ".cook"), strings.HasPrefix(strings.ToLower(name), ".cook-"):
		return fmt.Errorf("%q belongs to the cooker", name)
	case len(rest) == 1 && strings.EqualFold(name, "manifest.json"):
		return fmt.Errorf("%q belongs to the cooker", name)
	}
	return nil
}

// isDir says whether an element is {dir} alone.
func isDir(element []part) bool { return len(element) == 1 && element[0].word == wordDir }
