// Ebitengine is a small game with cooked assets: catch the falling coins. It reloads edited assets
// while it runs, and shows its counters. Run it in its directory:
//
//	cook -watch &
//	go run .
//
// Then edit an image or a sound in testdata/assets. The arrow keys move the player; F1 hides the
// counters.
package main

import (
	"context"
	"flag"
	"fmt"
	"image/color"
	"log"
	"math/rand/v2"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/assetcook/assetcook/profile/counters"
)

const (
	width, height = 640, 480
	coinSide      = 32
	playerSide    = 64
)

// These are the file names of the game's cooked assets.
const (
	groundImage = "textures/terrain/pebbles.png"
	playerImage = "textures/kart/tyre.png"
	coinImage   = "textures/ui/badge.png"
	catchSound  = "audio/coin.wav"
	missSound   = "audio/bump.wav"
)

type coin struct{ x, y, speed float64 }

type game struct {
	assets         *assets
	player         float64
	coins          []coin
	caught, missed int

	set          *counters.Set
	shown        bool // whether the counters are on the screen
	update, draw *counters.Timer
	drawn        *counters.Counter
	loaded       *counters.Gauge
	falling      *counters.Gauge
}

func main() {
	out := flag.String("out", "cooked", "output directory of cook")
	flag.Parse()
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowTitle("catch the coins")
	set := counters.New(counters.Options{})
	assets := follow(context.Background(), *out)
	if err := assets.load(groundImage, playerImage, coinImage, catchSound, missSound); err != nil {
		log.Fatalf("%v; run cook in this directory first", err)
	}
	if err := ebiten.RunGame(newGame(assets, set)); err != nil {
		log.Fatal(err)
	}
}

func newGame(a *assets, set *counters.Set) *game {
	return &game{
		assets: a, player: (width - playerSide) / 2, set: set, shown: true,
		update: set.Timer("update"), draw: set.Timer("draw"),
		drawn: set.Counter("images drawn"), loaded: set.Gauge("assets loaded again"), falling: set.Gauge("coins falling"),
	}
}

func (g *game) Layout(int, int) (int, int) { return width, height }

// Update advances the game by a sixtieth of a second.
func (g *game) Update() error {
	defer g.update.Begin().End()
	g.assets.reload()
	g.loaded.Set(float64(g.assets.loaded))
	if inpututil.IsKeyJustPressed(ebiten.KeyF1) {
		g.shown = !g.shown
	}
	if ebiten.IsKeyPressed(ebiten.KeyLeft) {
		g.player -= 6
	}
	if ebiten.IsKeyPressed(ebiten.KeyRight) {
		g.player += 6
	}
	g.player = min(max(g.player, 0), width-playerSide)
	if rand.IntN(40) == 0 {
		g.coins = append(g.coins, coin{rand.Float64() * (width - coinSide), -coinSide, 1 + 3*rand.Float64()})
	}
	g.fall()
	g.falling.Set(float64(len(g.coins)))
	return nil
}

// fall moves the coins and removes coins that have reached the ground.
func (g *game) fall() {
	left := g.coins[:0]
	for _, c := range g.coins {
		c.y += c.speed
		switch {
		case c.y < height-playerSide:
			left = append(left, c)
		case c.x+coinSide > g.player && c.x < g.player+playerSide:
			g.caught++
			g.assets.play(catchSound)
		case c.y < height:
			left = append(left, c)
		default:
			g.missed++
			g.assets.play(missSound)
		}
	}
	g.coins = left
}

// Draw draws a frame, and then ends the frame of the counters.
func (g *game) Draw(screen *ebiten.Image) {
	span := g.draw.Begin()
	screen.Fill(color.Black)
	ground := g.assets.images[groundImage].Bounds().Size()
	for y := 0; y < height; y += ground.Y {
		for x := 0; x < width; x += ground.X {
			g.image(screen, groundImage, float64(x), float64(y), float64(ground.X))
		}
	}
	for _, c := range g.coins {
		g.image(screen, coinImage, c.x, c.y, coinSide)
	}
	g.image(screen, playerImage, g.player, height-playerSide, playerSide)
	ebitenutil.DebugPrintAt(screen, fmt.Sprintf("%d caught, %d missed", g.caught, g.missed), width-140, 4)
	if g.shown {
		g.counters(screen)
	}
	span.End()
	g.set.PushFrame(time.Now())
}

// image draws an image, scaled to the given width.
func (g *game) image(screen *ebiten.Image, name string, x, y, w float64) {
	m, at := g.assets.images[name], &ebiten.DrawImageOptions{}
	scale := w / float64(m.Bounds().Dx())
	at.GeoM.Scale(scale, scale)
	at.GeoM.Translate(x, y)
	screen.DrawImage(m, at)
	g.drawn.Add(1)
}

// counters draws the counters of the last frame.
func (g *game) counters(screen *ebiten.Image) {
	_, last := g.set.LastFrame()
	y := 4
	for _, s := range last {
		text := fmt.Sprintf("%s: %g", s.Name, s.Value())
		if s.Kind == counters.KindTimer {
			text = fmt.Sprintf("%s: %.2f ms", s.Name, s.Value()/1e6)
		}
		ebitenutil.DebugPrintAt(screen, text, 4, y)
		y += 16
	}
	if g.assets.fault != nil {
		ebitenutil.DebugPrintAt(screen, g.assets.fault.Error(), 4, y)
	}
}
