package verify

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// DefaultSample is the default part of the assets to cook again: small enough for every day.
// With a new seed each time, every asset has its turn.
const DefaultSample = "5%"

// A sample is a number of assets, or a part of all assets.
type sample struct {
	count int
	part  float64 // 0 to 1
}

func parseSample(text string) (sample, error) {
	if text == "" {
		text = DefaultSample
	}
	if text == "all" {
		return sample{part: 1}, nil
	}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		if x, err := strconv.ParseFloat(number, 64); err == nil && x >= 0 && x <= 100 {
			return sample{part: x / 100}, nil
		}
	} else if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return sample{count: int(n)}, nil
	}
	return sample{}, configError("sample %q: want a number of assets such as 20, a part such as 5%%, or all", text)
}

// of returns the number of assets in a sample of n. A part that is not zero has at least one.
func (s sample) of(n int) int {
	return min(n, s.count+int(math.Ceil(s.part*float64(n))))
}

// newSeed returns seed, or a random seed if it is 0.
func newSeed(seed uint64) uint64 {
	for seed == 0 {
		seed = uint64(rand.Uint32())
	}
	return seed
}

// sampleOf draws a sample from the actions of a plan whose artifacts are on record.
func sampleOf(p *plan.Plan, s sample, seed uint64, lost bool) []int {
	var known []int
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Err == nil && !a.Held() && a.Last != nil && len(a.Last.Made) == len(a.Outputs) && (lost || len(outdated(a)) == 0) {
			known = append(known, i)
		}
	}
	return draw(p, known, s.of(countCooked(p)), seed)
}

// countCooked counts the actions of a plan that are not held.
func countCooked(p *plan.Plan) (n int) {
	for i := range p.Actions {
		if !p.Actions[i].Held() {
			n++
		}
	}
	return n
}

// draw chooses n actions by seed alone, in cooking order. One asset of each method comes
// before a second asset of any method, because an error of a method concerns all its assets.
func draw(p *plan.Plan, from []int, n int, seed uint64) []int {
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	seen := map[*plan.Method]bool{}
	var first, rest []int
	for _, i := range from {
		if m := p.Actions[i].Method; !seen[m] {
			seen[m] = true
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	drawn := append(first, rest...)
	return drawn[:min(n, len(drawn))]
}
