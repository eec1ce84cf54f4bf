#version 300 es
precision highp float;
uniform sampler2D picture;
uniform vec3 tint;
in vec2 at;
out vec4 color;

void main() {
  vec4 texel = texture(picture, at);
  color = vec4(texel.rgb * tint, 1.0);
}
