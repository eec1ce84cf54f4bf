package optimize

import (
	"context"
)

// FetchOrder numbers the vertices in the order of their first use. Vertex v becomes
// remap[v], or leaves the mesh where that is [Unused]; used are left.
func FetchOrder(ctx context.Context, indices []uint32, vertices int) (remap []uint32, used int, err error) {
	if err := CheckTriangles(indices, vertices); err != nil {
		return nil, 0, err
	}
	remap = make([]uint32, vertices)
	for v := range remap {
		remap[v] = Unused
	}
	look := pace{ctx: ctx}
	for _, v := range indices {
		if err := look.step(1); err != nil {
			return nil, 0, err
		}
		if remap[v] == Unused {
			remap[v] = uint32(used)
			used++
		}
	}
	return remap, used, nil
}
