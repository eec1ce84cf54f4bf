package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// SuspectErrors returns one element for each action of a plan: an error if the source of the action
// looks like a mistake. The element is nil if the action has failed.
func SuspectErrors(ctx context.Context, s *session.Session, p *plan.Plan) []error {
	errs := make([]error, len(p.Actions))
	parallel.Each(ctx, s.Limits.Workers, len(p.Actions), func(_, i int) error {
		if a := &p.Actions[i]; a.Err == nil {
			if lines := Suspect(s, a); len(lines) > 0 {
				errs[i] = errors.New(strings.Join(lines, "; "))
			}
		}
		return nil
	})
	return errs
}

// Suspect returns the likely mistakes in the source of an action, one line each.
func Suspect(s *session.Session, a *plan.Action) []string {
	f, err := s.Assets.OpenFile(a.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	first := func(n int64) ([]byte, error) {
		head := make([]byte, n)
		got, err := io.ReadFull(f, head)
		return head[:got], err
	}
	return SuspectFile(s.Basis.Recipes.Formats(), a, first, f)
}

// SuspectFile is like Suspect, for a source that the caller has opened. first returns the first
// bytes of file, and formats are the formats of the recipes. For an unreadable source it returns
// nothing, because the recipe will report the error.
func SuspectFile(formats []recipe.Format, a *plan.Action, first func(n int64) ([]byte, error), file io.ReaderAt) (lines []string) {
	defer func() {
		if p := recover(); p != nil {
			lines = []string{fmt.Sprintf("the check of this source panicked: %v", p)}
		}
	}()
	find := a.Method.Choice.Traits().Lint
	want := int64(Head)
	if find != nil {
		want = recipe.HeadSize
	}
	want = min(want, a.Source.Stamp.Size)
	head, err := first(want)
	if err != nil || int64(len(head)) < want {
		return nil // another program is writing it
	}
	lines = Source(formats, a.Path, head[:min(Head, len(head))], a.Source.Stamp.Size)
	if find != nil && len(lines) == 0 {
		lines = find(a.Path, head, a.Source.Stamp.Size)
	}
	if len(lines) == 0 && a.Method.Choice.Recipe.Name == recipeset.Fallback {
		lines = damageOf(formats, a, file)
	}
	return lines
}

// damageOf returns a line about damage in a source that is copied. It runs the checks of all
// formats with the source's extension. Other recipes find damage themselves.
func damageOf(formats []recipe.Format, a *plan.Action, file io.ReaderAt) []string {
	ext := recipe.Ext(a.Path)
	for f := range allFormats(formats) {
		if f.Verify != nil && f.Has(ext) {
			if line := f.Verify(file, a.Source.Stamp.Size); line != "" {
				return []string{line}
			}
		}
	}
	return nil
}

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
	case size < 1024 && isLFSPointer(head):
		return []string{"the file is a Git LFS pointer; run git lfs pull"}
	}
	switch {
	case !g.known, g.fits, g.found == "" && !g.strict:
		return nil
	case g.found != "":
		return []string{fmt.Sprintf("the file holds %s, but its extension is %s; rename the file or export it again", g.found, ext)}
	}
	return []string{fmt.Sprintf("the content does not fit the extension %s (the file starts with %s); export the file again", ext, quoteStart(head))}
}

// isLFSPointer reports whether a file is a Git LFS pointer: a short text that Git checks out in
// place of the file if LFS is not set up.
func isLFSPointer(head []byte) bool {
	for _, first := range []string{"version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/"} {
		if bytes.HasPrefix(head, []byte(first)) && bytes.Contains(head, []byte("\noid sha256:")) {
			return true
		}
	}
	return false
}

// quoteStart quotes the start of the first line of a file.
func quoteStart(head []byte) string {
	start := string(head[:min(len(head), 24)])
	if i := strings.IndexAny(start, "\r\n"); i > 0 {
		start = start[:i]
	}
	return strconv.Quote(start)
}

// others lists formats of assets that no recipe reads.
var others = []recipe.Format{
	{Name: "an OpenEXR image", Extensions: []string{".exr"}, Magic: []string{"v/1\x01"}},
	{Name: "a Photoshop image", Extensions: []string{".psd", ".psb"}, Magic: []string{"8BPS"}},
	{Name: "a DDS texture", Extensions: []string{".dds"}, Magic: []string{"DDS "}},
	{Name: "a KTX2 texture", Extensions: []string{".ktx2"}, Magic: []string{"\xabKTX 20\xbb"}},
	{Name: "a KTX texture", Extensions: []string{".ktx"}, Magic: []string{"\xabKTX 11\xbb"}},
	{Name: "a QOA sound", Extensions: []string{".qoa"}, Magic: []string{"qoaf"}},
	{Name: "an ASCII Scene Export", Extensions: []string{".ase"}, Magic: []string{"*3DSMAX_ASCIIEXPORT"}},
	{Name: "an Adobe color palette", Extensions: []string{".ase"}, Magic: []string{"ASEF"}},
	{Name: "an FBX model", Extensions: []string{".fbx"}, Magic: []string{"Kaydara FBX Binary"}, Loose: true},
	{Name: "a Blender file", Extensions: []string{".blend"}, Magic: []string{"BLENDER"}, Loose: true},
	{Name: "a WOFF font", Extensions: []string{".woff"}, Magic: []string{"wOFF"}},
	{Name: "a WOFF2 font", Extensions: []string{".woff2"}, Magic: []string{"wOF2"}},
}

// allFormats yields the formats of the recipes, followed by the formats in others.
func allFormats(recipes []recipe.Format) iter.Seq[*recipe.Format] {
	return func(yield func(*recipe.Format) bool) {
		for _, list := range [][]recipe.Format{recipes, others} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// A guess is the probable format of a file, by its name and first bytes.
type guess struct {
	known  bool   // set if some format has the extension
	strict bool   // set if all files of the format start with a magic number
	found  string // format that the first bytes indicate; "" if unknown
	fits   bool   // set if a format has both the extension and the bytes
}

func guessOf(recipes []recipe.Format, ext string, head []byte) (g guess) {
	most := 0
	for f := range allFormats(recipes) {
		has := slices.Contains(f.Extensions, ext)
		g.known = g.known || has
		g.strict = g.strict || has && !f.Loose
		if n := f.Starts(head); n > 0 {
			g.fits = g.fits || has
			if n > most {
				g.found, most = f.Name, n
			}
		}
	}
	return g
}
