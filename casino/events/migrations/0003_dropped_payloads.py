from django.db import migrations

from casino.events.immutability import append_only

UPDATED = "id, recorded_at, version, schema, stream, type, metadata"
FUNCTION = r"""
-- The data of an event may become `null` while the newest event of its archived month is MonthDropped, and what fits
-- its digest again while that is MonthRestored. The session names the month, so that nothing happens by accident.
CREATE FUNCTION events_keep_payload() RETURNS trigger LANGUAGE plpgsql
SET timezone = 'UTC' AS $$
DECLARE
    month    text := current_setting('casino.archived_month', true);
    newest   text;
    origin   json;
    sealed   record;
    digested bytea;
BEGIN
    IF OLD.version > 1 AND to_jsonb(OLD) - 'data' = to_jsonb(NEW) - 'data' AND month ~ '^\d{4}-\d{2}$'
       AND OLD.recorded_at < (month || '-01')::timestamptz + interval '1 month' THEN
        SELECT type INTO newest FROM events_event WHERE stream = 'archive-' || month ORDER BY version DESC LIMIT 1;
        IF newest = 'MonthDropped' AND NEW.data::text = 'null' THEN
            RETURN NEW;
        END IF;
        IF newest = 'MonthRestored' AND OLD.data::text = 'null' THEN
            SELECT metadata INTO origin FROM events_event
             WHERE stream = OLD.stream AND version <= OLD.version AND metadata IS NOT NULL
             ORDER BY version DESC LIMIT 1;
            SELECT seal.position, seal.digest, before.digest AS previous INTO sealed
              FROM events_seal AS seal LEFT JOIN events_seal AS before ON before.position = seal.position - 1
             WHERE seal.event_id = OLD.id;
            digested := sha256(
                convert_to('casino.events.seal/1', 'UTF8') || '\x00000000'::bytea
                || int8send(sealed.position) || int8send(OLD.id) || int4send(OLD.version) || int4send(OLD.schema::int)
                || int8send((extract(epoch FROM OLD.recorded_at) * 1000000)::bigint)
                || int4send(octet_length(OLD.stream)) || int4send(octet_length(OLD.type))
                || int4send(octet_length(NEW.data::text)) || int4send(octet_length(origin::text))
                || coalesce(sealed.previous, decode(repeat('00', 32), 'hex'))
                || convert_to(OLD.stream, 'UTF8') || convert_to(OLD.type, 'UTF8')
                || convert_to(NEW.data::text, 'UTF8') || convert_to(origin::text, 'UTF8'));
            IF digested = sealed.digest THEN
                RETURN NEW;
            END IF;
        END IF;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed or removed (% refused)', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation', HINT = 'A correction is a new event.';
END
$$;
"""
TRIGGERS = f"""
DROP TRIGGER events_event_keeps_rows ON events_event;
DROP TRIGGER events_event_refuses ON events_event;
CREATE TRIGGER events_event_keeps_rows BEFORE DELETE ON events_event FOR EACH ROW EXECUTE FUNCTION events_refuse_change();
CREATE TRIGGER events_event_refuses BEFORE DELETE OR TRUNCATE OR UPDATE OF {UPDATED} ON events_event FOR EACH STATEMENT EXECUTE FUNCTION events_refuse_change();
CREATE TRIGGER events_event_keeps_payload BEFORE UPDATE ON events_event FOR EACH ROW EXECUTE FUNCTION events_keep_payload();
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keeps_rows;
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_refuses;
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_keeps_payload;
"""  # noqa: E501  (the check of guards reads a trigger from one line)
REVERSE = (
    "DROP TRIGGER events_event_keeps_payload ON events_event",
    "DROP TRIGGER events_event_refuses ON events_event",
    "DROP TRIGGER events_event_keeps_rows ON events_event",
    "DROP FUNCTION events_keep_payload()",
    *append_only("events_event")[2:],
)


class Migration(migrations.Migration):
    """The owner may drop the payloads of an archived month, and restore those that fit the seals."""

    dependencies = [("events", "0002_index_of_time")]

    operations = [migrations.RunSQL(sql=FUNCTION, reverse_sql=REVERSE), migrations.RunSQL(sql=TRIGGERS, reverse_sql="")]
