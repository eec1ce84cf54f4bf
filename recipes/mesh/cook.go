package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Cook implements recipe.Cooker.
func (o *meshOptions) Cook(ctx context.Context, job *recipe.Job) error {
	doc, gone, err := o.readModel(ctx, job)
	if err != nil {
		return err
	}
	c, err := o.cookModel(ctx, job, doc, false)
	if err != nil {
		return err
	}
	defer job.Step("write")()
	w, err := c.enterResults(ctx, job)
	if err != nil {
		return err
	}
	c.repairs.warnOfRepairs(job)
	c.noteUnused(job, gone)
	text, parts, err := w.documentText(ctx)
	if err != nil {
		return err
	}
	size := len(text)
	for _, p := range parts {
		size += len(p)
	}
	job.Hold("meshes", size)
	out, err := job.Create(0)
	if err != nil {
		return err
	}
	return errors.Join(gltf.WriteGLB(ctxio.Writer(ctx, out), text, parts), out.Close())
}

// A cooking is the state of cooking one model. Its geometries are in the order of their first use.
type cooking struct {
	o          *meshOptions
	doc        *gltf.Document
	meshes     []gltf.Object
	primitives [][]gltf.Object // primitives by mesh
	nodes      []gltf.Object
	named      []bool // nodes that extensions name; these nodes keep their meshes
	groups     *groups
	skinned    []int // index of a mesh that uses the skin, or -1
	joints     []int // number of joints in the smallest skin of each mesh; 0 without skins
	repairs    repairs
	geometries []*geometry
	released   []int32 // accessors of removed samplers
	clips      []*clip
	shows      [][]*geometry // geometries by mesh and primitive; nil for an unchanged primitive
	joined     []int         // numbers of nodes whose meshes were joined, by joined mesh
}

