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

// Parts are what files say, by functions of recipes: one file, or all of a listing. Each file
// is read and each listing made once, whoever asks about whatever subject.
//
// What is said of a subject is a file to those who depend on it, whose content is the answer. It
// has no stamp and no entry in the index. There is one for all subjects instead, of each file
// with the file's stamp, and of each listing with that of the folder: as long as these are the
// same, so is each answer. They are under the extract without a subject. An
// answer is made of what was read under these stamps and of nothing else, so it need not be
// looked at again after an asset was cooked: what has changed since has another stamp.
type Parts struct {
	opt    Options
	summer *hashing.Summer

	mu  sync.Mutex
	all map[dependency.Dependency]*extract // without subjects
}

// An extract is what a file says, or all files of a listing.
type extract struct {
	// file is what the index is to know of it: of one file, all that it says; of many, which
	// files there are.
	file  File
	names []string // of those
	says  recipe.Says
	looks sync.Once

	members []member         // sorted by name; one of a file's
	about   map[string][]int // the members that say something of a subject
	err     error            // one of them cannot be read
	reads   sync.Once
}

type member struct {
	name string // in its folder
	says recipe.Says
}

// NewParts starts with nothing read. Of the options it needs Assets, Checksum, Extracts,
// Unsettled and Clock.
func NewParts(opt Options) *Parts {
	return &Parts{opt: opt, summer: hashing.NewSummer(opt.Checksum), all: map[dependency.Dependency]*extract{}}
}

// Files yields what the index is to know of what was read and listed, in any order.
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

// Extract returns what an extract says of its subject, and whether there is the file, or the
// folder of the listing.
func (s *Contents) Extract(x dependency.Dependency) (said []recipe.Said, found bool, err error) {
	e := s.opt.Parts.readExtract(x.OfAll())
	if e.err != nil || !e.file.Known() {
		return nil, false, e.err
	}
	return e.said(x.Subject), true, nil
}

// At returns an extract as a file.
func (s *Parts) At(x dependency.Dependency) File {
	if x.Subject == "" {
		return s.look(x).file
	}
	e := s.readExtract(x.OfAll())
	f := File{Path: x.Path, Settled: true}
	switch {
	case e.err != nil:
		f.How, f.Err = Unreadable, e.err
	case e.file.Known():
		sum := s.summer.SumBytes(answer(e.said(x.Subject)), hashing.WantSum|hashing.WantDigest)
		f.How, f.Sum, f.Blob = ByReading, sum.Sum, store.BlobID(sum.Digest)
	}
	return f
}

// Silence is the content of an extract that says nothing.
var Silence = store.BlobID(hashing.DigestOf(answer(nil)))

// answer is the content of what is said of a subject.
func answer(said []recipe.Said) (data []byte) {
	for _, by := range said {
		data = appendFramed(appendFramed(data, by.File), string(by.Text))
	}
	return data
}

