package manifest

import "strings"

// StateDir is the directory of the cooker's own files in the output directory, or a file that
// says where they are. It is not shipped.
const StateDir = ".cook"

// Reserved reports whether a path in the output directory belongs to the cooker itself: no
// artifact can have it.
func Reserved(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	const prefix = StateDir + "-" // of directories that exist for a while
	own := strings.EqualFold(first, StateDir) || len(first) > len(prefix) && strings.EqualFold(first[:len(prefix)], prefix)
	return own || strings.EqualFold(path, Name) || strings.EqualFold(first, PartsDir)
}
