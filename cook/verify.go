package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/verify"
)

// VerifyOptions are the options of Verify. The zero value cooks a sample of 5% of the assets again.
type VerifyOptions struct {
	// Patterns limit all checks to some sources, as in CookOptions.
	Patterns []string
	// Sample is the number of assets to cook again: a count such as "20", a percentage such as
	// "5%", or "all". "" means "5%". Without a Seed, each run selects different assets, so that
	// daily runs eventually verify all assets.
	Sample string
	// Seed determines the sample. The same seed selects the same assets unless files are added,
	// changed or removed. 0 means a random seed.
	Seed uint64
	// AllowExtra suppresses findings about files that no asset produces.
	AllowExtra bool
	// Remote also compares the assets that are cooked again with results of Project.Remote.
	Remote bool
	// Found is called for each difference, by one goroutine at a time; may be nil.
	Found    func(Finding)
	Limits   Limits
	Observer Observer
}

// Verify compares the output directory with a cook from scratch, and reports every difference:
//
//   - It reads all outputs, sources, dependencies and programs, and compares their BLAKE3 hashes with the index. It also compares the manifest with the index.
//   - It finds files in the output directory that no asset produces, unless Patterns limit the sources.
//   - It reads the records and blobs of the store that would restore these outputs. It removes damaged records and blobs, so that no cook uses them. Missing ones are not differences.
//   - It cooks a sample of the assets again with another scratch directory, time zone, locale, home directory and number of workers. It compares the new outputs byte by byte with the output directory and, if Remote is set, with results of Project.Remote. Missing results are not differences.
//   - It compares all reads, lookups and listings of the sample with the recorded dependencies. It traces programs that could read more than their rules declare.
//
// Verify changes nothing else: it does not modify assets, outputs or the index. It holds the lock
// of the output directory. Without targets in the project, it verifies the targets of the last run.
//
// Differences are not errors. Like Cook, Verify returns an error only if it could not do its work.
// The result then contains the differences found so far.
func Verify(ctx context.Context, p Project, opt VerifyOptions) (Verified, error) {
	o := p.sessionOptions()
	if opt.Remote {
		o.Place.Remote = p.Remote
	}
	o.Scope.Patterns, o.Limits, o.Observer = opt.Patterns, opt.Limits, opt.Observer
	sum, err := verify.Run(ctx, verify.Options{Pass: o, Sample: opt.Sample, Seed: opt.Seed, AllowExtra: opt.AllowExtra, Found: opt.Found})
	return sum, asPublic(err)
}

// Verified is the result of Verify. An asset with two targets counts twice. Its method String
// returns the last line of the output, in a fixed format for scripts. It has the fields
//
//	Outputs     int // number of outputs checked
//	Bytes       int64 // bytes read of these outputs
//	Blobs       int // undamaged blobs of the store
//	Again       int // assets cooked again
//	Shared      int // results of Project.Remote compared with these assets
//	Assets      int
//	Seed        uint64 // selects the same sample again
//	Differences int
//	Took        time.Duration
type Verified = verify.Sum

// A Finding is one difference between the output directory and a cook from scratch. Its method
// String returns one line for people, followed by the output of a program if there is any. It has
// the fields
//
//	Kind    FindingKind
//	Path    string          // source; if there is none, a file of the output directory or of the store
//	Target  string          // target of the source
//	Targets []string        // targets to cook again; empty for the unnamed target
//	Output  string          // path of the artifact; may be ""
//	Recipe  string          // recipe that causes the finding; "" if unknown
//	Inputs  []string        // files that should be dependencies
//	Warning bool            // possible cause of differences, not counted
//	Bytes   *ByteDifference // first difference of two artifacts; nil if unknown
//	Origin  *Origin         // origin of a different result on Project.Remote
//	Text    string          // error and remedy, without the path
type Finding = verify.Finding

// A FindingKind is a kind of difference:
//
//	"output missing"
//	"output damaged"     content differs from the cooked output
//	"output mode"        permissions differ from the permissions that cook set
//	"extra file"         no asset produces the file
//	"state damaged"      index or manifest
//	"store damaged"      a result or blob; costs time but never causes wrong outputs
//	"not up to date"
//	"not reproducible"
//	"hidden read", "hidden absence", "hidden listing"
//	                     an input that is not a dependency
//	"remote differs"     a result on Project.Remote
//	"cannot be verified"
type FindingKind = verify.FindingKind

// A ByteDifference is the first difference between two artifacts. It has the fields
//
//	Offset int64 // offset of the first differing byte
//	Was    int   // byte in the output directory; -1 past the end
//	Now    int   // byte in the new artifact; -1 past the end
type ByteDifference = verify.ByteDifference
