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

// tags are files that tell other programs that an output folder can be made again: those
// that make backups (https://bford.info/cachedir/), and git.
var tags = [...]tag{
	{"CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by cook: what is in this folder can be made again.\n# See https://bford.info/cachedir/\n"},
	{".gitignore", "# Made by cook: what is in this folder can be made again.\n*\n"},
}

// tag writes the tags into an output folder that nothing else is in yet. They are never
// written again, so that they can be removed and edited.
func (d *Dir) tag() error {
	for _, tag := range tags {
		err := d.writeNew(tag.name, []byte(tag.text))
		if err != nil {
			return fmt.Errorf("write %s: %w", d.name(tag.name), err)
		}
	}
	return nil
}

// IsTag reports whether a path of the output folder is that of a tag as cook wrote it.
func (d *Dir) IsTag(output string) bool {
	for _, tag := range tags {
		if output == tag.name && d != nil {
			text, err := d.readStateFile(output)
			return err == nil && string(text) == tag.text
		}
	}
	return false
}

// MadeByCook reports whether cook made the output folder or found it empty: one of its tags is
// there, as cook wrote it.
func (d *Dir) MadeByCook() bool {
	return slices.ContainsFunc(tags[:], func(tag tag) bool { return d.IsTag(tag.name) })
}

// removeTags removes the tags that are as cook wrote them.
func (d *Dir) removeTags() error {
	for _, tag := range tags {
		if !d.IsTag(tag.name) {
			continue
		}
		if err := d.out.Root().Remove(tag.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// isEmpty reports whether nothing is in the output folder, or only the name of another one.
func (d *Dir) isEmpty() bool {
	f, err := d.out.Root().Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(2)
	return err == io.EOF || d.home != d.out && slices.Equal(names, []string{manifest.StateDir})
}
