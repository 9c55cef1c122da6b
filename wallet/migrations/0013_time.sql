-- Rows lie in the order of their times, so the lowest and highest time of each few pages is index enough; it costs what
-- is written next to nothing.
CREATE INDEX events_event_time ON events_event USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX wallet_entry_time ON wallet_entry USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX wallet_account_operator ON wallet_account (operator_id, kind);
