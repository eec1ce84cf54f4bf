package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Template makes the path of an output from the path of a source. It is text with words in
// braces. For the source "a/b/wall.n.png" they are:
//
//	{path}  a/b/wall.n.png   the path
//	{dir}   a/b              the directory, "" at the root
//	{name}  wall.n.png       the file name
//	{stem}  wall.n           the file name without {ext}
//	{base}  wall.n           {stem} without a scale at its end, such as @2x
//	{ext}   .png             from the last dot on, as written; "" if there is no
//	                         dot or only dots are in front of it
//	{hash}  0f4e5b6b1f0a97c2 the first digits of the artifact's BLAKE3; once, and only
//	                         in the last element
//
// {ext:png,jpg} is {ext} if the list contains this extension in upper or lower case. Otherwise it
// is the first extension of the list.
//
// A template without a slash, {dir} and {path} names a file in the directory of the source. Any
// other template is relative to the output directory. An element that consists of {dir} is omitted
// at the root. "{{" and "}}" are braces.
type Template struct {
	text     string
	elements [][]part // the parts of each path element
	hashed   bool
}

// A part is a word in braces, or literal text if the field word is none.
type part struct {
	word    word
	literal string
	exts    []string // the extensions in {ext:...}, with their dots
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
	wordHash
)

var words = [...]struct {
	name string
	word word
}{{"path", wordPath}, {"dir", wordDir}, {"stem", wordStem}, {"base", wordBase}, {"name", wordName}, {"ext", wordExt}, {"hash", wordHash}}

const maxTemplate = 1024 // maximum length in bytes

// ParseTemplate parses a template. It refuses templates that could lead outside of the output
// directory, overwrite files of cook, or name a file that some supported system cannot have. It
// does not check names that depend on the source, such as "con.png".
func ParseTemplate(text string) (Template, error) {
	t := Template{text: text}
	if err := t.parseElements(); err != nil {
		return Template{}, fmt.Errorf("template %q: %w", clipText(text), err)
	}
	return t, nil
}

// String returns the template as it was written.
func (t Template) String() string { return t.text }

// Name returns the path of the output for a source. Both are clean slash paths, relative to the
// output directory and the asset tree. With {hash} it is the planned name; see package hashname.
func (t Template) Name(path string) string {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	stem, ext := splitExt(name)

	out, hash := make([]byte, 0, len(t.text)+2*len(path)), 0
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
				out = append(out, p.extension(ext)...)
			case wordHash:
				hash = len(out)
			}
		}
	}
	if t.hashed {
		return hashname.Planned(string(out[:hash]), string(out[hash:]))
	}
	if string(out) == path {
		return path
	}
	return string(out)
}

// extension returns the value of {ext} or {ext:...} for a source with the extension ext.
func (p *part) extension(of string) string {
	if p.exts == nil || slices.ContainsFunc(p.exts, func(ext string) bool { return strings.EqualFold(ext, of) }) {
		return of
	}
	return p.exts[0]
}

// splitExt splits a file name at its last dot. The stem consists of dots only if the whole name
// does, so no template turns the stem into "..".
func splitExt(name string) (stem, ext string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || strings.Trim(name[:i], ".") == "" {
		return name, ""
	}
	return name[:i], name[i:]
}

func (t *Template) parseElements() error {
	if len(t.text) > maxTemplate {
		return fmt.Errorf("the template is longer than %d bytes", maxTemplate)
	}
	if t.text == "" {
		return errors.New("empty")
	}
	if strings.HasPrefix(t.text, "/") {
		return errors.New("the template must be relative to the output directory")
	}
	if strings.HasSuffix(t.text, "/") {
		return errors.New("the template ends in a slash, which names a directory")
	}
	elsewhere := strings.Contains(t.text, "/")
	for element := range strings.SplitSeq(t.text, "/") {
		parts, err := parseElement(element)
		if err != nil {
			return err
		}
		if t.hashed {
			return errHashInFolder
		}
		t.elements = append(t.elements, parts)
		for _, p := range parts {
			elsewhere = elsewhere || p.word == wordDir || p.word == wordPath
			switch {
			case t.hashed && p.word == wordHash:
				return errors.New("{hash} occurs twice; write it once")
			case t.hashed && (p.word == wordDir || p.word == wordPath): // {dir} and {path} may contain slashes
				return errHashInFolder
			}
			t.hashed = t.hashed || p.word == wordHash
		}
	}
	if isDir(t.elements[len(t.elements)-1]) {
		return errors.New("{dir} names a directory; want a file")
	}
	if !elsewhere {
		t.elements = append([][]part{{{word: wordDir}}}, t.elements...)
	}
	return t.checkReserved()
}

