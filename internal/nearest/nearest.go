// Package nearest finds the word that was probably meant.
package nearest

import "strings"

// most is how many edits a word may be away.
const most = 2

// Word returns the word that is at most two edits away apart from case, the nearest and
// then the first of them, or "". Words that would have to change in every letter are not
// near.
func Word(word string, words []string) string {
	best, nearest := "", most+1
	for _, w := range words {
		if d := len(w) - len(word); d < -most || d > most {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < nearest && d < len(w) && d < len(word) {
			best, nearest = w, d
		}
	}
	return best
}

// Only returns the nearest word as Word does, "" if another one is just as near.
func Only(word string, words []string) string {
	best := Word(word, words)
	for _, w := range words {
		if w != best && Word(word, []string{w}) != "" && distance(strings.ToLower(word), strings.ToLower(w)) == distance(strings.ToLower(word), strings.ToLower(best)) {
			return ""
		}
	}
	return best
}

// distance is Levenshtein's: the fewest bytes put in, taken out or replaced.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
