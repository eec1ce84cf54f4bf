package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/verify"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
)

// The second cook has a dependency that the first cook did not have. Verification must report it.
func TestHiddenInputs(t *testing.T) {
	always := func(j *recipe.Job, on ...recipe.Dependency) (err error) {
		for _, on := range on {
			err = errors.Join(err, j.Depend(on))
		}
		return errors.Join(err, j.Write(0, []byte("x")))
	}
	// seen returns a recipe function that reports the dependencies in told. If the recipe is
	// traced, it also reports those in traced.
	seen := func(told []recipe.Dependency, traced ...recipe.Dependency) func(context.Context, *recipe.Job) error {
		return func(_ context.Context, j *recipe.Job) error {
			if _, tell, _ := jobs.Programs(j); tell != nil {
				tell()
				return always(j, slices.Concat(told, traced)...)
			}
			return always(j, told...)
		}
	}
	in := func(kind dependency.Kind) recipe.Dependency { return recipe.Dependency{Kind: kind, Path: "/lib"} }
	all, headers, folder := in(dependency.Entries), dependency.OfNames("/lib", "*.h", false), in(dependency.Folder)
	file := dependency.OfFile
	var calls atomic.Int64
	tr := cookedWith(t, map[string]string{
		".cookignore": "lib/\n/\\[*\n", "lib/a.h": "a", "lib/b.h": "b", "[c]{d}": "c", "a.honest": "", "a.lies": "", "a.looks": "", "a.lists": "", "a.there": "", "a.within": "", "a.patterns": "",
		"a.exists": "", "a.varies": "", "a.fails": "", "b.fails": "", "a.differs": "", "a.both": "",
	}, cookFuncs{
		"honest":   seen([]recipe.Dependency{file("/lib/a.h"), file("gone"), file("lib/b.h")}, file("lib/a.h"), file("/gone"), folder),
		"lies":     seen([]recipe.Dependency{file("/lib/a.h")}, file("lib/a.h"), file("/lib/b.h"), file("[c]{d}"), file("lies.h")),
		"looks":    seen(nil, file("gone")),
		"lists":    seen([]recipe.Dependency{file("/lib/a.h"), folder}, all),
		"there":    seen([]recipe.Dependency{file("/lib/gone")}, folder),
		"within":   seen([]recipe.Dependency{all}, file("lib/c.h"), headers, folder, file("lib/.c")),
		"patterns": seen([]recipe.Dependency{headers}, file("lib/c.h"), all, file("lib/c.x")),
		"exists": func(_ context.Context, j *recipe.Job) error {
			_, err := j.Exists("lib/a.h")
			return errors.Join(err, seen(nil, file("lib/a.h"))(nil, j))
		},
		"varies": func(_ context.Context, j *recipe.Job) error {
			return always(j, file(fmt.Sprintf("lib/%c.h", 'a'+min(calls.Add(1), 2)-1)))
		},
		"fails": func(_ context.Context, j *recipe.Job) error {
			if _, tell, _ := jobs.Programs(j); tell != nil {
				tell()
				return errors.New("sh: exit status 1\n\tsh: no sockets\n\tsh: bye")
			}
			return always(j)
		},
		"differs": func(_ context.Context, j *recipe.Job) error {
			if _, tell, _ := jobs.Programs(j); tell != nil {
				tell()
				return errors.Join(j.Depend(file("lib/a.h")), j.Write(0, []byte("y")))
			}
			return always(j)
		},
		"both": func(_ context.Context, j *recipe.Job) error {
			vars, tell, _ := jobs.Programs(j)
			if tell != nil {
				tell()
				return errors.Join(j.Depend(file("lib/a.h")), j.Write(0, []byte(vars["TZ"])))
			}
			return j.Write(0, []byte(vars["TZ"]))
		},
	})
	found, _ := tr.verify(t, "all")
	const remedy = `], or record all reads with deps = "trace"`
	want := map[string]verify.Finding{
		"a.lies hidden read": {Inputs: []string{"[c]{d}", "lib/b.h"},
			Text: `a program read [c]{d} and 1 other, which are not among its inputs: after an edit of them, cook would not cook this asset again; add reads = ["\\[c\\]\\{{d\\}}", "/lib/b.h"` + remedy},
		"a.lies hidden absence": {Inputs: []string{"lies.h"}, Warning: true,
			Text: `a program looked for lies.h, which is absent: if that file appeared, cook would not cook this asset again; add reads = ["lies.h"` + remedy},
		"a.looks hidden absence": {Inputs: []string{"gone"}, Warning: true,
			Text: `a program looked for gone, which is absent: if that file appeared, cook would not cook this asset again; add reads = ["gone"` + remedy},
		"a.lists hidden listing": {Inputs: []string{"lib/"}, Warning: true,
			Text: `a program listed lib/: if files appeared there, cook would not cook this asset again; add reads = ["/lib/*"` + remedy},
		"a.there hidden listing": {Inputs: []string{"lib/"}, Warning: true,
			Text: `a program listed lib/: if files appeared there, cook would not cook this asset again; add reads = ["/lib/*"` + remedy},
		"a.patterns hidden absence": {Inputs: []string{"lib/c.x"}, Warning: true,
			Text: `a program looked for lib/c.x, which is absent: if that file appeared, cook would not cook this asset again; add reads = ["/lib/c.x"` + remedy},
		"a.exists hidden read": {Inputs: []string{"lib/a.h"},
			Text: `a program read lib/a.h, which is not among its inputs: after an edit of it, cook would not cook this asset again; add reads = ["/lib/a.h"` + remedy},
		"a.varies hidden read": {Inputs: []string{"lib/b.h"},
			Text: `the recipe "varies" read lib/b.h, which is not among its inputs: after an edit of it, cook would not cook this asset again; the recipe does not read the same files each time`},
		"a.both hidden read": {Inputs: []string{"lib/a.h"},
			Text: `a program read lib/a.h, which is not among its inputs: after an edit of it, cook would not cook this asset again; add reads = ["/lib/a.h"` + remedy},
		"a.both not reproducible": {Text: `a.both differs from a new cook at offset 0 (the end, now 0x`},
	}
	for _, f := range found {
		key := f.Path + " " + string(f.Kind)
		w, ok := want[key]
		delete(want, key)
		if !ok || !slices.Equal(f.Inputs, w.Inputs) || f.Warning != w.Warning || !strings.HasPrefix(f.Text, w.Text) || f.Recipe != strings.TrimPrefix(f.Path, "a.") {
			t.Errorf("%s: %+v\nwant %+v", key, f, w)
		}
	}
	for key := range want {
		t.Errorf("%s was not found", key)
	}
	slices.Sort(tr.observer.notes)
	if len(tr.observer.notes) != 2 ||
		tr.observer.notes[0] != "a.differs: the program does not work while it is traced, so its reads are not checked; this is printed once for each rule: the program makes different outputs while it is traced" ||
		!strings.HasSuffix(tr.observer.notes[1], ".fails: the program does not work while it is traced, so its reads are not checked; this is printed once for each rule: sh: exit status 1: sh: no sockets") {
		t.Errorf("notes: %q", tr.observer.notes)
	}

	// If the index is missing, dependencies cannot be compared.
	must(t, os.Remove(tr.output(".cook/index")))
	if found, _ = tr.verify(t, "all"); slices.ContainsFunc(found, func(f verify.Finding) bool { return len(f.Inputs) > 0 }) {
		t.Errorf("found without an index: %+v", found)
	}
}
