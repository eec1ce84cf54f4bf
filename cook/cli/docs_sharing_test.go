package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
)

// setupPage is the page that describes servers. proof/servers/run.sh runs the servers of the page
// that other projects have written.
const setupPage = "docs/remote-setup.md"

// TestDocsSharing runs the commands of the page for a NAS, a container and a bucket on two machines.
// The first must upload results, and the second must download the same results. A directory, a
// server for gRPC and an object store that verifies signatures replace the addresses of the page.
func TestDocsSharing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the commands are for Linux")
	}
	share := filepath.Join(t.TempDir(), "nas")
	if err := os.Mkdir(share, 0o777); err != nil {
		t.Fatal(err)
	}
	store := &remotetest.Server{}
	t.Setenv("AWS_ENDPOINT_URL_S3", store.StartS3(t, remotetest.Bucket{Name: "team-cache", Region: "us-east-1", KeyID: "AKID", Secret: "hunter2"}))
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	t.Setenv("COOK_REMOTE_RACE", "false")
	t.Setenv("COOK_ENGINE", "own") // shares more results than the default
	container := &remotetest.Server{}
	ours := strings.NewReplacer("/mnt/nas", share, "grpc://127.0.0.1:9092", container.Start(t))

	text, err := os.ReadFile(filepath.Join(root, setupPage))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`(mkdir /mnt/nas/[^`]*)`").FindAllStringSubmatch(string(text), -1) {
		newPlace(t).run(t, ours.Replace(m[1]))
	}
	setups := map[string]bool{}
	for _, b := range parsePage(setupPage, string(text)).blocks {
		setup := regexp.MustCompile(`-remote (file|grpc|s3)://.* always`).FindStringSubmatch(b.text)
		if b.lang != "sh" || setup == nil {
			continue
		}
		setups[setup[1]] = true
		var outputs, uploaded []string
		for range 2 {
			machine, printed := newPlace(t), ""
			for line := range strings.Lines(b.text) {
				if strings.HasPrefix(line, "podman ") {
					continue // proof/servers/run.sh starts the program of the container
				}
				out := machine.run(t, ours.Replace(line))
				if printed += out; machine.status != 0 {
					t.Fatalf("%s:%d: %s%s", setupPage, b.line, line, out)
				}
			}
			outputs = append(outputs, printed)
			if m := regexp.MustCompile(` (\d+) results uploaded`).FindStringSubmatch(printed); m != nil {
				uploaded = append(uploaded, m[1])
			}
		}
		if len(uploaded) != 1 || uploaded[0] == "0" || !strings.Contains(outputs[1], "(remote: "+uploaded[0]+" of "+uploaded[0]+" found") {
			t.Errorf("%s:%d: the machines print\n%s", setupPage, b.line, strings.Join(outputs, "\nand\n"))
		}
	}
	if len(setups) != 3 {
		t.Errorf("%s: commands for %v", setupPage, setups)
	}
}
