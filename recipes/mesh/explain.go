package mesh

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
)

// explainResult implements Traits.Explain.
func (o *Mesh) explainResult(ctx context.Context, job *recipe.Job) ([]string, error) {
	doc, gone, err := o.readModel(ctx, job)
	if err != nil {
		return nil, err
	}
	c, err := o.cook(ctx, job, doc, true)
	if err != nil {
		return nil, err
	}
	c.repairs.warn(job)
	lines := c.lines()
	if gone.Any() {
		lines = append([]string{"prune leaves out " + gone.String()}, lines...)
	}
	return lines, nil
}

// stats describes the work on a geometry.
type stats struct {
	sourceVertices int     // of its accessors
	normals        string  // how they were made, "" if they were there
	tangents       bool    // were made
	before, after  float64 // ACMR of the source's order and of the cooked one; 0 unless asked for
}

// maxLines bounds the lines about one model.
const maxLines = 100

func (c *cooking) lines() []string {
	var lines []string
	told := map[*geometry]bool{}
	left := 0
	for i := range c.meshes {
		for j, g := range c.shows[i] {
			switch {
			case g != nil && told[g]:
			case len(lines) == maxLines:
				left++
			default:
				lines = append(lines, fmt.Sprintf("mesh %d primitive %d: ", i, j)+c.describe(g))
				told[g] = g != nil
			}
		}
	}
	for i, k := range c.clips {
		kept, were := 0, 0
		for _, m := range k.motions {
			if m != nil {
				kept, were = kept+len(m.keep), were+len(m.source.Times)
			}
		}
		switch {
		case were == 0:
		case len(lines) == maxLines:
			left++
		default:
			lines = append(lines, fmt.Sprintf("animation %d: %d keyframes, were %d", i, kept, were))
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	return lines
}

// describe describes the cooked primitive in one line.
func (c *cooking) describe(g *geometry) string {
	if g == nil {
		return "stays as it is: its vertices are not in the file, or an extension may name them by number"
	}
	s := &g.stats
	line := fmt.Sprintf("%d vertices, were %d", g.vertices(), s.sourceVertices)
	if g.mode == triangles {
		line += fmt.Sprintf("; %d triangles, ACMR %.3f, was %.3f", len(g.indices)/3, s.after, s.before)
	}
	if s.normals != "" {
		line += "; " + s.normals + " normals made"
	}
	if s.tangents {
		line += "; tangents made"
	}
	if g.keepOrder && g.mode == triangles {
		line += "; triangles keep their order, as they blend"
	}
	if grid := c.groups.grids[g.group]; grid != nil {
		line += fmt.Sprintf("; positions off by %.3g at most", grid.Error())
	}
	for i, l := range g.lods {
		line += fmt.Sprintf("; lod %d: %d triangles, off by %.3g", i+1, len(l.indices)/3, l.err)
	}
	return line
}
