package main

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A ruling is a suite's expectation for an image.
type ruling struct {
	expect expectation
	// known means that the suite's expectation applies. Otherwise the expectation becomes
	// mustAccept if a viewer reads the file without complaint.
	known bool
	// references are the suite's own PNG files for the image. The decoded image must equal one of
	// them or the output of a viewer.
	references []string
	skip       bool // set if the image is part of another suite, or does not test decoding
}

var (
	valid   = ruling{expect: mustAccept, known: true}
	invalid = ruling{expect: mustRefuse, known: true}
	unsaid  = ruling{expect: mayRefuse}
)

var kinds = map[string]string{
	".png": "PNG", ".gif": "GIF", ".bmp": "BMP", ".tga": "TGA", ".tif": "TIFF", ".tiff": "TIFF", ".jpg": "JPEG", ".jpeg": "JPEG",
	".webp": "WebP", ".qoi": "QOI", ".hdr": "HDR",
}

// tolerances are the allowed differences by kind. For other kinds, there is only one correct
// result.
var tolerances = map[string]pictureTolerance{
	// There are several ways to scale channels of 5, 6 or 10 bits to 8 bits.
	"BMP": {most: 1, mean: 1}, "TGA": {most: 1, mean: 1}, "TIFF": {most: 1, mean: 1},
	// Programs differ in how they round the inverse DCT and the conversion to RGB.
	"JPEG": {most: 6, mean: 1}, "WebP": {most: 3, mean: 1},
	"HDR": {most: 0.001, mean: 0.001},
}

// pictures returns the trials for the images below some directories.
func pictures(rule func(dir, name string) ruling, below ...string) func(dir string) ([]trial, error) {
	return func(dir string) ([]trial, error) {
		var extensions []string
		for ext := range kinds {
			extensions = append(extensions, ext)
		}
		var list []trial
		for _, folder := range below {
			names, err := files(dir, folder, extensions...)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				if r := rule(dir, name); !r.skip {
					list = append(list, pictureTrial(dir, name, r, viewers[kinds[recipe.Ext(name)]]))
				}
			}
		}
		return list, nil
	}
}

func pictureTrial(dir, name string, rule ruling, viewers [][]string) trial {
	kind := kinds[recipe.Ext(name)]
	return trial{row: kind, file: name, run: func(ctx context.Context) (outcome, error) {
		file := filepath.Join(dir, name)
		o := outcome{expect: rule.expect}
		var got picture
		got, o.refusal = see(ctx, file)
		if rule.known && (o.expect == mustRefuse || o.refusal != nil) {
			return o, nil
		}
		for _, name := range rule.references {
			want, err := readPNG(filepath.Join(dir, name))
			if err != nil {
				return o, err
			}
			if o.difference = got.imagesDiffer(want, tolerances[kind]); o.difference == "" {
				return o, nil
			}
		}
		err := rule.askViewers(ctx, &o, got, file, viewers, tolerances[kind])
		return o, err
	}}
}

// askViewers compares the image with the output of viewers, until one of them agrees. Unless the
// suite's expectation applies, the file must be accepted if the first viewer has no complaint.
func (r ruling) askViewers(ctx context.Context, o *outcome, got picture, file string, viewers [][]string, t pictureTolerance) error {
	for i, viewer := range viewers {
		want, complaint, err := view(ctx, viewer, file)
		if err != nil {
			return err
		}
		if i == 0 && !r.known && complaint == "" {
			o.expect = mustAccept
		}
		if o.refusal != nil {
			return nil
		}
		difference := complaint
		if want.pix != nil {
			difference = got.imagesDiffer(want, t)
		}
		switch {
		case difference == "":
			o.difference, o.noReference = "", ""
			return nil
		case complaint != "" && i == 0:
			o.noReference = "reference: " + complaint
		case complaint == "" && o.noReference == "":
			o.difference = strings.TrimPrefix(o.difference+"; "+viewer[0]+": "+difference, "; ")
		}
	}
	return nil
}

// anyPicture states no expectation, so the viewers decide whether a file must be accepted.
func anyPicture(string, string) ruling { return unsaid }

