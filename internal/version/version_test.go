package version

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestLineNamesVersionCommitAndDate(t *testing.T) {
	end := " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	stamps := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-11-28T01:02:03Z"},
	}
	ours := debug.Module{Path: module, Version: "v0.1.0"}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Path: module}}, "cook (devel)"},
		{debug.BuildInfo{Main: ours}, "cook v0.1.0"},
		{debug.BuildInfo{Main: ours, Settings: stamps}, "cook v0.1.0 (commit 0123456789ab, 2026-11-28)"},
		{debug.BuildInfo{Main: ours, Settings: append(stamps, debug.BuildSetting{Key: "vcs.modified", Value: "true"})}, "cook v0.1.0 (commit 0123456789ab, 2026-11-28, modified)"},
		{debug.BuildInfo{Main: debug.Module{Path: "example.com/studio", Version: "v7.0.0"}, Deps: []*debug.Module{&ours}}, "cook v0.1.0"},
		{debug.BuildInfo{Main: ours, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "ab"}, {Key: "vcs.time"}}}, "cook v0.1.0 (commit ab)"},
	} {
		if got := Of(&c.info).Line("cook"); got != c.want+end {
			t.Errorf("%q, want %q", got, c.want+end)
		}
	}
	if got := Read().Version; got == "" {
		t.Error("the running program has no version")
	}
}
