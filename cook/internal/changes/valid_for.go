package changes

import (
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// AllDeclared is a mark among the targets of an index: the index is valid for every target that
// the rules declare, except perhaps the unnamed one.
const AllDeclared = rules.AllTargets

// ValidTargets returns the targets that an index is valid for.
func ValidTargets(x *index.Index) []string {
	return slices.DeleteFunc(x.Vouched(), func(t string) bool { return t == AllDeclared })
}

// KnownTargets returns the targets in scope as far as an index knows them. It reports false if
// the scope asks for all declared targets and only the rules can tell.
func KnownTargets(scope *session.Scope, last *index.Index) ([]string, bool) {
	if !scope.All {
		return scope.Targets, true
	}
	if !slices.Contains(last.Vouched(), AllDeclared) {
		return nil, false
	}
	return scope.Among(slices.DeleteFunc(ValidTargets(last), func(t string) bool { return t == "" })), true
}

// ValidFor reports whether an index is valid for a run of a session for some targets.
func ValidFor(x *index.Index, s *session.Session, targets []string) bool {
	return sameFingerprint(x, s) && !slices.ContainsFunc(targets, func(t string) bool { return !slices.Contains(x.Vouched(), t) })
}

// sameFingerprint reports whether the runs in an index had the fingerprint of the session.
func sameFingerprint(x *index.Index, s *session.Session) bool {
	return !s.Basis.Fingerprint.IsZero() && x.Fingerprint() == s.Basis.Fingerprint
}

// OtherTargets returns the targets that an index is valid for besides some, without the ones
// that the rules no longer declare. If rules is nil, they are the rules of the index.
func OtherTargets(x *index.Index, s *session.Session, targets []string, rules *session.Ruleset) []string {
	if !sameFingerprint(x, s) {
		return nil
	}
	return slices.DeleteFunc(ValidTargets(x), func(t string) bool {
		return slices.Contains(targets, t) || rules != nil && !rules.Set.HasTarget(t)
	})
}

// TooMany reports whether listing the whole tree is faster than planning the given sources.
func TooMany(sources, actions int) bool { return sources > 100+actions/4 }
