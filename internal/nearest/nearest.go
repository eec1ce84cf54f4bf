// Package nearest corrects misspelled words: it finds the word that the user probably meant.
package nearest

import (
	"slices"
	"strings"
)

// most is the maximum edit distance. few is the maximum for words of fewer than longEnough bytes,
// because short words are often similar by chance.
const (
	most       = 2
	few        = 1
	longEnough = 5
)

// Word returns the word with the smallest edit distance, ignoring case. Of several such words it
// returns the first. The limit is two edits, or one for a short word. If no word is near enough,
// Word returns "". A word that differs in every letter does not count.
func Word(word string, words []string) string {
	best, nearest := "", most+1
	for _, w := range words {
		if d := len(w) - len(word); d < -most || d > most {
			continue
		}
		limit := most
		if min(len(w), len(word)) < longEnough {
			limit = few
		}
		if d := editDistance(word, w); d <= limit && d < nearest && d < len(w) && d < len(word) {
			best, nearest = w, d
		}
	}
	return best
}

// Certain returns the word that the user certainly meant, or "" if there is none. If exactly one
// word differs only in case, Certain returns this word. Otherwise it returns the only word at an
// edit distance of one, if that has at least five bytes and the edit changes no digit.
func Certain(word string, words []string) string {
	var found [2][]string // words by edit distance
	for _, w := range words {
		if d := len(w) - len(word); d < -1 || d > 1 || slices.Contains(found[0], w) || slices.Contains(found[1], w) {
			continue
		}
		if d := editDistance(word, w); d == 0 || d == 1 && min(len(w), len(word)) >= longEnough && digitsOf(w) == digitsOf(word) {
			found[d] = append(found[d], w)
		}
	}
	for _, equal := range found {
		if len(equal) > 0 {
			if len(equal) == 1 {
				return equal[0]
			}
			return ""
		}
	}
	return ""
}

// digitsOf returns the digits of a word.
func digitsOf(word string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, word)
}

// editDistance returns the minimum number of edits, ignoring case. An edit inserts, removes or
// replaces a byte, or swaps two adjacent bytes.
func editDistance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], last[j-1]+1)
			}
		}
		last, row = row, next
	}
	return row[len(b)]
}
