// Package cookone cooks one action: it runs the recipe, proves that the inputs did not
// change meanwhile, and checks and sums the artifacts.
//
//	Task --Cook--> Ready
//
// A [Task] is an action of a plan, or a step of a chain. A [Ready] task has all of its
// artifacts, complete, as scratch files. The package does not place artifacts, and knows
// neither store nor server: the caller of [Cooker.Cook] gives it a place for scratch files
// and may answer for the steps of chains. A run cooks with it, and so do verification and
// the execution of an action for another machine.
//
// # Why a result is right
//
// Each artifact is made as a scratch file, so no program sees it half written. The source, the
// tools and all dependencies are looked at before the recipe reads them and again
// afterwards. If one of them changed, the result is thrown away with [ErrChanged]. An
// artifact is summed when no other process has it open for writing.
package cookone