func appendFramed(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// said lists what is said of a subject.
func (e *extract) said(subject string) (said []recipe.Said) {
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

// look reads a file for an extract, or lists files, the first time.
func (s *Parts) look(x dependency.Dependency) *extract {
	s.mu.Lock()
	e, ok := s.all[x]
	if !ok {
		e = &extract{}
		s.all[x] = e
	}
	s.mu.Unlock()
	e.looks.Do(func() {
		f := File{Path: x.Path}
		err := s.find(e, &f, x)
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

// find finds out what there is of an extract. The stamp is older than that.
func (s *Parts) find(e *extract, f *File, x dependency.Dependency) (err error) {
	if x.Kind == dependency.Extracts {
		e.names, f.Stamp, err = listFolder(s.opt.Assets, x)
		f.Settled, f.How = !s.opt.Unsettled && s.opt.Clock.Settled(f.Stamp), ByReading
		s.sum(f, contentOf(e.names))
		return err
	}
	var function recipe.Extract
	ok := false
	if s.opt.Extracts != nil {
		function, ok = s.opt.Extracts(x.Function)
	}
	if !ok {
		return fmt.Errorf("%s: no recipe of this program has this extract", pathname.Show(x.String()))
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
	s.sum(f, contentOfSays(e.says))
	return err
}

// readExtract reads all that an extract needs, the first time. A file that is gone since it was listed
// says nothing: its folder has another stamp.
func (s *Parts) readExtract(x dependency.Dependency) *extract {
	e := s.look(x)
	e.reads.Do(func() {
		e.err = e.file.Err
		for _, name := range e.names {
			one := e
			if x.Kind == dependency.Extracts {
				one = s.look(x.OfOne(name))
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

func (s *Parts) sum(f *File, content []byte) {
	sum := s.summer.SumBytes(content, hashing.WantSum|hashing.WantDigest)
	f.Sum, f.Blob = sum.Sum, store.BlobID(sum.Digest)
}

// contentOfSays is the content of all that a file says.
func contentOfSays(says recipe.Says) (data []byte) {
	for _, subject := range slices.Sorted(maps.Keys(says)) {
		if len(says[subject]) > 0 {
			data = appendFramed(appendFramed(data, subject), string(says[subject]))
		}
	}
	return data
}

// mostNamed is how many files are named that say something else.
const mostNamed = 3

// Changed says which files of an extract say something else than the last run knew, of whatever
// subject: among these is what says something else of its own. It is the extract as a whole if
// none is known.
func (s *Contents) Changed(x dependency.Dependency) string {
	var files []string
	for _, file := range s.saidBefore(x.OfAll()) {
		if !s.opt.Parts.look(x.OfOne(path.Base(file))).file.Known() {
			files = append(files, file)
		}
	}
	for _, m := range s.opt.Parts.readExtract(x.OfAll()).members {
		one := x.OfOne(m.name)
		now := s.opt.Parts.look(one).file
		if known, ok := s.opt.Known.Part(one); ok && known.Blob != now.Blob || !ok && now.Blob != Silence {
			files = append(files, one.Path)
		}
	}
	slices.Sort(files)
	return named(x, files)
}

// Asked names an input of an action; of an extract of many files, those that say something.
func (s *Contents) Asked(input dependency.Dependency) string {
	if !input.Kind.IsExtract() {
		return input.String()
	}
	return named(input, s.Sayers(input))
}

// Sayers returns the files that say something of the subject of an extract, sorted.
func (s *Contents) Sayers(x dependency.Dependency) (files []string) {
	for _, m := range s.opt.Parts.readExtract(x.OfAll()).said(x.Subject) {
		files = append(files, x.OfOne(m.File).Path)
	}
	return files
}

// named names an extract by files, the first few, or as a whole if there are none.
func named(x dependency.Dependency, files []string) string {
	switch n := len(files) - mostNamed; {
	case len(files) == 0:
		return x.String()
	case n > 0:
		files = append(files[:mostNamed:mostNamed], fmt.Sprintf("%d more", n))
	}
	return dependency.Dependency{Kind: dependency.Extract, Path: strings.Join(files, ", "), Function: x.Function}.String()
}

// IsSilent reports whether a dependency is that none of many files says anything.
func IsSilent(d index.Dep) bool {
	return d.On.Kind == dependency.Extracts && (!d.Found || d.Blob == Silence)
}

// saidBefore returns the files of an extract that the last run knew to say something.
func (s *Contents) saidBefore(x dependency.Dependency) (files []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, ok := s.before[x]
	if ok {
		return files
	}
	index.Guard(func() error { // damage costs a name
		for one, f := range s.opt.Known.Below(x.InFolder()) {
			if one.Kind == dependency.Extract && one.Function == x.Function && IsOf(x, one.Path) && f.Blob != Silence {
				files = append(files, one.Path)
			}
		}
		return nil
	})
	s.before[x] = files
	return files
}

// IsOf reports whether an extract is of a file: of that alone, or of files in its folder that match
// a pattern.
func IsOf(x dependency.Dependency, file string) bool {
	if x.Kind == dependency.Extract {
		return x.Path == file
	}
	return x.Path == path.Dir(file) && Named(x, path.Base(file))
}
