package pass

import (
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
)

// Vouched reports whether an index vouches for what the session would make.
func (s *Session) Vouched(x *index.Index) bool {
	return s.sameWay(x) && !slices.ContainsFunc(s.Scope.Targets, func(t string) bool { return !slices.Contains(x.Vouched(), t) })
}

// sameWay reports whether an index knows what runs did that had the session's
// fingerprint.
func (s *Session) sameWay(x *index.Index) bool {
	return !s.Fingerprint.IsZero() && x.Fingerprint() == s.Fingerprint
}

// others are the targets that an index vouches for besides those of the session, if the
// rules still have them; nil are the rules of the index.
func (s *Session) others(x *index.Index, rules *Ruleset) []string {
	if !s.sameWay(x) {
		return nil
	}
	return slices.DeleteFunc(x.Vouched(), func(t string) bool {
		return slices.Contains(s.Scope.Targets, t) || rules != nil && !rules.HasTarget(t)
	})
}

// tooMany reports whether so many sources are to be seen to that listing the tree is
// shorter.
func tooMany(sources, actions int) bool { return sources > 100+actions/4 }

// vouch says what the next index vouches for: this run's targets, if it knows how each
// action ended, and others, about which it knows what a run for them would have to do.
func (c *committer) vouch() {
	d := c.delta
	known := c.wholly()
	if d.Whole {
		known = known && c.s.Scope.whole() && len(c.todo.Claims) == 0 && !d.Tree.Failed()
	}
	if !known {
		c.next.Vouch([32]byte{}, nil) // the next run must look at everything
		return
	}
	actions := len(d.Sources) // of one target
	if !d.Whole {
		actions = d.Last.Totals().Actions
	}
	var list []index.Vouch
	for _, target := range c.s.Scope.Targets {
		list = append(list, index.Vouch{Target: target, Pending: c.stillPending(target, nil)})
	}
	for _, target := range c.s.others(d.Last, c.todo.Rules) {
		if pending := c.stillPending(target, c.todo.Pending[target]); !tooMany(len(pending), actions) {
			list = append(list, index.Vouch{Target: target, Pending: pending})
		}
	}
	c.next.Vouch(c.s.Fingerprint, list)
}

// stillPending are the sources that are pending for a target after the run: those that
// were and with which the run had nothing to do, those that edited rules have cooked
// another way, and more.
func (c *committer) stillPending(target string, more []string) []string {
	if c.delta.Whole {
		return more
	}
	all := map[string]bool{}
	c.delta.Last.Pending(target, func(source string) {
		if !c.delta.Concerned[source] {
			all[source] = true
		}
	})
	for _, source := range slices.Concat(c.delta.Edited.Outdated[target], more) {
		all[source] = true
	}
	return slices.Sorted(maps.Keys(all))
}
