"""Statistical tests of the generator, over the card orders of revealed shoes and the outcomes dealt."""
