"""Reports about money: what operators owe, accounts, adjustments; each a set-wise statement over sealed facts."""
