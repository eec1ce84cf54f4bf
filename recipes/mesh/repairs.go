package mesh

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

// repairs are the repaired faults of a source, one entry per kind.
type repairs struct{ kinds []repair }

type repair struct {
	what  string // fault and remedy, such as "normals of another length than 1, scaled"
	first string // location of the first fault
	n     int    // number of faults
}

func (r *repairs) noteRepair(what, where string, n int) {
	if n == 0 {
		return
	}
	for i := range r.kinds {
		if r.kinds[i].what == what {
			r.kinds[i].n += n
			return
		}
	}
	r.kinds = append(r.kinds, repair{what, where, n})
}

// warnOfRepairs warns about the repaired faults, one line per kind.
func (r *repairs) warnOfRepairs(job *recipe.Job) {
	for _, k := range r.kinds {
		if k.n == 1 {
			job.Warn("%s: %s", k.first, k.what)
		} else {
			job.Warn("%s: %s (and %d similar repairs)", k.first, k.what, k.n-1)
		}
	}
}

// repairRotations scales the rotations of nodes to length 1. checkDocument has already warned about
// them.
func (c *cooking) repairRotations() {
	for i := range c.doc.Nodes {
		q := c.doc.Nodes[i].Rotation
		if q == nil {
			continue
		}
		sum := float64(0)
		for _, x := range q {
			sum += float64(x * x)
		}
		length := math.Sqrt(sum)
		if math.Abs(length-1) <= gltf.UnitSlack {
			continue
		}
		c.nodes[i].Set("rotation", gltf.Numbers(q[0]/length, q[1]/length, q[2]/length, q[3]/length))
	}
}

// repairAttributes repairs attribute values that violate glTF's rules. joints is the number of
// joints in the geometry's smallest skin, or 0.
func (g *geometry) repairAttributes(ctx context.Context, r *repairs, where string, joints int) error {
	for i := 0; i < len(g.streams); i++ {
		s := &g.streams[i]
		if s.target != base {
			continue
		}
		kind, _, _ := strings.Cut(s.name, "_")
		switch kind {
		case "NORMAL":
			if err := g.repairNormals(ctx, s, r, where); err != nil {
				return err
			}
		case "TANGENT":
			if dropped := s.repairTangents(r, where); dropped {
				g.streams = slices.Delete(g.streams, i, i+1)
				i--
			}
		case "COLOR":
			if s.data.Component == gltf.Float32 {
				s.changeValues(func(values []float32) (changed bool) {
					n := 0
					for k, x := range values {
						if x < 0 || x > 1 {
							values[k] = min(max(x, 0), 1)
							n++
						}
					}
					r.noteRepair("a component of a color was below 0 or above 1 and was clamped", where, n)
					return n > 0
				})
			}
		}
	}
	return g.repairWeights(r, where, joints)
}

// changeValues passes the values of a stream to edit. If edit changes them, changeValues stores
// them as floats.
func (s *stream) changeValues(edit func(values []float32) (changed bool)) {
	values := s.data.Floats()
	if edit(values) {
		s.data = gltf.FloatArray(values, s.data.Width)
	}
}

// repairNormals scales normals to length 1. A normal without a length becomes the normal of the
// surrounding triangles.
func (g *geometry) repairNormals(ctx context.Context, s *stream, r *repairs, where string) (err error) {
	var made []float32
	s.changeValues(func(values []float32) bool {
		scaled, none := 0, 0
		for k := 0; k < len(values); k += 3 {
			was, ok := gltf.ScaleTo1(values[k:][:3])
			switch {
			case was:
				continue
			case ok:
				scaled++
				continue
			}
			none++
			if made == nil && g.mode == triangles {
				if made, err = tangent.Normals(ctx, g.indices, g.findStream("POSITION").data.Floats()); err != nil {
					return false
				}
			}
			v := values[k:][:3]
			copy(v, []float32{0, 0, 1})
			if made != nil {
				copy(v, made[k:][:3])
			}
			if was, ok := gltf.ScaleTo1(v); !was && !ok {
				copy(v, []float32{0, 0, 1})
			}
		}
		r.noteRepair("a normal was not of length 1 and was normalized", where, scaled)
		r.noteRepair("a normal had length 0 and was computed again", where, none)
		return scaled+none > 0
	})
	return err
}

