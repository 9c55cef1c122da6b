"""Talk at the tables: messages, reports, and what moderators do about them."""
