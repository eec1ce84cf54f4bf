package cook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/verify"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
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
		o.Place.Remote = rules.Remote(p.Remote)
	}
	o.Scope.Patterns, o.Limits, o.Observer = opt.Patterns, session.Limits(opt.Limits), observed(opt.Observer, false)
	sum, err := verify.Run(ctx, verify.Options{Pass: o, Sample: opt.Sample, Seed: opt.Seed, AllowExtra: opt.AllowExtra, Found: func(f verify.Finding) {
		if opt.Found != nil {
			opt.Found(Finding{string(f.Kind), f.Path, f.Target, f.Targets, f.Output, f.Recipe, f.Inputs, f.Warning, (*ByteDifference)(f.Bytes), (*Origin)(f.Origin), f.Text})
		}
	}})
	return Verified(sum), asPublic(err)
}

// Verified is what verifying amounts to. An asset cooked for two targets counts twice.
type Verified struct {
	Outputs     int           `json:"outputs"`          // looked at
	Bytes       int64         `json:"bytes"`            // of them, read
	Blobs       int           `json:"blobs"`            // of the store, found intact
	Again       int           `json:"again"`            // assets cooked again
	Shared      int           `json:"shared,omitempty"` // results of Project.Remote that were compared with that
	Assets      int           `json:"assets"`
	Seed        uint64        `json:"seed"` // draws the same sample again
	Differences int           `json:"differences"`
	Took        time.Duration `json:"took_ns"`
}

// String is the last line of verifying. Its form is fixed, for scripts.
func (v Verified) String() string {
	return fmt.Sprintf("verified %s (%s) and %s, cooked %d of %s again: %s in %s",
		human.Count(v.Outputs, "output"), human.Bytes(v.Bytes), human.Count(v.Blobs, "blob"),
		v.Again, human.Count(v.Assets, "asset"), human.Count(v.Differences, "difference"), human.Duration(v.Took))
}

// A Finding is one difference between what is there and what should be.
type Finding struct {
	// Kind is "output missing", "output damaged" (another content than was cooked),
	// "output mode", "extra file" (which nothing makes), "state damaged" (index or
	// manifest), "store damaged" (which costs time, not truth), "not up to date", "not
	// reproducible", "hidden read", "hidden absence" or "hidden listing" (of what is no
	// dependency though it should be), "remote differs", or "cannot be verified".
	Kind string `json:"kind"`
	// Path is the source, Target its target; if no one source is concerned, Path is the
	// file in the output folder or the store.
	Path   string `json:"-"`
	Target string `json:"-"`
	// Targets are those to cook again to put it right; none means the one without a name.
	Targets []string `json:"-"`
	Output  string   `json:"-"` // the artifact concerned, if one is
	Recipe  string   `json:"-"` // if it is to blame
	// Inputs are the paths of what is hidden.
	Inputs []string `json:"inputs,omitempty"`
	// Warning says that nothing differs, and what could make it so. It is not counted.
	Warning bool `json:"-"`
	// Bytes says where two artifacts first differ; nil if that is not known.
	Bytes  *ByteDifference `json:"bytes,omitempty"`
	Origin *Origin         `json:"origin,omitempty"` // of a result on Project.Remote that differs
	// Text says what is wrong and what to do, without the path. What a program printed
	// follows on lines of its own.
	Text string `json:"-"`
}

// String is the finding as people are shown it: one line, but for what a program
// printed.
func (f Finding) String() string {
	name := pathname.Show(f.Path)
	if f.Target != "" {
		name += " [" + f.Target + "]"
	}
	text := strings.TrimRight(pathname.Escape(f.Text), "\n")
	return name + ": " + strings.ReplaceAll(text, "\n", "\n  | ")
}

// A ByteDifference is the first place in which two artifacts differ.
type ByteDifference struct {
	Offset int64 `json:"offset"` // from 0
	Was    int   `json:"was"`    // the byte in the output folder, -1 for its end
	Now    int   `json:"now"`    // the byte in the new artifact, -1 for its end
}
