// Package hashname names artifacts by their content: the word {hash} in the outputs of a rule.
//
// A plan needs the name of each output before the content is known, because it claims names,
// finds clashes, and gives recipes the names to write. An output with {hash} therefore has two
// names of equal length:
//
//	shape    a.{hash}.png             as the rule makes it
//	planned  a.6c1d0a4be0f2d9b3.png   with a token, a hash of the shape
//	final    a.0f4e5b6b1f0a97c2.png   with the first 16 digits of the artifact's BLAKE3
//
// Token and digits are plain lower-case letters and digits, so that a token in the content of a file
// can be replaced without knowing its format. A token is different for each shape, which makes
// planned names recognizable: [Parse] needs nothing but the name.
package hashname

import (
	"encoding/hex"
	"iter"
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

// Word is the placeholder for the digits, in the outputs of a rule and in messages.
const Word = "{hash}"

// Length is the number of digits in a name with a hash.
const Length = 16

// A Name is the name of an output with {hash}. The zero Name represents an output without {hash}.
type Name struct{ before, token, after string }

// Planned returns the planned name of an output below the directory of its target, given the text
// before and after {hash}.
func Planned(before, after string) string { return before + tokenOf(before, after) + after }

// Parse returns the name of a planned output for a target. ok is false for an output without
// {hash}.
func Parse(target, output string) (n Name, ok bool) {
	below := output
	if target != "" {
		if below, ok = strings.CutPrefix(output, target+"/"); !ok {
			return Name{}, false
		}
	}
	for at := range windows(below) {
		before, digits, after := below[:at], below[at:at+Length], below[at+Length:]
		if tokenOf(before, after) == digits {
			return Name{output[:len(output)-len(below)] + before, digits, after}, true
		}
	}
	return Name{}, false
}

// tokenOf returns the digits of a planned name.
func tokenOf(before, after string) string {
	k := hashing.NewKey("assetcook name 1")
	k.String("before", before)
	k.String("after", after)
	return Digits(k.Sum())
}

// Digits returns the digits of a final name for the BLAKE3 of its artifact.
func Digits[ID ~[32]byte](content ID) string { return hex.EncodeToString(content[:Length/2]) }

// IsZero reports whether n is the zero Name.
func (n Name) IsZero() bool { return n.token == "" }

// Token returns the digits of the planned name.
func (n Name) Token() string { return n.token }

// Shape returns the name with {hash}, for messages and as a key.
func (n Name) Shape() string { return n.before + Word + n.after }

// With returns the name with the given digits.
func (n Name) With(digits string) string { return n.before + digits + n.after }

// Fits reports whether a path matches the name, with any digits in place of {hash}.
func (n Name) Fits(path string) bool {
	return !n.IsZero() && len(path) == len(n.before)+Length+len(n.after) && strings.HasPrefix(path, n.before) &&
		strings.HasSuffix(path, n.after) && areDigits(path[len(n.before):len(path)-len(n.after)])
}

// Around returns the text before and after the digits.
func (n Name) Around() (before, after string) { return n.before, n.after }

// Show returns the name of an output for messages: with {hash} in place of a token.
func Show(target, output string) string {
	if n, ok := Parse(target, output); ok {
		return n.Shape()
	}
	return output
}

// Shapes yields every shape that a path may have been made from: each run of 16 digits, in turn, is
// replaced with {hash}.
func Shapes(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range windows(name) {
			if !yield(name[:at] + Word + name[at+Length:]) {
				return
			}
		}
	}
}

// windows yields the positions of 16 successive digits in the last element of a path.
func windows(name string) iter.Seq[int] {
	return func(yield func(at int) bool) {
		run := 0
		for i := strings.LastIndexByte(name, '/') + 1; i < len(name); i++ {
			if run++; !isDigit(name[i]) {
				run = 0
			}
			if run >= Length && !yield(i+1-Length) {
				return
			}
		}
	}
}

func areDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
