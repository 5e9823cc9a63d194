"""`rewards schedule`: what is deployed to run by the clock, when it runs next, and how well the starts are spread."""
