package report

import (
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/internal/explain"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// WriteComparison prints one line for each part of a key that differs, or one line that says why
// there is none.
func WriteComparison(w io.Writer, c *explain.Comparison) {
	name := nameAsset(c.Path, c.Target)
	if c.Text != "" {
		fmt.Fprintf(w, "%s: %s\n", name, pathname.Escape(c.Text))
	}
	for i := range c.Differences {
		fmt.Fprintf(w, "%s: %s\n", name, c.Differences[i].InWords(c.Against))
	}
}

// Compared is the JSON form of a comparison.
type Compared struct {
	Event       string            `json:"event"` // always "comparison"
	Path        string            `json:"path"`
	PathBase64  string            `json:"path_base64,omitempty"`
	Target      string            `json:"target,omitempty"`
	Against     string            `json:"against"`
	Result      explain.Result    `json:"result"`
	Differences []plan.Difference `json:"differences,omitempty"`
	Text        string            `json:"text,omitempty"`
}

// Comparison writes the comparison of an asset with another side.
func (j *JSON) Comparison(c *explain.Comparison) {
	j.enc.Encode(Compared{
		Event: "comparison", Path: c.Path, PathBase64: UnlessUTF8(c.Path), Target: c.Target, Against: c.Against,
		Result: c.Result, Differences: c.Differences, Text: c.Text,
	})
	j.w.Flush()
}
