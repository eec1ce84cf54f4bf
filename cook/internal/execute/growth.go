package execute

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A growthList sums up, by directory, the images in lossy formats whose outputs are much larger
// than their sources.
type growthList struct {
	mu   sync.Mutex
	sums map[growthKey]*growthSum
}

// A growthKey selects the images that one line describes.
type growthKey struct{ dir, format, became, advice string }

// A growthSum is the number of images and their sizes in bytes.
type growthSum struct {
	files    int
	from, to int64
}

func (s *growthSum) addSum(t growthSum) {
	s.files, s.from, s.to = s.files+t.files, s.from+t.from, s.to+t.to
}

// addGrowth adds an image to the sum for its directory and formats.
func (l *growthList) addGrowth(g jobs.Growth) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sums == nil {
		l.sums = map[growthKey]*growthSum{}
	}
	key := growthKey{g.Dir, g.Format, g.Became, g.Advice}
	if l.sums[key] == nil {
		l.sums[key] = &growthSum{}
	}
	l.sums[key].addSum(growthSum{1, g.From, g.To})
}

// mostGrown is the maximum number of directories that get their own line.
const mostGrown = 5

// lines returns a line for each of the directories that grew most, largest growth first, and one
// line for all others.
func (l *growthList) lines() (all []string) {
	keys := make([]growthKey, 0, len(l.sums))
	for key := range l.sums {
		keys = append(keys, key)
	}
	grew := func(k growthKey) int64 { return l.sums[k].to - l.sums[k].from }
	slices.SortFunc(keys, func(a, b growthKey) int {
		return cmp.Or(cmp.Compare(grew(b), grew(a)), cmp.Compare(a.dir, b.dir), cmp.Compare(a.format, b.format), cmp.Compare(a.became, b.became))
	})
	rest := growthSum{}
	for i, key := range keys {
		if i >= mostGrown {
			rest.addSum(*l.sums[key])
			continue
		}
		place := "images"
		if key.dir != "" {
			place += " in " + pathname.Show(key.dir)
		}
		s := l.sums[key]
		all = append(all, fmt.Sprintf("%s: %s of %s became %s of %s; %s",
			place, human.Count(s.files, key.format+" file"), human.Bytes(s.from), key.became, human.Bytes(s.to), key.advice))
	}
	if rest.files > 0 {
		all = append(all, fmt.Sprintf("images elsewhere: %s of %s became outputs of %s", human.Count(rest.files, "lossy file"), human.Bytes(rest.from), human.Bytes(rest.to)))
	}
	return all
}
