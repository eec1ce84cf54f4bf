// Package inspect is the assets tab of the viewer: a table of all assets of a project, the reasons of
// each, the runs, and every source beside its artifacts: textures, sound, meshes, fonts, text and
// bytes.
//
//	tab, err := inspect.Tab(inspect.Options{Dir: "assets", Program: "cook"})
//	view.New(view.Sources{Tabs: []view.Tab{tab}, Token: view.NewToken()})
//
// The tab reads the index and the history, without a lock and without a change. For answers that
// need the recipes of the project it starts the program that cooks it: for the reasons of an asset,
// and to cook it again.
//
// Everyone who may see the page sees the names of assets. Only requests with the token, which are
// therefore POST, get the content of files. The tab opens nothing outside the asset directory and the
// output directory, and in the output directory only files that the index lists.
package inspect
