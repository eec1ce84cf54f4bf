package pathname

import (
	"strconv"
	"strings"
)

// SplitScale divides the name of a picture, without its extension, at the scale that it is
// drawn at, such as "@2x" or "@0.5x". The scale is 0 if the name says none. The base is never
// empty unless the name is.
func SplitScale(stem string) (base string, scale float64) {
	i := strings.LastIndexByte(stem, '@')
	if i < 1 || len(stem) > i+1+8 {
		return stem, 0
	}
	text, ok := strings.CutSuffix(stem[i+1:], "x")
	if !ok || strings.Trim(text, "0123456789.") != "" || strings.Trim(text, ".") == "" {
		return stem, 0
	}
	scale, err := strconv.ParseFloat(text, 64)
	if err != nil || scale == 0 {
		return stem, 0
	}
	if base = stem[:i]; strings.Trim(base, ".") == "" {
		return stem, 0
	}
	return base, scale
}
