// Package lint reports likely mistakes in a tree of assets:
//
//   - in rules: settings that no recipe takes, rules without effect, mistakes in ignore files
//   - in names: misspelt names of cook's files, names that other systems refuse
//   - in the first bytes of sources: a Git LFS pointer in place of the file, an empty picture, a
//     JPEG named .png
//
// The recipes declare the formats of sources; this package lists formats that no recipe reads. A
// recipe with knowledge of its own mistakes has Traits.Lint.
package lint

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Head is the number of bytes that Source needs.
const Head = 512

// Source returns the likely mistakes in a file at a slash path, one line each without the name of
// the file. The file has size bytes and starts with head. formats are the formats of the recipes.
func Source(formats []recipe.Format, name string, head []byte, size int64) []string {
	ext := recipe.Ext(name)
	g := guessOf(formats, ext, head)
	switch {
	case size == 0 && g.known:
		return []string{"the file is empty; export it again"}
	case size == 0:
		return nil // an empty text may be intended
	case size < 1024 && pointer(head):
		return []string{"the file is a Git LFS pointer; run git lfs pull"}
	}
	switch {
	case !g.known, g.fits, g.found == "" && !g.strict:
		return nil
	case g.found != "":
		return []string{fmt.Sprintf("the content is %s, which does not go by %s; rename the file or export it again", g.found, ext)}
	}
	return []string{fmt.Sprintf("the content is not what %s stands for (it starts with %s); export the file again", ext, opening(head))}
}

// pointer reports whether a file is a Git LFS pointer: a short text that Git checks out in place of
// the file if LFS is not set up.
func pointer(head []byte) bool {
	for _, first := range []string{"version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/"} {
		if bytes.HasPrefix(head, []byte(first)) && bytes.Contains(head, []byte("\noid sha256:")) {
			return true
		}
	}
	return false
}

// opening quotes the start of the first line of a file.
func opening(head []byte) string {
	start := string(head[:min(len(head), 24)])
	if i := strings.IndexAny(start, "\r\n"); i > 0 {
		start = start[:i]
	}
	return strconv.Quote(start)
}
