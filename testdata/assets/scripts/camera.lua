-- Looks down on the kart from behind and runs a little late.
local camera = { x = 0, y = 18, z = -9, lag = 0.15 }

function camera:follow(kart, dt)
  local keep = self.lag ^ dt
  self.x = kart.x + (self.x - kart.x) * keep
  self.z = kart.z - 9 + (self.z - kart.z + 9) * keep
  self.y = 18 + kart.speed * 0.12
end

return camera
