-- Money is neither made nor lost: what one statement posts to an entry sums to zero in each currency and book.
-- One pass over the inserted rows, so a batch of two hundred postings costs one query and not two hundred.
CREATE FUNCTION wallet_refuse_unbalanced_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong bigint;
BEGIN
    SELECT entry_id INTO wrong
      FROM (SELECT posting.entry_id, posting.amount,
                   (SELECT account.currency || '/' || account.book
                      FROM wallet_account account WHERE account.id = posting.account_id) AS purse
              FROM inserted posting) named
     GROUP BY entry_id, purse
    HAVING sum(amount) <> 0 OR purse IS NULL
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'wallet entry % does not sum to zero in each currency and book', wrong
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER wallet_posting_balanced AFTER INSERT ON wallet_posting
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_refuse_unbalanced_postings();

-- At commit every new entry is whole: two postings or more, and again a sum of zero in each currency and book.
CREATE FUNCTION wallet_refuse_partial_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    postings bigint;
    unbalanced boolean;
BEGIN
    SELECT coalesce(sum(purse.postings), 0), coalesce(bool_or(purse.total <> 0), false)
      INTO postings, unbalanced
      FROM (SELECT count(*) AS postings, sum(posting.amount) AS total
              FROM wallet_posting posting JOIN wallet_account account ON account.id = posting.account_id
             WHERE posting.entry_id = NEW.id
             GROUP BY account.currency, account.book) purse;
    IF postings < 2 OR unbalanced THEN
        RAISE EXCEPTION 'wallet entry % has % postings, or they do not sum to zero', NEW.id, postings
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER wallet_entry_whole AFTER INSERT ON wallet_entry
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_partial_entry();
