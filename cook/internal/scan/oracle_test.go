//go:build unix

package scan

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A verdict names the pattern that applies to a path.
type verdict struct {
	Folder string // directory of the ignore file; "" for the root
	Line   int    // number of the line; 0 if no pattern matches
	Negate bool
}

func (v verdict) ignored() bool { return v.Line != 0 && !v.Negate }

// A forest is a set of directories and ignore files. Tests check paths against it.
type forest struct {
	folders map[string]bool   // all directories except the root
	ignores map[string]string // texts of the ignore files, by directory
	// defaults has the patterns that every ignore file overrides.
	defaults string
}

// newForest returns a forest with the given ignore files and directories, and their parents.
func newForest(ignores map[string]string, folders ...string) forest {
	f := forest{folders: map[string]bool{}, ignores: ignores}
	for folder := range ignores {
		folders = append(folders, folder)
	}
	for _, folder := range folders {
		for ; folder != ""; folder = slashParent(folder) {
			f.folders[folder] = true
		}
	}
	return f
}

// judge returns the verdict on a path. Like the walk, it checks each parent directory before the
// path.
func (f forest) judge(path string) verdict {
	var list *ignoreList
	owner := map[*pattern]string{}
	for end := 0; ; {
		folder := path[:max(0, end-1)]
		if text, ok := f.ignores[folder]; ok {
			patterns := parseIgnore([]byte(text))
			for i := range patterns {
				owner[&patterns[i]] = folder
			}
			list = list.withPatterns(patterns, folder)
		}
		name := end
		next := strings.IndexByte(path[end:], '/')
		isLast := next < 0
		if isLast {
			end = len(path)
		} else {
			end += next
		}
		p := list.deciding([]byte(path[:end]), name, !isLast || f.folders[path])
		if isLast || p != nil && !p.negate {
			if p == nil {
				return verdict{}
			}
			return verdict{owner[p], p.line, p.negate}
		}
		end++
	}
}

// git runs git in dir without the user's configuration.
func git(dir, stdin string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if asExit(err, &exit) && exit.ExitCode() == 1 && stderr.Len() == 0 {
		err = nil // exit status 1 means that nothing is ignored
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, stderr.String())
	}
	return out, nil
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

// plant writes the forest to dir, with the given name for ignore files.
func (f forest) plant(dir, ignoreName string) error {
	for folder := range f.folders {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			return err
		}
	}
	for folder, text := range f.ignores {
		if err := os.WriteFile(filepath.Join(dir, folder, ignoreName), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// askGit returns git's verdicts on the paths, in a fresh repository.
func (f forest) askGit(dir string, paths []string) ([]verdict, error) {
	if _, err := git(dir, "", "init", "-q", "--template="); err != nil {
		return nil, err
	}
	if err := f.plant(dir, ".gitignore"); err != nil {
		return nil, err
	}
	if f.defaults != "" {
		exclude := filepath.Join(dir, ".git", "info", "exclude")
		if err := os.MkdirAll(filepath.Dir(exclude), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(exclude, []byte(f.defaults), 0o666); err != nil {
			return nil, err
		}
	}
	return checkIgnore(dir, paths)
}

func checkIgnore(dir string, paths []string) ([]verdict, error) {
	var in strings.Builder
	for _, p := range paths {
		in.WriteString("./" + p + "\x00") // the prefix prevents pathspec magic
	}
	out, err := git(dir, in.String(), "-c", "core.excludesFile=", "-c", "core.ignoreCase=false",
		"check-ignore", "--no-index", "--stdin", "-z", "-v", "-n")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 4*len(paths) {
		return nil, fmt.Errorf("git check-ignore: %d fields for %d paths", len(fields), len(paths))
	}
	verdicts := make([]verdict, len(paths))
	for i, p := range paths {
		source, line, text, path := fields[4*i], fields[4*i+1], fields[4*i+2], fields[4*i+3]
		if path != "./"+p {
			return nil, fmt.Errorf("git check-ignore: answer for %q, want %q", path, p)
		}
		if line == "" {
			continue
		}
		n, err := strconv.Atoi(line)
		if err != nil {
			return nil, err
		}
		verdicts[i] = verdict{slashParent(source), n, strings.HasPrefix(text, "!")}
	}
	return verdicts, nil
}

// fataler is implemented by *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// compare compares the verdicts of the walk and of git on the paths.
func (f forest) compare(t fataler, dir string, paths []string) {
	t.Helper()
	want, err := f.askGit(dir, paths)
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		if got := f.judge(path); got != want[i] {
			t.Errorf("%q (folder: %v): got %+v, git has %+v\n%q", path, f.folders[path], got, want[i], f.ignores)
		}
	}
}

func TestOracleNeedsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("the tests of this package need git in PATH: ", err)
	}
}
