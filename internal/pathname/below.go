package pathname

import "path/filepath"

// Below returns where a file lies in a folder, with slashes, "." for the folder
// itself, and whether it does. Both names are absolute and free of links, or both
// relative to the same folder; nothing is looked up.
func Below(folder, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
