package cook

import (
	"fmt"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/rules"
	"github.com/assetcook/assetcook/internal/pathname"
)

// notePortability tells of outputs that are about to be made and that not every
// system can have: the folder may be meant for another one than this. It is no
// failure, because here they are fine.
func (k *kitchen) notePortability(p *plan.Plan) {
	folded := map[string]string{} // every output and folder of outputs, by its name in lower case
	var twins, odd tally
	for i := range p.Actions {
		a := &p.Actions[i]
		for _, out := range a.Outputs {
			if why := rules.Unportable(out); why != "" && a.Runs {
				odd.add(fmt.Sprintf("output %s %s, which Windows does not take; choose another one with output = in cook.toml", pathname.Show(out), why))
			}
			for name := out; name != "."; name = path.Dir(name) {
				lower := strings.ToLower(name)
				other, known := folded[lower]
				if !known {
					folded[lower] = name
				} else if other == name {
					break // and so are all folders above it
				} else if a.Runs {
					twins.add(fmt.Sprintf("outputs %s and %s differ in case only; Windows and macOS take them for one", pathname.Show(other), pathname.Show(name)))
				}
			}
		}
	}
	for _, t := range []tally{odd, twins} {
		if t.first != "" {
			k.Observer.Note(t.String())
		}
	}
}
