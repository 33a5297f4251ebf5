"""The faces over HTTP: page, JSON API and event stream."""
