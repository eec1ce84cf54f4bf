//go:build unix

package cli

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// outputOf returns an output of a step.
func outputOf(files map[string]string, name string) string {
	for line := range strings.SplitSeq(files["GITHUB_OUTPUT"], "\n") {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// A workflow simulates the jobs of a repository, and GitHub's cache service by directories.
type workflow struct {
	path, public string            // value of the PATH variable; public key
	text         string            // content of the first asset
	first        map[string]string // contents of the outputs
}

// A ciJob is the result of a job.
type ciJob struct {
	results, part   string // directories with all results, and with the new results of a shard
	digest, summary string // outputs of the step
}

// pemOf returns a signing key and its public key.
func pemOf(t *testing.T, name string) (private, public string) {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	derPublic, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: derPublic}))
}

// unpack copies a directory with its times, as an archive of a cache does.
func unpack(t *testing.T, to, from string) {
	t.Helper()
	if from == "" {
		return
	}
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if at := filepath.Join(to, rel); d.IsDir() {
			err = os.MkdirAll(at, 0o777)
		} else {
			var data []byte
			if data, err = os.ReadFile(name); err == nil {
				err = os.WriteFile(at, data, 0o666)
			}
			if info, wrong := d.Info(); err == nil && wrong == nil {
				err = os.Chtimes(at, info.ModTime(), info.ModTime())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a job on a new machine, whose workspace has restored copies of the directories caches.
// The outputs must be equal to the outputs of the first job with the same assets.
func (w *workflow) run(t *testing.T, caches []string, env ...string) ciJob {
	t.Helper()
	r := &runner{temp: t.TempDir(), project: filepath.Join(t.TempDir(), "a b#%?c"), path: w.path}
	files := map[string]string{
		"ci.pub": w.public, "assets/cook.toml": "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"zstd\"\n", "assets/0.txt": w.text,
	}
	for n := range 7 {
		files[fmt.Sprintf("assets/%d.txt", n+1)] = strings.Repeat(fmt.Sprintf("asset %d\n", n), 100)
	}
	for name, text := range files {
		name = filepath.Join(r.project, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	j := ciJob{results: filepath.Join(r.project, ".cook-results"), part: filepath.Join(r.temp, "cook-part")}
	for _, dir := range caches {
		unpack(t, j.results, dir)
	}
	status, printed, out := r.step(t, "cook", inputs(append([]string{"COOK_ACTION_CACHE=results"}, env...)...)...)
	if status != 0 {
		t.Fatalf("status %d\n%s", status, printed)
	}
	if strings.Contains(printed, "PRIVATE KEY") {
		t.Errorf("the key is in the log:\n%s", printed)
	}
	if left, err := filepath.Glob(filepath.Join(r.temp, "*.key")); err != nil || len(left) > 0 {
		t.Errorf("left keys: %q, %v", left, err)
	}
	j.digest, j.summary = outputOf(out, "digest"), outputOf(out, "summary")
	if j.digest != "" { // a part of the assets has no digest
		for n := range 8 {
			name := fmt.Sprintf("%d.txt.zst", n)
			data, err := os.ReadFile(filepath.Join(r.project, "cooked", name))
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				name += w.text
			}
			if old, ok := w.first[name]; ok && old != string(data) {
				t.Errorf("%s differs from the first job", name)
			}
			w.first[name] = string(data)
		}
	}
	return j
}

func (j ciJob) want(t *testing.T, summary string) {
	t.Helper()
	if !strings.Contains(j.summary, summary) {
		t.Errorf("%q lacks %q", j.summary, summary)
	}
}

// TestActionSharesResults runs the jobs of a repository that share results by GitHub's cache
// service: jobs of the main branch, of a pull request without the key, and of shards. Each job has a
// new machine. No job may use a result that the key did not sign, or a damaged blob.
func TestActionSharesResults(t *testing.T) {
	installing := newRunner(t)
	status, printed, files := installing.step(t, "install", "COOK_ACTION_VERSION=source")
	if status != 0 {
		t.Fatal(printed)
	}
	w := &workflow{path: strings.TrimSpace(files["GITHUB_PATH"]) + string(filepath.ListSeparator) + installing.path, text: "first", first: map[string]string{}}
	private, public := pemOf(t, "ci")
	w.public = public
	key, trust := "COOK_ACTION_SIGN_KEY="+private, "COOK_ACTION_TRUST=ci.pub"

	first := w.run(t, nil, key, trust)
	first.want(t, "8 results uploaded")
	same := w.run(t, []string{first.results}, key, trust)
	same.want(t, "8 restored")
	if same.digest != first.digest || first.digest == "" {
		t.Errorf("digests %q and %q of equal results", first.digest, same.digest)
	}

	// A fork has no key: its job uses the results, and changes nothing.
	w.text = "changed"
	fork := w.run(t, []string{first.results}, trust)
	fork.want(t, "7 restored, 1 cooked")
	if fork.digest != first.digest {
		t.Error("a job without the key changed the results")
	}
	// If the job does not ask for signatures, its results reach no job that does.
	unsigned := w.run(t, []string{first.results})
	unsigned.want(t, "1 result uploaded")
	stranger, _ := pemOf(t, "stranger")
	foreign := w.run(t, nil, "COOK_ACTION_SIGN_KEY="+stranger)
	foreign.want(t, "8 results uploaded")
	for name, poisoned := range map[string]struct {
		by       ciJob
		restored string
	}{"unsigned": {unsigned, "7 restored, 1 cooked"}, "foreign": {foreign, "8 cooked"}} {
		main := w.run(t, []string{poisoned.by.results}, key, trust)
		main.want(t, poisoned.restored)
		if main.digest == poisoned.by.digest {
			t.Errorf("%s: the results were not replaced", name)
		}
		w.run(t, []string{main.results}, trust).want(t, "8 restored")
	}

	// The bytes of all blobs are wrong. The job with the key replaces them.
	blobs, err := filepath.Glob(filepath.Join(first.results, "cas", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatal(blobs, err)
	}
	for _, name := range blobs {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-1] ^= 1
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	healed := w.run(t, []string{first.results}, key, trust)
	healed.want(t, "8 cooked")
	w.run(t, []string{healed.results}, trust).want(t, "8 restored")

	// The shards pass their results to the last job. Its results need nothing of the earlier cache
	// that has expired.
	one := w.run(t, nil, key, trust, "COOK_ACTION_SHARD=1/2")
	two := w.run(t, nil, key, trust, "COOK_ACTION_SHARD=2/2")
	all := w.run(t, []string{one.part, two.part}, key, trust, "COOK_ACTION_SHARD=all")
	all.want(t, "8 restored")
	if one.digest != "" || two.digest != "" || all.digest == "" {
		t.Errorf("digests %q, %q and %q", one.digest, two.digest, all.digest)
	}
	w.text = "changed again"
	part := w.run(t, []string{all.results}, key, trust, "COOK_ACTION_SHARD=1/2")
	other := w.run(t, []string{all.results}, key, trust, "COOK_ACTION_SHARD=2/2")
	passed := 0
	for _, dir := range []string{part.part, other.part} {
		blobs, err := filepath.Glob(filepath.Join(dir, "cas", "*"))
		if err != nil {
			t.Fatal(err)
		}
		passed += len(blobs)
	}
	if passed != 1 {
		t.Errorf("%d blobs were passed, but one asset changed", passed)
	}
	last := w.run(t, []string{all.results, part.part, other.part}, key, trust, "COOK_ACTION_SHARD=all")
	last.want(t, "8 restored")

	// Results that no recent run used are removed.
	old := time.Now().Add(-15 * 24 * time.Hour)
	err = filepath.WalkDir(last.results, func(name string, _ fs.DirEntry, _ error) error { return os.Chtimes(name, old, old) })
	if err != nil {
		t.Fatal(err)
	}
	trimmed := w.run(t, []string{last.results}, key, trust)
	trimmed.want(t, "8 restored")
	if left, err := filepath.Glob(filepath.Join(trimmed.results, "ac", "*")); err != nil || len(left) != 8 || trimmed.digest == last.digest {
		t.Errorf("%d results after the trim, %v", len(left), err)
	}
	small := w.run(t, []string{trimmed.results}, key, trust, "COOK_ACTION_KEEP_SIZE=1B")
	w.run(t, []string{small.results}, key, trust).want(t, "8 cooked")
}

// TestActionPassesItsInputs compares the variables that the script reads with the variables that
// action.yml sets. In the script, an unset variable is an error.
func TestActionPassesItsInputs(t *testing.T) {
	variable := regexp.MustCompile(`\bCOOK_ACTION_[A-Z_]+`)
	in := func(name string) []string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		names := variable.FindAllString(string(text), -1)
		slices.Sort(names)
		return slices.Compact(names)
	}
	var given []string
	for _, input := range inputs("COOK_ACTION_VERSION=") {
		name, _, _ := strings.Cut(input, "=")
		given = append(given, name)
	}
	slices.Sort(given)
	if set, read := in("action.yml"), in(".github/cook.sh"); !slices.Equal(set, read) || !slices.Equal(set, slices.Compact(given)) {
		t.Errorf("action.yml sets %q, the script reads %q, and the tests give %q", set, read, given)
	}
}

func TestActionRefusesWrongInputs(t *testing.T) {
	r := newRunner(t)
	for input, want := range map[string]string{"COOK_ACTION_SHARD=1/2": "::error::shard needs cache: results", "COOK_ACTION_CACHE=yes": "::error::cache: want true, false or results"} {
		if status, printed, _ := r.step(t, "cook", inputs(input)...); status != 1 || !strings.Contains(printed, want) {
			t.Errorf("%s: status %d\n%s", input, status, printed)
		}
	}
}
