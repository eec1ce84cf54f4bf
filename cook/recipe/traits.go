package recipe

import "context"

// Traits describe a cooker beyond its outputs and its method Cook. Recipe.Traits returns them for
// a cooker whose options are set. Each field is optional, and most recipes need at most Check and
// Estimate.
type Traits struct {
	// Check refuses options that do not fit together. It returns nil or an *OptionError. It is
	// called once for each combination of rules, before anything is cooked.
	Check func() error

	// Estimate returns the peak memory, in bytes, that Cook needs for a source of the given size.
	// head is the beginning of the source, of up to HeadSize bytes. An error refuses the source;
	// ErrShortHead asks for a second call with the whole source. Without Estimate, a source
	// needs three times its size.
	Estimate func(head []byte, size int64) (int64, error)

	// Lint returns one line for each likely mistake in a source that can be cooked all the same.
	// head is as in Estimate. The lines need not name the source.
	Lint func(path string, head []byte, size int64) []string

	// Explain returns lines for cook why: the result for this source and its reasons. It reads
	// through job like Cook, and writes nothing.
	Explain func(ctx context.Context, job *Job) ([]string, error)

	// Asks calls Job.ReadExtracts with every question that Cook asks, and uses nothing else of
	// job. It gets no answers. The answers become part of the action ID.
	Asks func(job *Job) error

	// Declare calls Job.Depend for files that Cook will read, as far as the options name them.
	// Another machine that cooks the source gets these files.
	Declare func(job *Job) error

	// Tools are the programs that Cook runs: names on PATH, absolute files, or files of the asset
	// tree with a slash. Their content is part of the action ID.
	Tools []string

	// Machine names the kind of this machine if Cook may make other bytes on another kind, for
	// example because a library rounds as the processor does. Each kind has its own results.
	// Empty means the same bytes everywhere.
	Machine string

	// Local keeps the source on this machine: the result may depend on more than the dependencies
	// and Tools.
	Local bool

	// Confined reports whether programs that outlive Cook cannot write outside Job.Scratch. Then
	// the name of that directory may be the same in each run. It is called when Cook asks for it.
	Confined func() bool

	// IgnoresPath promises that Cook does not call Job.Path with these options, in spite of
	// Recipe.UsesPath.
	IgnoresPath bool

	// IgnoresArtifacts promises that Cook does not call Job.Artifacts with these options, in
	// spite of Recipe.Bundles.
	IgnoresArtifacts bool
}
