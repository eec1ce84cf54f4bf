package oracle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// story is a script that reveals each broken cooker of the test.
var story = Script{
	{Edit: Edit{Kind: Write, Path: "assets/x/a.txt", Data: "one"}},
	{Edit: Edit{Kind: Write, Path: "assets/y/b.txt", Data: "two"}},
	{Edit: Edit{Kind: Write, Path: "assets/bad.json", Data: "{"}},
	{Edit: Edit{Kind: Write, Path: "cooked/mine.own", Data: "mine"}},
	{Mode: &Mode{}},
	{Edit: Edit{Kind: Write, Path: "assets/x/a.txt", Data: "six"}},
	{Mode: &Mode{}},
	{Edit: Edit{Kind: Retouch, Path: "assets/x/a.txt"}},
	{Mode: &Mode{}},
	{Edit: Edit{Kind: Block, Path: "cooked/y/b.txt"}},
	{Mode: &Mode{}},
}

func TestBrokenCookersAreDetected(t *testing.T) {
	for what, tc := range map[string]struct {
		spoil func(f Folders, mode Mode, m *Result) error // spoil damages the result of an incremental run
		opt   func(*Run)
		want  string
	}{
		"nothing": {},
		"wrong byte": {func(f Folders, _ Mode, _ *Result) error {
			return os.WriteFile(filepath.Join(f.Out, "x", "a.txt"), []byte("one"), 0o666)
		}, nil, "x/a.txt differs"},
		"wrong mode": {func(f Folders, _ Mode, _ *Result) error {
			return os.Chmod(filepath.Join(f.Out, "x", "a.txt"), 0o640)
		}, nil, "x/a.txt differs"},
		"empty directory": {func(f Folders, _ Mode, _ *Result) error {
			return os.MkdirAll(filepath.Join(f.Out, "empty"), 0o777)
		}, nil, "superfluous empty/"},
		"missing output": {func(f Folders, _ Mode, _ *Result) error {
			return os.Remove(filepath.Join(f.Out, "x", "a.txt"))
		}, nil, "missing x/a.txt"},
		"no manifest": {func(f Folders, _ Mode, _ *Result) error {
			return os.Remove(filepath.Join(f.Out, "manifest.json"))
		}, nil, "manifest: open"},
		"wrong manifest": {func(f Folders, _ Mode, _ *Result) error {
			name := filepath.Join(f.Out, "manifest.json")
			data, err := os.ReadFile(name)
			return errors.Join(err, os.WriteFile(name, append(data, '\n'), 0o666))
		}, nil, "manifest"},
		"unreported failure": {func(_ Folders, _ Mode, m *Result) error {
			m.Failed = 0
			return nil
		}, nil, "incremental:"},
		"needless work": {nil, func(o *Run) { o.Force = true }, "did work"},
		"failed run":    {func(Folders, Mode, *Result) error { return errors.New("disk on fire") }, nil, "disk on fire"},
		"removed user's file": {func(f Folders, _ Mode, _ *Result) error {
			os.Remove(filepath.Join(f.Out, "y", "b.txt", "mine")) // the file may not exist
			return nil
		}, nil, "cook does not own was changed"},
	} {
		t.Run(what, func(t *testing.T) {
			place := Place{Dir: filepath.Join(t.TempDir(), "place"), Scratch: t.TempDir()}
			cooker := func(ctx context.Context, f Folders, mode Mode) (Result, error) {
				ctx, opt := mode.Options(ctx, f)
				incremental := strings.HasPrefix(f.Out, place.Dir)
				if incremental && tc.opt != nil {
					tc.opt(&opt)
				}
				m, err := Cook(ctx, opt)
				if incremental && tc.spoil != nil && err == nil {
					err = tc.spoil(f, mode, &m)
				}
				return m, err
			}
			err := Play(t.Context(), place, story, cooker)
			var d *Difference
			switch {
			case tc.want == "":
				if err != nil {
					t.Error(err)
				}
			case !errors.As(err, &d) || !strings.Contains(d.Text, tc.want):
				t.Errorf("%v, want a difference that contains %q", err, tc.want)
			case d.Needless != (tc.opt != nil):
				t.Errorf("needless is %v: %v", d.Needless, d)
			}
		})
	}
}

func TestIdleCookerIsDetected(t *testing.T) {
	place := Place{Dir: filepath.Join(t.TempDir(), "place"), Scratch: t.TempDir()}
	runs := 0
	err := Play(t.Context(), place, story, func(ctx context.Context, f Folders, mode Mode) (Result, error) {
		if strings.HasPrefix(f.Out, place.Dir) {
			if runs++; runs > 2 {
				return Result{Found: 3, Failed: 1}, nil
			}
		}
		return InProcess(ctx, f, mode)
	})
	var d *Difference
	if !errors.As(err, &d) || d.Step != 6 || !strings.Contains(d.Text, "x/a.txt differs") {
		t.Errorf("got %v, want that x/a.txt differs in step 6", err)
	}
}

