//go:build amd64 || arm64

package main

import (
	"context"
	"strings"
	"testing"
)

func TestEmptyCampaignFails(t *testing.T) {
	cook := fake(t, "cook")
	t.Setenv("GODEBUG", exactHeap) // the campaign media would restart the test binary without this setting
	for name, run := range map[string]func(ctx context.Context, dir string) error{
		"damage": func(ctx context.Context, dir string) error {
			return damageFiles(ctx, []string{"-only", "no such kind", "-dir", dir})
		},
		"disk": func(ctx context.Context, dir string) error {
			d := fullDisk{rounds: testRounds(t, cook)}
			return d.run(ctx, nil, nil)
		},
		"edits": func(ctx context.Context, dir string) error {
			return edits(ctx, []string{"-sequences", "0", "-dir", dir, "-scratch", dir})
		},
		"faults": func(ctx context.Context, dir string) error {
			return breakCalls(ctx, []string{"-scenes", "no such scene", "-dir", dir, "-cook", cook})
		},
		"kills": func(ctx context.Context, dir string) error {
			return kills(ctx, []string{"-kills", "0", "-jobs", "1", "-dir", dir, "-cook", cook})
		},
		"media": func(ctx context.Context, dir string) error {
			return media(ctx, []string{"-files", "0", "-keep", dir})
		},
		"power": func(ctx context.Context, dir string) error {
			p := powerCuts{rounds: testRounds(t, cook), fs: "ext4"}
			return p.run(ctx)
		},
		"together": func(ctx context.Context, dir string) error {
			return together(ctx, []string{"-rounds", "0", "-jobs", "0", "-dir", dir, "-cook", cook})
		},
	} {
		err := run(t.Context(), t.TempDir())
		if err == nil || !strings.HasPrefix(err.Error(), "0 ") || !strings.Contains(err.Error(), "nothing was tested") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
