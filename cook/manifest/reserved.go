package manifest

import "strings"

// StateDir is the folder of the cooker's own files in the output folder. It is not
// shipped.
const StateDir = ".cook"

// Reserved reports whether a path in the output folder belongs to the cooker itself: no
// artifact can have it.
func Reserved(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.EqualFold(first, StateDir) || strings.EqualFold(path, Name) || strings.EqualFold(first, PartsDir)
}
