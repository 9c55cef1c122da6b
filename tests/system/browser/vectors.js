// Recomputes the specification's vectors with the modules of the verify page: a pair of computed and published for each.

async (vectors) => {
  const load = (name) => import(`/static/play/verify/${name}.js`);
  const [hashes, reading, log, shoe, closing, hands, coups, spots, receipts, witnesses, notes] = await Promise.all(
    ["hashes", "read", "log", "shoe", "closing", "hands", "facts", "spots", "receipt", "witnesses", "checkpoint"].map(load),
  );
  const { big, bytes, hex, hmac, isSigned, joined, leafOf, rootByPath, rootOf, sha256, unhex } = hashes;
  const uuid = (text) => unhex(text.replaceAll("-", ""));
  const tag = (name) => joined(bytes(name), Uint8Array.of(0));
  const pairs = {};
  for (const name of ["canonical_json", "canonical_names"]) {
    const parsed = reading.read(bytes(JSON.stringify(vectors[name].value)));
    pairs[name] = [hex(bytes(reading.canonical(parsed))), vectors[name].bytes];
  }

  pairs.seal = [await log.digestOf(vectors.seal.event), vectors.seal.digest];

  const { merkle } = vectors;
  const leaves = await Promise.all(merkle.leaf_data.map((data) => leafOf(unhex(data))));
  const byPath = await rootByPath(leaves[merkle.index], merkle.index, leaves.length, merkle.path.map(unhex));
  pairs.merkle = [[hex(await rootOf(leaves)), hex(byPath)], [merkle.root, merkle.root]];
  const cutOf = async (commitment, contributions, shoeWitnesses = []) => hex(await shoe.cutOf(
    { commitmentData: () => ({ commitment }), shoeWitnesses }, null, contributions,
  ));

  const wordsOf = async (next, count) => {
    const words = [];
    while (words.length < count) words.push(await next());
    return words;
  };
  const none = big(0, 1);
  const cardsOf = async ({ seed, cut, decks }, links = none) => shoe.shuffle(await shoe.randomWords(unhex(seed), unhex(cut), links), decks);
  const shuffled = await Promise.all(vectors.shuffle.map(async (each) => (await cardsOf(each)).slice(0, each.cards.split(" ").length).join(" ")));
  pairs.shuffle = [shuffled, vectors.shuffle.map((each) => each.cards)];

  const opened = async (each, order) => {
    const salt = await hmac(unhex(each.seed));
    const all = await Promise.all(order.map(async (card, at) => leafOf(tag("casino.baccarat.card.v1"), big(at, 8), bytes(card), await salt(tag("casino.baccarat.salt.v1"), big(at, 8)))));
    const root = await rootByPath(all[each.place], each.place, order.length, each.path.map(unhex));
    return [order[each.place], hex(await salt(tag("casino.baccarat.salt.v1"), big(each.place, 8))), hex(root), hex(await rootOf(all))];
  };
  const wanted = (each) => [each.card, each.salt, each.root, each.root];
  pairs.openings = [await opened(vectors.openings, await cardsOf(vectors.openings)), wanted(vectors.openings)];

  const termsOf = async (terms) => hex(await sha256(...shoe.encodeTerms(terms)));
  pairs.terms = [[await termsOf(vectors.terms.terms), hex(await sha256(bytes(reading.canonical(vectors.terms.rules))))], [vectors.terms.digest, vectors.terms.terms.rules]];

  const leavesOf = async ({ wagers, currency }, terms) => Promise.all(wagers.map((wager) => closing.leafOfWager(unhex(terms), wager, currency, Object.keys(wager.stakes))));
  const closedOf = async (recorded, terms, listed, time, indexes) => closing.digestOf(recorded, unhex(terms), { ...recorded, indexes }, listed.length ? await rootOf(listed) : await sha256(), time);
  const closings = await Promise.all(vectors.closing.map(async (each) => {
    const listed = await leavesOf(each, each.terms);
    return [listed.map(hex), await closedOf(each.closing, each.terms, listed, each.closed_at)];
  }));
  pairs.closing = [closings, vectors.closing.map((each) => [each.leaves, each.closing.digest])];
  const { wager } = vectors;
  pairs.wager = [hex(await closing.leafOfWager(unhex(wager.terms), wager.wager, wager.currency, Object.keys(wager.wager.stakes))), wager.leaf];

  const { receipt } = vectors.receipt;
  const told = await receipts.readReceipt(receipt);
  pairs.receipt = [[told.terms, told.leaf, told.valid], [receipt.terms.digest, receipt.leaf, true]];

  pairs.payout = [await receipts.isPayoutSigned(vectors.payout.payout), true];
  pairs.contributed = [await receipts.isContributionSigned(vectors.contributed.receipt), true];

  pairs.hands = [
    vectors.hands.map(({ cards }) => {
      const { player, banker } = hands.dealHands(cards.split(" "));
      return [player.join(" "), banker.join(" "), hands.outcomeOf(player, banker)];
    }),
    vectors.hands.map((each) => [each.player, each.banker, each.outcome]),
  ];
  const factsOf = ({ cards }) => coups.factsOf(cards.split(" "));
  pairs.facts = [reading.canonical(vectors.facts.map(factsOf)), reading.canonical(vectors.facts.map((each) => each.facts))];
  const { rules, stakes } = vectors.money;
  pairs.money = [
    stakes.map((each) => spots.resultOf(rules[each.rules], each.spot, each.stake, factsOf(each))),
    stakes.map(({ result, won, commission, returned }) => ({ result, won, commission, returned })),
  ];

  const { published } = vectors;
  const games = await Promise.all(Object.entries(published.rules).map(async ([name, each]) => [name, await spots.digestOfGame(each)]));
  pairs.published = [[Object.fromEntries(games), Object.fromEntries(spots.PUBLISHED)], [published.digests, published.digests]];

  const commit = async ({ seed, table, shoe: id, number }) => hex(await sha256(tag("casino.baccarat.commitment.v2"), unhex(seed), uuid(table), uuid(id), big(number, 8)));
  const { drawing } = vectors;
  pairs.drawing = [
    [
      await commit(drawing), await cutOf(drawing.commitment, []), await cutOf(drawing.commitment, drawing.contributions),
      await wordsOf(await shoe.randomWords(unhex(drawing.seed), unhex(drawing.cut), none), drawing.words.length),
      (await cardsOf(drawing)).slice(0, drawing.cards.split(" ").length).join(" "),
    ],
    [drawing.commitment, drawing.uncut, drawing.cut, drawing.words, drawing.cards],
  ];
  const isTheirs = (each, listed) => shoe.checkSignature(
    { round: { table: each.table }, isLong: false, witnesses: listed }, each.commitment, { ...each, signature: { public_key: each.public_key, signature: each.signature } },
  ).then(() => true);
  pairs.contribution = [await isTheirs(vectors.contribution, []), true];

  const w = vectors.witnesses;
  const place = { chain: w.chain, index: w.index };
  const link = joined(witnesses.indexesOf([place]), unhex(w.release.link));
  pairs.witnesses = [
    [
      hex(await sha256(unhex(w.header))), hex(witnesses.indexesOf([place])), await cutOf(w.commitment, w.contributions, [place]),
      hex(witnesses.encodeStatement(place, w.release, 1, w.digest)), (await cardsOf({ ...w, decks: 8 }, link)).slice(0, 6).join(" "),
    ],
    [w.chain, w.x, w.cut, w.statement, w.cards],
  ];

  const round = vectors.witnessed_round;
  const indexes = witnesses.indexesOf(round.terms.witnesses);
  const listed = await leavesOf(round, round.digest);
  pairs.witnessed_round = [
    [
      await isTheirs(round.contribution, round.terms.witnesses), await cutOf(round.terms.commitment, [round.contribution], round.terms.witnesses),
      await termsOf(round.terms), listed.map(hex),
      await Promise.all(round.closings.map((each) => closedOf(each, round.digest, listed.slice(0, each.count), round.closed_at, indexes))),
    ],
    [true, round.terms.cut, round.digest, round.leaves, round.closings.map((each) => each.digest)],
  ];

  const long = vectors.witnessed_shoe;
  const order = await cardsOf(long, joined(witnesses.indexesOf(long.witnesses), unhex(long.link)));
  pairs.witnessed_shoe = [
    [
      await commit(long), await cutOf(long.commitment, long.contributions, long.witnesses), order.slice(0, 24).join(" "),
      await opened(long, order), await termsOf(long.terms),
      await closedOf(long.closing, long.digest, [], long.closed_at, witnesses.indexesOf(long.witnesses)),
    ],
    [long.commitment, long.cut, long.cards, wanted(long), long.digest, long.closing.digest],
  ];

  const of = vectors.drawn_round;
  const draws = await shoe.randomWords(unhex(of.round_seed), unhex(of.cut), joined(witnesses.indexesOf(of.witnesses), unhex(of.link)));
  pairs.drawn_round = [
    [
      hex(await (await hmac(unhex(of.seed)))(tag("casino.baccarat.round-seed.v1"), big(of.number, 8))), await commit({ ...of, seed: of.round_seed }),
      hex(await sha256(bytes(of.dealt.replaceAll(" ", "")))), (await shoe.shuffle(draws, of.decks, { count: 6, out: of.dealt.split(" ") })).join(" "),
    ],
    [of.round_seed, of.commitment, of.digest_of_dealt, of.cards],
  ];

  const { cosignature } = vectors;
  const note = notes.parseNote(cosignature.note);
  const found = await notes.findCosignatures(note, [cosignature.cosigner]);
  const time = new Date(cosignature.time * 1000).toISOString().replace(".000", "");
  pairs.cosignature = [
    [note.text, note.origin, note.size, hex(note.root), note.signatures[0].id, found],
    [cosignature.text, cosignature.origin, cosignature.size, cosignature.root, cosignature.log_key_id, [{ name: cosignature.cosigner.split("+")[0], time }]],
  ];
  return pairs;
}
