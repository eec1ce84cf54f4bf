package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/dependency"
)

// validate checks that no accessor can leave its section, and that rows are sorted without
// duplicates.
func (x *flat) validate() error { return x.checkColumns(false) }

// checkPatched checks a base after the changes file was applied, as openFlat checks a new base.
func (x *flat) checkPatched() error {
	if err := x.checkSeals(0, sectionCount); err != nil {
		return err
	}
	if err := x.checkColumns(true); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

func (x *flat) checkColumns(patched bool) error {
	if x.sections[secContents].count != x.nodes().len() {
		return errors.New("the number of contents is not the number of nodes")
	}
	for _, validate := range [...]func(*flat) error{
		func(x *flat) error { return validateFolders(x, patched) },
		func(x *flat) error { return validateNodes(x, patched) },
		validateOrders, validateStrings, validateActions, validateMethods,
	} {
		if err := validate(x); err != nil {
			return err
		}
	}
	return nil
}

func validateNodes(x *flat, patched bool) error {
	for i := range x.nodes().len() {
		passedRow(x, i, NodeBytes)
		r := x.row(secNodes, i)
		if err := validateName(x, r); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		a := binary.LittleEndian.Uint32(r[nodeActionAt:])
		if a != noAction && int(a) >= x.actions().len() || a == noAction && x.nodes().roleOf(i) == Made {
			return fmt.Errorf("node %d refers to action %d, which does not exist", i, a)
		}
		flags := binary.LittleEndian.Uint32(r[nodeFlagsAt:])
		if patched {
			flags &^= nodeDead
		}
		if x.nodes().roleOf(i) > ghost || flags&^(nodeRole|nodeSettled) != 0 {
			return fmt.Errorf("node %d has the invalid flags %#x", i, flags)
		}
		if bytes.IndexByte(x.name(r), 0) < 0 {
			continue // names without an inner NUL are plain file names, which are always valid
		}
		folder := binary.LittleEndian.Uint32(r[nodeFolderAt:])
		if int(folder) >= x.folders().len() {
			return fmt.Errorf("node %d refers to directory %d, which does not exist", i, folder)
		}
		if _, err := dependency.Decode(x.nodes().nodePath(i)); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	return nil
}

// validateOrders checks the references in the sections that are sorted by path, and their order.
func validateOrders(x *flat) error {
	for s, limit := range map[int]int{secByPath: x.nodes().len(), secConfigs: x.nodes().len(), secMade: x.nodes().len(), secByOutput: x.artifacts().len()} {
		for i := range x.sections[s].count {
			passedRow(x, i, rowSize[s])
			if x.refAtRow(s, i) >= limit {
				return fmt.Errorf("section %d row %d refers to row %d, which does not exist", s, i, x.refAtRow(s, i))
			}
		}
	}
	configs := 0
	for i := range x.files().len() {
		passedRow(x, i, NodeBytes)
		node := x.refAtRow(secByPath, i)
		switch r := x.nodes().roleOf(node); {
		case r > Ignore:
			return fmt.Errorf("file %d has the invalid role %d", i, r)
		case r == Config && (configs == x.sections[secConfigs].count || x.refAtRow(secConfigs, configs) != node):
			return fmt.Errorf("file %d is a rule file, but the list of rule files lacks it", i)
		case r == Config:
			configs++
		}
	}
	if configs != x.sections[secConfigs].count {
		return errors.New("the list of rule files has the wrong length")
	}
	for i := range x.artifacts().len() {
		passedRow(x, i, NodeBytes)
		if r := x.nodes().roleOf(x.refAtRow(secMade, i)); r != Made {
			return fmt.Errorf("artifact %d has the invalid role %d", i, r)
		}
	}
	for i := 1; i < x.files().len(); i++ {
		passedRow(x, i, NodeBytes)
		if x.nodes().compareNodes(x.refAtRow(secByPath, i-1), x.refAtRow(secByPath, i)) >= 0 {
			return fmt.Errorf("file %d is out of order", i)
		}
	}
	if x.sections[secByOutput].count != x.artifacts().len() {
		return errors.New("the list of outputs does not have all artifacts")
	}
	for i := 1; i < x.artifacts().len(); i++ {
		passedRow(x, i, NodeBytes)
		if x.nodes().compareNodes(x.refAtRow(secMade, x.refAtRow(secByOutput, i-1)), x.refAtRow(secMade, x.refAtRow(secByOutput, i))) > 0 {
			return fmt.Errorf("output %d is out of order", i)
		}
	}
	return nil
}

func validateStrings(x *flat) error {
	for s, at := range map[int][2]int{secDeps: {0, 2}, secActions: {actionTargetAt, 3}, secMade: {madeRoleAt, 1}, secFields: {0, 2}} {
		for i := range x.sections[s].count {
			passedRow(x, i, rowSize[s])
			for k := range at[1] {
				d := decoder{b: x.row(s, i)[at[0]+k*strSize:]}
				offset, length := uint64(d.u32()), uint64(d.u32())
				if total := uint64(x.sections[secStrings].count); offset > total || length > total-offset {
					return fmt.Errorf("section %d row %d refers to text outside the index", s, i)
				}
			}
		}
	}
	for i := range x.deps().len() {
		name, key := x.stringAt(x.row(secDeps, i)), x.deps().depPath(i)
		if bytes.IndexByte(name, 0) < 0 && bytes.IndexByte(key, 0) < 0 {
			continue // strings without a NUL are plain file names, which are always valid
		}
		if _, err := decodeDep(string(name), string(key)); err != nil {
			return fmt.Errorf("dependency %d: %w", i, err)
		}
	}
	return nil
}

func validateMethods(x *flat) error {
	fields := uint64(0)
	for i := range x.methodCount() {
		d := decoder{b: x.row(secMethods, i)}
		first, n := d.u64(), d.u64()
		if first != fields || n > math.MaxInt32 {
			return fmt.Errorf("the fields of method %d are out of order", i)
		}
		fields += n
	}
	if fields != uint64(x.sections[secFields].count) {
		return errors.New("some fields belong to no method")
	}
	return nil
}

func validateFolders(x *flat, patched bool) error {
	known := uint32(folderTree | folderListed | folderOdd | folderFresh)
	if patched {
		known |= folderDead
	}
	next := 0
	for i := range x.folders().len() {
		r := x.row(secFolders, i)
		if err := errors.Join(validateName(x, r), validateName(x, r[folderRealAt:])); err != nil {
			return fmt.Errorf("directory %d: %w", i, err)
		}
		f := x.folders().decodeFolder(i)
		if bytes.IndexByte(f.Path, 0) >= 0 {
			return fmt.Errorf("the path of directory %d contains a NUL byte", i)
		}
		if flags := binary.LittleEndian.Uint32(r[folderFlagsAt:]); f.Tree >= trees || flags&^known != 0 {
			return fmt.Errorf("directory %d has the invalid flags %#x", i, flags)
		}
		if f.First != next || f.Count > x.nodes().len()-next || f.End <= i || f.End > x.folders().len() {
			return fmt.Errorf("the nodes of directory %d are out of order", i)
		}
		if i > 0 {
			last := x.folders().decodeFolder(i - 1)
			if c := cmp.Or(cmp.Compare(last.Tree, f.Tree), bytes.Compare(last.Path, f.Path)); c >= 0 {
				return fmt.Errorf("directory %d is out of order", i)
			}
		}
		for n := range f.Count {
			if int(binary.LittleEndian.Uint32(x.row(secNodes, next+n)[nodeFolderAt:])) != i {
				return fmt.Errorf("directory %d contains a node of another directory", i)
			}
		}
		next += f.Count
	}
	if next != x.nodes().len() {
		return errors.New("some nodes belong to no directory")
	}
	return nil
}

// validateName checks that a name is inside its section and ends with a NUL.
func validateName(x *flat, ref []byte) error {
	offset, length := uint64(binary.LittleEndian.Uint32(ref)), uint64(binary.LittleEndian.Uint32(ref[4:]))
	total := uint64(x.sections[secNames].count)
	if offset+length >= total || x.data[x.sections[secNames].offset+int(offset+length)] != 0 {
		return errors.New("the name is outside the index")
	}
	return nil
}

func validateActions(x *flat) error {
	deps, made := uint64(0), uint64(0)
	for i := range x.actions().len() {
		passedRow(x, i, actionSize)
		d := decoder{b: x.row(secActions, i)}
		source, state, method := d.u32(), d.u32(), d.u32()
		nDeps, nMade := uint64(d.u32()), uint64(d.u32())
		d.u32()
		firstDep, firstMade := uint64(d.u32()), uint64(d.u32())
		switch {
		case int(source) >= x.nodes().len():
			return fmt.Errorf("action %d refers to source %d, which does not exist", i, source)
		case state > uint32(Failed):
			return fmt.Errorf("action %d has the invalid state %d", i, state)
		case int(method) >= x.methodCount():
			return fmt.Errorf("action %d refers to method %d, which does not exist", i, method)
		case firstDep != deps || firstMade != made:
			return fmt.Errorf("the dependencies or artifacts of action %d are out of order", i)
		}
		deps, made = deps+nDeps, made+nMade
		if i > 0 {
			c := x.nodes().compareNodes(x.actions().sourceNode(i-1), x.actions().sourceNode(i))
			if c > 0 || c == 0 && bytes.Compare(x.actions().actionTarget(i-1), x.actions().actionTarget(i)) >= 0 {
				return fmt.Errorf("action %d is out of order", i)
			}
		}
	}
	if deps != uint64(x.deps().len()) || made != uint64(x.artifacts().len()) {
		return errors.New("some dependencies or artifacts belong to no action")
	}
	return nil
}
