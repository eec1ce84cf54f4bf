package pathname

import "strings"

// Artifacts are what assets were cooked to for a target, as far as patterns choose them. They
// have a path like a file, for dependencies on them: "@", the target and the patterns, with a
// NUL behind the first two and between the last. No file's path, and no listing, begins so.
const artifacts = "@\x00"

// Artifacts returns the path of what patterns choose.
func Artifacts(target string, patterns []string) string {
	return artifacts + target + "\x00" + strings.Join(patterns, "\x00")
}

// IDs returns the path of the IDs of the assets whose artifacts a path chooses that Artifacts
// returned. It has another NUL at its end.
func IDs(artifacts string) string { return artifacts + "\x00" }

// IsIDs reports whether a path is one that IDs returns.
func IsIDs(name string) bool {
	rest, ok := strings.CutPrefix(name, artifacts)
	_, list, _ := strings.Cut(rest, "\x00")
	return ok && strings.HasSuffix(list, "\x00")
}

// CutArtifacts takes apart what Artifacts or IDs returns; ok is false for any other path.
func CutArtifacts(name string) (target string, patterns []string, ok bool) {
	rest, ok := strings.CutPrefix(name, artifacts)
	if !ok || !IsArtifacts(name) {
		return "", nil, false
	}
	target, list, ok := strings.Cut(rest, "\x00")
	return target, strings.Split(strings.TrimSuffix(list, "\x00"), "\x00"), ok
}

// IsArtifacts reports whether a path is one that Artifacts or IDs returns. The path of a link named
// "@" is not.
func IsArtifacts(name string) bool { return strings.HasPrefix(name, artifacts) && name != Link("@") }

// presence starts the names of dependencies of which only the presence counts.
const presence = "\x00"

// Presence returns the name of a dependency on a file's presence.
func Presence(name string) string { return presence + name }

// CutPresence takes apart what Presence returns; ok is false for any other name.
func CutPresence(name string) (of string, ok bool) { return strings.CutPrefix(name, presence) }

// PresenceOnly reports whether a dependency's name is one that Presence returns.
func PresenceOnly(name string) bool { return strings.HasPrefix(name, presence) }
