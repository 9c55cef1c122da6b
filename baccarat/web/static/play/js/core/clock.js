// The server's time, as well as it can be known here: deadlines are its times, and only it decides.

let offset = 0;
let sure = Infinity;

/** Learn from an answer's `server_time`, given when the request left; quick answers are trusted more. */
export function learn(serverTime, sentAt, now = Date.now()) {
  const doubt = (now - sentAt) / 2;
  const guess = Date.parse(serverTime) - (sentAt + doubt);
  if (doubt > sure + 200) return;
  offset = guess;
  sure = Math.min(doubt, sure) + 20;
}

/** Tell what time it is at the server, in milliseconds. */
export const serverNow = () => Date.now() + offset;
