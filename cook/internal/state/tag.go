package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

type tag struct{ name, text string }

// tags are files that tell backup programs (https://bford.info/cachedir/) and git to skip an
// output directory, because cook can make it again.
var tags = [...]tag{
	{"CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by cook: what is in this folder can be made again.\n# See https://bford.info/cachedir/\n"},
	{".gitignore", "# Made by cook: what is in this folder can be made again.\n*\n"},
}

// writeTags writes the tags into an empty output directory. Cook never writes them again, so
// users can edit and remove them.
func (f *files) writeTags() error {
	for _, tag := range tags {
		err := f.writeNew(tag.name, []byte(tag.text))
		if err != nil {
			return fmt.Errorf("write %s: %w", f.absoluteName(tag.name), err)
		}
	}
	return nil
}

// IsTag reports whether a file of the output directory is an unedited tag.
func (d *Dir) IsTag(output string) bool { return d != nil && d.files.isTag(output) }

func (f *files) isTag(output string) bool {
	for _, tag := range tags {
		if output == tag.name {
			text, err := f.readStateFile(output)
			return err == nil && string(text) == tag.text
		}
	}
	return false
}

// MadeByCook reports whether cook made the output directory or found it empty: one of its tags
// exists unedited.
func (d *Dir) MadeByCook() bool {
	return slices.ContainsFunc(tags[:], func(tag tag) bool { return d.IsTag(tag.name) })
}

// removeTags removes the unedited tags.
func (f *files) removeTags() error {
	for _, tag := range tags {
		if !f.isTag(tag.name) {
			continue
		}
		if err := f.out.Root().Remove(tag.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// holdsNothing reports whether the output directory is empty, or only has a file .cook that names
// another directory.
func (f *files) holdsNothing() bool {
	dir, err := f.out.Root().Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(2)
	return err == io.EOF || f.home != f.out && slices.Equal(names, []string{manifest.StateDir})
}
