package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/verify"
)

// DefaultSample is how much Verify cooks again unless told otherwise: little enough to
// be done daily, and with another seed each time all assets have their turn.
const DefaultSample = verify.DefaultSample

// VerifyOptions say how much Verify does. The zero value cooks DefaultSample again.
type VerifyOptions struct {
	// Patterns limit everything to some sources, as in CookOptions.
	Patterns []string
	// Sample is how many assets are cooked again: a number such as "20", a part such as
	// "5%", or "all"; "" is DefaultSample.
	Sample string
	// Seed chooses the sample. The same seed chooses the same assets as long as nothing
	// is added, changed or removed; 0 is another seed each time.
	Seed uint64
	// AllowExtra lets files pass that nothing makes.
	AllowExtra bool
	// Remote compares what is cooked again with the results of Project.Remote, too.
	Remote bool
	// Found is called for each difference, by one goroutine at a time; nil for none.
	Found    func(Finding)
	Limits   Limits
	Observer Observer
}

// Verify proves that the output folder is what a cook from scratch would make, and reports
// every difference:
//
//   - all outputs, sources, dependencies and programs are read and compared by BLAKE3 with
//     what was cooked, and manifest and index with each other;
//   - files of the output folder that nothing makes are found, unless Patterns limit the
//     sources;
//   - the store's records and blobs that this tree would be restored from are read. A
//     damaged one is removed, so that no cook meets it; a missing one is no difference;
//   - a sample of the assets is cooked again in another scratch folder, time zone, locale and
//     home folder, with another number of workers, and compared byte by byte with what is in
//     the output folder, and on request with the results that Cook would take from
//     Project.Remote. What that does not have is no difference;
//   - what these read, look for and list is compared with the dependencies on record.
//     Programs that could read more than they are known to are traced for that.
//
// Nothing else is changed: not the assets, not the outputs, not the index. The lock of
// the output folder is held, so that no cook runs at the same time. Without targets in
// the project those that were cooked last are verified.
//
// Differences are counted, not errors. Verify returns an error only when it could not
// do its work, as Cook does; what it has found until then is in the result.
func Verify(ctx context.Context, p Project, opt VerifyOptions) (Verified, error) {
	o := p.options()
	if opt.Remote {
		o.Remote = p.Remote
	}
	o.Scope.Patterns, o.Limits, o.Observer = opt.Patterns, opt.Limits, opt.Observer
	sum, err := verify.Run(ctx, verify.Options{Pass: o, Sample: opt.Sample, Seed: opt.Seed, AllowExtra: opt.AllowExtra, Found: opt.Found})
	return sum, asPublic(err)
}

// Verified is the result of Verify. An asset cooked for two targets counts twice. Its method String
// returns the last line of verifying, whose form is fixed, for scripts. It has the fields
//
//	Outputs     int // looked at
//	Bytes       int64 // read of them
//	Blobs       int // of the store, found intact
//	Again       int // assets cooked again
//	Shared      int // results of Project.Remote that were compared with them
//	Assets      int
//	Seed        uint64 // draws the same sample again
//	Differences int
//	Took        time.Duration
type Verified = verify.Sum

// A Finding is one difference between the output folder and a cook from scratch. Its method String
// returns it as people see it: one line, and the output of a program below it. It has the fields
//
//	Kind    FindingKind
//	Path    string          // the source; without one, a file of the output folder or of the store
//	Target  string          // of the source
//	Targets []string        // to cook again as a remedy; none for the unnamed target
//	Output  string          // the artifact concerned, if any
//	Recipe  string          // if it is the cause
//	Inputs  []string        // files that should be dependencies
//	Warning bool            // a possible cause of differences, not counted
//	Bytes   *ByteDifference // first difference of two artifacts; nil if unknown
//	Origin  *Origin         // of a result on Project.Remote that differs
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

// A ByteDifference is the first place in which two artifacts differ. It has the fields
//
//	Offset int64 // from 0
//	Was    int   // the byte in the output folder, -1 for its end
//	Now    int   // the byte in the new artifact, -1 for its end
type ByteDifference = verify.ByteDifference
