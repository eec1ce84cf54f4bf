// Package cook turns a directory of source assets into a directory of shippable ones and does only the
// work that is needed.
//
//	project := cook.Project{Dir: "assets", Recipes: recipes.All()}
//	summary, err := cook.Cook(ctx, project, cook.CookOptions{})
//
// Package recipes has the recipes of this module. Package cook/recipe is for authors of recipes.
// Package cook/cli is the whole command, for a program with recipes of its own.
//
// # How it works
//
// A pass over a project is a function of values (package cook/internal/pass):
//
//	index --changes--> delta --plan--> actions and reasons --execute--> artifacts --commit--> manifest, index
//
// The index has the stamps, checksums, blob IDs and actions of the last run. It is a cache: without
// it a run reads more and finds the same. A run compares the stamps in the index with the file
// system. An unchanged stamp that was old enough to be trusted proves that the content is the same;
// otherwise the run reads the file and compares checksums. It plans only actions with differences,
// and each decision has reasons.
//
// # Why the output is never wrong
//
// A run writes the index after everything that the index describes is on the disk. A run that ends
// early, by whatever means, leaves an older index: the next run sees too many differences, never
// too few. Artifacts are renamed into place when they are complete. Before that, their names are in
// a journal, so that even without an index cook can tell its own files from yours. It never touches
// yours.
//
// A run stamps a source before it reads it and again after cooking. If the source changed in
// between, the run throws the result away.
//
// [Verify] proves all this of an output directory: it trusts no stamp, reads everything, and cooks a
// sample again under other conditions.
package cook
