package plan

import (
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/hashing"
)

// A Confirmer finds known actions that are up to date, one by one and without a plan. Only one
// goroutine at a time may use it.
type Confirmer struct {
	methods *Methods
	key     *hashing.Key
	alone   map[*rules.Method]bool
}

// NewConfirmer returns a Confirmer for some methods.
func NewConfirmer(m *Methods) *Confirmer {
	return &Confirmer{methods: m, key: NewKey(), alone: map[*rules.Method]bool{}}
}

// isAlone reports whether an action with a method depends on nothing but the rules, its source and
// its outputs.
func (c *Confirmer) isAlone(m *rules.Method) bool {
	alone, ok := c.alone[m]
	if !ok {
		alone = m.Then == nil && m.Holder() == nil && !m.Hashed() && !m.Bundles() && !m.NamesOutputs() && m.Traits().Asks == nil
		c.alone[m] = alone
	}
	return alone
}

// Confirms reports whether Make finds a known action up to date if its source has the content that was
// cooked and its outputs are intact. Make then reports no error for the action, and changes nothing for
// it. Confirms returns false if only a plan can tell.
func (c *Confirmer) Confirms(row *index.Row) bool {
	if row.State() != index.Done || row.CountDeps() > 0 {
		return false
	}
	path := row.Path()
	now, names, same := c.methods.sameMethodOf(row, path)
	if !same || !c.isAlone(now.Choice) {
		return false
	}
	for i, name := range names {
		names[i] = underTarget(row.Target(), name)
		if checkName(names[i]) != nil {
			return false
		}
	}
	a := Action{Path: path, Target: row.Target(), Method: now, Outputs: names}
	src := contents.File{Path: path, Blob: row.CookedSource(), How: contents.ByReading}
	id, err := a.Identify(c.key, &src, nil)
	return err == nil && id == row.ActionID()
}
