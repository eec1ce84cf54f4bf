// Package lint looks at the first bytes of a source file for what most likely is
// a mistake: a Git LFS pointer in the place of the file, an empty picture, a JPEG
// that is called .png. It opens no files; what only a recipe can know is
// said by recipes with Traits.Lint. Which formats there are, recipes say; those that
// no recipe reads are listed here.
package lint

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Head is how many bytes of a file Source wants to see.
const Head = 512

// Source returns what is odd about the file at a slash path that holds size bytes
// and starts with head, one line each that does not name the file. The formats are those
// of the recipes.
func Source(formats []recipe.Format, name string, head []byte, size int64) []string {
	ext := recipe.Ext(name)
	g := guessOf(formats, ext, head)
	switch {
	case size == 0 && g.known:
		return []string{"the file is empty; export it again"}
	case size == 0:
		return nil // an empty text may be meant
	case size < 1024 && pointer(head):
		return []string{"a Git LFS pointer stands in the place of the file; run git lfs pull"}
	}
	switch {
	case !g.known, g.fits, g.found == "" && !g.strict:
		return nil
	case g.found != "":
		return []string{fmt.Sprintf("the content is %s, which does not go by %s; rename the file or export it again", g.found, ext)}
	}
	return []string{fmt.Sprintf("the content is not what %s stands for (it starts with %s); export the file again", ext, opening(head))}
}

// pointer reports whether a file is what Git LFS checks out if it is not set up:
// a text of a few lines that says where the content is.
func pointer(head []byte) bool {
	for _, first := range []string{"version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/"} {
		if bytes.HasPrefix(head, []byte(first)) && bytes.Contains(head, []byte("\noid sha256:")) {
			return true
		}
	}
	return false
}

// opening quotes how a file starts: its first line, as far as it is short.
func opening(head []byte) string {
	start := string(head[:min(len(head), 24)])
	if i := strings.IndexAny(start, "\r\n"); i > 0 {
		start = start[:i]
	}
	return strconv.Quote(start)
}
