package image

import (
	"errors"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
)

// neighbors extracts the change of each image's role name from all file names in a directory. The
// text has the words of both names.
var neighbors = recipe.Extract{Name: "neighbors", Version: 2, OfNames: sayOfNeighbors}

// everyName matches all names in the source's directory.
const everyName = "*"

func sayOfNeighbors(names []string) recipe.Says {
	pictures := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.Contains(source.TextureExtensions(), recipe.Ext(name))
	})
	says := recipe.Says{}
	for name, c := range role.OfNeighbors(pictures) {
		says[name] = []byte(c.From.String() + " " + c.To.String())
	}
	return says
}

// asksNeighbors reports whether neighboring file names may affect the role of the source.
func (o *Image) asksNeighbors() bool {
	return o.asksRole() && o.pathName().AsksNeighbors()
}

// neighborsOf returns how neighboring file names change the role name of the source.
func neighborsOf(job *recipe.Job) (role.Change, error) {
	said, err := job.ReadExtracts(everyName, neighbors.Name)
	if err != nil || len(said) == 0 {
		return role.Change{}, err
	}
	from, to, _ := strings.Cut(string(said[0].Text), " ")
	return role.Change{From: role.ParseName(from), To: role.ParseName(to)}, nil
}

// settleName resolves the role from neighboring file names, and returns the new options. It also
// returns the end of a sentence with the reason. An image made by another recipe has no neighbors.
func (o *Image) settleName(job *recipe.Job) (settled *Image, why string, err error) {
	if !o.asksNeighbors() {
		return o, "", nil
	}
	change, err := neighborsOf(job)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, "", err
	}
	before, after := o.pathName(), o.pathName().Settle(change)
	if before == after {
		return o, "", nil
	}
	switch {
	case before == role.PerhapsMap && after == role.Nameless:
		why = ": its name suggests data, but the directory has no other map of the same surface"
	case before == role.PerhapsNumbered && after == role.Nameless:
		why = ": its number is a size or a tile, as other names in the directory show"
	default:
		why = ", as other names in the directory show"
	}
	o = &[]Image{*o}[0]
	o.Named = after.String()
	return o, why, nil
}
