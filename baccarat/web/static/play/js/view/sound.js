// Sounds made here, from noise and tones, and a voice that calls the game: both as the player prefers.

import { languageNow } from "../words/index.js";

export class Sound {
  constructor(preferences) {
    this.preferences = preferences;
    this.context = null;
  }

  ready() {
    if (!this.preferences().sound || !window.AudioContext) return null;
    this.context ??= new AudioContext();
    if (this.context.state === "suspended") this.context.resume();
    return this.context;
  }

  burst({ length, frequency, gain, type = "bandpass" }) {
    const context = this.ready();
    if (!context) return;
    const frames = Math.ceil(context.sampleRate * length);
    const buffer = context.createBuffer(1, frames, context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < frames; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / frames) ** 2;
    const [source, filter, volume] = [context.createBufferSource(), context.createBiquadFilter(), context.createGain()];
    source.buffer = buffer;
    Object.assign(filter, { type });
    filter.frequency.value = frequency;
    volume.gain.value = gain;
    source.connect(filter).connect(volume).connect(context.destination);
    source.start();
  }

  card() {
    this.burst({ length: 0.12, frequency: 2600, gain: 0.25 });
  }

  chip() {
    this.burst({ length: 0.05, frequency: 4200, gain: 0.5 });
    this.burst({ length: 0.03, frequency: 6500, gain: 0.3 });
  }

  chips() {
    for (let i = 0; i < 4; i++) setTimeout(() => this.chip(), i * 70);
  }

  say(words) {
    if (!this.preferences().voice || !window.speechSynthesis) return;
    const spoken = new SpeechSynthesisUtterance(words);
    spoken.lang = languageNow();
    speechSynthesis.speak(spoken);
  }
}
