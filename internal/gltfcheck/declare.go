package gltfcheck

import (
	"maps"
	"slices"
)

// Quantization is the extension that allows vertices in fewer bits. It must be required
// where it is used.
const Quantization = "KHR_mesh_quantization"

// declare completes the document's lists of extensions: by those that its objects have,
// and those that are required.
func (d *Document) declare(w *walker) {
	undeclared := Mend{What: "an extension that extensionsUsed does not name", How: "entered there"}
	for _, name := range slices.Sorted(maps.Keys(w.named)) {
		if !slices.Contains(d.ExtensionsUsed, name) {
			undeclared.count(w.text, w.named[name])
			d.ExtensionsUsed = append(d.ExtensionsUsed, name)
		}
	}
	lists := Mend{What: "extensionsUsed and extensionsRequired contradict each other", How: "made consistent"}
	for _, name := range d.ExtensionsRequired {
		if !slices.Contains(d.ExtensionsUsed, name) {
			lists.count(w.text, 0)
			d.ExtensionsUsed = append(d.ExtensionsUsed, name)
		}
	}
	if slices.Contains(d.ExtensionsUsed, Quantization) && !slices.Contains(d.ExtensionsRequired, Quantization) {
		lists.count(w.text, 0)
		d.ExtensionsRequired = append(d.ExtensionsRequired, Quantization)
	}
	double := Mend{What: "an extension is named twice in a list", How: "one is left out"}
	for _, list := range []*[]string{&d.ExtensionsUsed, &d.ExtensionsRequired} {
		if once := unique(*list); len(once) < len(*list) {
			double.count(w.text, 0)
			*list = once
		}
	}
	for _, m := range []Mend{undeclared, lists, double} {
		if m.N > 0 {
			d.Mended = append(d.Mended, m)
		}
	}
}

// unique returns a list without what stands in it before.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}