var errHashInFolder = errors.New("{hash} is in the name of a directory; write it into the file name, behind the last slash, {dir} and {path}")

// parseElement parses the text between two slashes. Words contain no slash, so the template can be
// split first.
func parseElement(text string) ([]part, error) {
	if text == "" {
		return nil, errors.New(`"//" has an empty element between the slashes`)
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
			p, err := parseWord(name)
			if err != nil {
				return nil, err
			}
			flush()
			parts = append(parts, p)
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

// parseWord reads the text between braces.
func parseWord(text string) (part, error) {
	name, list, listed := strings.Cut(text, ":")
	w, err := lookupWord(name)
	if err != nil || !listed {
		return part{word: w}, err
	}
	p := part{word: w}
	for ext := range strings.SplitSeq(list, ",") {
		if w != wordExt || strings.Trim(ext, extensionBytes) != "" || ext == "" {
			return part{}, fmt.Errorf("{%s}: want a list of extensions, such as {ext:png,jpg}", clipText(text))
		}
		p.exts = append(p.exts, "."+ext)
	}
	return p, nil
}

// extensionBytes are the bytes allowed in the extensions of {ext:...}.
const extensionBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func lookupWord(name string) (word, error) {
	var known []string
	for _, w := range words {
		if w.name == name {
			return w.word, nil
		}
		known = append(known, w.name)
	}
	return none, fmt.Errorf("unknown word {%s}%s", clipText(name), instead(name, known))
}

// checkElement checks that an element cannot become "", "." or "..", and that Windows accepts its
// literal text.
func checkElement(parts []part) error {
	if isDir(parts) {
		return nil
	}
	// shape is the element with "x" for each word that is not empty, and "." for an extension.
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
		return fmt.Errorf("the template has the element %q; write the names of the directories", text)
	}
	if !solid {
		return errors.New("an element without {name}, {stem}, {path} or text may be empty; add one of them")
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

// isDevice reports whether Windows treats a name as a device in every directory. Source:
// Microsoft, "Naming Files, Paths, and Namespaces".
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

// checkReserved refuses names at the root of the output directory that cook reserves. It ignores
// case, as some file systems do.
func (t *Template) checkReserved() error {
	rest := t.elements
	for isDir(rest[0]) { // {dir} is omitted for a source at the root
		rest = rest[1:]
	}
	first := rest[0]
	if len(first) != 1 || first[0].word != none {
		return nil
	}
	switch name := first[0].literal; {
	case strings.EqualFold(name, ".cook"), strings.HasPrefix(strings.ToLower(name), ".cook-"):
		return fmt.Errorf("%q is reserved for cook; choose another name", name)
	case len(rest) == 1 && strings.EqualFold(name, "manifest.json"):
		return fmt.Errorf("%q is reserved for cook; choose another name", name)
	}
	return nil
}

// isDir reports whether an element consists only of {dir}.
func isDir(element []part) bool { return len(element) == 1 && element[0].word == wordDir }

// Unportable returns the reason why some system cannot have a file with this name, or "". It
// applies the rules of Windows.
func Unportable(output string) string {
	if !utf8.ValidString(output) {
		return "is not UTF-8"
	}
	for element := range strings.SplitSeq(output, "/") {
		if i := strings.IndexFunc(element, func(r rune) bool { return !inFileNames(r) }); i >= 0 {
			r, _ := utf8.DecodeRuneInString(element[i:])
			return fmt.Sprintf("has %q in its name", r)
		}
		if strings.TrimRight(element, ". ") != element {
			return "has a name that ends in a dot or a space"
		}
		if stem, _, _ := strings.Cut(element, "."); isDevice(strings.TrimRight(stem, " ")) {
			return fmt.Sprintf("is named like the device %q", stem)
		}
	}
	return ""
}

// inFileNames reports whether every system allows a character in file names.
func inFileNames(r rune) bool { return r >= ' ' && r != 0x7f && !strings.ContainsRune(`\:*?"<>|`, r) }
