package contents

import (
	"io"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
)

// text is an extract whose part about the subject "s" is the whole content of a file.
var text = recipe.Extract{Name: "text", Of: func(file io.ReaderAt, size int64) (recipe.Says, error) {
	data, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	return recipe.Says{"s": data}, err
}}

// withText are options for begin that make the extract text available.
var withText = Options{Extracts: func(name string) (recipe.Extract, bool) { return text, name == text.Name }}

// TestExtract checks that an extract, of a listing or of one file, returns one part per file. An
// extract of a missing file is not found.
func TestExtract(t *testing.T) {
	tr := newTree(t, map[string]string{"a.m": "one", "b.m": "", "c.x": "no"})
	s := tr.begin(withText)
	all := dependency.Dependency{Kind: dependency.Extracts, Path: ".", Pattern: "*.m", Function: text.Name, Subject: "s"}
	for _, x := range []dependency.Dependency{all, {Kind: dependency.Extract, Path: "a.m", Function: text.Name, Subject: "s"}} {
		said, found, err := s.Extract(x)
		if err != nil || !found || len(said) != 1 || said[0].File != "a.m" || string(said[0].Text) != "one" {
			t.Errorf("%s: %+v, %t, %v", x, said, found, err)
		}
		if f := s.At(t.Context(), x); f.How != ByReading || f.Blob == Silence {
			t.Errorf("%s: %+v", x, f)
		}
	}
	gone := dependency.Dependency{Kind: dependency.Extract, Path: "gone.m", Function: text.Name, Subject: "s"}
	if _, found, err := s.Extract(gone); found || err != nil {
		t.Errorf("%t, %v", found, err)
	}
	if _, _, err := s.Extract(dependency.Dependency{Kind: dependency.Extract, Path: "a.m", Function: "other"}); err == nil {
		t.Error("an extract that no recipe has is found")
	}
}

// TestChangedNamesFiles checks that Changed names the files whose parts differ from the last run.
func TestChangedNamesFiles(t *testing.T) {
	tr := newTree(t, map[string]string{"same.m": "one", "edited.m": "two", "silenced.m": "three", "silent.m": ""})
	all := dependency.Dependency{Kind: dependency.Extracts, Path: ".", Pattern: "*.m", Function: text.Name}
	s := tr.begin(withText)
	s.At(t.Context(), all)
	if got, want := s.Changed(all), all.String(); got == want || want == "" {
		t.Errorf("files that are new are called %q", got)
	}
	next := index.Empty().Anew(tr.sum)
	for on, f := range s.reader.opt.Parts.Files() {
		next.PutPart(on, index.File{Role: index.Other, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob})
	}
	var err error
	if tr.last, err = next.Index(); err != nil {
		t.Fatal(err)
	}
	named := func(files string) string { return all.OfOne(files).String() }
	if got := tr.begin(withText).Changed(all); got != all.String() {
		t.Errorf("nothing has changed: %q", got)
	}
	tr.write("edited.m", "TWO")
	tr.write("silenced.m", "")
	tr.write("silent2.m", "")
	if got, want := tr.begin(withText).Changed(all), named("edited.m, silenced.m"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	tr.write("new.m", "new")
	if got, want := tr.begin(withText).Changed(all), named("edited.m, new.m, silenced.m"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTurnOfOtherFile checks the logical time of a file that is not an asset. It must be after
// earlier marks and before later marks.
func TestTurnOfOtherFile(t *testing.T) {
	tr := newTree(t, map[string]string{".hidden": "one"})
	s := tr.begin(Options{})
	mark := s.Mark()
	if f := s.At(t.Context(), dependency.OfFile(".hidden")); f.How != ByReading || f.Turn <= mark || f.Turn > s.Mark() {
		t.Errorf("looked at in turn %d, between %d and %d", f.Turn, mark, s.Mark())
	}
	mark = s.Mark()
	if f := s.At(t.Context(), dependency.OfFile(".hidden")); f.Turn > mark {
		t.Errorf("looked at again, in turn %d after %d", f.Turn, mark)
	}
}

// TestContentThatIsNotKnownIsRead uses an index entry with a checksum but without a blob ID, as
// rule files have. The file must be read.
func TestContentThatIsNotKnownIsRead(t *testing.T) {
	tr := newTree(t, map[string]string{"a": "one"})
	_, first := tr.look(false)
	next := index.Empty().Anew(tr.sum)
	f := first["a"]
	next.PutFile(index.File{Path: "a", Role: index.Config, Stamp: f.Stamp, Settled: true, Sum: f.Sum})
	var err error
	if tr.last, err = next.Index(); err != nil {
		t.Fatal(err)
	}
	if _, files := tr.look(false); files["a"].Blob != f.Blob || files["a"].How != ByReading {
		t.Errorf("%+v, want blob %v", files["a"], f.Blob)
	}
}

func TestOutputsAreReadOnce(t *testing.T) {
	tr := newTree(t, map[string]string{"touched": "one", "edited": "two"})
	tr.look(false)
	s, files := tr.look(false)
	var made []index.Artifact
	for _, name := range []string{"edited", "touched"} {
		f := files[name]
		f.Stamp.MTime--
		made = append(made, index.Artifact{Path: name, Stamp: f.Stamp, Settled: true, Sum: f.Sum, Blob: f.Blob})
	}
	tr.write("edited", "2!!")
	before := s.Read().Files.Load()
	got, err := s.Outputs(t.Context(), tr.dir, []index.Action{{Made: made}}, func(*index.Action) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	states := []State{got[0].Outputs[0].State, got[0].Outputs[1].State}
	if n := s.Read().Files.Load() - before; !slices.Equal(states, []State{Edited, Intact}) || n != 3 {
		t.Errorf("%v, %d files read, want the edited one twice and the other once", states, n)
	}
}
