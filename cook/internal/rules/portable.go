package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unportable says why some system that games are made on cannot have a file of
// an output's name, "" if all can. It is Windows that is particular.
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

// inFileNames reports whether every system takes a character in file names.
func inFileNames(r rune) bool { return r >= ' ' && r != 0x7f && !strings.ContainsRune(`\:*?"<>|`, r) }
