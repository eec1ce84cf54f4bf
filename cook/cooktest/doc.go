// Package cooktest proves that cook keeps its promises. It makes trees of
// assets, edits them, and compares what an incremental run leaves with what a
// run from scratch makes of the same sources.
//
//	script := cooktest.Random(seed, cooktest.Options{})
//	err := cooktest.Play(ctx, cooktest.Place{Dir: dir, Scratch: scratch}, script, cooktest.InProcess)
//
// A [Script] is data: edits, and runs between them. [Play] carries it out and
// after each run asks what package cook promises: the outputs are those of a run
// from scratch, as many assets failed, a second run has nothing to do, and where
// nothing changed since an earlier run no work was done at all. What went wrong
// is a [Difference]. [Shrink] finds a shorter script that fails as well, and
// [Script.Txtar] prints it in the language of cmd/cook's script tests, where it
// runs as it is.
package cooktest
