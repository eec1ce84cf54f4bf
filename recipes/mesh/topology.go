package mesh

// dropDegenerate removes triangles two of whose corners are one vertex, unless all are.
func (g *geometry) dropDegenerate() {
	kept := make([]uint32, 0, len(g.indices))
	for i := 0; i+2 < len(g.indices); i += 3 {
		a, b, c := g.indices[i], g.indices[i+1], g.indices[i+2]
		if a != b && b != c && c != a {
			kept = append(kept, a, b, c)
		}
	}
	if len(kept) > 0 {
		g.indices = kept
	}
}
