package gltfcheck

import (
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// WarnOfImages has a job warn of the images of a document whose files do not exist. That
// they do, or not, becomes a dependency.
func WarnOfImages(job *recipe.Job, d *Document) error {
	const shown = 3
	var missing []string
	seen, gone := map[string]bool{}, 0
	for i := range d.Images {
		if d.Images[i].URI == nil || IsDataURI(*d.Images[i].URI) {
			continue
		}
		name, err := FileOfURI(*d.Images[i].URI)
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		there, err := job.Exists(name)
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		if there {
			continue
		}
		if gone++; gone <= shown {
			missing = append(missing, showURI(name))
		}
	}
	switch list := strings.Join(missing, ", "); {
	case gone == 1:
		job.Warn("image %s does not exist; it is named all the same", list)
	case gone > shown:
		job.Warn("%d images do not exist: %s and %d more; they are named all the same", gone, list, gone-shown)
	case gone > 1:
		job.Warn("%d images do not exist: %s; they are named all the same", gone, list)
	}
	return nil
}
