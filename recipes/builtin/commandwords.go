package builtin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var errBrace = errors.New("{{ or }} for a brace that is meant as one")

// fill replaces the words in braces.
func fill(arg string, words map[string]string) (string, error) {
	var out strings.Builder
	err := cut(arg, func(text string) { out.WriteString(text) }, func(word string) error {
		value, ok := words[word]
		if !ok {
			return fmt.Errorf("there is no {%s}", word)
		}
		out.WriteString(value)
		return nil
	})
	return out.String(), err
}

// placeholders lists the words in braces of an argument. The error says what
// an argument should be.
func placeholders(arg string) ([]string, error) {
	var list []string
	err := cut(arg, func(string) {}, func(word string) error {
		if !isWord(word) {
			return errors.New("only {in}, {out}, {out0}, {out1}, ..., {stem}, {depfile} and {scratch} in braces, and " + errBrace.Error())
		}
		list = append(list, word)
		return nil
	})
	if strings.IndexByte(arg, 0) >= 0 {
		err = errors.New("an argument without NUL")
	}
	return list, err
}

func isWord(word string) bool {
	switch word {
	case "in", "out", "stem", "depfile", "scratch":
		return true
	}
	digits, ok := strings.CutPrefix(word, "out")
	n, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil && strconv.FormatUint(n, 10) == digits
}

// cut hands out the pieces of an argument in order.
func cut(arg string, text func(string), word func(string) error) error {
	for arg != "" {
		i := strings.IndexAny(arg, "{}")
		if i < 0 {
			text(arg)
			return nil
		}
		text(arg[:i])
		brace := arg[i]
		arg = arg[i+1:]
		if arg != "" && arg[0] == brace {
			text(string(brace))
			arg = arg[1:]
			continue
		}
		end := strings.IndexAny(arg, "{}")
		if brace == '}' || end < 0 || arg[end] != '}' {
			return errBrace
		}
		if err := word(arg[:end]); err != nil {
			return err
		}
		arg = arg[end+1:]
	}
	return nil
}
