package contents

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Parts holds the results of extracts. An extract is a function of a recipe. It splits a file, or
// each file of a listing, into parts that have a subject. Parts reads each file and lists each
// directory only once.
//
// An action that depends on a part treats the part as a file. A part has no stamp and no entry of
// its own in the index. Instead, the index has an entry for each extract without its subject. The
// stamp of the entry is the stamp of the file or of the listed directory. As long as this stamp is
// unchanged, all parts are unchanged too. Parts depend on nothing else, so a run does not check
// them again after cooking.
type Parts struct {
	opt    Options
	summer *hashing.Summer

	mu  sync.Mutex
	all map[dependency.Dependency]*extract
}

// An extract holds the parts of one file, or of all files of a listing.
type extract struct {
	// file is the entry for the index. Its content is the encoding of all parts or, for a listing,
	// of the file names.
	file  File
	names []string
	says  recipe.Says
	looks sync.Once

	members []member
	about   map[string][]int
	err     error
	reads   sync.Once
}

type member struct {
	name string
	says recipe.Says
}

// NewParts returns empty Parts. It uses the options Assets, Checksum, Extracts, Unsettled and
// Clock.
func NewParts(opt Options) *Parts {
	return &Parts{opt: opt, summer: hashing.NewSummer(opt.Checksum), all: map[dependency.Dependency]*extract{}}
}

// Files yields the entries for the index, in any order.
func (s *Parts) Files() iter.Seq2[dependency.Dependency, File] {
	return func(yield func(dependency.Dependency, File) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for x, e := range s.all {
			if e.file.Known() && !yield(x, e.file) {
				return
			}
		}
	}
}

// Extract returns the parts about the subject of x. found is set if the file or directory that x
// reads exists.
func (s *Contents) Extract(x dependency.Dependency) (said []recipe.Said, found bool, err error) {
	e := s.reader.opt.Parts.readExtract(x.OfAll())
	if e.err != nil || !e.file.Known() {
		return nil, false, e.err
	}
	return e.previousAnswer(x.Subject), true, nil
}

// At returns the result of an extract in the form of a file.
func (s *Parts) At(x dependency.Dependency) File {
	if x.Subject == "" {
		return s.lookUpExtract(x).file
	}
	e := s.readExtract(x.OfAll())
	f := File{Path: x.Path, Settled: true}
	switch {
	case e.err != nil:
		f.How, f.Err = Unreadable, e.err
	case e.file.Known():
		sum := s.summer.SumBytes(answer(e.previousAnswer(x.Subject)), hashing.WantSum|hashing.WantDigest)
		f.How, f.Sum, f.Blob = ByReading, sum.Sum, store.BlobID(sum.Digest)
	}
	return f
}

// Silence is the blob ID of an extract without any parts.
var Silence = store.BlobID(hashing.DigestOf(answer(nil)))

// answer encodes parts about one subject as a byte string.
func answer(said []recipe.Said) (data []byte) {
	for _, by := range said {
		data = appendFramed(appendFramed(data, by.File), string(by.Text))
	}
	return data
}

