-- One round settled in hand-written SQL, one transaction: the very rows that the workers' code writes, prepared in
-- bench_* tables so that nothing has to be computed here. \set is pgbench's.
SELECT nextval('bench_place') AS place \gset
BEGIN;
SELECT id FROM baccarat_table WHERE id = (SELECT table_id FROM bench_round WHERE place = :place) FOR NO KEY UPDATE;
WITH added AS (
    INSERT INTO events_event (transaction, stream, version, type, schema, data, metadata)
    SELECT (SELECT nextval('events_transaction')), stream, version, type, schema, data, metadata
      FROM bench_event WHERE place = :place ORDER BY stream, version
    RETURNING id, transaction, type
), queued AS (
    INSERT INTO events_unsealed (event_id, transaction) SELECT id, transaction FROM added
)
SELECT id AS cause FROM added WHERE type = 'RoundSettled' \gset
WITH made AS (
    INSERT INTO wallet_entry (kind, cause) VALUES ('settlement', :cause) RETURNING cause
), moved AS (
    UPDATE wallet_balance AS held SET balance = held.balance + move.amount, sequence = held.sequence + 1
    FROM bench_posting AS move WHERE move.place = :place AND held.account_id = move.account_id
    RETURNING held.account_id, move.amount, held.balance, held.sequence
)
INSERT INTO wallet_posting (entry_id, account_id, amount, balance, sequence)
SELECT made.cause, moved.account_id, moved.amount, moved.balance, moved.sequence FROM moved, made;
UPDATE baccarat_table AS kept
SET round_id = made.round_id, rounds = made.rounds, version = made.version, state = made.state,
    round_version = made.round_version, round_state = made.round_state
FROM bench_table AS made WHERE made.place = :place AND kept.id = made.id;
UPDATE baccarat_duetable AS kept SET round_id = made.round_id, due_at = made.due_at
FROM bench_due AS made WHERE made.place = :place AND kept.table_id = made.table_id;
UPDATE baccarat_round AS kept
SET phase = made.phase, ended_at = made.ended_at, cards = made.cards, outcome = made.outcome,
    player_total = made.player_total, banker_total = made.banker_total
FROM bench_round AS made WHERE made.place = :place AND kept.id = made.id;
UPDATE baccarat_wager AS kept
SET won = made.won, commission = made.commission, returned = made.returned, settled_at = made.settled_at
FROM bench_wager AS made WHERE made.place = :place AND kept.id = made.id;
INSERT INTO baccarat_shoesecret (shoe_id, key_id, nonce, ciphertext)
SELECT shoe_id, key_id, nonce, ciphertext FROM bench_secret WHERE place = :place;
DELETE FROM baccarat_shoesecret WHERE shoe_id = (SELECT shoe_id FROM bench_round WHERE place = :place);
COMMIT;
