"""What operators subscribe to: a numbered feed of what happened to them, pulled, streamed, or pushed as webhooks."""