// pngSuite expects that a file is rejected as corrupt if its name starts with x.
func pngSuite(_, name string) ruling {
	if strings.HasPrefix(path.Base(name), "x") {
		return invalid
	}
	return valid
}

// besidePNG uses the PNG file with the same name, if there is one, as the reference.
func besidePNG(dir, name string) ruling {
	r := valid
	beside := strings.TrimSuffix(name, path.Ext(name)) + ".png"
	if _, err := os.Stat(filepath.Join(dir, beside)); err == nil {
		r.references = []string{beside}
	}
	return r
}

// zuneImage skips some images that are only benchmarks.
func zuneImage(_, name string) ruling {
	r := unsaid
	r.skip = strings.Contains(name, "/benchmarks/") || strings.Contains(name, "/large_")
	return r
}

var bmpRow = regexp.MustCompile(`(?s)<tr>.*?</tr>`)
var bmpImage = regexp.MustCompile(`<img [^>]*src="([^"]+)"`)

// bmpSuite reads the names of the images and references from the suite's HTML page.
func bmpSuite(dir string) ([]trial, error) {
	const page = "html/bmpsuite.html"
	text, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil {
		return nil, err
	}
	references := map[string][]string{}
	for _, row := range bmpRow.FindAllString(string(text), -1) {
		var bmp string
		var list []string
		for _, m := range bmpImage.FindAllStringSubmatch(row, -1) {
			if strings.HasSuffix(m[1], ".bmp") {
				bmp = path.Join("html", m[1])
			} else if strings.HasSuffix(m[1], ".png") {
				list = append(list, path.Join("html", m[1]))
			}
		}
		references[bmp] = list
	}
	list, err := pictures(func(_, name string) ruling {
		switch path.Dir(name) {
		case "g":
			return ruling{expect: mustAccept, known: true, references: references[name]}
		case "b":
			return invalid
		}
		return ruling{expect: mayRefuse, known: true, references: references[name]}
	}, "g", "q", "b")(dir)
	for i := range list {
		list[i].row += ", " + map[string]string{"g": "good", "q": "questionable", "b": "bad"}[path.Dir(list[i].file)]
	}
	return list, err
}

// imageRS expects that images in one directory are rejected as invalid; references are in another
// directory. References for TIFF and lossy kinds are not used, because they contain the rounding of
// the decoder that made them.
func imageRS(dir, name string) ruling {
	reference := strings.Replace(name, "tests/images/", "tests/reference/", 1) + ".png"
	_, err := os.Stat(filepath.Join(dir, reference))
	switch kind := kinds[recipe.Ext(name)]; {
	case strings.HasPrefix(name, "tests/bad/") && !strings.Contains(name, "TODO"):
		return invalid
	case strings.Contains(name, "rlecut") || strings.Contains(name, "rletrns"):
		return ruling{skip: true} // bmpsuite has more references for these images
	case strings.Contains(name, "/lenient/"):
		return ruling{expect: mayRefuse, known: true}
	case err != nil || kind == "JPEG" || kind == "WebP" || kind == "TIFF":
		return unsaid
	}
	return ruling{expect: mustAccept, known: true, references: []string{reference}}
}

var tgaName = regexp.MustCompile(`^(.*/[0-9]+x[0-9]+_[a-z]+)_.*\.tga$`)

// pillow uses PNG references for the images in tga/common.
func pillow(dir, name string) ruling {
	if strings.HasPrefix(name, "Tests/images/bmp/") {
		return ruling{skip: true} // this is an old copy of bmpsuite (2012)
	}
	switch path.Base(name) {
	case "la.tga", "rgb32rle_bottom_right.tga", "rgb32rle_top_right.tga":
		// No viewer here decodes these images correctly: gray with alpha, and mirrored images
		// without attribute bits, which are opaque.
		return ruling{skip: true}
	}
	if m := tgaName.FindStringSubmatch(name); m != nil {
		if _, err := os.Stat(filepath.Join(dir, m[1]+".png")); err == nil {
			return ruling{expect: mustAccept, known: true, references: []string{m[1] + ".png"}}
		}
	}
	return unsaid
}
