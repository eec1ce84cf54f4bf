// Package inspect is the tab of a viewer that shows what was cooked: a table of all assets
// of a project, why each is as it is, the runs, and every asset itself, source beside what
// was made of it: textures, sound, meshes, fonts, text and bytes.
//
//	tab, err := inspect.Tab(inspect.Options{Dir: "assets", Program: "cook"})
//	view.New(view.Sources{Tabs: []view.Tab{tab}, Token: view.NewToken()})
//
// What earlier runs left is read from the index and the history, which takes no lock and
// changes nothing. What needs the project's recipes is asked of the program that cooks it:
// why an asset would be cooked, and to cook it again.
//
// Names of assets are seen by whoever may see the page. What is in files is answered to
// requests with the token only, which are therefore POST; nothing outside of the asset
// folder and the output folder is opened, and of the latter only what the index lists.
package inspect
