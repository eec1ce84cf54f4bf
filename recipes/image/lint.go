package image

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Lint implements recipe.Linter. What is no picture, or damaged, cooking says.
func (o *Image) Lint(path string, head []byte, size int64) []string {
	info, err := source.Probe(head, recipe.Ext(path), size, texture.MaxSide)
	if err != nil {
		return nil
	}
	var lines []string
	if info.W > o.MaxSize || info.H > o.MaxSize {
		lines = append(lines, fmt.Sprintf("%d x %d pixels, more than %d a side (max_size); save it smaller", info.W, info.H, o.MaxSize))
	}
	if _, err := o.layout(info.W, info.H); err != nil {
		lines = append(lines, err.Error())
	}
	if info.Profile != "" && o.colors() {
		lines = append(lines, fmt.Sprintf("%s: colors will be taken for sRGB; convert them when exporting", info.Profile))
	}
	return append(lines, info.Notes...)
}
