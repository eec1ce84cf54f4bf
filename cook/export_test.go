package cook

// ListAll returns options under which every folder is listed, as on a system
// where the stamps of folders tell nothing.
func ListAll(opt Options) Options {
	opt.listAll = true
	return opt
}
