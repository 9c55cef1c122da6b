"""Pushes changes of tables and wallets to players: snapshots, events, balances."""
