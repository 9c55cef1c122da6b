DROP TABLE events_subscription, events_headmark, events_seal, events_unsealed, events_event;
DROP FUNCTION events_refuse_change();
