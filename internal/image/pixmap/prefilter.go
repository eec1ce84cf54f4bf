package pixmap

import (
	"context"
	"math"
	"math/bits"

	"github.com/assetcook/assetcook/internal/detmath"
)

const (
	// smallestPrefiltered is the side of the last level, as in cmgen of Filament: below it the
	// widest lobes would cover too few texels.
	smallestPrefiltered = 16
	// prefilterSamples is the number of samples of the widest lobe. Narrower lobes have
	// proportionally fewer, so that all levels are about equally exact: most texels are in the
	// first levels.
	prefilterSamples = 1024
)

// PrefilterLevels returns how many levels Prefilter makes of a cube with faces of side pixels,
// including the cube itself. It is 1 if there are no others.
func PrefilterLevels(side int) int {
	return max(1, bits.Len(uint(side/smallestPrefiltered)))
}

// A Roughness returns the perceptual roughness, the square root of GGX's alpha, of a level out of
// n: 0 for the first, 1 for the last.
type Roughness func(level, n int) float64

// LinearRoughness is proportional to the level.
func LinearRoughness(level, n int) float64 { return float64(level) / float64(n-1) }

// FilamentRoughness is the mapping of Filament and Ogre-Next, which sample level r(2-r)(n-1).
func FilamentRoughness(level, n int) float64 {
	return 1 - math.Sqrt(1-LinearRoughness(level, n))
}

// Prefilter makes the levels of a cube for reflections in image-based lighting: each is the cube
// blurred by the GGX lobe of its roughness, seen head-on (Karis, "Real Shading in Unreal Engine 4",
// 2013). It passes the levels below the given faces to take, face after face of each level. each
// calls do for all numbers below n, in any order and on any goroutines.
//
// Directions are importance-sampled. Each sample reads the level of the plain cube whose texels
// cover about the sample's solid angle (Křivánek and Colbert, "Real-time Shading with Filtered
// Importance Sampling", 2008), so that small lights leave no specks.
func Prefilter(ctx context.Context, faces []*Map, c Color, roughness Roughness, each func(ctx context.Context, n int, do func(i int) error) error, take func(level int, whole *Map) error) error {
	side := faces[0].W
	n := PrefilterLevels(side)
	if n == 1 {
		return ctx.Err()
	}
	r, err := newRadiance(ctx, faces, c)
	if err != nil {
		return err
	}
	l := light{m: faces[0], color: c}
	for level := 1; level < n; level++ {
		small := side >> level
		lobe := newLobe(roughness(level, n), side, len(r.levels))
		for face := range faces {
			made, rows := New(small, small, l.m.Depth()), make([]float32, 4*small*small)
			err := each(ctx, small, func(y int) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				row := rows[4*small*y : 4*small*(y+1)]
				for x := range small {
					u, v := (float64(2*x)+1)/float64(small)-1, (float64(2*y)+1)/float64(small)-1
					seen := r.through(lobe, unit(faceDirection(face, u, v)))
					seen[3] = min(seen[3], 1) * l.alphaTop()
					for k, s := range seen {
						row[4*x+k] = float32(min(s, l.colorTop()))
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			for y := range small {
				l.narrow(made, y, rows[4*small*y:4*small*(y+1)], nil)
			}
			if err := take(level, made); err != nil {
				return err
			}
		}
	}
	return nil
}

// PrefilterMemory returns the most bytes that Prefilter holds besides the faces.
func PrefilterMemory(side int) int64 {
	memory := int64(curveMemory) + prefilterSamples*48
	texels := int64(side+2) * int64(side+2)
	// The bordered pyramid; one face in floats and its levels; a made level, twice.
	memory += 6*16*texels*4/3 + 16*texels*4/3 + 2*16*texels/4
	return memory + MipMemory(side, side, Float, MipOptions{Whole: true})
}

// A lobeSample is a direction of light around the normal, its z axis.
type lobeSample struct {
	d      [3]float64
	weight float64 // shares of 1
	level  float64 // of the plain cube
}

// newLobe returns the sample directions of GGX's lobe, for a cube of the given side and number of
// levels.
func newLobe(roughness float64, side, levels int) []lobeSample {
	alpha2 := float64(roughness * roughness * roughness * roughness)
	samples := math.Ceil(prefilterSamples * roughness)
	lobe, sum := make([]lobeSample, 0, int(samples)), 0.0
	texel := 4 * math.Pi / (6 * float64(side) * float64(side))
	for i := range int(samples) {
		// Hammersley points, in the middle of their intervals.
		a := float64((float64(i) + 0.5) / samples)
		angle := float64(bits.Reverse32(uint32(i))) / (1 << 31) // in half turns
		cos2 := (1 - a) / (1 - float64(a*(1-alpha2)))
		cos, sin := math.Sqrt(cos2), math.Sqrt(max(0, 1-cos2))
		z := float64(2*cos2) - 1 // n.l of the light mirrored at the half vector
		if z <= 0 {
			continue
		}
		across := 2 * cos * sin
		denominator := 1 - float64(cos2*(1-alpha2))
		density := alpha2 / (4 * math.Pi * denominator * denominator)
		covered := 1 / (samples * density)
		// A footprint of four times the covered area overlaps its neighbors, as in cmgen.
		level := 0.5 * detmath.Log(4*covered/texel) / math.Ln2
		lobe = append(lobe, lobeSample{
			d:      [3]float64{across * detmath.CosPi(angle), across * detmath.SinPi(angle), z},
			weight: z, level: min(max(level, 0), float64(levels-1)),
		})
		sum += z
	}
	for i := range lobe {
		lobe[i].weight /= sum
	}
	return lobe
}