// Each kind of edit must have its effect, and no other effect.
func TestEditDoesWhatItsKindSays(t *testing.T) {
	p, err := NewPlayer(Place{Dir: t.TempDir(), Scratch: t.TempDir()}, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, b := p.name("assets/a"), p.name("assets/d/b")
	for _, tc := range []struct {
		edit Edit
		want string
	}{
		{Edit{Kind: Write, Path: "assets/a", Data: "one"}, "one -"},
		{Edit{Kind: Replace, Path: "assets/d/b", Data: "two"}, "one two"},
		{Edit{Kind: Overwrite, Path: "assets/a", N: 1, Data: "ff"}, "off two"},
		{Edit{Kind: Append, Path: "assets/a", Data: "!"}, "off! two"},
		{Edit{Kind: Truncate, Path: "assets/a", N: 2}, "of two"},
		{Edit{Kind: Swap, Path: "assets/a", To: "assets/d/b"}, "two of"},
		{Edit{Kind: KeepTime, Path: "assets/a", Data: "six"}, "six of"},
		{Edit{Kind: Touch, Path: "assets/a", N: 1e9}, "six of"},
		{Edit{Kind: Retouch, Path: "assets/a"}, "six of"},
		{Edit{Kind: Restore, Path: "assets/a"}, "six of"},
		{Edit{Kind: Chmod, Path: "assets/a", N: 0o640}, "six of"},
		{Edit{Kind: Flip, Path: "assets/a", N: 1}, "smx of"},
		{Edit{Kind: Cut, Path: "assets/d", N: 1}, "smx o"},
		{Edit{Kind: Remove, Path: "assets/d"}, "smx -"},
		{Edit{Kind: Rename, Path: "assets/a", To: "assets/d/b"}, "- smx"},
		{Edit{Kind: Link, Path: "assets/a", To: "d/b"}, "smx smx"},
		{Edit{Kind: Write, Path: "assets/a", Data: "by the link"}, "by the link by the link"},
		{Edit{Kind: HardLink, Path: "assets/a", To: "assets/d/b"}, "by the link by the link"},
		{Edit{Kind: Write, Path: "assets/a", Data: "both"}, "both both"},
		{Edit{Kind: Lose, Path: "assets/d", N: 0}, "both -"},
		{Edit{Kind: Mkdir, Path: "assets/d/b"}, "both -"},
		{Edit{Kind: Write, Path: "assets/d/b", Data: "a directory is in the way"}, "both -"},
		{Edit{Kind: Remove, Path: "assets"}, "both -"},
		{Edit{Kind: Write, Path: "cooked/not/an/output", Data: "x"}, "both -"},
	} {
		before, _ := os.Stat(a)
		if err := p.Edit(tc.edit); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, name := range []string{a, b} {
			data, err := os.ReadFile(name)
			if err != nil {
				data = []byte("-")
			}
			got = strings.TrimSpace(got + " " + string(data))
		}
		if got != tc.want {
			t.Fatalf("%s: %q, want %q", tc.edit, got, tc.want)
		}
		if _, err := os.Lstat(p.name("cooked/not")); err == nil {
			t.Fatalf("%s made a foreign output", tc.edit)
		}
		after, _ := os.Stat(a)
		switch tc.edit.Kind {
		case KeepTime, Retouch:
			if !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("%s: time %v, want %v", tc.edit, after.ModTime(), before.ModTime())
			}
		case Touch:
			if after.ModTime().Unix() != tc.edit.N {
				t.Errorf("%s: time %v", tc.edit, after.ModTime())
			}
		case Chmod, Restore:
			if after.Mode() != before.Mode() == (tc.edit.Kind == Restore) {
				t.Errorf("%s: mode %v, was %v", tc.edit, after.Mode(), before.Mode())
			}
		}
	}
}

// The script damages two records of the outputs. The second edit must be ignored until the first
// record is repaired.
func TestOnlyOneStateRecordIsDamagedAtOnce(t *testing.T) {
	p, err := NewPlayer(Place{Dir: filepath.Join(t.TempDir(), "place"), Scratch: t.TempDir()}, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	do := func(e Edit) {
		t.Helper()
		if err := p.Edit(e); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string, want bool) {
		t.Helper()
		if _, err := os.Lstat(p.name(name)); (err == nil) != want {
			t.Fatalf("%s: %v", name, err)
		}
	}
	cook := func() {
		t.Helper()
		if err := p.Cook(t.Context(), Mode{}); err != nil {
			t.Fatal(err)
		}
	}
	do(Edit{Kind: Write, Path: "assets/a.txt", Data: "one"})
	cook()
	do(Edit{Kind: Lose, Path: "cooked/.cook/index"})
	there("cooked/.cook/index", false)
	do(Edit{Kind: Remove, Path: "cooked/manifest.json"})
	there("cooked/manifest.json", true)
	cook()
	do(Edit{Kind: Remove, Path: "cooked/manifest.json"})
	there("cooked/manifest.json", false)
	do(Edit{Kind: Remove, Path: "cooked/.cook"})
	there("cooked/.cook/index", true)
	cook()
	do(Edit{Kind: Remove, Path: "cooked/.cook"})
	there("cooked/.cook/index", false)
	cook()
}