func appendFramed(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// previousAnswer returns the parts about a subject.
func (e *extract) previousAnswer(subject string) (said []recipe.Said) {
	by := e.about[subject]
	if all := e.about[""]; subject != "" && len(all) > 0 {
		by = slices.Concat(all, by)
		slices.Sort(by)
		by = slices.Compact(by)
	}
	for _, i := range by {
		m := &e.members[i]
		said = append(said, recipe.Said{File: m.name, Text: m.says.About(subject)})
	}
	return said
}

// lookUpExtract returns an extract. The first time, it reads the file of the extract, or lists its
// files.
func (s *Parts) lookUpExtract(x dependency.Dependency) *extract {
	s.mu.Lock()
	e, ok := s.all[x]
	if !ok {
		e = &extract{}
		s.all[x] = e
	}
	s.mu.Unlock()
	e.looks.Do(func() {
		f := File{Path: x.Path}
		err := s.findExtract(e, &f, x)
		if pathname.IsAbsent(err) {
			f.How = Absent
		} else if err != nil {
			f.How, f.Err = Unreadable, err
		}
		s.mu.Lock()
		e.file = f
		s.mu.Unlock()
	})
	return e
}

// functionOf returns the extract that a dependency names; ok is false if no recipe has it.
func (s *Parts) functionOf(x dependency.Dependency) (function recipe.Extract, ok bool) {
	if s.opt.Extracts != nil {
		function, ok = s.opt.Extracts(x.Function)
	}
	return function, ok
}

// asksNames reports whether an extract depends on file names only.
func (s *Parts) asksNames(x dependency.Dependency) bool {
	function, ok := s.functionOf(x)
	return ok && function.OfNames != nil
}

// findExtract fills in an extract. It takes the stamp before it reads the content.
func (s *Parts) findExtract(e *extract, f *File, x dependency.Dependency) (err error) {
	function, ok := s.functionOf(x)
	if x.Kind == dependency.Extracts {
		e.names, f.Stamp, err = listFolder(s.opt.Assets, x)
		f.Settled, f.How = !s.opt.Unsettled && s.opt.Clock.Settled(f.Stamp), ByReading
		content := contentOf(e.names)
		if ok && function.OfNames != nil {
			names := e.names
			e.names = nil
			if err == nil {
				e.says = function.OfNames(names)
				e.members = []member{{"", e.says}}
				content = contentOfSays(e.says)
			}
		}
		s.sumAnswers(f, content)
		return err
	}
	if !ok {
		return fmt.Errorf("%s: no recipe of this program extracts this data; use a cook that has the recipe", pathname.Show(x.String()))
	}
	file, err := s.opt.Assets.OpenFile(x.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f.Stamp = scan.StampOf(info)
	f.Settled, f.How = !s.opt.Unsettled && s.opt.Clock.Settled(f.Stamp) && lease.File(file) != lease.Busy, ByReading
	e.names = []string{path.Base(x.Path)}
	e.says, err = function.Of(file, info.Size())
	s.sumAnswers(f, contentOfSays(e.says))
	return err
}

// readExtract reads all files of an extract on its first call. It skips files that were removed
// since the listing, because the changed stamp of their directory reveals the removal.
func (s *Parts) readExtract(x dependency.Dependency) *extract {
	e := s.lookUpExtract(x)
	e.reads.Do(func() {
		e.err = e.file.Err
		for _, name := range e.names {
			one := e
			if x.Kind == dependency.Extracts {
				one = s.lookUpExtract(x.OfOne(name))
			}
			if one.file.Err != nil && e.err == nil {
				e.err = fmt.Errorf("%s: %w", pathname.Show(x.OfOne(name).Path), one.file.Err)
			}
			if one.file.Known() {
				e.members = append(e.members, member{name, one.says})
			}
		}
		e.about = map[string][]int{}
		for i, m := range e.members {
			for subject, text := range m.says {
				if len(text) > 0 {
					e.about[subject] = append(e.about[subject], i)
				}
			}
		}
	})
	return e
}

func (s *Parts) sumAnswers(f *File, content []byte) {
	sum := s.summer.SumBytes(content, hashing.WantSum|hashing.WantDigest)
	f.Sum, f.Blob = sum.Sum, store.BlobID(sum.Digest)
}

// contentOfSays encodes all parts of a file.
func contentOfSays(says recipe.Says) (data []byte) {
	for _, subject := range slices.Sorted(maps.Keys(says)) {
		if len(says[subject]) > 0 {
			data = appendFramed(appendFramed(data, subject), string(says[subject]))
		}
	}
	return data
}

// mostNamed limits the number of files that a message names.
const mostNamed = 3

// Changed names the files of an extract whose parts have changed since the last run. If no such
// file is known, it names the extract.
func (s *Contents) Changed(x dependency.Dependency) string {
	var files []string
	if s.reader.opt.Parts.asksNames(x) {
		return x.String()
	}
	for _, file := range s.saidBefore(x.OfAll()) {
		if !s.reader.opt.Parts.lookUpExtract(x.OfOne(path.Base(file))).file.Known() {
			files = append(files, file)
		}
	}
	for _, m := range s.reader.opt.Parts.readExtract(x.OfAll()).members {
		one := x.OfOne(m.name)
		now := s.reader.opt.Parts.lookUpExtract(one).file
		if known, ok := s.reader.opt.Known.Part(one); ok && known.Blob != now.Blob || !ok && now.Blob != Silence {
			files = append(files, one.Path)
		}
	}
	slices.Sort(files)
	return extractName(x, files)
}

// Asked names an input in messages. For an extract, it lists the files that have a part about the
// subject.
func (s *Contents) Asked(input dependency.Dependency) string {
	if !input.Kind.IsExtract() || s.reader.opt.Parts.asksNames(input) {
		return input.String()
	}
	return extractName(input, s.Sayers(input))
}

// Sayers returns the sorted files that have a part about the subject of an extract.
func (s *Contents) Sayers(x dependency.Dependency) (files []string) {
	for _, m := range s.reader.opt.Parts.readExtract(x.OfAll()).previousAnswer(x.Subject) {
		files = append(files, x.OfOne(m.File).Path)
	}
	return files
}

// extractName names an extract by its first few files, or by its pattern if there are no files.
func extractName(x dependency.Dependency, files []string) string {
	switch n := len(files) - mostNamed; {
	case len(files) == 0:
		return x.String()
	case n > 0:
		files = append(files[:mostNamed:mostNamed], fmt.Sprintf("%d more", n))
	}
	return dependency.Dependency{Kind: dependency.Extract, Path: strings.Join(files, ", "), Function: x.Function}.String()
}

// IsSilent reports whether d is an extract over a directory, and no file has a part about its
// subject.
func IsSilent(d index.Dep) bool {
	return d.On.Kind == dependency.Extracts && (!d.Found || d.Blob == Silence)
}

// saidBefore returns the files that held parts of an extract in the last run.
func (s *Contents) saidBefore(x dependency.Dependency) (files []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, ok := s.before[x]
	if ok {
		return files
	}
	index.Guard(func() error { // if the index is damaged, the remaining names are omitted
		for one, f := range s.reader.opt.Known.Below(x.InFolder()) {
			if one.Kind == dependency.Extract && one.Function == x.Function && IsOf(x, one.Path) && f.Blob != Silence {
				files = append(files, one.Path)
			}
		}
		return nil
	})
	s.before[x] = files
	return files
}

// IsOf reports whether extract x reads the given file.
func IsOf(x dependency.Dependency, file string) bool {
	if x.Kind == dependency.Extract {
		return x.Path == file
	}
	return x.Path == path.Dir(file) && Named(x, path.Base(file))
}
