package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
)

// notOfCook returns an error if a command has flags that cook or cook remote lacks.
func notOfCook(words []string) string {
	fs := flagsOf("")
	switch {
	case len(words) > 0 && words[0] == "remote":
		fs = flagsOf("remote")
	case len(words) > 0 && words[0][0] != '-':
		return ""
	}
	for _, w := range words {
		if name, ok := strings.CutPrefix(w, "-"); ok && fs.Lookup(name) == nil {
			return "cook has no flag " + w
		}
	}
	return ""
}

var (
	expression = regexp.MustCompile(`\$\{\{.*?\}\}`)
	ofCook     = regexp.MustCompile(`\bCOOK_[A-Z_]+`)
)

// TestDocsYAML expects CI configurations in pages to be valid YAML with existing commands.
func TestDocsYAML(t *testing.T) {
	commands := 0
	for _, p := range in(t, "yaml") {
		for _, b := range p.blocks {
			if b.lang != "yaml" {
				continue
			}
			var all any
			if err := yaml.Unmarshal([]byte(b.text), &all); err != nil {
				t.Errorf("%s:%d: %v", p.name, b.line, err)
			}
			eachText(all, func(text string) {
				if words := strings.Fields(expression.ReplaceAllString(text, "X")); len(words) > 1 && (words[0] == "cook" || words[0] == "go") {
					commands++
					if problem := strange(words); problem != "" {
						t.Errorf("%s:%d: %s: %s", p.name, b.line, text, problem)
					}
				}
			})
		}
	}
	if commands < 4 {
		t.Errorf("%d commands", commands)
	}
}

// eachText calls a function for each string in a YAML document.
func eachText(v any, call func(string)) {
	switch v := v.(type) {
	case string:
		call(v)
	case []any:
		for _, e := range v {
			eachText(e, call)
		}
	case map[string]any:
		for _, e := range v {
			eachText(e, call)
		}
	}
}

// TestDocsVariables expects each variable in pages to be a secret or to set a flag of cook.
func TestDocsVariables(t *testing.T) {
	fs := flagsOf("")
	known := func(name string) bool {
		flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, cmdline.EnvPrefix)), "_", "-")
		return fs.Lookup(flag) != nil || name == "COOK_REMOTE_TOKEN" || name == "COOK_REMOTE_BASIC"
	}
	seen := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.lang != "yaml" && b.lang != "groovy" {
				continue
			}
			for _, name := range ofCook.FindAllString(b.text, -1) {
				if seen++; !known(name) {
					t.Errorf("%s:%d: the variable %s", p.name, b.line, name)
				}
			}
		}
	}
	if seen < 6 {
		t.Errorf("%d variables", seen)
	}
}

// TestDocsGroovy expects Jenkins pipelines in pages to have balanced brackets and known steps.
func TestDocsGroovy(t *testing.T) {
	step := regexp.MustCompile(`\bsh '([^']*)'`)
	for _, p := range in(t, "groovy") {
		for _, b := range p.blocks {
			if b.lang != "groovy" {
				continue
			}
			var open []rune
			for _, c := range regexp.MustCompile(`'[^']*'`).ReplaceAllString(b.text, "''") {
				if i := strings.IndexRune("([{", c); i >= 0 {
					open = append(open, rune(")]}"[i]))
				} else if strings.ContainsRune(")]}", c) {
					if len(open) == 0 || open[len(open)-1] != c {
						t.Errorf("%s:%d: a %c too many", p.name, b.line, c)
						break
					}
					open = open[:len(open)-1]
				}
			}
			steps := step.FindAllStringSubmatch(b.text, -1)
			for _, m := range steps {
				if problem := strange(strings.Fields(m[1])); problem != "" {
					t.Errorf("%s:%d: %s: %s", p.name, b.line, m[1], problem)
				}
			}
			if len(open) > 0 || len(steps) == 0 {
				t.Errorf("%s:%d: %d brackets are open, %d steps", p.name, b.line, len(open), len(steps))
			}
		}
	}
}

// TestDocsUnits expects systemd units in pages to have sections with lines KEY=VALUE.
func TestDocsUnits(t *testing.T) {
	line := regexp.MustCompile(`^(\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=\S.*)$`)
	for _, p := range in(t, "ini") {
		for _, b := range p.blocks {
			for n, text := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
				if b.lang == "ini" && text != "" && (!line.MatchString(text) || n == 0 && text[0] != '[') {
					t.Errorf("%s:%d: %s", p.name, b.line+n, text)
				}
			}
		}
	}
}

