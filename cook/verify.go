package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/verify"
)

// VerifyOptions are the options of Verify. The zero value cooks a sample of 5% again.
type VerifyOptions struct {
	// Patterns limit all checks to some sources, as in CookOptions.
	Patterns []string
	// Sample is the number of assets to cook again: a count such as "20", a percentage such as
	// "5%", or "all". "" means "5%", which is cheap enough to run every day; since each run uses a
	// different seed, all assets are verified in time.
	Sample string
	// Seed chooses the sample. The same seed chooses the same assets as long as nothing is added,
	// changed or removed; 0 means a different seed each time.
	Seed uint64
	// AllowExtra accepts files that no asset produces.
	AllowExtra bool
	// Remote also compares results of Project.Remote with the assets that are cooked again.
	Remote bool
	// Found is called for each difference, by one goroutine at a time; may be nil.
	Found    func(Finding)
	Limits   Limits
	Observer Observer
}

// Verify compares the output directory with a cook from scratch, and reports every difference:
//
//   - It reads all outputs, sources, dependencies and programs, and compares them by BLAKE3 with
//     the index, and the manifest with the index.
//   - It finds files in the output directory that no asset produces, unless Patterns limit the sources.
//   - It reads the records and blobs of the store that would restore this tree. It removes damaged
//     records and blobs, so that no cook uses them; missing ones do not count as differences.
//   - It cooks a sample of the assets again in a different scratch directory, time zone, locale and home
//     directory, with a different number of workers. It compares them byte by byte with the output directory
//     and, on request, with results of Project.Remote. Missing results do not count
//     as differences.
//   - It compares all reads, look-ups and listings of the sample with the recorded dependencies. It
//     traces programs that could read more than their rules declare.
//
// Verify changes nothing else: it does not modify assets, outputs or the index. It holds the lock
// of the output directory. Without targets in the project it verifies the targets of the last run.
//
// Differences are not errors. Like Cook, Verify returns an error only if it could not do its work;
// the result then contains the differences found so far.
func Verify(ctx context.Context, p Project, opt VerifyOptions) (Verified, error) {
	o := p.sessionOptions()
	if opt.Remote {
		o.Place.Remote = p.Remote
	}
	o.Scope.Patterns, o.Limits, o.Observer = opt.Patterns, opt.Limits, opt.Observer
	sum, err := verify.Run(ctx, verify.Options{Pass: o, Sample: opt.Sample, Seed: opt.Seed, AllowExtra: opt.AllowExtra, Found: opt.Found})
	return sum, asPublic(err)
}

// Verified is the result of Verify. An asset cooked for two targets counts twice. Its method String
// returns the last line of the output, in a fixed format for scripts. It has the fields
//
//	Outputs     int // looked at
//	Bytes       int64 // read of them
//	Blobs       int // blobs of the store, found intact
//	Again       int // assets cooked again
//	Shared      int // results of Project.Remote that were compared with them
//	Assets      int
//	Seed        uint64 // draws the same sample again
//	Differences int
//	Took        time.Duration
type Verified = verify.Sum

// A Finding is one difference between the output directory and a cook from scratch. Its method
// String formats it for people: one line, with the output of a program, if any, below it. It has
// the fields
//
//	Kind    FindingKind
//	Path    string          // the source; without one, a file of the output directory or of the store
//	Target  string          // target of the source
//	Targets []string        // targets to cook again; none for the unnamed target
//	Output  string          // the artifact concerned, if any
//	Recipe  string          // recipe that causes the finding, if known
//	Inputs  []string        // files that should be dependencies
//	Warning bool            // a possible cause of differences, not counted
//	Bytes   *ByteDifference // first difference of two artifacts; nil if unknown
//	Origin  *Origin         // origin of a different result on Project.Remote
//	Text    string          // what is wrong and what to do, without the path
type Finding = verify.Finding

// A FindingKind is a kind of difference:
//
//	"output missing"
//	"output damaged"     another content than was cooked
//	"output mode"        other permissions than cook gave it
//	"extra file"         nothing makes it
//	"state damaged"      index or manifest
//	"store damaged"      a result or blob, which costs time but makes no wrong output
//	"not up to date"
//	"not reproducible"
//	"hidden read", "hidden absence", "hidden listing"
//	                     an input that is no dependency
//	"remote differs"     a result on Project.Remote
//	"cannot be verified"
type FindingKind = verify.FindingKind

// A ByteDifference is the first position at which two artifacts differ. It has the fields
//
//	Offset int64 // first differing byte, from 0
//	Was    int   // the byte in the output directory, -1 for its end
//	Now    int   // the byte in the new artifact, -1 for its end
type ByteDifference = verify.ByteDifference
