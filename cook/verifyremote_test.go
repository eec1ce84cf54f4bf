package cook_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
)

// A mark is a recipe that copies its source and appends a text. After "read NAME" in a source, it
// also appends the content of the file NAME.
type mark struct {
	append string
	blind  bool // whether the recipe ignores the named file
}

func (m mark) cook(job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	if name, ok := bytes.CutPrefix(data, []byte("read ")); ok && !m.blind {
		more, err := job.Read(string(name))
		if err != nil {
			return err
		}
		data = append(data, more...)
	}
	return job.Write(0, append(data, m.append...))
}

// A maker is a recipe with a mark that is not an option and therefore not part of any key.
type (
	maker  interface{ mark() mark }
	honest struct{}
	lying  struct{}
	blind  struct{}
	sealer struct{}
)

func (honest) mark() mark { return mark{append: "!"} }
func (lying) mark() mark  { return mark{append: "?"} }
func (blind) mark() mark  { return mark{append: "!", blind: true} }
func (sealer) mark() mark { return mark{append: " sealed"} }

type markCooker[M maker] struct{}

func (*markCooker[M]) Outputs() []string { return []string{"{path}"} }

func (*markCooker[M]) Cook(_ context.Context, job *recipe.Job) error {
	var m M
	return m.mark().cook(job)
}

// markedBy returns the recipes "mark" and "seal".
func markedBy[M maker]() []recipe.Recipe {
	return []recipe.Recipe{
		{Name: "mark", Version: 1, New: func() recipe.Cooker { return &markCooker[M]{} }},
		{Name: "seal", Version: 1, New: func() recipe.Cooker { return &markCooker[sealer]{} }},
		{Name: "copy", Version: 1, Cheap: true, New: func() recipe.Cooker { return &markCooker[sealer]{} }},
	}
}

var markedFiles = map[string]string{
	"a.txt": "alpha", "b.txt": "read x.inc", "x.inc": "included", "c.one": "gamma",
	"cook.toml": `
[[rule]]
match = "*.txt"
recipe = "mark"
[[rule]]
match = "*.one"
recipe = "mark"
output = "{stem}.two"
[[rule]]
from = "artifacts"
match = "*.two"
recipe = "seal"
output = "{stem}.three"
`,
}

