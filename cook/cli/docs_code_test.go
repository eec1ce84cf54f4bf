package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// imports has the packages that code fragments in pages use without an import declaration.
var imports = map[string]string{
	"bytes": "bytes", "slices": "slices", "context": "context", "fmt": "fmt", "os": "os", "testing": "testing", "fstest": "testing/fstest",
	"cook": "cook", "cli": "cook/cli", "recipe": "cook/recipe", "recipetest": "cook/recipe/recipetest",
	"manifest": "cook/manifest", "pak": "cook/pak", "recipes": "recipes", "hashing": "hashing", "crcslice8": "crcslice8",
	"counters": "profile/counters",
	"smoke":    "profile/smoke", "events": "profile/events", "profile": "profile", "reload": "cook/reload", "http": "net/http",
}

// vetPages makes TestDocsGo run all checks of go vet.
var vetPages = flag.Bool("pages.vet", false, "check the Go code of pages with go vet, not only with the checks of go test")

// TestDocsGo compiles the Go code in pages and runs the checks of go test, whose results for all
// imported packages are in the build cache. The fragments of a page form a package in another
// module, so that they can import only public packages.
func TestDocsGo(t *testing.T) {
	dir := otherModule(t)
	for i, p := range in(t, "go") {
		pkg := filepath.Join(dir, fmt.Sprintf("page%d", i))
		if err := os.Mkdir(pkg, 0o777); err != nil {
			t.Fatal(err)
		}
		for j, b := range p.blocks {
			if b.lang != "go" {
				continue
			}
			name := fmt.Sprintf("fragment%d.go", j)
			if strings.Contains(b.text, "*testing.T") {
				name = fmt.Sprintf("fragment%d_test.go", j)
			}
			text, err := whole(p.name, b)
			if err != nil {
				t.Error(err)
				continue
			}
			if err := os.WriteFile(filepath.Join(pkg, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	args := []string{"test", "-run", "^$", "./..."}
	if *vetPages {
		args = []string{"vet", "./..."}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// otherModule creates a module that depends on the current source of this module.
func otherModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	ours, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			_, rest, _ := strings.Cut(string(text), "\n")
			text = fmt.Appendf(nil, "module pages\n%s\nrequire %s v0.0.0\nreplace %[2]s => %s\n", rest, module, ours)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// whole makes a complete Go file from a fragment with declarations or statements.
func whole(name string, b block) (string, error) {
	text := b.text
	if _, err := parsed("package page\n" + text); err != nil {
		text = "func _(ctx context.Context) error {\n" + text + "\nreturn nil\n}\n"
		b.line--
	}
	file, err := parsed("package page\n" + text)
	if err != nil {
		return "", fmt.Errorf("%s:%d: %w", name, b.line, err)
	}
	var used []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && imports[x.Name] != "" && !slices.Contains(used, x.Name) {
				used = append(used, x.Name)
			}
		}
		return true
	})
	head := "package page\n"
	for _, pkg := range used {
		path := imports[pkg]
		if _, err := os.Stat(filepath.Join(root, path)); err == nil {
			path = module + "/" + path
		}
		head += fmt.Sprintf("import %q\n", path)
	}
	return head + fmt.Sprintf("//line %s:%d\n", name, b.line) + text, nil
}

func parsed(text string) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), "", text, 0)
}

func TestDocsJSON(t *testing.T) {
	for _, p := range in(t, "json") {
		for _, b := range p.blocks {
			if b.lang == "json" && !json.Valid([]byte(b.text)) {
				t.Errorf("%s:%d: not JSON", p.name, b.line)
			}
		}
	}
}

// TestDocsJavaScript parses the JavaScript blocks of pages as modules with node.
func TestDocsJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	file := filepath.Join(t.TempDir(), "block.mjs")
	for _, p := range in(t, "js") {
		for _, b := range p.blocks {
			if b.lang != "js" {
				continue
			}
			if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(node, "--check", file).CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %v: %s", p.name, b.line, err, out)
			}
		}
	}
}

// TestDocsC compiles each C block in pages as part of a function, after including cook.h.
func TestDocsC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	header, err := filepath.Abs(filepath.Join(root, "clients", "c", "cook.h"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(header); err != nil {
		t.Fatal(err)
	}
	for _, p := range in(t, "c") {
		for _, b := range p.blocks {
			if b.lang != "c" {
				continue
			}
			run := exec.Command(gcc, "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-x", "c", "-include", header, "-")
			run.Stdin = strings.NewReader("int one_second_has_passed;\nvoid load(const char *), draw_world(void), frame(void);\nvoid frame(void) {\n" + b.text + "}\n")
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %v: %s", p.name, b.line, err, out)
			}
		}
	}
}

// TestDocsShell does not run commands that need the network, a clone of the repository or a server.
// It only checks that these commands and their flags exist.
func TestDocsShell(t *testing.T) {
	for _, p := range in(t, "sh") {
		for _, b := range p.blocks {
			if b.lang != "sh" {
				continue
			}
			for line := range strings.Lines(b.text) {
				if problem := strange(strings.Fields(line)); problem != "" {
					t.Errorf("%s:%d: %s: %s", p.name, b.line, strings.TrimSpace(line), problem)
				}
			}
		}
	}
}

// strange returns an error if a command or flag does not exist.
func strange(words []string) string {
	name, ok := "", false
	switch {
	case len(words) == 0:
		return "an empty line"
	case words[0] == "./check" || words[0] == "podman" || words[0] == "benchstat" || words[0] == "npm":
		return ""
	case words[0] == "npx" && len(words) > 1 && words[1] == "cook":
		return strange(words[1:])
	case words[0] == "cook":
		return notOfCook(words[1:])
	case len(words) < 3 || words[0] != "go":
		return "want go, cook, npm, npx cook, podman, benchstat or ./check"
	case words[1] == "install":
		if len(words) > 3 {
			if problem := strange(slices.Concat(words[:2], words[3:])); problem != "" {
				return problem
			}
		}
		if name, ok = strings.CutPrefix(words[2], "./"); !ok {
			name, ok = strings.CutPrefix(words[2], module+"/")
			name = strings.TrimSuffix(name, "@latest")
		}
	case words[1] == "run":
		name, ok = strings.CutPrefix(words[2], "./")
	case words[1] == "test":
		return ""
	}
	if _, err := os.Stat(filepath.Join(root, name, "main.go")); !ok || err != nil {
		return "no such command"
	}
	return ""
}
