// Roles compares what pictures are taken for with what materials use them for.
//
//	go run ./proof/roles [-cook] [-labels FILE] [-write FILE] [-most N] FOLDER...
//
// A folder holds the sources of a game or a set of models. Its materials tell the truth: those of
// glTF, GLB, MTL, Godot, Gazebo, Cube 2, 0 A.D., SuperTuxKart and Trigger Rally. Pictures that materials use in
// two roles are left out, and slots that hold either colors or numbers, as those for speculars.
// -labels says what pictures are that no material uses; the folder is the first word of a line.
// Names are asked, or with -cook the recipe, which sees the pixels as well; pictures that it
// cannot read do not count.
// -write keeps at most N names of each folder, the ones of least checksum, for
// internal/image/role/testdata/slots.tsv.
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

	"github.com/cespare/xxhash/v2"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/recipes/image"
)

func main() {
	log.SetFlags(0)
	cook := flag.Bool("cook", false, "ask the recipe, not the name alone")
	hand := flag.String("labels", "", "take roles of pictures that no material uses from this `file`")
	file := flag.String("write", "", "write names and roles to this `file`")
	most := flag.Int("most", 300, "of each folder write at most `N` names")
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
	fmt.Println("folder | pictures | right | unsure | wrong | data surely as colors | in two roles")
	for _, folder := range flag.Args() {
		truth, err := truthOf(folder, labels)
		if err != nil {
			log.Fatal(err)
		}
		report(folder, truth, ask)
		for _, picture := range sample(truth, *most) {
			fmt.Fprintf(&out, "%s/%s\t%s\n", filepath.Base(folder), picture, truth[picture])
		}
	}
	if *file != "" {
		if err := os.WriteFile(*file, out.Bytes(), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// sample returns the most names of least checksum, sorted.
func sample(truth map[string]string, most int) []string {
	pictures := slices.SortedFunc(maps.Keys(truth), func(a, b string) int {
		return cmp.Compare(xxhash.Sum64String(a), xxhash.Sum64String(b))
	})
	pictures = slices.DeleteFunc(pictures, func(p string) bool { return truth[p] == twice })
	pictures = pictures[:min(most, len(pictures))]
	slices.Sort(pictures)
	return pictures
}

// An answer is what a picture is taken for.
type answer struct {
	role   role.Role
	unsure bool
	says   string // what says so
}

// byName asks the name of a picture.
func byName(folder, picture string) (answer, bool) {
	named := role.OfPath(filepath.Base(folder) + "/" + picture)
	return answer{named.Role(), named == role.PerhapsNormal || named == role.PerhapsData, "its path says " + named.String()}, true
}

// byRecipe asks the recipe, with its default options. It is unsure where it warns.
func byRecipe(folder, picture string) (answer, bool) {
	o := image.Recipe().New().(*image.Image)
	o.Named = role.OfPath(picture).String()
	tree := os.DirFS(folder)
	info, err := fs.Stat(tree, picture)
	if err != nil {
		return answer{}, false
	}
	job := recipe.NewJob(recipetest.Env(image.Recipe(), tree, picture), info.Size())
	lines, err := o.Explain(context.Background(), job)
	if err != nil {
		return answer{}, false
	}
	for _, line := range lines {
		if says, ok := strings.CutPrefix(line, "role "); ok {
			word, _, _ := strings.Cut(says, ":")
			return answer{role.Parse(word), len(job.Warnings()) > 0, says}, true
		}
	}
	return answer{}, false
}

// report prints how often the answers are true, and those that are not.
func report(folder string, truth map[string]string, ask func(folder, picture string) (answer, bool)) {
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

// twice marks pictures that are used in more than one role.
const twice = "twice"

// truthOf returns the role of each picture that a material of the folder uses, or that a label names.
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
			shown := strings.TrimSuffix(rel, ".cached.dds") // packages of 0 A.D. have pictures cooked
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
		t.read(text)
	}
	t.label(labels)
	return t.truth, nil
}
