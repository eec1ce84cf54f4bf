package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// mostKinds bounds the kinds of files that are named.
const mostKinds = 6

// WriteKinds prints the kinds of files that a first run copied or ignored by default, and the
// preset that fits its images.
func WriteKinds(w io.Writer, s *cook.Summary) {
	if len(s.Copied) > 0 {
		fmt.Fprintf(w, "copied as they are: %s\n", kinds(s.Copied))
	}
	if len(s.LeftOut) > 0 {
		fmt.Fprintf(w, "left out: %s; see cook help ignore\n", kinds(s.LeftOut))
	}
	switch s.Preset {
	case "2d":
		fmt.Fprintln(w, `the images look like a 2D game; their roles decide which get mipmaps (preset = "2d" in a rule gives none mipmaps)`)
	case "3d":
		fmt.Fprintln(w, `the images look like a 3D scene; their roles decide which get mipmaps (preset = "3d" in a rule gives sprites mipmaps too)`)
	}
}

func kinds(list []cook.Kind) string {
	var shown []string
	rest := cook.Kind{}
	for i, k := range list {
		if i >= mostKinds {
			rest.Files += k.Files
			rest.Bytes += k.Bytes
			continue
		}
		name := pathname.Show(k.Name)
		if k.Name == "" {
			name = "without an extension"
		}
		shown = append(shown, kind(fmt.Sprintf("%d %s", k.Files, name), k.Bytes))
	}
	if rest.Files > 0 {
		shown = append(shown, kind(fmt.Sprintf("and %s of %s", human.Count(rest.Files, "file"), human.Count(len(list)-mostKinds, "other kind")), rest.Bytes))
	}
	return strings.Join(shown, ", ")
}

func kind(name string, bytes int64) string {
	if bytes == 0 {
		return name
	}
	return name + " " + human.Bytes(bytes)
}
