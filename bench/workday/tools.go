package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A tool builds the images of a repository.
type tool struct {
	name, version string
	note          string                                         // difference to the other tools
	files         func(m *machine) (map[string]string, error)    // files to write before the first build
	command       func(m *machine) []string                      // command that builds
	output        func(m *machine, image string) (string, error) // path of an output
	stop          func(m *machine) []string                      // command that ends the tool's servers, or nil
}

// titleWithVersion returns the name and version for the report.
func (t *tool) titleWithVersion() string {
	name := strings.TrimSuffix(t.name, "-cwebp")
	if t.name != name {
		return name + ", with cwebp " + t.version
	}
	return strings.TrimSpace(name+" "+t.version) + ", " + t.note
}

// A machine is a clone of the repository on a machine.
type machine struct {
	tool   *tool
	repo   *repository
	clone  string
	state  string // directory for the tool's files outside the clone
	shared string // cache shared by all machines
}

// setUpClone clones the repository and writes the tool's configuration.
func (m *machine) setUpClone(ctx context.Context) error {
	for _, dir := range []string{m.state, m.shared} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	if err := git(ctx, m.repo.dir, "clone", "-q", "--no-hardlinks", m.repo.dir, m.clone); err != nil {
		return err
	}
	if err := git(ctx, m.clone, "branch", "-q", artBranch, "origin/"+artBranch); err != nil {
		return err
	}
	files, err := m.tool.files(m)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(m.clone, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// buildOnce runs the tool. If the tool crashes, as Godot's importer sometimes does while it quits,
// buildOnce runs it again, and the time includes both runs.
func (m *machine) buildOnce(ctx context.Context) (spent usage, err error) {
	for range 3 {
		argv := m.tool.command(m)
		c := exec.CommandContext(ctx, argv[0], argv[1:]...)
		c.Dir = m.clone
		c.Env = append(os.Environ(), asCook+"=1", "LC_ALL=C.UTF-8")
		begin := time.Now()
		out, runErr := c.CombinedOutput()
		spent.wall += time.Since(begin)
		if c.ProcessState == nil {
			return spent, runErr
		}
		spent.cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		if runErr == nil {
			return spent, nil
		}
		err = fmt.Errorf("%w: %s", runErr, bytes.TrimSpace(out[max(0, len(out)-2000):]))
		if c.ProcessState.Exited() || ctx.Err() != nil {
			break
		}
		fmt.Printf("%s crashed\n", m.tool.name)
	}
	return spent, err
}

// digestOutputs reads all outputs.
func (m *machine) digestOutputs() (digests, error) {
	d := digests{}
	for _, image := range m.repo.images {
		path, err := m.tool.output(m, image)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		d[image] = sha256.Sum256(data)
	}
	return d, nil
}

// shutDownServers ends the tool's servers.
func (m *machine) shutDownServers() {
	if m.tool.stop == nil {
		return
	}
	if _, err := os.Stat(m.clone); err != nil {
		return
	}
	argv := m.tool.stop(m)
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = m.clone
	c.Run() // a server that still runs only takes memory
}

// outputBelow returns a function that finds outputs in a directory of the clone, with the extension .webp.
func outputBelow(dir string) func(m *machine, image string) (string, error) {
	return func(m *machine, image string) (string, error) {
		return filepath.Join(m.clone, dir, strings.TrimSuffix(image, ".png")+".webp"), nil
	}
}

// installedTools returns the tools that are installed, and among the given names unless names is empty.
func installedTools(names, assetpack string) (list []*tool) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cook := func(m *machine) []string {
		return []string{self, "-q", "-dir", "img", "-out", "out", "-remote", "file://" + m.shared, "-remote-upload", "always", "-cache", filepath.Join(m.state, "store")}
	}
	rule := func(text string) func(m *machine) (map[string]string, error) {
		return func(*machine) (map[string]string, error) { return map[string]string{"img/cook.toml": text}, nil }
	}
	cooked := func(m *machine, image string) (string, error) {
		return outputBelow("out")(m, strings.TrimPrefix(image, "img/"))
	}
	all := []*tool{
		{name: "cook", note: "own encoder", files: rule("[[rule]]\nmatch = \"*.png\"\nrecipe = \"image\"\nformat = \"webp\"\nwebp_quality = 80\n"), command: cook, output: cooked},
		{name: "cook-cwebp", files: rule("[[rule]]\nmatch = \"*.png\"\ncommand = [\"cwebp\", \"-quiet\", \"-q\", \"80\", \"{in}\", \"-o\", \"{out}\"]\noutputs = [\"{stem}.webp\"]\n"), command: cook, output: cooked},
		{name: "make", note: "with cwebp", files: workdayMakefile, command: func(*machine) []string { return []string{"make", "-s", "-j2"} }, output: outputBelow("out")},
		{name: "ninja", note: "with cwebp", files: ninjaFile, command: func(*machine) []string { return []string{"ninja", "--quiet"} }, output: outputBelow("out")},
		{name: "bazel", note: "with cwebp", files: bazelFiles, command: func(m *machine) []string {
			return append(bazel(m), "build", "--disk_cache="+m.shared, "//:all")
		}, output: outputBelow("bazel-bin"), stop: func(m *machine) []string { return append(bazel(m), "shutdown") }},
		{name: "assetpack", note: "with sharp", files: func(m *machine) (map[string]string, error) {
			return map[string]string{".assetpack.mjs": assetpackConfig}, os.Symlink(assetpack, filepath.Join(m.clone, "node_modules"))
		}, command: func(m *machine) []string {
			return []string{filepath.Join(assetpack, ".bin/assetpack"), "-c", ".assetpack.mjs"}
		}, output: func(m *machine, image string) (string, error) {
			return outputBelow("out")(m, strings.TrimPrefix(image, "img/"))
		}},
		{name: "godot", note: "importer, headless, lossy WebP", files: func(m *machine) (map[string]string, error) {
			return map[string]string{"project.godot": godotProject}, nil
		}, command: func(*machine) []string { return []string{"godot3-server", "--editor", "--quit"} }, output: importedFile},
	}
	versions := map[string][]string{
		"cook": nil, "cook-cwebp": {"cwebp", "-version"}, "make": {"make", "--version"}, "ninja": {"ninja", "--version"},
		"bazel": {"dpkg-query", "-W", "-f", "${Version}", "bazel-bootstrap"}, "assetpack": {"node", "-p", "require('" + assetpack + "/@assetpack/core/package.json').version"}, "godot": {"godot3-server", "--version"},
	}
	number := regexp.MustCompile(`[0-9]+(\.[0-9]+)+\S*`)
	for _, t := range all {
		if names != "" && !slices.Contains(strings.Split(names, ","), t.name) || t.name == "assetpack" && assetpack == "" {
			continue
		}
		if argv := versions[t.name]; argv != nil {
			out, err := exec.Command(argv[0], argv[1:]...).Output()
			if t.version = number.FindString(string(out)); t.version == "" { // Godot prints its version, and fails
				fmt.Fprintf(os.Stderr, "workday: without %s: %v\n", t.name, err)
				continue
			}
		}
		list = append(list, t)
	}
	return list
}

func workdayMakefile(*machine) (map[string]string, error) {
	return map[string]string{"Makefile": `sources := $(wildcard img/*/*.png)
all: $(sources:%.png=out/%.webp)
out/%.webp: %.png
	@mkdir -p $(@D)
	@cwebp -quiet -q 80 $< -o $@
`}, nil
}

func ninjaFile(m *machine) (map[string]string, error) {
	var b strings.Builder
	b.WriteString("rule webp\n  command = cwebp -quiet -q 80 $in -o $out\n")
	for _, image := range m.repo.images {
		fmt.Fprintf(&b, "build out/%s.webp: webp %s\n", strings.TrimSuffix(image, ".png"), image)
	}
	return map[string]string{"build.ninja": b.String()}, nil
}

// bazel returns the start of a Bazel command. A machine has its own server and output base.
func bazel(m *machine) []string { return []string{"bazel", "--output_user_root=" + m.state} }

func bazelFiles(*machine) (map[string]string, error) {
	return map[string]string{"WORKSPACE": "", "BUILD": `[genrule(
    name = f[:-4].replace("/", "_"),
    srcs = [f],
    outs = [f[:-4] + ".webp"],
    cmd = "cwebp -quiet -q 80 $< -o $@",
) for f in glob(["img/**/*.png"])]
`}, nil
}

const assetpackConfig = `import { compress } from "@assetpack/core/image";
export default {
	entry: "./img", output: "./out", cache: true,
	pipes: [compress({ png: "skip", jpg: "skip", webp: { quality: 80 } })],
};
`

const godotProject = `config_version=4

[application]
config/name="workday"

[importer_defaults]
texture={"compress/mode": 1, "compress/lossy_quality": 0.8}
`

// importedFile returns the file that Godot made of an image. The image's .import file names it.
func importedFile(m *machine, image string) (string, error) {
	text, err := os.ReadFile(filepath.Join(m.clone, image+".import"))
	if err != nil {
		return "", err
	}
	made := regexp.MustCompile(`(?m)^path="res://(.*)"`).FindSubmatch(text)
	if made == nil {
		return "", fmt.Errorf("%s.import names no file", image)
	}
	return filepath.Join(m.clone, string(made[1])), nil
}
