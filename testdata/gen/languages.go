package main

// addLanguages adds the texts of the game. They hold right-to-left and
// combining letters, an emoji of several code points and escapes.
func addLanguages(t *tree) {
	const dir = "data/lang/"
	t.addText(dir+"en.json", `{
  "_language": "English",
  "title": "Pebble Grand Prix",
  "menu.start": "Start race",
  "menu.quit": "Quit",
  "hud.lap": "Lap {n} of {total}",
  "hud.wrong_way": "Wrong way!",
  "level.gravel_garden": "Gravel Garden",
  "level.crater_loop": "Crater Loop",
  "level.ring_road": "Ring Road",
  "finish": "Finished \ud83c\udfc1 in {time}"
}
`)
	t.addText(dir+"de.json", `{
  "_language": "Deutsch",
  "title": "Großer Preis der Kiesel",
  "menu.start": "Rennen starten",
  "menu.quit": "Beenden",
  "hud.lap": "Runde {n} von {total}",
  "hud.wrong_way": "Falsche Richtung!",
  "level.gravel_garden": "Kiesgärtchen",
  "level.crater_loop": "Kraterrunde",
  "level.ring_road": "Ringstraße",
  "finish": "Im Ziel 🏁 nach {time}"
}
`)
	t.addText(dir+"ja.json", `{
  "_language": "日本語",
  "title": "小石グランプリ",
  "menu.start": "レース開始",
  "menu.quit": "終了",
  "hud.lap": "{total}周中{n}周目",
  "hud.wrong_way": "逆走です!",
  "level.gravel_garden": "砂利の庭",
  "level.crater_loop": "クレーター周回",
  "level.ring_road": "環状道路",
  "finish": "ゴール 🏁 {time}"
}
`)
	t.addText(dir+"ar.json", `{
  "_language": "العربية",
  "_direction": "rtl",
  "title": "جائزة الحصى الكبرى",
  "menu.start": "ابدأ السباق",
  "menu.quit": "خروج",
  "hud.lap": "اللفة {n} من {total}",
  "hud.wrong_way": "اتجاه خاطئ!",
  "level.gravel_garden": "حديقة الحصى",
  "level.crater_loop": "حلقة الفوهة",
  "level.ring_road": "الطريق الدائري",
  "finish": "النهاية 🏁 {time}",
  "_samples": [ "e\u0301 = é", "👩🏽‍🚀", "\u200fعكس\u200e", "\ufeff" ]
}
`)
}
