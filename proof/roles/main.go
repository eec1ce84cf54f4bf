// Roles compares what the names of pictures say of them with what materials use them for.
//
//	go run ./proof/roles [-write FILE] [-most N] FOLDER...
//
// A folder holds the sources of a game or a set of models. Its materials tell the truth: those of
// glTF, GLB, MTL, Godot, Gazebo, Cube 2, 0 A.D. and SuperTuxKart. Pictures that materials use in
// two roles are left out, and slots that hold either colors or numbers, as those for speculars.
// -write keeps at most N names of each folder, the ones of least checksum, for
// internal/image/role/testdata/slots.tsv.
package main

import (
	"bufio"
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

	"github.com/assetcook/assetcook/internal/image/role"
)

func main() {
	log.SetFlags(0)
	file := flag.String("write", "", "write names and roles to this `file`")
	most := flag.Int("most", 300, "of each folder write at most `N` names")
	flag.Parse()
	var out *bufio.Writer
	if *file != "" {
		f, err := os.Create(*file)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		out = bufio.NewWriter(f)
		defer out.Flush()
	}
	fmt.Println("folder | pictures | right | left to pixels | unsure | wrong | data surely as colors | in two roles")
	for _, folder := range flag.Args() {
		truth, err := truthOf(folder)
		if err != nil {
			log.Fatal(err)
		}
		name := filepath.Base(folder)
		report(name, truth)
		if out != nil {
			for _, picture := range sample(truth, *most) {
				fmt.Fprintf(out, "%s/%s\t%s\n", name, picture, truth[picture])
			}
		}
	}
}

// sample returns the most names of least checksum, sorted.
func sample(truth map[string]string, most int) []string {
	pictures := slices.SortedFunc(maps.Keys(truth), func(a, b string) int {
		x, y := xxhash.Sum64String(a), xxhash.Sum64String(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	pictures = slices.DeleteFunc(pictures, func(p string) bool { return truth[p] == twice })
	pictures = pictures[:min(most, len(pictures))]
	slices.Sort(pictures)
	return pictures
}

// report prints how often the names of a folder tell the truth, and the names that do not.
func report(folder string, truth map[string]string) {
	var right, left, unsure, wrong, lies, both int
	var lines []string
	for _, picture := range slices.Sorted(maps.Keys(truth)) {
		want := truth[picture]
		if want == twice {
			both++
			continue
		}
		named := role.OfPath(folder + "/" + picture)
		switch {
		case named == role.PerhapsNormal:
			left++
		case named == role.PerhapsData:
			unsure++
		case role.Meaning(named.Role()) == role.Meaning(role.Parse(want)):
			right++
		default:
			wrong++
			if role.Meaning(role.Parse(want)) != "color" && role.Meaning(named.Role()) == "color" {
				lies++
			}
			lines = append(lines, fmt.Sprintf("\t%s is %s, its path says %v", picture, want, named))
		}
	}
	fmt.Printf("%s | %d | %d | %d | %d | %d | %d | %d\n", folder, len(truth)-both, right, left, unsure, wrong, lies, both)
	for _, line := range lines {
		fmt.Println(line)
	}
}

// twice marks pictures that are used in more than one role.
const twice = "twice"

// truthOf returns the role of each picture that a material of the folder uses.
func truthOf(folder string) (map[string]string, error) {
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
	return t.truth, nil
}
