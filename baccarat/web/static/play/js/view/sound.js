// The table's sounds, which deploy/sounds.py makes, and a voice that calls the game.

import { currentLanguage } from "../messages/index.js";

/** @import { Preferences } from "../core/preferences.js" */

/** The files of each sound: of several, one is played at random. */
const FILES = {
  card: ["card-1", "card-2"], turn: ["turn"], chip: ["chip-1", "chip-2", "chip-3"], chips: ["chips"], win: ["win"], tick: ["tick"], closed: ["closed"],
};
const FOLDER = new URL("../../sounds/", import.meta.url);

/** Plays sounds as the player prefers, and none before the first gesture on the page: browsers forbid that. */
export class Sound {
  /** @param {() => Preferences} preferences */
  constructor(preferences) {
    this.preferences = preferences;
    /** The framing page wants no sound. */
    this.muted = false;
    this.paused = false;
    /** @type {AudioContext | null} */
    this.context = null;
    /** @type {Map<string, Promise<AudioBuffer>>} */
    this.buffers = new Map();
    for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, () => this.start(), { capture: true });
  }

  /** Begin to play, or go on after the browser has suspended the page. */
  start() {
    if (!this.preferences().values.sound) return;
    if (!this.context) {
      this.context = new AudioContext();
      this.loadAll(this.context);
    }
    if (this.context.state === "suspended") this.context.resume();
  }

  /** @param {keyof typeof FILES} name */
  async play(name) {
    const { context } = this;
    const { values, local } = this.preferences();
    if (this.muted || this.paused || !context || context.state !== "running" || !values.sound || local.volume === 0 || document.hidden) return;
    const files = FILES[name];
    const file = files[Math.floor(Math.random() * files.length)];
    const [source, volume] = [context.createBufferSource(), context.createGain()];
    try {
      source.buffer = await this.load(context, file);
    } catch {
      this.buffers.delete(file); // Without a network there is no sound; the next one is fetched again.
      return;
    }
    volume.gain.value = local.volume;
    source.connect(volume).connect(context.destination);
    source.start();
  }

  /** Load all sounds, one after the other: none is fetched during a deal. @param {AudioContext} context */
  async loadAll(context) {
    for (const file of Object.values(FILES).flat()) await this.load(context, file).catch(() => this.buffers.delete(file));
  }

  /**
   * @param {AudioContext} context
   * @param {string} file
   */
  load(context, file) {
    const loading = this.buffers.get(file) ?? fetch(new URL(`${file}.wav`, FOLDER)).then((answer) => answer.arrayBuffer()).then((data) => context.decodeAudioData(data));
    this.buffers.set(file, loading);
    return loading;
  }

  /**
   * Say words aloud, if the player has chosen a voice.
   * @param {string} words
   */
  say(words) {
    const { values, local } = this.preferences();
    if (this.muted || this.paused || !values.voice || !window.speechSynthesis) return;
    const spoken = new SpeechSynthesisUtterance(words);
    spoken.lang = currentLanguage();
    spoken.volume = local.volume;
    speechSynthesis.speak(spoken);
  }
}