// TestDocsNginx runs nginx with the configuration in the page. Readers must be able to read and
// writers to write, and other users must be refused.
func TestDocsNginx(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("no nginx")
	}
	for _, p := range in(t, "nginx") {
		for _, b := range p.blocks {
			if b.lang == "nginx" {
				serves(t, nginx, b.text)
			}
		}
	}
}

// serves starts nginx with a server configuration and sends requests to it.
func serves(t *testing.T, nginx, config string) {
	dir := t.TempDir()
	for _, sub := range []string{"keys", "srv", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	trusted := certify(t, filepath.Join(dir, "keys"))
	for file, users := range map[string][]string{"readers": {"dev", "ci"}, "writers": {"ci"}} {
		lines := ""
		for _, u := range users {
			sum := sha1.Sum([]byte("secret"))
			lines += u + ":{SHA}" + base64.StdEncoding.EncodeToString(sum[:]) + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "keys", file), []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(dir, "socket") // a Unix socket, because another process could use a TCP port
	config = strings.NewReplacer("listen 443", "listen unix:"+socket, "/etc/nginx/cook", dir+"/keys", "/srv/cook-cache", dir+"/srv").Replace(config)
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	temporary := ""
	for _, kind := range []string{"proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += kind + "_temp_path " + dir + "/tmp;\n"
	}
	file := filepath.Join(dir, "conf")
	whole := user + "daemon off;\nmaster_process off;\npid " + dir + "/pid;\nerror_log /dev/null;\nevents {}\nhttp {\naccess_log off;\n" + temporary + config + "}\n"
	if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(nginx, "-t", "-e", "/dev/stderr", "-c", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := exec.Command(nginx, "-e", "/dev/null", "-c", file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Wait()
		close(ended)
	}()
	defer func() {
		server.Process.Kill()
		<-ended
	}()
	for up := false; !up; {
		select {
		case <-ended:
			t.Fatal("nginx has ended")
		default:
		}
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			up = true
		}
	}
	ask := asker(t, socket, trusted)
	for _, step := range []struct {
		user, method string
		want         int
	}{
		{"", "GET", 401}, {"dev", "GET", 404}, {"dev", "PUT", 401}, {"", "PUT", 401}, {"ci", "PUT", 201},
		{"dev", "GET", 200}, {"dev", "HEAD", 200}, {"ci", "GET", 200}, {"dev", "DELETE", 401}, {"ci", "DELETE", 405},
	} {
		if got := ask(step.user, step.method); got != step.want {
			t.Errorf("%s by %q: %d, want %d", step.method, step.user, got, step.want)
		}
	}
}

// certify writes a key and a self-signed certificate for a server, and returns a pool with the
// certificate.
func certify(t *testing.T, dir string) *x509.CertPool {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	whose := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{{127, 0, 0, 1}}}
	cert, err := x509.CreateCertificate(rand.Reader, whose, whose, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	for name, b := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		text := pem.EncodeToMemory(b)
		trusted.AppendCertsFromPEM(text)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return trusted
}

// asker returns a function that sends requests as a given user and returns the HTTP status.
func asker(t *testing.T, socket string, trusted *x509.CertPool) func(user, method string) int {
	url := "https://127.0.0.1/cook/cas/" + strings.Repeat("0", 64)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	t.Cleanup(client.CloseIdleConnections)
	return func(user, method string) int {
		r, err := http.NewRequest(method, url, bytes.NewReader([]byte("a blob")))
		if err != nil {
			t.Fatal(err)
		}
		if user != "" {
			r.SetBasicAuth(user, "secret")
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		return answer.StatusCode
	}
}

// TestDocsInstallWhatIsThere checks pages with an install command that works only after the first
// release. The paragraph before the command must say so.
func TestDocsInstallWhatIsThere(t *testing.T) {
	installs := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			installs += strings.Count(b.text, "go install ./cmd/")
			if published.MatchString(b.text) && !strings.Contains(paragraphBefore(p.text[:b.start]), "first release") {
				t.Errorf("%s:%d: installs what comes with the first release, and does not say so", p.name, b.line)
			}
		}
	}
	if installs < 3 {
		t.Errorf("%d lines install from a clone", installs)
	}
}

var published = regexp.MustCompile(`go install [^\n]*github\.com/assetcook/assetcook/\S*@`)

// paragraphBefore returns the last paragraph of a text that ends at a code block.
func paragraphBefore(text string) string {
	text = strings.TrimSpace(text[:strings.LastIndex(text, "```")])
	return text[strings.LastIndex(text, "\n\n")+1:]
}
