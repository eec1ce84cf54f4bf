package gltfcheck

// A tour numbers the nodes of a forest in the order in which a walk from the roots meets
// them: what lies below a node has the numbers from first to last of it.
type tour struct{ first, last, root []int32 }

// makeTour walks over each node once. parent has no cycles.
func makeTour(d *Document, parent []int32) *tour {
	n := len(parent)
	t := &tour{first: make([]int32, n), last: make([]int32, n), root: make([]int32, n)}
	type step struct {
		node int32
		next int // child
	}
	met := int32(0)
	enter := func(node, root int32) step {
		met++
		t.first[node], t.root[node] = met, root
		return step{node: node}
	}
	for i := range parent {
		if parent[i] >= 0 {
			continue
		}
		for way := []step{enter(int32(i), int32(i))}; len(way) > 0; {
			at := &way[len(way)-1]
			children := d.Nodes[at.node].Children
			if at.next == len(children) {
				t.last[at.node] = met
				way = way[:len(way)-1]
				continue
			}
			child := children[at.next]
			at.next++
			if isIn(child, n) && parent[child] == at.node && t.first[child] == 0 {
				way = append(way, enter(child, int32(i)))
			}
		}
	}
	return t
}

func (c *check) skins() {
	d := c.doc
	if len(d.Skins) == 0 {
		return
	}
	var t *tour
	if c.parent != nil {
		t = makeTour(d, c.parent)
	}
	seen := make([]int32, len(d.Nodes)) // the last skin that has the joint, from 1
	for i := range d.Skins {
		s := &d.Skins[i]
		fine := t != nil && len(s.Joints) > 0
		for j, k := range s.Joints {
			switch {
			case !c.required(&s.Joints[j], len(d.Nodes), "node", "skin %d joint %d", i, j):
				fine = false
				continue
			case seen[k] == int32(i+1):
				c.faults.addFault("skin %d: lists joint %d twice", i, k)
			}
			seen[k] = int32(i + 1)
		}
		if fine {
			c.skeleton(t, i)
		} else {
			c.optional(s.Skeleton, len(d.Nodes), "node", "skin %d skeleton", i)
		}
		if c.optional(s.InverseBindMatrices, len(d.Accessors), "accessor", "skin %d inverseBindMatrices", i) {
			c.inverseBind(*s.InverseBindMatrices, len(s.Joints), i)
		}
	}
	if t != nil {
		c.skinnedScenes(t)
	}
}

func (c *check) inverseBind(accessor int32, joints, skin int) {
	c.use(accessor, ofMatrices)
	a := &c.doc.Accessors[accessor]
	if a.Count < int64(joints) {
		c.faults.addFault("skin %d: %d inverseBindMatrices for %d joints", skin, a.Count, joints)
	}
	if a.Type != "MAT4" || a.ComponentType != 5126 {
		c.faults.addFault("skin %d: inverseBindMatrices are %s, want MAT4 of componentType 5126", skin, a.format())
	}
}

// skeleton checks that the joints of a skin have a common root, and that this is its
// skeleton or below it.
func (c *check) skeleton(t *tour, skin int) {
	s := &c.doc.Skins[skin]
	low, high := t.first[s.Joints[0]], t.first[s.Joints[0]]
	for _, j := range s.Joints {
		if t.root[j] != t.root[s.Joints[0]] {
			c.faults.addFault("skin %d: joints %d and %d have no common root", skin, s.Joints[0], j)
			return
		}
		low, high = min(low, t.first[j]), max(high, t.first[j])
	}
	if !c.optional(s.Skeleton, len(c.doc.Nodes), "node", "skin %d skeleton", skin) {
		return
	}
	if k := *s.Skeleton; low < t.first[k] || high > t.last[k] {
		c.faults.addFault("skin %d: skeleton is node %d, which is no common root of the joints", skin, k)
	}
}

// skinnedScenes checks that scenes which show a skinned mesh have its joints.
func (c *check) skinnedScenes(t *tour) {
	d := c.doc
	in := make([][]int32, len(d.Nodes)) // the scenes of each root, in order
	for i := range d.Scenes {
		for _, n := range d.Scenes[i].Nodes {
			if isIn(n, len(in)) {
				in[n] = append(in[n], int32(i))
			}
		}
	}
	looked := map[[2]int32]bool{}
	for i := range d.Nodes {
		skin := d.Nodes[i].Skin
		if skin == nil || !isIn(*skin, len(d.Skins)) || len(d.Skins[*skin].Joints) == 0 {
			continue
		}
		joint := d.Skins[*skin].Joints[0]
		if !isIn(joint, len(d.Nodes)) {
			continue
		}
		pair := [2]int32{t.root[i], t.root[joint]}
		if looked[pair] || pair[0] == pair[1] {
			continue
		}
		looked[pair] = true
		if scene := firstNotIn(in[pair[0]], in[pair[1]]); scene >= 0 {
			c.faults.addFault("node %d: is in scene %d, the joints of its skin %d are not", i, scene, *skin)
		}
	}
}

// firstNotIn returns the first element of a that b does not have, -1 if it has all. Both
// are sorted.
func firstNotIn(a, b []int32) int32 {
	for _, x := range a {
		for len(b) > 0 && b[0] < x {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != x {
			return x
		}
	}
	return -1
}
