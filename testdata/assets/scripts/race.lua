-- The course of a race: countdown, laps, finish.
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
