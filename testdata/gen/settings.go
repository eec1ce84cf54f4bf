package main

// Settings in the formats that people like to write and games do not like to read,
// and the schema of a table.

// weatherYAML has anchors, aliases and merge keys, and words that are no booleans in
// YAML 1.2.
const weatherYAML = `# Weather, by level. What a weather does not say it has from the fair one.
fair: &fair
  wind: 1.5          # metres per second
  gusts: no          # the word, since YAML 1.2; nobody asks for gusts in fair weather
  visibility: 2000
  grip: { asphalt: 1.0, pebbles: 0.72, sand: 0.55, grass: 0.6 }
  sounds: [audio/engine_loop.wav]

rain: &rain
  <<: *fair
  visibility: 400
  grip: { asphalt: 0.7, pebbles: 0.61, sand: 0.6, grass: 0.41 }
  puddles: { count: 0x1e, depth: 0.04 }

storm:
  <<: [{ wind: 17 }, *rain]   # the first that has a key wins
  gusts: often
  forecast: |
    Stones of up to two centimetres.
    Stay on the asphalt.

levels:
  gravel_garden: [*fair, *rain]
  crater_loop: ["no weather, no air"]
  ring_road: ~
`

const controlsJSONC = `// Controls. Keys are named by what is printed on an English keyboard.
{
  "keyboard": {
    "left":  ["A", "Left"],
    "right": ["D", "Right"],
    "gas":   ["W", "Up"],   // also starts the engine
    "brake": ["S", "Down"],
    "item":  ["Space"],     /* held: throws it back */
  },
  "gamepad": {
    "steer": { "axis": 0, "dead_zone": 0.12, "curve": 1.60, },
    "gas":   { "trigger": "right" },
    "item":  { "button": 0 }, // "//" in a text is no comment
    "help":  "https://pebble.example/controls",
  },
}
`

const seasonTOML = `# The season's calendar.
title = "Pebble Grand Prix, season of the long shadow"
points = [10, 6, 4, 3, 2, 1]
drop_worst = 1
first_race = 2031-04-12

[[race]]
level = "gravel_garden"
start = 2031-04-12T14:00:00Z
laps = 3
bonus = { fastest_lap = 1 }

[[race]]
level = "crater_loop"
start = 2031-05-03T19:30:00+02:00
laps = 4
bonus = { fastest_lap = 1, no_bump = 2.5 }

[[race]]
level = "ring_road"
start = 2031-05-31T09:00:00Z
laps = 5
`

// kartsSchema describes karts.csv once its rows are objects, and the columns of
// numbers numbers.
const kartsSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Karts",
  "type": "array",
  "minItems": 1,
  "items": { "$ref": "#/$defs/kart" },
  "$defs": {
    "kart": {
      "type": "object",
      "properties": {
        "id": { "type": "string", "pattern": "^[a-z][a-z_]*$" },
        "name": { "type": "string", "minLength": 1 },
        "model": { "type": "string", "pattern": "^models/.+\\.(gltf|glb)$" },
        "texture": { "type": "string", "pattern": "^textures/.+\\.png$" },
        "top_speed_kmh": { "type": "integer", "minimum": 60, "maximum": 200 },
        "acceleration": { "$ref": "#/$defs/share" },
        "grip": { "$ref": "#/$defs/share" },
        "notes": { "type": "string", "maxLength": 80 }
      },
      "required": ["id", "name", "model", "texture", "top_speed_kmh", "acceleration", "grip"],
      "additionalProperties": false
    },
    "share": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 }
  }
}
`
