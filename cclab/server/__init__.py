"""The server of `cclab app`: Voilà with our pages and kernels. All that touches the insides of Jupyter is here."""

from cclab.server.postponed import postpone

# Whoever imports nbformat or jupyter_server compiles the grammar of addresses in any script, for two seconds and more:
# jsonschema asks for it, though no schema of notebooks or events names such an address.
postpone("rfc3987_syntax", "is_valid_syntax")
