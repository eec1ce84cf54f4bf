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
		flags := binary.LittleEndian.Uint32(r[nodeFlagsAt:])
		if err := validateName(x, binary.LittleEndian.Uint32(r), flags>>nodeLengthShift); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		if err := validateContent(x, r[nodeContentAt:]); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		a := binary.LittleEndian.Uint32(r[nodeActionAt:])
		if a != noAction && int(a) >= x.actions().len() || a == noAction && x.nodes().roleOf(i) == Made {
			return fmt.Errorf("node %d refers to action %d, which does not exist", i, a)
		}
		if x.nodes().roleOf(i) > ghost || flags&nodeDead != 0 && !patched {
			return fmt.Errorf("node %d has the invalid flags %#x", i, flags)
		}
		if bytes.IndexByte(withoutNUL(x.nodes().nodeName(r)), 0) < 0 {
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
	texts := x.data[x.sections[secStrings].offset:][:x.sections[secStrings].count]
	for s, at := range map[int][2]int{secDeps: {0, 2}, secShared: {sharedTargetAt, 3}, secMade: {madeRoleAt, 1}, secFields: {0, 2}} {
		for i := range x.sections[s].count {
			passedRow(x, i, rowSize[s])
			for k := range at[1] {
				offset := uint64(binary.LittleEndian.Uint32(x.row(s, i)[at[0]+k*strSize:]))
				if offset+textHead > uint64(len(texts)) || uint64(binary.LittleEndian.Uint32(texts[offset:])) > uint64(len(texts))-offset-textHead {
					return fmt.Errorf("section %d row %d refers to text outside the index", s, i)
				}
			}
		}
	}
	for i := range x.deps().len() {
		if err := validateContent(x, x.row(secDeps, i)[depContentAt:]); err != nil {
			return fmt.Errorf("dependency %d: %w", i, err)
		}
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
		for _, ref := range [...][]byte{r, r[folderRealAt:]} {
			if err := validateName(x, binary.LittleEndian.Uint32(ref), binary.LittleEndian.Uint32(ref[4:])); err != nil {
				return fmt.Errorf("directory %d: %w", i, err)
			}
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
func validateName(x *flat, offset, length uint32) error {
	end := uint64(offset) + uint64(length)
	if end >= uint64(x.sections[secNames].count) || x.data[x.sections[secNames].offset+int(end)] != 0 {
		return errors.New("the name is outside the index")
	}
	return nil
}

// validateContent checks that a reference to a content is inside its section.
func validateContent(x *flat, ref []byte) error {
	if i := binary.LittleEndian.Uint32(ref); i != noContent && uint64(i) >= uint64(x.sections[secContents].count) {
		return fmt.Errorf("the content %d does not exist", i)
	}
	return nil
}

func validateActions(x *flat) error {
	for i := range x.sections[secShared].count {
		r := x.row(secShared, i)
		if method := binary.LittleEndian.Uint32(r[sharedMethodAt:]); uint64(method) >= uint64(x.methodCount()) {
			return fmt.Errorf("the shared facts %d refer to method %d, which does not exist", i, method)
		}
		if flags := binary.LittleEndian.Uint32(r[sharedFlagsAt:]); flags&^(sharedFailed|sharedWarned) != 0 {
			return fmt.Errorf("the shared facts %d have the invalid flags %#x", i, flags)
		}
	}
	var lastTarget []byte
	for i := range x.actions().len() {
		passedRow(x, i, actionSize)
		d := decoder{b: x.row(secActions, i)}
		source, shared := d.u32(), d.u32()
		firstDep, deps := x.actions().depRange(i)
		firstMade, made := x.actions().artifactRange(i)
		switch {
		case uint64(source) >= uint64(x.nodes().len()):
			return fmt.Errorf("action %d refers to source %d, which does not exist", i, source)
		case uint64(shared) >= uint64(x.sections[secShared].count):
			return fmt.Errorf("action %d refers to the shared facts %d, which do not exist", i, shared)
		case min(firstDep, deps, firstMade, made) < 0 || i == 0 && max(firstDep, firstMade) > 0:
			return fmt.Errorf("the dependencies or artifacts of action %d are out of order", i)
		}
		if err := validateContent(x, x.row(secActions, i)[actionSourceAt:]); err != nil {
			return fmt.Errorf("action %d: %w", i, err)
		}
		target := x.stringAt(x.row(secShared, int(shared))[sharedTargetAt:])
		if i > 0 {
			c := x.nodes().compareNodes(x.actions().sourceNode(i-1), x.actions().sourceNode(i))
			if c > 0 || c == 0 && bytes.Compare(lastTarget, target) >= 0 {
				return fmt.Errorf("action %d is out of order", i)
			}
		}
		lastTarget = target
	}
	if x.actions().len() == 0 && x.deps().len()+x.artifacts().len() > 0 {
		return errors.New("some dependencies or artifacts belong to no action")
	}
	return nil
}