// marked returns a project with sources for the recipes "mark" and "seal", on a machine of its own.
func marked(t *testing.T, by []recipe.Recipe, r cook.Remote) cook.Project {
	dir := t.TempDir()
	p := cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: by, Remote: r}
	p.Remote.Program = os.Args[0]
	if err := os.Mkdir(p.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range markedFiles {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func cookMarked(t *testing.T, p cook.Project) {
	t.Helper()
	s, err := cook.Cook(t.Context(), p, cook.CookOptions{})
	if err != nil || s.Cooked.Assets != 4 {
		t.Fatalf("%v, %v", s, err)
	}
}

func verifyMarked(t *testing.T, p cook.Project, remote bool) (found map[string]cook.Finding, sum cook.Verified, err error) {
	t.Helper()
	found = map[string]cook.Finding{}
	sum, err = cook.Verify(t.Context(), p, cook.VerifyOptions{Sample: "all", Remote: remote, Found: func(f cook.Finding) {
		if _, again := found[f.Path]; again {
			t.Errorf("found again: %v", f)
		}
		found[f.Path] = f
	}})
	if sum.Differences != len(found) {
		t.Errorf("%d differences, %d found", sum.Differences, len(found))
	}
	return found, sum, err
}

// keyPair writes an Ed25519 key and its public key, and returns the names of the files.
func keyPair(t *testing.T, name string) (private, public string) {
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	der, _ := x509.MarshalPKCS8PrivateKey(key)
	pub, _ := x509.MarshalPKIXPublicKey(key.Public())
	private = filepath.Join(t.TempDir(), name)
	for file, block := range map[string]*pem.Block{private: {Type: "PRIVATE KEY", Bytes: der}, private + ".pub": {Type: "PUBLIC KEY", Bytes: pub}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return private, private + ".pub"
}

func TestVerifyRemote(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	p := marked(t, markedBy[honest](), cook.Remote{URL: url, Upload: "always"})
	cookMarked(t, p)
	// The server has one result for a, one for b, and one for each step of c. The asset x is only
	// copied.
	if found, sum, err := verifyMarked(t, p, true); err != nil || len(found) > 0 || sum.Shared != 4 || sum.Again != 4 {
		t.Errorf("%v, %+v, %v", found, sum, err)
	}
	asked := server.Calls("GetActionResult")
	if found, sum, err := verifyMarked(t, p, false); err != nil || len(found) > 0 || sum.Shared != 0 || server.Calls("GetActionResult") != asked {
		t.Errorf("without the server: %v, %+v, %v", found, sum, err)
	}
	empty := (&remotetest.Server{}).Start(t)
	p.Remote.URL = empty
	if found, sum, err := verifyMarked(t, p, true); err != nil || len(found) > 0 || sum.Shared != 0 {
		t.Errorf("of an empty server: %v, %+v, %v", found, sum, err)
	}
	p.Remote.URL = "grpc://127.0.0.1:1"
	if _, _, err := verifyMarked(t, p, true); err == nil || !strings.Contains(err.Error(), "the server was not reached") {
		t.Errorf("of no server: %v", err)
	}
}

// TestVerifyPoisonedRemote puts wrong results on the server: for sources with and without
// dependencies, and for a chain of recipes. Verify must report both contents and the origin.
func TestVerifyPoisonedRemote(t *testing.T) {
	private, public := keyPair(t, "eve")
	for name, tc := range map[string]struct {
		evil  []recipe.Recipe
		wrong map[string][2]string // content on the server, and content after a new cook
	}{
		"other content": {markedBy[lying](), map[string][2]string{
			"a.txt": {"alpha?", "alpha!"}, "b.txt": {"read x.incincluded?", "read x.incincluded!"}, "c.one": {"gamma?", "gamma!"},
		}},
		"nothing read": {markedBy[blind](), map[string][2]string{"b.txt": {"read x.inc!", "read x.incincluded!"}}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &remotetest.Server{}
			url := server.Start(t)
			evil := marked(t, tc.evil, cook.Remote{URL: url, Upload: "always", SignKey: private})
			cookMarked(t, evil)
			past, err := survey.Runs(evil.Out)
			if err != nil || len(past) != 1 {
				t.Fatalf("%v, %v", past, err)
			}
			p := marked(t, markedBy[honest](), cook.Remote{URL: url, Upload: "never", NoRead: true})
			cookMarked(t, p)
			found, _, err := verifyMarked(t, p, true)
			if err != nil || len(found) != len(tc.wrong) {
				t.Errorf("%v, %v", found, err)
			}
			host, _ := os.Hostname()
			for source, contents := range tc.wrong {
				f := found[source]
				there, now := hashing.DigestOf([]byte(contents[0])).String(), hashing.DigestOf([]byte(contents[1])).String()
				if f.Kind != "remote differs" || f.Output == "" || f.Origin == nil || !strings.Contains(f.Text, "it has "+there+" ") || !strings.Contains(f.Text, "a new cook gives "+now+" ") {
					t.Errorf("%s: %+v", source, f)
					continue
				}
				for _, word := range []string{url, past[0].ID.String(), host, f.Origin.Key[:16]} {
					if word == "" || !strings.Contains(f.Text, word) {
						t.Errorf("%s: %q is not in %q", source, word, f.Text)
					}
				}
			}
			p.Remote.Trust = []string{public}
			if found, _, err := verifyMarked(t, p, true); err != nil || len(found) != len(tc.wrong) {
				t.Errorf("trusted: %v, %v", found, err)
			}
			// A result that a run would reject is not a difference.
			_, other := keyPair(t, "ci")
			p.Remote.Trust = []string{other}
			if found, sum, err := verifyMarked(t, p, true); err != nil || len(found) > 0 || sum.Shared != 0 {
				t.Errorf("not trusted: %v, %+v, %v", found, sum, err)
			}
		})
	}
}
