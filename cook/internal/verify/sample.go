package verify

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/plan"
)

// DefaultSample is how much is cooked again unless options say otherwise: little enough
// to do daily, and with another seed each time all assets have their turn.
const DefaultSample = "5%"

// A sample is a number of assets, or a part of them.
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

// of returns how many of n assets a sample has. A part that is not zero has at least
// one.
func (s sample) of(n int) int {
	return min(n, s.count+int(math.Ceil(s.part*float64(n))))
}

// newSeed returns a seed, or another one each time if it is 0.
func newSeed(seed uint64) uint64 {
	for seed == 0 {
		seed = uint64(rand.Uint32())
	}
	return seed
}

// sampleOf draws a sample from the actions of a plan of which it is known what they
// should become.
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

// countCooked counts the actions of a plan whose sources are cooked, not held by others.
func countCooked(p *plan.Plan) (n int) {
	for i := range p.Actions {
		if !p.Actions[i].Held() {
			n++
		}
	}
	return n
}

// draw chooses n of some actions of a plan, by seed alone, in the order in which they
// are to be cooked. One asset of each method comes before a second one of any, because
// it is recipes and options that are right or wrong.
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
