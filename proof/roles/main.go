// Roles compares the roles that cook assigns to images with their roles in materials.
//
//	go run ./proof/roles [-cook] [-labels FILE] [-write FILE] [-most N] DIRECTORY...
//
// A directory contains the sources of a game or a set of models. The true roles come from its
// materials, in the formats of glTF, GLB, MTL, Godot, Gazebo, Cube 2, 0 A.D., SuperTuxKart and
// Trigger Rally. Images that materials use in two roles are excluded, as are slots that may contain
// either colors or data, such as specular maps. -labels reads the roles of images that no
// material uses; the first word of a line is the directory. The role is derived from the name of an
// image, or with -cook by the recipe, which also looks at the pixels; images that the recipe
// cannot read are excluded. -write writes at most N names of each directory, those with the
// smallest checksums, for internal/image/role/testdata/slots.tsv.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/recipes/image"
	"github.com/bmatcuk/doublestar/v4"
	"github.com/cespare/xxhash/v2"
)

func main() {
	log.SetFlags(0)
	cook := flag.Bool("cook", false, "let the recipe determine the role, not the name alone")
	hand := flag.String("labels", "", "read the roles of pictures that no material uses from this `file`")
	file := flag.String("write", "", "write names and roles to this `file`")
	most := flag.Int("most", 300, "write at most `N` names of each directory")
	flag.Parse()
	var out bytes.Buffer
	ask := byName
	if *cook {
		ask = byRecipe
	}
	labels, err := readLabels(*hand)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("directory | pictures | right | unsure | wrong | data as colors without doubt | in two roles")
	for _, folder := range flag.Args() {
		truth, err := truthOf(folder, labels)
		if err != nil {
			log.Fatal(err)
		}
		printAnswers(folder, truth, ask)
		for _, picture := range sampleNames(truth, *most) {
			fmt.Fprintf(&out, "%s/%s\t%s\n", filepath.Base(folder), picture, truth[picture])
		}
	}
	if *file != "" {
		if err := os.WriteFile(*file, out.Bytes(), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// sampleNames returns the names with the smallest checksums, sorted. The argument most is the
// maximum number of names.
func sampleNames(truth map[string]string, most int) []string {
	pictures := slices.SortedFunc(maps.Keys(truth), func(a, b string) int {
		return cmp.Compare(xxhash.Sum64String(a), xxhash.Sum64String(b))
	})
	pictures = slices.DeleteFunc(pictures, func(p string) bool { return truth[p] == twice })
	pictures = pictures[:min(most, len(pictures))]
	slices.Sort(pictures)
	return pictures
}

// An answer is the role that cook assigns to an image.
type answer struct {
	role   role.Role
	unsure bool
	says   string
}

// byName derives the role from the path of an image.
func byName(folder, picture string) (answer, bool) {
	named := role.OfPath(filepath.Base(folder) + "/" + picture)
	return answer{named.Role(), named == role.PerhapsNormal || named == role.PerhapsData || named == role.PerhapsMap, "its path says " + named.String()}, true
}

// byRecipe returns the role that the recipe chooses with its default options. The answer is
// unsure if the recipe warns.
func byRecipe(folder, picture string) (answer, bool) {
	o := image.Recipe().New().(*image.Image)
	o.Named = role.OfPath(picture).String()
	tree := os.DirFS(folder)
	info, err := fs.Stat(tree, picture)
	if err != nil {
		return answer{}, false
	}
	job := jobs.New(image.Recipe(), jobs.OfTree(image.Recipe(), tree, picture), info.Size())
	lines, err := image.Recipe().Traits(o).Explain(context.Background(), job)
	if err != nil {
		return answer{}, false
	}
	for _, line := range lines {
		if says, ok := strings.CutPrefix(line, "role "); ok {
			word, _, _ := strings.Cut(says, ":")
			return answer{role.Parse(word), len(jobs.Warnings(job)) > 0, says}, true
		}
	}
	return answer{}, false
}

// printAnswers prints the numbers of right, unsure and wrong answers, and lists the answers that
// are not right.
func printAnswers(folder string, truth map[string]string, ask func(folder, picture string) (answer, bool)) {
	var all, right, unsure, wrong, lies, both int
	var lines []string
	for _, picture := range slices.Sorted(maps.Keys(truth)) {
		if truth[picture] == twice {
			both++
			continue
		}
		got, ok := ask(folder, picture)
		if !ok {
			continue
		}
		all++
		want := role.Parse(truth[picture])
		switch {
		case got.unsure:
			unsure++
		case role.Meaning(got.role) == role.Meaning(want):
			right++
			continue
		default:
			wrong++
			if role.Meaning(want) != "color" && role.Meaning(got.role) == "color" {
				lies++
			}
		}
		lines = append(lines, fmt.Sprintf("\t%s is %v: %s", picture, want, got.says))
	}
	fmt.Printf("%s | %d | %d | %d | %d | %d | %d\n", filepath.Base(folder), all, right, unsure, wrong, lies, both)
	for _, line := range lines {
		fmt.Println(line)
	}
}

// twice marks images that are used in more than one role.
const twice = "twice"

// truthOf returns the role of each image that a material of the directory uses, or that has a
// label.
func truthOf(folder string, labels []label) (map[string]string, error) {
	t := tree{root: folder, pictures: map[string]string{}, truth: map[string]string{}}
	var texts []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch strings.ToLower(filepath.Ext(rel)) {
		case ".png", ".jpg", ".jpeg", ".tga", ".webp", ".bmp", ".tif", ".tiff", ".exr", ".hdr", ".dds", ".ktx", ".ktx2":
			shown := strings.TrimSuffix(rel, ".cached.dds") // packages of 0 A.D. contain cooked images
			t.pictures[strings.ToLower(shown)] = shown
		default:
			texts = append(texts, rel)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		t.readMaterials(text)
	}
	t.labelUnused(labels)
	return t.truth, nil
}

// A label is the role of some images of a directory, assigned by hand.
type label struct {
	folder  string // base name of the directory
	pattern string
	role    string // "?" to exclude the images
}

// readLabels reads lines of three words: the name of a directory, a pattern for paths in it, and a
// role. The first line that matches an image determines its label.
func readLabels(file string) ([]label, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var labels []label
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 || !doublestar.ValidatePattern(words[1]) {
			return nil, fmt.Errorf("%s:%d: want a directory, a pattern and a role", file, n)
		}
		labels = append(labels, label{words[0], words[1], words[2]})
	}
	return labels, nil
}

// labelUnused adds the labels of images that no material uses.
func (t *tree) labelUnused(labels []label) {
	for _, picture := range t.pictures {
		if _, ok := t.truth[picture]; ok {
			continue
		}
		for _, l := range labels {
			if l.folder != filepath.Base(t.root) || !doublestar.MatchUnvalidated(l.pattern, picture) {
				continue
			}
			if l.role != "?" {
				t.truth[picture] = l.role
			}
			break
		}
	}
}
