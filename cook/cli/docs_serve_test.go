package cli

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// eventSource makes the browser's EventSource and the function of the page available in node.
const eventSource = `
globalThis.EventSource = class extends EventTarget {
	constructor(url) {
		super()
		this.run(url)
	}
	async run(url) {
		const { body } = await fetch(url)
		let text = ''
		for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
			const parts = (text + chunk).split('\n\n')
			text = parts.pop()
			for (const part of parts) {
				const field = name => part.match(new RegExp('^' + name + ': (.*)$', 'm'))?.[1]
				if (field('data')) this.dispatchEvent(new MessageEvent(field('event') ?? 'message', { data: field('data') }))
			}
		}
	}
	close() {}
}
globalThis.show = url => console.log(url)
`

var printedServer = regexp.MustCompile(`http://192\.168\.1\.5:7357/@[A-Z0-9]+/`)

// TestDocsServePage runs the JavaScript of docs/serve.md with a running "cook serve". The page must
// show the texture, and the edited texture after an edit.
func TestDocsServePage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	if exec.CommandContext(t.Context(), node, "--experimental-network-imports", "-e", "").Run() != nil {
		t.Skip("this node imports no modules from servers")
	}
	dir := t.TempDir()
	script := ""
	for _, p := range in(t, "js") {
		if p.name == "docs/serve.md" {
			script = p.blocks[indexOfLanguage(t, p, "js")].text
		}
	}
	args, _ := plainProject(t)
	texture := filepath.Join(args[1], "textures", "crate.png")
	picture, err := os.ReadFile(filepath.Join(root, "testdata", "assets", "textures", "props", "crate.png"))
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(texture), 0o777), os.WriteFile(texture, picture, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := startServing(t, "", append(args, "-token", "0123456789abcdef")...)
	for !strings.HasPrefix(s.line(), "cook: watching ") {
	}
	if !printedServer.MatchString(script) {
		t.Fatalf("the script has no URL: %s", script)
	}
	npm, err := filepath.Abs(filepath.Join(root, "npm", "assetcook"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.Mkdir(filepath.Join(dir, "node_modules"), 0o777), os.Symlink(npm, filepath.Join(dir, "node_modules", "assetcook")),
		os.WriteFile(filepath.Join(dir, "first.mjs"), []byte(eventSource), 0o666),
		os.WriteFile(filepath.Join(dir, "page.mjs"), []byte(printedServer.ReplaceAllLiteralString(script, s.url)+"\nconsole.log('ready')\n"), 0o666),
	); err != nil {
		t.Fatal(err)
	}
	page := exec.CommandContext(t.Context(), node, "--no-warnings", "--experimental-network-imports", "--import", "./first.mjs", "page.mjs")
	page.Dir = dir
	var complaints strings.Builder
	page.Stderr = &complaints
	out, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("the page ended: %s", &complaints)
		}
		return lines.Text()
	}
	before := next()
	if ready := next(); ready != "ready" {
		t.Fatalf("printed %q", ready)
	}
	if err := os.WriteFile(texture, append(picture, "\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	after := next()
	for after == before || strings.HasPrefix(after, s.url+"b.json") {
		after = next() // the server may report the first cook after the page has connected
	}
	if !strings.HasPrefix(after, s.url+"textures/crate.") {
		t.Errorf("before the edit %q, then %q", before, after)
	} else if resp, err := http.Get(after); err != nil || resp.StatusCode != http.StatusOK {
		t.Error(resp, err)
	} else {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	page.Process.Kill()
	page.Wait()
	s.end()
}

// indexOfLanguage returns the index of the first block of a page in a language.
func indexOfLanguage(t *testing.T, p page, lang string) int {
	t.Helper()
	for i, b := range p.blocks {
		if b.lang == lang {
			return i
		}
	}
	t.Fatalf("%s has no %s block", p.name, lang)
	return -1
}
