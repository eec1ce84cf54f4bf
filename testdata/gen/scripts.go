package main

// addScripts adds the game's Lua.
func addScripts(t *tree) {
	const dir = "scripts/"
	t.addText(dir+"race.lua", raceLua)
	t.addText(dir+"items.lua", itemsLua)
	t.addText(dir+"camera.lua", cameraLua)
}

const raceLua = `-- The course of a race: countdown, laps, finish.
local items = require("scripts.items")

local race = {}
race.__index = race

local COUNTDOWN_SECONDS = 3

function race.new(level, karts)
  local self = setmetatable({}, race)
  self.level = level
  self.karts = karts
  self.clock = -COUNTDOWN_SECONDS
  self.order = {}
  for i, kart in ipairs(karts) do
    kart.lap, kart.check = 0, 0
    kart:place(level.start[i].at)
    self.order[i] = kart
  end
  return self
end

-- progress is a number that grows along the track, for the ranking.
local function progress(self, kart)
  return kart.lap * #self.level.waypoints + kart.check
end

function race:update(dt)
  local before = math.floor(self.clock)
  self.clock = self.clock + dt
  if self.clock < 0 then
    if math.floor(self.clock) ~= before then
      sound.play("audio/countdown_beep.wav")
    end
    return
  end
  for _, kart in ipairs(self.karts) do
    kart:drive(dt)
    self:pass_waypoints(kart)
    items.collect(self.level, kart)
  end
  table.sort(self.order, function(a, b) return progress(self, a) > progress(self, b) end)
end

function race:pass_waypoints(kart)
  local count = #self.level.waypoints
  local nearest = kart:nearest_waypoint(self.level.waypoints)
  if nearest == (kart.check + 1) % count then
    kart.check = nearest
    if nearest == 0 then
      kart.lap = kart.lap + 1
      if kart.lap == self.level.laps then
        kart.finished = self.clock
        sound.play("audio/finish_fanfare.wav")
      end
    end
  end
end

return race
`

const itemsLua = `-- What lies on the track and what it does.
local items = {}

local REACH = 1.5 -- metres

local effects = {
  score = function(kart, e) kart.coins = kart.coins + e.amount end,
  speed = function(kart, e) kart:boost(e.factor, e.seconds) end,
  slow = function(kart, e)
    for _, other in ipairs(kart:karts_in_arc(e.arc)) do
      other:boost(e.factor, e.seconds)
    end
  end,
  pull = function(kart, e) kart:attract("coin", e.radius, e.seconds) end,
  shield = function(kart, e) kart.shield = e.hits end,
}

function items.collect(level, kart)
  for _, pickup in ipairs(level.pickups) do
    if not pickup.taken and kart:distance_to(pickup.at) < REACH then
      pickup.taken = true
      sound.play("audio/coin.wav")
      local item = data.items[pickup.item]
      effects[item.effect.kind](kart, item.effect)
    end
  end
end

return items
`

const cameraLua = `-- Looks down on the kart from behind and runs a little late.
local camera = { x = 0, y = 18, z = -9, lag = 0.15 }

function camera:follow(kart, dt)
  local keep = self.lag ^ dt
  self.x = kart.x + (self.x - kart.x) * keep
  self.z = kart.z - 9 + (self.z - kart.z + 9) * keep
  self.y = 18 + kart.speed * 0.12
end

return camera
`
