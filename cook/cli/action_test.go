//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A runner simulates GitHub's environment for the steps of an action.
type runner struct {
	temp, project string
	path          string // value of the PATH variable
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	r := &runner{temp: t.TempDir(), project: t.TempDir(), path: os.Getenv("PATH")}
	if err := os.CopyFS(filepath.Join(r.project, "assets"), os.DirFS(root+"/testdata/assets")); err != nil {
		t.Fatal(err)
	}
	return r
}

// step runs a step of the action. It returns the exit status, the output and the files of the job.
func (r *runner) step(t *testing.T, step string, env ...string) (status int, printed string, files map[string]string) {
	t.Helper()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{"GITHUB_OUTPUT": "", "GITHUB_PATH": "", "GITHUB_STEP_SUMMARY": ""}
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(here, ".github", "cook.sh"), step)
	cmd.Dir = r.project
	cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+here, "RUNNER_TEMP="+r.temp, "PATH="+r.path)
	cmd.Env = append(cmd.Env, env...)
	for name := range files {
		cmd.Env = append(cmd.Env, name+"="+filepath.Join(r.temp, name))
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		text, _ := os.ReadFile(filepath.Join(r.temp, name))
		files[name] = string(text)
		os.Remove(filepath.Join(r.temp, name))
	}
	return status, string(out), files
}

func (r *runner) cook(t *testing.T, args string) (status int, printed string, files map[string]string) {
	t.Helper()
	return r.step(t, "cook", inputs("COOK_ACTION_ARGS="+args)...)
}

// inputs returns the inputs of the action: its defaults, and the given inputs.
func inputs(given ...string) []string {
	return append([]string{
		"COOK_ACTION_DIR=assets", "COOK_ACTION_OUT=", "COOK_ACTION_ARGS=", "COOK_ACTION_CACHE=true", "COOK_ACTION_SHARD=",
		"COOK_ACTION_SIGN_KEY=", "COOK_ACTION_TRUST=", "COOK_ACTION_KEEP_SIZE=2GiB", "COOK_ACTION_KEEP_DAYS=14",
	}, given...)
}

func wantTexts(t *testing.T, in string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(in, text) {
			t.Errorf("no %q in\n%s", text, in)
		}
	}
}

// TestActionRestoresFromItsCache runs the steps of the GitHub Action twice. The second run must
// restore everything from the cache in a fresh checkout.
func TestActionRestoresFromItsCache(t *testing.T) {
	r := newRunner(t)
	literals(t, "cmd/cook")
	status, printed, files := r.step(t, "install", "COOK_ACTION_VERSION=source")
	if status != 0 {
		t.Fatal(printed)
	}
	wantTexts(t, files["GITHUB_OUTPUT"], "cache="+filepath.Join(r.temp, "cook-cache")+"\n")
	r.path = strings.TrimSpace(files["GITHUB_PATH"]) + string(filepath.ListSeparator) + r.path

	status, printed, first := r.cook(t, "")
	if status != 0 {
		t.Fatal(printed)
	}
	wantTexts(t, first["GITHUB_STEP_SUMMARY"], "89 assets: 85 cooked, 4 not shipped", "## Cooked assets", "| assets | 89 |", "### Slowest assets", "### Largest")
	wantTexts(t, first["GITHUB_OUTPUT"], "status=0\n", "summary=89 assets: 85 cooked", "sarif="+r.temp, "digest=")

	if err := os.RemoveAll(filepath.Join(r.project, "cooked")); err != nil {
		t.Fatal(err)
	}
	status, printed, second := r.cook(t, "")
	if status != 0 || strings.Contains(printed, " cooked in") || outputOf(second, "digest") != outputOf(first, "digest") {
		t.Errorf("status %d, %s, then %s\n%s", status, first["GITHUB_OUTPUT"], second["GITHUB_OUTPUT"], printed)
	}
	wantTexts(t, second["GITHUB_STEP_SUMMARY"], "85 restored")

	// A failed asset must fail the step and appear in the summary. All other results must be kept.
	if err := os.WriteFile(filepath.Join(r.project, "assets", "data", "game.json"), []byte(`{"laps": }`), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, failed := r.cook(t, "")
	wantTexts(t, failed["GITHUB_STEP_SUMMARY"], "1 failed", "### Failed assets", "data/game.json")
	wantTexts(t, failed["GITHUB_OUTPUT"], "status=1\n", "digest=")
	if status != 1 {
		t.Errorf("status %d of a failed asset", status)
	}

	// A pattern in quotes may contain spaces, and a missing closing quote must be an error.
	status, printed, _ = r.cook(t, ` -a "textures/ui/start banner.png" `)
	if status != 0 || !strings.Contains(printed, "cook: 1 asset: ") {
		t.Errorf("status %d of a quoted pattern: %s", status, printed)
	}
	if status, printed, _ := r.cook(t, `-a "textures`); status != 1 || !strings.Contains(printed, "::error::args: ") {
		t.Errorf("status %d of an open quote: %s", status, printed)
	}

	status, _, wrong := r.cook(t, "-nosuch")
	wantTexts(t, wrong["GITHUB_STEP_SUMMARY"], "exit status 2")
	if status != 2 || strings.Contains(wrong["GITHUB_OUTPUT"], "digest=") {
		t.Errorf("status %d of a wrong flag, %s", status, wrong["GITHUB_OUTPUT"])
	}
}

func TestActionRefusesWrongChecksum(t *testing.T) {
	r := newRunner(t)
	fake := t.TempDir()
	curl := "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output ] && name=$2; shift; done\ncp \"$RELEASE/$name\" \"$name\"\n"
	if err := os.WriteFile(filepath.Join(fake, "curl"), []byte(curl), 0o777); err != nil {
		t.Fatal(err)
	}
	r.path = fake + string(filepath.ListSeparator) + r.path
	const archive = "assetcook_0.1.0_linux_amd64.tar.gz"
	build := exec.Command("sh", "-ec", `printf '#!/bin/sh\necho cook of the archive\n' >cook; chmod +x cook; tar -czf `+archive+` cook
		if command -v sha256sum >/dev/null; then sha256sum `+archive+`; else shasum -a 256 `+archive+`; fi >checksums.txt`)
	build.Dir = t.TempDir()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := []string{"COOK_ACTION_VERSION=v0.1.0", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "RELEASE=" + build.Dir}
	status, printed, _ := r.step(t, "install", env...)
	if status != 0 || !strings.Contains(printed, "cook of the archive") {
		t.Fatalf("status %d\n%s", status, printed)
	}
	f, err := os.OpenFile(filepath.Join(build.Dir, archive), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("more")
	f.Close()
	if status, printed, files := r.step(t, "install", env...); status == 0 || files["GITHUB_PATH"] != "" {
		t.Errorf("a changed archive on %s: status %d\n%s", runtime.GOOS, status, printed)
	}
}