// cookModel runs all steps for a model. measure makes it count vertex cache misses as well, which
// only Explain shows.
func (o *meshOptions) cookModel(ctx context.Context, job *recipe.Job, doc *gltf.Document, measure bool) (*cooking, error) {
	c := &cooking{o: o, doc: doc}
	err := c.parseMeshes()
	if err != nil {
		return nil, err
	}
	step := job.Step("shade")
	err = c.loadPrimitives(ctx, measure)
	step()
	if err != nil {
		return nil, err
	}
	step = job.Step("animate")
	err = c.findMotions(ctx)
	step()
	if err != nil {
		return nil, err
	}
	if err := c.joinMeshes(ctx); err != nil {
		return nil, err
	}
	c.groups.makeGrids(o.PositionBits)
	for _, g := range c.geometries {
		grid := c.groups.grids[g.group]
		step := job.Step("quantize")
		err := o.packAttributes(ctx, g, grid)
		step()
		if err != nil {
			return nil, err
		}
		step = job.Step("optimize")
		err = o.finishGeometry(ctx, g, grid)
		step()
		if err != nil {
			return nil, err
		}
		if measure {
			if g.stats.after, err = misses(ctx, g); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// parseMeshes parses the JSON of the document's meshes, nodes and animations.
func (c *cooking) parseMeshes() (err error) {
	if c.meshes, err = c.doc.Objects("meshes"); err != nil {
		return err
	}
	c.primitives = make([][]gltf.Object, len(c.meshes))
	for i, m := range c.meshes {
		list, err := m.List("primitives")
		if err != nil {
			return fmt.Errorf("mesh %d: %w", i, err)
		}
		for _, text := range list {
			p, err := gltf.ParseObject(text)
			if err != nil {
				return fmt.Errorf("mesh %d: %w", i, err)
			}
			c.primitives[i] = append(c.primitives[i], p)
		}
	}
	c.skinned, c.joints = skinMeshes(c.doc), fewestJoints(c.doc)
	if c.nodes, err = c.doc.Objects("nodes"); err != nil {
		return err
	}
	if err := c.parseClips(); err != nil {
		return err
	}
	c.repairRotations()
	return c.repairTextures()
}

// loadPrimitives reads each geometry that is to be rewritten, once. It makes missing normals and
// tangents.
func (c *cooking) loadPrimitives(ctx context.Context, measure bool) error {
	looks, err := readLooks(c.doc)
	if err != nil {
		return err
	}
	change, asIs, err := c.choosePrimitives()
	if err != nil {
		return err
	}
	c.groups = findGroups(c.doc, asIs)
	picker, called := gltf.NewPicker(c.doc), c.classifyNames()
	known := map[string]*geometry{}
	c.shows = make([][]*geometry, len(c.meshes))
	for i := range c.meshes {
		c.shows[i] = make([]*geometry, len(c.primitives[i]))
		for j := range c.primitives[i] {
			p, where := &c.doc.Meshes[i].Primitives[j], fmt.Sprintf("mesh %d primitive %d", i, j)
			if !change[i][j] {
				if err := c.checkUnchanged(ctx, p, lookOf(looks, p), c.joints[i]); err != nil {
					return fmt.Errorf("%s: %w", where, err)
				}
				continue
			}
			look, group, several := lookOf(looks, p), c.groups.of[i], len(c.primitives[i]) > 1
			look.unseen = c.isUnseen(p, called[i])
			look.coords = c.o.keptCoords(p, look.coords)
			key := fmt.Sprint(c.joints[i], geometryKey(p, group, look, several))
			if known[key] == nil {
				g, err := loadGeometry(ctx, c.doc, picker, p)
				if err == nil {
					c.o.pruneAttributes(g, c.primitives[i][j], look, c.joints[i])
					err = g.repairAttributes(ctx, &c.repairs, where, c.joints[i])
				}
				if err == nil {
					g.group, g.keepOrder, g.lockBorder = group, look.blend, several
					err = c.shadeAndAdd(ctx, g, look, measure)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", where, err)
				}
				known[key] = g
			}
			c.shows[i][j] = known[key]
		}
	}
	return nil
}

// shadeAndAdd makes a geometry's missing normals and tangents, and adds the geometry to the model.
func (c *cooking) shadeAndAdd(ctx context.Context, g *geometry, l look, measure bool) (err error) {
	if measure {
		if g.stats.before, err = misses(ctx, g); err != nil {
			return err
		}
	}
	if g.mode == triangles && g.indexAccessor == made {
		// A source without indices has one vertex per corner. Later steps are faster if corners
		// share vertices.
		if err := g.weld(ctx); err != nil {
			return err
		}
	}
	if err := c.o.shadeGeometry(ctx, g, l); err != nil {
		return err
	}
	if l.must && (g.findStream("NORMAL") == nil || g.findStream("TANGENT") == nil) {
		return errNoTangents
	}
	c.groups.extendGroup(g)
	c.geometries = append(c.geometries, g)
	return nil
}

// geometryKey returns a key for a primitive. Primitives with equal keys become the same geometry.
func geometryKey(p *gltf.Primitive, group int, l look, lockBorder bool) string {
	indices := int32(made)
	if p.Indices != nil {
		indices = *p.Indices
	}
	return fmt.Sprint(group, indices, p.Topology(), l, lockBorder, p.Attributes, p.Targets) // package fmt prints maps in key order
}

// misses returns the average number of vertices that a GPU with a FIFO cache of 16 entries
// transforms per triangle.
func misses(ctx context.Context, g *geometry) (float64, error) {
	if g.mode != triangles {
		return 0, nil
	}
	s, err := optimize.AnalyzeCache(ctx, g.indices, g.vertices(), optimize.CacheModel{Size: 16})
	return s.ACMR, err
}

// enterResults writes the results into the document.
func (c *cooking) enterResults(ctx context.Context, job *recipe.Job) (*writer, error) {
	free, uses := c.surveyAccessors()
	as, err := newAccessors(c.o, c.doc, free, &c.repairs)
	if err != nil {
		return nil, err
	}
	w := &writer{cooking: c, job: job, accessors: as}
	for _, step := range []func(context.Context) error{w.writeMotions, w.writeGeometries, w.writeSkins} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if c.o.Prune {
		as.dropUnused()
	}
	if err := as.keepUnchanged(ctx, uses); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{w.writeInstances, w.moveMeshes, w.writeImages, w.layOutViews, w.declareExtensions} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// layOutViews assigns an offset to each view.
func (w *writer) layOutViews(ctx context.Context) (err error) {
	w.layout, err = w.accessors.output.LayOut(ctx)
	return err
}

// documentText returns the document's JSON and the parts of its buffer.
func (w *writer) documentText(ctx context.Context) (json.RawMessage, [][]byte, error) {
	root := &w.doc.Root
	root.SetObjects("accessors", w.accessors.objects)
	w.layout.Enter(root)
	// The list still has accessors that geometries and animations no longer use.
	if _, err := w.o.pruneRoot(ctx, root); err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	err := json.Compact(&text, root.Text())
	return text.Bytes(), w.layout.Parts, err
}
