package pass

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
)

// declared stands in an index beside the targets that it vouches for if these are, perhaps
// with the one without a name, all that the rules declare.
const declared = rules.AllTargets

// vouched are the targets that an index vouches for.
func vouched(x *index.Index) []string {
	return slices.DeleteFunc(x.Vouched(), func(t string) bool { return t == declared })
}

// recallTargets finds in the index which targets there are, if the session is for all. It
// reports whether it knows.
func (s *Session) recallTargets(last *index.Index) bool {
	if !s.Scope.All {
		return true
	}
	if !slices.Contains(last.Vouched(), declared) {
		return false
	}
	s.Scope.Targets = orNameless(slices.DeleteFunc(vouched(last), func(t string) bool { return t == "" }))
	return true
}

// orNameless returns declared targets, or the one without a name if there are none.
func orNameless(targets []string) []string {
	if len(targets) == 0 {
		return []string{""}
	}
	return targets
}

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
	return slices.DeleteFunc(vouched(x), func(t string) bool {
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
		pending := c.stillPending(target, c.todo.Pending[target])
		if len(pending) > 0 {
			c.behind = append(c.behind, target)
		}
		if !tooMany(len(pending), actions) {
			list = append(list, index.Vouch{Target: target, Pending: pending})
		}
	}
	if c.knowsDeclared(list) {
		list = append(list, index.Vouch{Target: declared})
	}
	c.next.Vouch(c.s.Fingerprint, list)
}

// knowsDeclared reports whether every target that the rules declare is in a list.
func (c *committer) knowsDeclared(list []index.Vouch) bool {
	last := c.delta.Last.Vouched()
	if !c.delta.Whole && !slices.Contains(last, declared) {
		return false // an edit cannot add it
	}
	targets := vouched(c.delta.Last)
	if rules := cmp.Or(c.todo.Rules, c.delta.Edited.Rules); rules != nil {
		targets = rules.Targets()
	}
	return !slices.ContainsFunc(targets, func(t string) bool {
		return !slices.ContainsFunc(list, func(v index.Vouch) bool { return v.Target == t })
	})
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
