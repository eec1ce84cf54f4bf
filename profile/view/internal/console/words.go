package console

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/nearest"
)

// split splits a line into words. A word that begins with a double quote is a Go string.
func split(line string) (words []string, err error) {
	for {
		line = strings.TrimLeftFunc(line, unicode.IsSpace)
		if line == "" {
			return words, nil
		}
		word, rest, ok := cut(line)
		if !ok {
			return nil, fmt.Errorf("a quoted word has no end, or is not a valid string: %s", strconv.Quote(short(line)))
		}
		words, line = append(words, word), rest
	}
}

// cut splits a line after its first word. The line must not begin with a space.
func cut(line string) (word, rest string, ok bool) {
	if line[0] == '"' {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", "", false
		}
		word, err = strconv.Unquote(quoted)
		return word, line[len(quoted):], err == nil
	}
	end := strings.IndexFunc(line, unicode.IsSpace)
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:], true
}

// quote returns a word as a user would type it, in quotes if necessary.
func quote(word string) string {
	plain := func(r rune) bool { return unicode.IsPrint(r) && r != ' ' && r != utf8.RuneError }
	if word == "" || word[0] == '"' || strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return strconv.Quote(word)
	}
	return word
}

// short shortens text for an error message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// matches reports whether a name matches a pattern, in which a "*" matches any text.
func matches(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	name, ok := strings.CutPrefix(name, pieces[0])
	if !ok || len(pieces) == 1 {
		return ok && name == ""
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		_, after, found := strings.Cut(name, piece)
		if !found {
			return false
		}
		name = after
	}
	return strings.HasSuffix(name, pieces[last])
}

// unknown returns an error for an unknown word. The error suggests the nearest known word.
func unknown(what, word string, known []string) error {
	if near := meant(word, known); near != "" {
		return fmt.Errorf("there is no %s %s; did you mean %s?", what, quote(short(word)), quote(near))
	}
	if n := len(known); n > 0 && n <= 8 {
		return fmt.Errorf("there is no %s %s, only %s", what, quote(short(word)), quoteAll(known))
	}
	return fmt.Errorf("there is no %s %s", what, quote(short(word)))
}

func quoteAll(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = quote(short(w))
	}
	return strings.Join(list, ", ")
}

// meant returns the known word nearest to a mistyped word. If no known word is near, but exactly
// one contains the mistyped word, it returns that one. Otherwise it returns "".
func meant(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" || word == "" {
		return near
	}
	holds, holding := "", 0
	for _, k := range known {
		if strings.Contains(k, word) {
			holds = k
			holding++
		}
	}
	if holding == 1 {
		return holds
	}
	return ""
}

// A Completion lists Words that may replace line[From:To].
type Completion struct {
	From  int      `json:"from"`
	To    int      `json:"to"`
	Words []string `json:"words"`
}

// maxWords is the maximum number of words in a completion.
const maxWords = 50

// Complete returns the possible words at a position in a line. It completes counters one part at a
// time, up to the next slash. If no counter begins with the typed word, it offers the counters that
// contain the word.
func Complete(line string, at int, names Names) Completion {
	at = min(max(at, 0), len(line))
	none := Completion{From: at, To: at, Words: []string{}}
	if len(line) > maxLine {
		return none
	}
	var words []string
	rest := line[:at]
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		word, after, ok := cut(rest)
		if !ok || after == "" {
			break // The typed part of the word ends here.
		}
		words, rest = append(words, word), after
	}
	if len(words) > maxNames {
		return none
	}
	typed := rest
	if strings.HasPrefix(typed, `"`) {
		var ok bool
		if typed, _, ok = cut(rest); !ok {
			var err error
			if typed, err = strconv.Unquote(rest + `"`); err != nil {
				return none
			}
		}
	}
	to := at
	if !strings.HasPrefix(rest, `"`) {
		for to < len(line) && line[to] > ' ' {
			to++ // Also replace the remaining part of the word.
		}
	}
	c := Completion{From: at - len(rest), To: to, Words: []string{}}
	list, counters := candidates(words, names)
	if counters {
		list = append(slices.Clone(list), byPart(typed, names.Counters)...)
	}
	for _, word := range list {
		if strings.HasPrefix(word, typed) && !slices.Contains(words[min(1, len(words)):], word) {
			c.Words = append(c.Words, quote(word))
		}
		if len(c.Words) == maxWords {
			break
		}
	}
	if counters && len(c.Words) == 0 && typed != "" {
		for _, name := range names.Counters {
			if strings.Contains(name, typed) {
				if c.Words = append(c.Words, quote(name)); len(c.Words) == maxWords {
					break
				}
			}
		}
	}
	return c
}

// candidates returns the words that may follow the given words, and reports whether a counter may
// follow.
func candidates(words []string, names Names) (list []string, counters bool) {
	n := len(words)
	if n == 0 {
		return commands, false
	}
	switch words[0] {
	case "graph":
		if n == 1 {
			return verbs, false
		}
		switch {
		case n == 2 && words[1] == "make":
			return nil, false
		case n == 2 && words[1] == "add_vector":
			return append(slices.Clone(names.Graphs), names.vectors()...), false
		case n == 2:
			return names.Graphs, false
		case words[1] == "add", words[1] == "remove":
			return nil, true
		case n == 3 && words[1] == "add_vector":
			return names.vectors(), false
		case n == 3 && words[1] == "range":
			return []string{"auto"}, false
		}
	case "print":
		return nil, true
	case "when":
		switch last := words[n-1]; {
		case n == 1:
			return []string{"remove"}, true
		case n == 2 && last != "remove":
			return signs, false
		case last == "dump":
			return []string{"1s", "2s", "5s", "10s"}, false
		case n == 4:
			return []string{"dump", "for"}, false
		case n == 6 && words[4] == "for":
			return []string{"dump"}, false
		}
	}
	return nil, false
}

// byPart returns the names that begin with typed, each truncated after the next slash.
func byPart(typed string, names []string) (list []string) {
	from, _ := slices.BinarySearchFunc(names, typed, cmp.Compare[string])
	for from < len(names) && len(list) <= maxWords {
		name := names[from]
		if !strings.HasPrefix(name, typed) {
			break
		}
		slash := strings.IndexByte(name[len(typed):], '/')
		if slash < 0 {
			list = append(list, name)
			from++
			continue
		}
		part := name[:len(typed)+slash+1]
		// All names that begin with this part are adjacent. The names after them are not less than
		// the part with its final slash replaced by the next byte.
		after := part[:len(part)-1] + string(rune('/'+1))
		end, _ := slices.BinarySearch(names[from:], after)
		if end == 1 {
			part = name // Only one name begins with this part.
		}
		list = append(list, part)
		from += max(end, 1)
	}
	return list
}
