package tools

import (
	"context"
	"errors"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// Each version command runs at most once. It does not run if the last run used the same programs.
func TestVersionCommandRunsOnlyForChangedPrograms(t *testing.T) {
	last := func(do func(index.Method)) error {
		do(index.Method{{Key: "tool up", Value: "old"}, {Key: "version by up -v", Value: "up 1"}})
		return nil
	}
	for _, c := range []struct {
		name, field, program string
		last                 func(do func(index.Method)) error
		want                 string
		ran                  int
	}{
		{"the same program", "version by up -v", "old", last, "up 1", 0},
		{"another program", "version by up -v", "new", last, "up 2", 1},
		{"another command", "version by up -V", "old", last, "up 2", 1},
		{"no last run", "version by up -v", "old", nil, "up 2", 1},
		{"a damaged index", "version by up -v", "old", func(func(index.Method)) error { return errors.New("damaged") }, "up 2", 1},
	} {
		ran := 0
		q := plan.VersionQuestion{
			Field: c.field, Tools: []index.Field{{Key: "tool up", Value: c.program}},
			Run: func(context.Context, string) (string, error) { ran++; return "up 2", nil },
		}
		v := &Versions{Last: c.last, Run: RunIn(t.Context(), "assets")}
		for range 3 {
			if got, err := v.Print(q); got != c.want || err != nil || ran != c.ran {
				t.Errorf("%s: %q, %v after %d runs, want %q after %d", c.name, got, err, ran, c.want, c.ran)
			}
		}
	}
}

func TestQuestionsRunOnlyConfinedVersionCommands(t *testing.T) {
	run := RunConfined(func(plan.VersionQuestion) (string, error) { return "up 1", nil })
	for confined, want := range map[bool]string{true: "up 1", false: notAsked} {
		if got, err := run(plan.VersionQuestion{Confined: confined}); got != want || err != nil {
			t.Errorf("confined %v: %q, %v", confined, got, err)
		}
	}
}

func TestFailedVersionCommandRunsOnce(t *testing.T) {
	ran := 0
	q := plan.VersionQuestion{Field: "version by up", Run: func(context.Context, string) (string, error) {
		ran++
		return "", errors.New("exit status 1")
	}}
	v := &Versions{Run: RunIn(t.Context(), "assets")}
	for range 3 {
		if _, err := v.Print(q); err == nil || ran != 1 {
			t.Errorf("%v after %d runs", err, ran)
		}
	}
}