// repairTangents scales tangents to length 1 and sets their signs to 1 or -1. If a tangent has
// length 0, it drops all tangents. They are made again if they are needed.
func (s *stream) repairTangents(r *repairs, where string) (dropped bool) {
	s.changeValues(func(values []float32) bool {
		scaled, signs := 0, 0
		for k := 0; k < len(values); k += 4 {
			was, ok := gltf.ScaleTo1(values[k:][:3])
			if !ok {
				dropped = true
				return false
			}
			if !was {
				scaled++
			}
			if w := values[k+3]; w != 1 && w != -1 {
				values[k+3] = 1
				if w < 0 {
					values[k+3] = -1
				}
				signs++
			}
		}
		r.noteRepair("a tangent was not of length 1 and was normalized", where, scaled)
		r.noteRepair("the sign of a tangent was not 1 or -1 and was rounded", where, signs)
		return scaled+signs > 0
	})
	if dropped {
		r.noteRepair("tangents had length 0 and were removed", where, 1)
	}
	return dropped
}

// repairWeights scales the weights of each vertex to a sum of 1. It adds up the weights of repeated
// joints.
func (g *geometry) repairWeights(r *repairs, where string, joints int) error {
	sets := g.influences()
	numbers, weights := make([][]uint32, len(sets)), make([][]float32, len(sets))
	for i, s := range sets {
		numbers[i], weights[i] = s.joints.data.Uints(), s.weights.data.Floats()
	}
	double, without, scaled, changed := 0, 0, 0, false
	for v := range g.vertices() {
		if len(sets) == 0 {
			break
		}
		at := func(k int) (joint uint32, weight *float32) { return numbers[k/4][4*v+k%4], &weights[k/4][4*v+k%4] }
		sum := float64(0)
		for k := range 4 * len(sets) {
			joint, weight := at(k)
			switch {
			case joints > 0 && int64(joint) >= int64(joints):
				return fmt.Errorf("vertex %d uses joint %d of a skin with %d joints", v, joint, joints)
			case *weight < 0:
				return fmt.Errorf("vertex %d has a weight of %v", v, *weight)
			case *weight == 0:
				continue
			}
			sum += float64(*weight)
			for before := range k {
				if j, w := at(before); j == joint && *w != 0 {
					*w += *weight
					*weight = 0
					double++
					break
				}
			}
		}
		switch off := math.Abs(sum - 1); {
		case sum < 1e-6:
			_, first := at(0)
			*first = 1
			without++
			continue
		case off > 1e-3:
			scaled++
		case off <= 1e-7:
			continue
		}
		changed = true
		for k := range 4 * len(sets) {
			_, weight := at(k)
			*weight = float32(float64(*weight) / sum)
		}
	}
	r.noteRepair("a vertex had two weights for one joint, which were added", where, double)
	r.noteRepair("a vertex had no weights and was assigned to its first joint", where, without)
	r.noteRepair("the sum of weights was not 1, so they were scaled", where, scaled)
	if changed || double+without > 0 {
		for i, s := range sets {
			s.weights.data = gltf.FloatArray(weights[i], 4)
		}
	}
	return nil
}

// An influence is one set of joint indices and weights.
type influence struct{ joints, weights *stream }

// influences returns the sets of joints and weights of a geometry. It returns none if joints and
// weights do not match.
func (g *geometry) influences() (sets []influence) {
	for i := range g.streams {
		weights := &g.streams[i]
		if weights.target != base || weights.data.Width != 4 || !strings.HasPrefix(weights.name, "WEIGHTS_") {
			continue
		}
		joints := g.findStream("JOINTS_" + strings.TrimPrefix(weights.name, "WEIGHTS_"))
		if joints == nil || joints.data.Width != 4 || joints.data.Component != gltf.Uint8 && joints.data.Component != gltf.Uint16 {
			return nil
		}
		sets = append(sets, influence{joints, weights})
	}
	return sets
}
