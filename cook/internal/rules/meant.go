package rules

import (
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/internal/nearest"
)

// meant returns the end of a message about a rule that matches nothing: the likely intended
// pattern, or the mistake in its pattern.
func (s *Set) meant(number int, sources iter.Seq[string]) string {
	l := &s.layers[number]
	prefix, text := l.prefix, l.texts[0]
	try := func(fixed string) bool { return fixed != text && matchesAny(fixed, prefix, sources, false) }
	if fixed := strings.NewReplacer(`\\`, "/", `\`, "/").Replace(text); try(fixed) {
		return fmt.Sprintf("; paths have slashes: did you mean %q?", fixed)
	}
	if fixed := fromRegexp(text); try(fixed) {
		return fmt.Sprintf("; patterns are no regular expressions: did you mean %q?", fixed)
	}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "/"), prefix); ok && try(rest) {
		return fmt.Sprintf("; patterns begin at the directory of their file: did you mean %q?", rest)
	}
	if _, rest, ok := strings.Cut(strings.TrimPrefix(text, "/"), "/"); ok && rest != "" && prefix == "" && try("/"+rest) {
		return fmt.Sprintf("; patterns begin at the asset directory: did you mean %q?", "/"+rest)
	}
	if matchesAny(text, prefix, sources, true) {
		return "; the case of letters differs: " + found(text, prefix, sources)
	}
	if fixed := respelled(text, prefix, sources); fixed != "" && matchesAny(fixed, prefix, sources, false) {
		return fmt.Sprintf("; did you mean %q?", fixed)
	}
	return ""
}

// sampleName returns a file name that a pattern probably matches.
func sampleName(pattern string) string {
	name := strings.ReplaceAll(path.Base(pattern), "*", "x")
	if first, rest, ok := strings.Cut(name, "{"); ok {
		word, _, _ := strings.Cut(rest, ",")
		_, end, _ := strings.Cut(rest, "}")
		name = first + strings.TrimSuffix(word, "}") + end
	}
	return name
}

// matchesAny reports whether a pattern of the file in directory prefix matches a source, ignoring
// case if folded.
func matchesAny(pattern, prefix string, sources iter.Seq[string], folded bool) bool {
	_, ok := firstMatch(pattern, prefix, sources, folded)
	return ok
}

func found(pattern, prefix string, sources iter.Seq[string]) string {
	source, _ := firstMatch(pattern, prefix, sources, true)
	return clip(source)
}

func firstMatch(pattern, prefix string, sources iter.Seq[string], folded bool) (string, bool) {
	if folded {
		pattern = strings.ToLower(pattern)
	}
	var list glob.List
	if list.Add(pattern) != nil {
		return "", false
	}
	for source := range sources {
		rest, inside := strings.CutPrefix(source, prefix)
		if !inside {
			continue
		}
		if folded {
			rest = strings.ToLower(rest)
		}
		if list.Match(rest, path.Base(rest)) {
			return source, true
		}
	}
	return "", false
}

// fromRegexp replaces common regular expression syntax by pattern syntax.
func fromRegexp(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$")
	return strings.NewReplacer(".*", "*", ".+", "*", `\.`, ".", "(", "{", ")", "}", "|", ",").Replace(text)
}

// respelled replaces literal elements of a pattern by similar names of sources at the same depth.
func respelled(text, prefix string, sources iter.Seq[string]) string {
	elements := strings.Split(text, "/")
	anchored := len(elements) > 1
	names := make([]map[string]bool, len(elements))
	for i := range names {
		names[i] = map[string]bool{}
	}
	endings := map[string]bool{}
	for source := range sources {
		rest, inside := strings.CutPrefix(source, prefix)
		if !inside {
			continue
		}
		parts := strings.Split(rest, "/")
		for i, part := range parts {
			if i < len(names) && len(names[i]) < 10_000 {
				names[i][part] = true
			}
		}
		endings[path.Ext(rest)] = true
	}
	changed := false
	for i, e := range elements {
		switch {
		case e == "":
		case !strings.ContainsAny(e, `*?[{\`) && anchored && !names[i][e]:
			if w := nearest.Word(e, sortedKeys(names[i])); w != "" {
				elements[i], changed = w, true
			}
		case i == len(elements)-1 && strings.HasPrefix(e, "*.") && !strings.ContainsAny(e[2:], `*?[{\`) && !endings[e[1:]]:
			if w := nearest.Word(e[1:], sortedKeys(endings)); w != "" {
				elements[i], changed = "*"+w, true
			}
		}
	}
	if !changed {
		return ""
	}
	return strings.Join(elements, "/")
}
