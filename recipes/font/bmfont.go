package font

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/pathname"
)

// bmFontOptions are the options of the recipe "bmfont", which copies a BMFont and replaces the
// names of its pages with the names of the cooked images.
type bmFontOptions struct {
	Pages      string `toml:"pages" enum:"cooked,keep" doc:"file names of the pages: cooked writes the names of the cooked images; keep leaves them unchanged"`
	ImageRules string `toml:"image_rules" doc:"checksum of the rules for images; cook sets this option"`
}

// BMFontRecipe returns the recipe "bmfont".
func BMFontRecipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "bmfont", Version: 2, Cheap: true, UsesPath: true, NamesOutputs: true,
		Extensions: []string{".fnt"}, Recognizes: isBMFont,
		Follow: &recipe.Follow{Recipe: "image", Keys: source.OutputOptions(), Option: "image_rules"},
		New:    func() recipe.Cooker { return &bmFontOptions{Pages: "cooked"} },
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*bmFontOptions)
			return recipe.Traits{IgnoresPath: o.Pages == "keep" || !strings.HasSuffix(o.ImageRules, "/"), Estimate: o.estimateMemory}
		},
	}
}

// isBMFont reports whether a file that begins with head is empty or a BMFont.
func isBMFont(head []byte) bool { return len(head) == 0 || bmFormOf(head) != "" }

// Outputs implements recipe.Cooker.
func (*bmFontOptions) Outputs() []string { return []string{"{path}"} }

// maxBMFont limits the size of a BMFont in bytes. It is enough for a million characters and as
// many kerning pairs.
const maxBMFont = 128 << 20

// estimateMemory implements Traits.Estimate. It assumes that each page name in the output is as
// long as a path can be.
func (*bmFontOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxBMFont {
		return 0, errBMFontLarge
	}
	return 4<<20 + 3*size, nil
}

var errBMFontLarge = errors.New("the file is larger than 128 MiB, the limit for a BMFont")

// Cook implements recipe.Cooker.
func (o *bmFontOptions) Cook(ctx context.Context, job *recipe.Job) error {
	f, names, err := o.cookPages(ctx, job)
	if err != nil {
		return err
	}
	out, err := f.withPageNames(names)
	if err != nil {
		return err
	}
	job.Hold("font", len(out))
	return job.Write(0, out)
}

// cookPages parses the source and returns the new name of each page.
func (o *bmFontOptions) cookPages(ctx context.Context, job *recipe.Job) (f *bmFile, names []string, err error) {
	if job.Size() > maxBMFont {
		return nil, nil, errBMFontLarge
	}
	text, err := job.Source()
	if err != nil {
		return nil, nil, err
	}
	if f, err = parseBMFont(ctx, text); err != nil {
		return nil, nil, err
	}
	for _, p := range f.pages {
		name, fault := o.cookedPage(job, p.name)
		if fault != "" {
			job.Warn("%s: page %d: %s", f.place(p.start), p.id, fault)
		}
		names = append(names, name)
	}
	return f, names, nil
}

// cookedPage returns the name of a page's cooked file. If there is a problem, it also returns the
// text of a warning.
func (o *bmFontOptions) cookedPage(job *recipe.Job, name string) (cooked, fault string) {
	if o.Pages == "keep" || strings.HasPrefix(name, "data:") || strings.Contains(name, "://") {
		return name, ""
	}
	if strings.HasPrefix(name, "/") || strings.ContainsAny(name, `:\`) {
		return name, fmt.Sprintf("%s is not a relative path with slashes, so the font keeps this name; name a file relative to the font", pathname.Show(name))
	}
	found, err := job.Exists(name)
	if err != nil {
		return name, fmt.Sprintf("%v; the font keeps this name", err)
	}
	if !found {
		return name, fmt.Sprintf("there is no file %s; the font names it anyway", pathname.Show(name))
	}
	by, _, made := job.Followed(name)
	if by == "" && len(made) == 1 && slices.Contains(source.TextureExtensions(), recipe.Ext(name)) {
		made[0] += ".ktx2" // the recipe image makes .ktx2 files by default
	}
	switch {
	case len(made) != 1:
		return name, fmt.Sprintf(`%s is cooked to %d files, but a page must be one file; cook the image by another rule, or write pages = "keep"`, pathname.Show(name), len(made))
	case made[0] == path.Clean(name):
		return name, ""
	}
	return made[0], ""
}
