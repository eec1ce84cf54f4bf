-- What lies on the track and what it does.
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
