// Package cook turns a folder of source assets into a folder of shippable ones and
// does only the work that is needed.
//
//	project := cook.Project{Dir: "assets", Recipes: recipes.All()}
//	summary, err := cook.Cook(ctx, project, cook.CookOptions{})
//
// Package recipes has the recipes that come with this module; package cook/recipe says
// what a recipe is, for those who write one; package cook/cli is the whole command for
// a program with recipes of its own.
//
// # How it works
//
// A pass over a project is a function of values (package cook/internal/pass):
//
//	index --changes--> delta --plan--> actions and reasons --execute--> artifacts --commit--> manifest, index
//
// The index is what the last run knew: stamps, checksums, blob IDs, actions. It is a
// cache; without it there is more to read and nothing else. The stamps of all that it
// knows are compared with the file system. A stamp that was old enough to be trusted
// and has not changed proves that the content is the same; otherwise the file is
// checksummed. Only what differs is planned, and each decision has reasons.
//
// # Why the output is never wrong
//
// The index is written when everything that it describes is on the disk. A run that
// ends early, by whatever means, leaves an older index: the next run sees more
// differences than there are, never fewer. Artifacts are renamed into place when they
// are complete. Their names are in a journal before that, so that even without an index
// cook can tell its own files from yours; it never touches yours.
//
// A source that changes while it is cooked is noticed, because it is stamped before it
// is read and again after. That result is thrown away.
//
// [Verify] proves all this of an output folder: it trusts no stamp, reads everything,
// and cooks a sample again under other conditions.
package cook
