package dirfd

// implementations lists all implementations, which must pass the same tests: the implementation for
// this system, the portable implementation, and the implementation without openat2.
var implementations = []implementation{
	{"Folder", opener[Folder, File](Open)},
	{"root", opener[rootFolder, rootFile](openRootFolder)},
	{"steps", opener[stepFolder, fdFile](openStepFolder)},
}

// stepFolder resolves paths by opening one directory after another.
type stepFolder struct{ fdFolder }

func openStepFolder(name string) (stepFolder, error) {
	f, err := openFolder(name)
	return stepFolder{f}, err
}

func (f stepFolder) Sub(path []byte, beneath bool) (stepFolder, error) {
	if err := checkPath(path); err != nil {
		return stepFolder{}, err
	}
	sub, err := f.openByNames(path, beneath)
	return stepFolder{sub}, err
}
